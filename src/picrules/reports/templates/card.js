// Cards are drawn as in notebooks, with all texts escaped, and packed: lists of HTML, compressed.
const packs = JSON.parse(document.getElementById("cards").textContent);
const CARDS_PACKED = 64;

async function unpackCard(place) {
  const bytes = Uint8Array.from(atob(packs[Math.floor(place / CARDS_PACKED)]), (letter) => letter.charCodeAt(0));
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  return new DOMParser().parseFromString(JSON.parse(text)[place % CARDS_PACKED], "text/html").body.firstChild;
}

function cellText(column, place) {
  const cells = content.cases.cells[column];
  if (cells === null) return null;
  const cell = cells.numbers ? cells.numbers[place] : cells.texts[cells.codes[place]];
  return cell === null || cell === undefined ? "missing" : String(cell);
}

function drawCells(place, rule) {
  const used = new Set(rule.conditions.map((at) => content.conditions[at].column));
  const order = content.columns.map((_, column) => column).filter((column) => cellText(column, place) !== null);
  order.sort((a, b) => used.has(b) - used.has(a) || a - b);
  const lines = order.map((column) => make("tr", "", make("td", "", used.has(column) ?
    make("b", "", content.columns[column].name) : content.columns[column].name), make("td", "", cellText(column, place))));
  const rest = content.columns.length - order.length;
  const note = rest ? make("p", "dim", plural(rest, "column") + " that rules seldom speak of " + (rest === 1 ? "is" : "are") + " not in this file.") : "";
  return make("div", "", make("h3", "", "The row"), table("", ["column", "value"], lines), note);
}

function drawTruth(place, rule) {
  if (content.cases.class === null) return "";
  const real = content.cases.class[place];
  return make("p", "", real === rule.class ? "The prediction is right." :
    make("b", "", "The prediction is wrong: the class is " + className(real) + "."));
}
