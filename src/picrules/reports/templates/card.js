// Cards are drawn as in notebooks, with all texts escaped, and packed: lists of HTML and cells, compressed.
const CARDS_PACKED = 64;
// Cells of a case that go on one page with its card.
const CELLS_PRINTED = 60;

async function unpackCard(place) {
  const pack = document.getElementById("cards-" + Math.floor(place / CARDS_PACKED)).textContent;
  const bytes = Uint8Array.from(atob(pack), (letter) => letter.charCodeAt(0));
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  const [card, cells] = JSON.parse(text)[place % CARDS_PACKED];
  return { card: new DOMParser().parseFromString(card, "text/html").body.firstChild, cells };
}

function drawCells(cells, rule) {
  const spoken = new Set(rule.conditions.map((at) => content.conditions[at].column));
  const order = content.columns.map((_, column) => column).filter((column) => cells[column] !== null);
  order.sort((a, b) => spoken.has(b) - spoken.has(a) || a - b);
  const lines = order.map((column, at) => make("tr", at < CELLS_PRINTED ? "" : "unprinted",
    head(spoken.has(column) ? "spoken" : "", "row", content.columns[column].name), make("td", "", cells[column])));
  const rest = content.columns.length - order.length;
  const unprinted = Math.max(order.length - CELLS_PRINTED, 0);
  return make("div", "cells", table("", "The row, with the columns that its rule speaks of first", ["column", "value"], lines),
    rest ? make("p", "dim", plural(rest, "column") + " that rules seldom speak of " + (rest === 1 ? "is" : "are") + " not in this file.") : "",
    unprinted ? make("p", "dim printed", "and " + plural(unprinted, "column") + " more, not printed") : "");
}

function drawTruth(place, rule) {
  if (content.cases.class === null) return "";
  const real = content.cases.class[place];
  return make("p", "", real === rule.class ? "The prediction is right." :
    make("b", "", "The prediction is wrong: the class is " + className(real) + "."));
}
