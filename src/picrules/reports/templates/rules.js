const RULES_AT_ONCE = 30;
const RULE_COLUMNS = [
  ["confidence", "confidence", (rule) => rule.confidence === null ? "not known" : percent(rule.confidence)],
  ["precision", "precision", (rule) => drawPrecision(rule)],
  ["rows", "rows", (rule) => count(rule.rows)],
  ["share", "usage", (rule) => percent(rule.usage)],
  ["cover", "cover_size", (rule) => count(rule.cover_size)],
  ["recall", "recall", (rule) => percent(rule.recall)],
  ["length", "length", (rule) => String(rule.conditions.length)],
];
// How the rows that a rule decides turned out, where their classes are known.
if (content.rules.some((rule) => rule.right)) {
  RULE_COLUMNS.splice(4, 0, ["right here", "right", (rule) => count(rule.right.rows) + " of " + count(rule.rows)]);
}

function rightShare(rule) {
  return rule.right.rows / rule.rows;
}

function rank(rule, key) {
  if (key === "right") return rightShare(rule);
  return key === "length" ? rule.conditions.length : rule[key];
}

// How many of how many training rows, with a bar in the colour of the class.
function drawPrecision(rule) {
  return make("span", "precision", drawBar(rule.precision, rule.class),
    percent(rule.precision) + ": " + count(rule.hits) + " of " + count(rule.cover_size));
}

function drawRuleButton(rule, place) {
  const text = button("plain", "", () => showRule(place));
  text.append(drawClass(rule.class), " ", drawWords(rule));
  text.title = "Show its cases: " + ruleText(rule);
  return text;
}

function drawRules() {
  const entries = content.rules.map((rule, place) => ({ rule, place, text: searchText(rule) })).filter((entry) => entry.rule.rows);
  const state = { key: "rows", isRising: false, shown: RULES_AT_ONCE, words: [] };
  const body = make("tbody"), told = status();
  const more = button("more", "Show all rules", () => { state.shown = Infinity; draw(); });
  const sortBy = (key, isRising) => { Object.assign(state, { key, isRising }); draw(); };
  const heads = RULE_COLUMNS.map(([title, key]) => {
    const cell = head("number", "col", button("", title, () => sortBy(key, state.key === key && !state.isRising)));
    cell.dataset.key = key;
    return cell;
  });
  function draw() {
    const sign = state.isRising ? 1 : -1;
    const found = entries.filter((entry) => state.words.every((word) => entry.text.includes(word)));
    found.sort((a, b) => sign * (rank(a.rule, state.key) - rank(b.rule, state.key)) || a.place - b.place);
    body.replaceChildren(...found.slice(0, state.shown).map(drawRule));
    more.hidden = found.length <= state.shown;
    told.textContent = plural(found.length, "rule") + (found.length < entries.length ? " of " + count(entries.length) : "") +
      (found.length > state.shown ? ", the first " + state.shown + " shown" : "") + ".";
    for (const cell of heads) {
      const order = state.isRising ? "ascending" : "descending";
      cell.setAttribute("aria-sort", cell.dataset.key === state.key ? order : "none");
    }
  }
  draw();
  const box = searchBox("Only rules with these words", "Words of a rule", (words) => { state.words = words; draw(); });
  // Where the headings are not shown, on a phone.
  const sort = choice("narrow", "Sort by", RULE_COLUMNS.map(([title, key]) => [key, title]), (key) => sortBy(key, false));
  sort.lastChild.value = state.key;
  put("rules", make("div", "tools", box, sort), told,
    table("wide list", "Rules in use", [head("", "col", "rule"), ...heads], body), more);
}

const searchText = (rule) => (ruleText(rule) + " " + reasonWords(rule)).toLowerCase();

function drawRule({ rule, place }) {
  const cells = RULE_COLUMNS.map(([title, , show]) => named(number(show(rule)), title));
  const weak = rule.weak ? make("div", "dim", make("span", "mark", "weak"), rule.weak) : null;
  return make("tr", "", head("rule", "row", drawRuleButton(rule, place), weak), ...cells);
}
