const CASES_AT_ONCE = 50;
const view = { words: [], flag: -1, rule: -1, found: [], shown: CASES_AT_ONCE };
const parts = {};
let ruleTexts = [];

function flagsOf(place) {
  return content.flags.filter((_, bit) => content.cases.flags[place] >> bit & 1);
}

function drawMarks(place) {
  const flags = flagsOf(place);
  return flags.length ? make("p", "", ...flags.map((flag) => make("span", "mark", flag))) : "";
}

const isNumberOf = (place, word) => String(content.cases.row[place] + content.first_row) === word;

// A number means the row of that number, but may also stand in a rule or be a class.
function fits(place, word) {
  if (isNumberOf(place, word)) return true;
  if (ruleTexts[content.cases.rule[place]].includes(word)) return true;
  return content.cases.class !== null && className(content.cases.class[place]).toLowerCase().includes(word);
}

function search() {
  const { words, flag, rule } = view;
  view.found = content.cases.row.map((_, place) => place).filter((place) =>
    (flag < 0 || content.cases.flags[place] >> flag & 1) &&
    (rule < 0 || content.cases.rule[place] === rule) &&
    words.every((word) => fits(place, word)));
  const isMeant = (place) => words.some((word) => isNumberOf(place, word));
  view.found.sort((a, b) => isMeant(b) - isMeant(a));
  view.shown = CASES_AT_ONCE;
  drawList();
}

function drawList() {
  parts.body.replaceChildren(...view.found.slice(0, view.shown).map(drawLine));
  parts.more.hidden = view.found.length <= view.shown;
  parts.count.textContent = plural(view.found.length, "case");
  parts.rule.hidden = view.rule < 0;
  parts.rule.firstChild.textContent = view.rule < 0 ? "" : "Only: " + ruleText(content.rules[view.rule]) + " ";
}

function drawLine(place) {
  const rule = content.rules[content.cases.rule[place]];
  const link = make("a", "", rowName(content.cases.row[place]));
  link.href = "#row-" + (content.cases.row[place] + content.first_row);
  const cells = [make("td", "number", link), named(make("td", "", className(rule.class)), "predicted")];
  if (content.cases.class !== null) cells.push(named(make("td", "", className(content.cases.class[place])), "is"));
  if (content.cases.confidence !== null) cells.push(named(number(percent(content.cases.confidence[place])), "confidence"));
  cells.push(make("td", "", make("code", "", ruleText(rule)), drawMarks(place)));
  return make("tr", "", ...cells);
}

function drawCases() {
  ruleTexts = content.rules.map((rule) => ruleText(rule).toLowerCase());
  parts.search = make("input");
  Object.assign(parts.search, { type: "search", placeholder: "Row number, class or words of the rule", autocomplete: "off", spellcheck: false });
  parts.search.setAttribute("aria-label", "Search cases by row number, class or rule");
  parts.search.addEventListener("input", () => {
    view.words = parts.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    search();
  });
  parts.flag = make("select", "", ...["all cases", ...content.flags].map((text, place) => new Option(text, place - 1)));
  parts.flag.setAttribute("aria-label", "Which cases");
  parts.flag.addEventListener("change", () => { view.flag = Number(parts.flag.value); search(); });
  parts.count = make("span", "dim");
  parts.count.setAttribute("role", "status");
  parts.rule = make("p", "", make("code", "", ""), button("", "all rules", () => { view.rule = -1; search(); }));
  parts.more = button("more", "Show more", () => { view.shown += 10 * CASES_AT_ONCE; drawList(); });
  parts.body = make("tbody");
  const heads = ["row", "predicted", ...(content.cases.class === null ? [] : ["is"]),
    ...(content.cases.confidence === null ? [] : ["confidence"]), "rule"];
  put("cases", drawLimit(), make("div", "tools", parts.search, parts.flag, parts.count), parts.rule,
    scroll(make("table", "wide list", make("thead", "", make("tr", "", ...heads.map((head) => make("th", "", head)))), parts.body)), parts.more);
  search();
}

function drawLimit() {
  const listed = content.cases.row.length;
  if (listed === content.rows) return null;
  return make("p", "dim", count(listed) + " of " + plural(content.rows, "row") +
    " are listed: those with a warning or a wrong prediction first, then the first rows of the table. All numbers above count every row.");
}

function showCases() {
  search();
  document.getElementById("cases").scrollIntoView();
}

function showFlag(flag) {
  Object.assign(view, { flag: content.flags.indexOf(flag), rule: -1, words: [] });
  parts.flag.value = view.flag;
  parts.search.value = "";
  showCases();
}

function showRule(place) {
  Object.assign(view, { rule: place, flag: -1, words: [] });
  parts.flag.value = -1;
  parts.search.value = "";
  showCases();
}

// The address says which case is open, so that links, the back button and reloading work.
async function openCase() {
  const match = /^#row-(\d+)$/.exec(location.hash);
  const place = match ? content.cases.row.indexOf(Number(match[1]) - content.first_row) : -1;
  const dialog = document.getElementById("case");
  if (place < 0) {
    if (dialog.open) dialog.close();
    return;
  }
  const rule = content.rules[content.cases.rule[place]];
  const asked = location.hash;
  const card = await unpackCard(place);
  if (location.hash !== asked) return; // another case was asked for meanwhile
  dialog.dataset.opened = asked;
  dialog.replaceChildren(make("div", "tools", make("h3", "", "Row " + rowName(content.cases.row[place])),
    step("Previous", place, -1), step("Next", place, 1), button("", "Close", () => dialog.close())),
    drawTruth(place, rule), drawMarks(place), card, rule.weak ? make("p", "", make("span", "mark", "weak"), rule.weak) : "",
    drawCells(place, rule));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function step(text, place, by) {
  const at = view.found.indexOf(place) + by;
  const element = button("", text, () => { location.replace("#row-" + (content.cases.row[view.found[at]] + content.first_row)); });
  element.disabled = !(at in view.found) || !view.found.includes(place);
  return element;
}
