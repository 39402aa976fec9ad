"use strict";
// The server draws the pages; this only asks it for the next part, and puts that into its place.

// A form that shows what was asked is sent as soon as a choice changes.
for (const form of document.querySelectorAll("form[data-send=change]")) {
  for (const box of form.querySelectorAll("select")) box.addEventListener("change", () => form.requestSubmit());
}

// The address of the case that a form describes: only what differs from the row stands in it.
function addressOf(form) {
  const query = new URLSearchParams();
  const row = form.elements.namedItem("row");
  if (row) query.set("row", row.value);
  const given = new URLSearchParams(location.search);
  for (const box of form.elements) {
    if (!box.name.startsWith("v.")) continue;
    if (box.value !== box.dataset.was || given.has(box.name)) query.set(box.name, box.value);
  }
  return "/case?" + query;
}

// Shows another case in place: the old page stays until the new one is there.
let asked = 0;
async function swapTo(address) {
  const own = ++asked;
  document.body.setAttribute("aria-busy", "true");
  const response = await fetch(address).catch(() => null);
  if (own !== asked) return;
  document.body.removeAttribute("aria-busy");
  const isPage = response && response.headers.get("content-type").startsWith("text/html");
  if (!isPage) {
    tell(response ? (await response.json()).detail : "The server does not answer.");
    return;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const focused = document.activeElement && document.activeElement.name;
  document.querySelector("main").replaceWith(page.querySelector("main"));
  document.title = page.title;
  if (address !== location.pathname + location.search) history.pushState(null, "", address);
  const box = focused && document.querySelector(`[name="${CSS.escape(focused)}"]`);
  if (box) box.focus();
}

function tell(text) {
  let place = document.getElementById("trouble");
  if (!place) {
    place = Object.assign(document.createElement("p"), { id: "trouble" });
    place.setAttribute("role", "alert");
    document.querySelector("main h1").after(place);
  }
  place.textContent = text;
}

addEventListener("popstate", () => {
  if (location.pathname === "/case") swapTo(location.pathname + location.search);
  else location.reload();
});

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-live]");
  if (form) swapTo(addressOf(form));
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("form[data-live]")) {
    event.preventDefault();
    swapTo(addressOf(form));
  } else if (form.matches("form.decision")) {
    event.preventDefault();
    keepDecision(form);
  }
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-swap]");
  if (link) {
    event.preventDefault();
    swapTo(link.getAttribute("href"));
    return;
  }
  const button = event.target.closest("button[data-do]");
  if (button) ({ print: () => print(), copy: copyText, ask: askMore })[button.dataset.do](button);
});

async function keepDecision(form) {
  const classes = JSON.parse(form.dataset.classes);
  const chosen = new FormData(form);
  const body = { answer: Number(form.dataset.answer), decision: classes[chosen.get("decision")], note: chosen.get("note") };
  const place = form.querySelector("[role=status]");
  const response = await fetch("/api/decisions", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  }).catch(() => null);
  const told = response ? await response.json() : { detail: "The server does not answer." };
  place.textContent = response && response.ok ? (told.is_overruled ? "Kept: the model is overruled." : "Kept: you agree.") : told.detail;
}

async function copyText(button) {
  const box = document.getElementById(button.dataset.from);
  const place = button.parentElement.querySelector("[role=status]");
  try {
    await navigator.clipboard.writeText(box.value);
    place.textContent = "Copied.";
  } catch {
    box.hidden = false;
    box.select();
    place.textContent = "Copy the marked text.";
  }
}

// A longer search answers in lines: how far it is, and at last the answer. Leaving the page ends it.
async function askMore(button) {
  const place = button.parentElement.querySelector("[role=status]");
  const bar = Object.assign(document.createElement("progress"), { max: 1, value: 0 });
  bar.setAttribute("aria-label", button.textContent);
  place.replaceChildren(bar);
  button.disabled = true;
  try {
    await readLines(await fetch(button.dataset.from), (line) => {
      if ("share" in line) bar.value = line.share;
      else if ("html" in line) place.replaceChildren(...new DOMParser().parseFromString(line.html, "text/html").body.childNodes);
      else place.textContent = line.problem ?? line.detail;
    });
  } catch {
    place.textContent = "The server does not answer.";
  }
  button.disabled = false;
}

async function readLines(response, take) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? (done ? "\n" : ""))).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.trim()) take(JSON.parse(line));
    if (done) return;
  }
}

// The page on which a table is learned from.
const drop = document.getElementById("drop");
if (drop) {
  document.getElementById("file").addEventListener("change", (event) => upload(event.target.files[0]));
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    upload(event.dataTransfer.files[0]);
  });
  const form = document.querySelector("form.learn");
  if (form) form.addEventListener("submit", (event) => { event.preventDefault(); learn(form); });
  if (document.getElementById("fit").dataset.state === "running") followFit();
}

async function upload(file) {
  if (!file) return;
  const place = document.getElementById("upload");
  place.textContent = "Reading " + file.name + " ...";
  const response = await fetch("/api/tables?name=" + encodeURIComponent(file.name), {
    method: "POST", headers: { "content-type": "application/octet-stream" }, body: file,
  }).catch(() => null);
  if (response && response.ok) location.reload();
  else place.textContent = response ? (await response.json()).detail : "The file is too large, or the server does not answer.";
}

async function learn(form) {
  const chosen = new FormData(form);
  const target = chosen.get("target");
  const used = new Set(chosen.getAll("use"));
  const boxes = [...form.elements].filter((box) => box.name === "use");
  const ignore = boxes.map((box) => box.value).filter((name) => !used.has(name) && name !== target);
  const response = await fetch("/api/fits", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ target, ignore }),
  });
  if (response.ok) followFit();
  else document.getElementById("fit").textContent = (await response.json()).detail;
}

async function followFit() {
  const place = document.getElementById("fit");
  const bar = Object.assign(document.createElement("progress"), { max: 1, value: 0 });
  bar.setAttribute("aria-label", "Learning");
  const text = document.createElement("p");
  const stop = Object.assign(document.createElement("button"), { type: "button", textContent: "Cancel" });
  stop.addEventListener("click", () => fetch("/api/fits", { method: "DELETE" }));
  place.replaceChildren(text, bar, " ", stop);
  for (;;) {
    const fit = await (await fetch("/api/fits")).json();
    if (fit.state !== "running") {
      showEnd(place, fit);
      return;
    }
    const left = fit.remaining === null ? "" : `; about ${fit.remaining} s left`;
    text.textContent = `Learning: ${fit.doing || "reading the table"}${left}`;
    bar.value = fit.share;
    await new Promise((resolve) => { setTimeout(resolve, 250); });
  }
}

function showEnd(place, fit) {
  if (fit.state === "done") {
    location.assign("/model");
    return;
  }
  place.textContent = fit.state === "cancelled" ? "Cancelled." : fit.problem;
}
