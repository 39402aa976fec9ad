const RULES_AT_ONCE = 30;
const RULE_COLUMNS = [
  ["rows", "rows", (rule) => count(rule.rows)],
  ["share", "usage", (rule) => percent(rule.usage)],
  ["confidence", "confidence", (rule) => rule.confidence === null ? "not known" : percent(rule.confidence)],
  ["precision", "precision", (rule) => percent(rule.precision)],
  ["cover", "cover_size", (rule) => count(rule.cover_size)],
  ["recall", "recall", (rule) => percent(rule.recall)],
  ["length", "length", (rule) => String(rule.conditions.length)],
];
// How the rows that a rule decides turned out, where their classes are known.
if (content.rules.some((rule) => rule.right)) {
  RULE_COLUMNS.splice(3, 0, ["right here", "right", (rule) => percent(rightShare(rule))]);
}

function rightShare(rule) {
  return rule.right.rows / rule.rows;
}

function rank(rule, key) {
  if (key === "right") return rightShare(rule);
  return key === "length" ? rule.conditions.length : rule[key];
}

function drawRules() {
  const used = content.rules.map((rule, place) => ({ rule, place })).filter((entry) => entry.rule.rows);
  const state = { key: "rows", isRising: false, shown: RULES_AT_ONCE };
  const body = make("tbody");
  const more = button("more", "Show all rules", () => { state.shown = Infinity; draw(); });
  const heads = RULE_COLUMNS.map(([title, key]) => {
    const head = make("th", "number", button("", title, () => {
      state.isRising = state.key === key && !state.isRising;
      state.key = key;
      draw();
    }));
    head.dataset.key = key;
    return head;
  });
  function draw() {
    const sign = state.isRising ? 1 : -1;
    used.sort((a, b) => sign * (rank(a.rule, state.key) - rank(b.rule, state.key)) || a.place - b.place);
    body.replaceChildren(...used.slice(0, state.shown).map(drawRule));
    more.hidden = used.length <= state.shown;
    for (const head of heads) {
      const order = state.isRising ? "ascending" : "descending";
      head.setAttribute("aria-sort", head.dataset.key === state.key ? order : "none");
    }
  }
  draw();
  const line = make("tr", "", ...heads, make("th", "", "rule"));
  put("rules", scroll(make("table", "wide list", make("thead", "", line), body)), more);
}

function drawRule({ rule, place }) {
  const cells = RULE_COLUMNS.map(([title, , show]) => named(number(show(rule)), title));
  const text = button("plain", make("code", "", ruleText(rule)), () => showRule(place));
  text.title = "Show its cases";
  const weak = rule.weak ? make("div", "dim", make("span", "mark", "weak"), rule.weak) : null;
  return make("tr", "", ...cells, make("td", "", text, weak));
}
