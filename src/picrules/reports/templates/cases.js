const CASES_AT_ONCE = 50;
const view = { words: [], flag: -1, rule: -1, order: 0, found: [], shown: CASES_AT_ONCE };
const parts = {};
let ruleTexts = [];

function flagsOf(place) {
  return content.flags.filter((_, bit) => content.cases.flags[place] >> bit & 1);
}

function drawMarks(place) {
  const flags = flagsOf(place);
  return flags.length ? make("p", "marks", ...flags.map((flag) => make("span", "mark", flag))) : "";
}

const isNumberOf = (place, word) => String(content.cases.row[place] + content.first_row) === word;

// A number means the row of that number, but may also stand in a rule or be a class.
function fits(place, word) {
  if (isNumberOf(place, word)) return true;
  if (ruleTexts[content.cases.rule[place]].includes(word)) return true;
  return content.cases.class !== null && className(content.cases.class[place]).toLowerCase().includes(word);
}

function search() {
  const { words, flag, rule, order } = view;
  view.found = content.cases.row.map((_, place) => place).filter((place) =>
    (flag < 0 || content.cases.flags[place] >> flag & 1) &&
    (rule < 0 || content.cases.rule[place] === rule) &&
    words.every((word) => fits(place, word)));
  const sure = content.cases.confidence;
  if (order) view.found.sort((a, b) => order * (sure[a] - sure[b]));
  const isMeant = (place) => words.some((word) => isNumberOf(place, word));
  if (words.length) view.found.sort((a, b) => isMeant(b) - isMeant(a));
  view.shown = CASES_AT_ONCE;
  drawList();
}

function drawList() {
  parts.body.replaceChildren(...view.found.slice(0, view.shown).map(drawLine));
  parts.more.hidden = view.found.length <= view.shown;
  parts.print.textContent = "Print " + (view.found.length === 1 ? "it" : "all " + count(view.found.length));
  parts.print.disabled = !view.found.length;
  parts.count.textContent = tellFound();
  parts.printed.textContent = view.found.length > view.shown ? "Only the first " + view.shown + " of these are printed." : "";
  parts.rule.hidden = view.rule < 0;
  parts.rule.firstChild.replaceChildren(...(view.rule < 0 ? [] : ["Only: ", drawClass(content.rules[view.rule].class), " ", drawWords(content.rules[view.rule]), " "]));
}

// A filter looks at the rows on this page alone; where the table has more, it says so.
function tellFound() {
  const [found, listed, rows] = [view.found.length, content.cases.row.length, content.rows];
  if (listed === rows) return plural(found, "case") + (found < listed ? " of " + count(listed) : "") + ".";
  if (view.words.length || (view.flag >= 0 && view.rule >= 0)) {
    return plural(found, "case") + " of the " + count(listed) + " rows on this page. The other " +
      plural(rows - listed, "row") + " of the table are not on it, and were not searched.";
  }
  const total = view.rule >= 0 ? content.rules[view.rule].rows : view.flag >= 0 ? content.warnings.rows[view.flag].rows : rows;
  const which = view.rule >= 0 ? " that this rule decides" : view.flag >= 0 ? " with this mark" : " of the table";
  return count(found) + " of the " + plural(total, "row") + which + " " + (total === 1 ? "is" : "are") + " on this page.";
}

function drawLine(place) {
  const rule = content.rules[content.cases.rule[place]];
  const cells = [
    head("number", "row", link("#row-" + (content.cases.row[place] + content.first_row), rowName(content.cases.row[place]))),
    named(make("td", "", drawClass(rule.class)), "predicted"),
  ];
  if (content.cases.class !== null) cells.push(named(make("td", "", drawClass(content.cases.class[place])), "is"));
  if (content.cases.confidence !== null) cells.push(named(number(percent(content.cases.confidence[place])), "confidence"));
  cells.push(make("td", "rule", drawWords(rule), drawMarks(place)));
  return make("tr", "", ...cells);
}

function drawCases() {
  ruleTexts = content.rules.map(searchText);
  parts.search = searchBox("Search cases by row number, class or rule", "Row number, class or words of the rule", (words) => { view.words = words; search(); });
  parts.flag = choice("", "Show", ["all cases", ...content.flags].map((text, place) => [place - 1, text]), (flag) => { view.flag = Number(flag); search(); }).lastChild;
  const order = content.cases.confidence === null ? "" :
    choice("", "Sort by", [[0, "row"], [1, "least sure first"], [-1, "most sure first"]], (sign) => { view.order = Number(sign); search(); });
  parts.count = status();
  parts.rule = make("p", "", make("span"), button("", "all rules", () => { view.rule = -1; search(); }));
  parts.more = button("more", "Show more", () => { view.shown += 10 * CASES_AT_ONCE; drawList(); });
  parts.print = button("", "", () => { view.shown = Infinity; drawList(); print(); });
  parts.printed = make("p", "dim printed");
  parts.body = make("tbody");
  const heads = ["row", "predicted", ...(content.cases.class === null ? [] : ["is"]),
    ...(content.cases.confidence === null ? [] : ["confidence"]), "rule"];
  put("cases", drawLimit(), make("div", "tools", parts.search, parts.flag.parentElement, order, parts.print), parts.count, parts.printed, parts.rule,
    table("wide list", "Cases", heads, parts.body), parts.more);
  search();
}

function drawLimit() {
  const listed = content.cases.row.length;
  if (listed === content.rows) return null;
  return make("p", "dim", count(listed) + " of " + plural(content.rows, "row") +
    " are listed: those with a warning or a wrong prediction first, then the first rows of the table. All numbers above count every row.");
}

function showCases(wanted) {
  Object.assign(view, { flag: -1, rule: -1, words: [], ...wanted });
  parts.flag.value = view.flag;
  parts.search.value = "";
  search();
  document.getElementById("cases").scrollIntoView();
}

const showFlag = (flag) => showCases({ flag: content.flags.indexOf(flag) });
const showRule = (place) => showCases({ rule: place });

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
  const { card, cells } = await unpackCard(place);
  if (location.hash !== asked) return; // another case was asked for meanwhile
  dialog.dataset.opened = asked;
  dialog.replaceChildren(make("div", "tools", make("h2", "", "Row " + rowName(content.cases.row[place])),
    step("Previous", place, -1), step("Next", place, 1), button("", "Print", () => print()), button("", "Close", () => dialog.close())),
    make("p", "dim printed", nameReport() + ", " + content.about.date), drawTruth(place, rule), make("p", "", drawClass(rule.class), " ", drawWords(rule)), drawMarks(place),
    make("div", "opened", make("div", "", card, rule.weak ? make("p", "", make("span", "mark", "weak"), rule.weak) : ""), drawCells(cells, rule)));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function step(text, place, by) {
  const at = view.found.indexOf(place) + by;
  const element = button("", text, () => { location.replace("#row-" + (content.cases.row[view.found[at]] + content.first_row)); });
  element.disabled = !(at in view.found) || !view.found.includes(place);
  return element;
}
