const RULES_ON_TOP = 5;

const used = () => content.rules.filter((rule) => rule.rows);

function drawAbout() {
  const { model, target, data, date } = content.about;
  document.title = nameReport() + " - report";
  document.getElementById("title").textContent = model;
  const facts = [["Target", target], ["Data", data], ["Rows", count(content.rows) + ", counted from " + content.first_row], ["Date", date]];
  put("about", make("dl", "facts", ...facts.filter(([, text]) => text).map(([name, text]) =>
    make("div", "", make("dt", "", name), make("dd", "", text)))), drawFigures());
}

const nameReport = () => [content.about.model, content.about.data].filter(Boolean).join(" on ");

function drawFigures() {
  const figures = [
    [count(used().length), used().length === 1 ? "rule in use" : "rules in use"],
    [content.mean_length.toFixed(2), "conditions per row"],
  ];
  const judged = content.performance.find((entry) => entry.by === "this table" && !tellTraining(entry)) ?? content.performance[0];
  if (judged) figures.unshift([percent(judged.accuracy), "right " + tellWhere(judged)]);
  return make("dl", "figures", ...figures.map(([figure, name]) => make("div", "", make("dt", "", name), make("dd", "", figure))));
}

function tellWhere(judged) {
  if (judged.by === "leave-one-out") return "by leave-one-out";
  return tellTraining(judged) ? "on rows like those it was learned from" : "on this table";
}

function drawWarnings() {
  const lines = content.warnings.rows.filter((entry) => entry.rows).map((entry) =>
    make("li", "", button("plain", plural(entry.rows, "row"), () => showFlag(entry.flag)), ": " + entry.flag + tellFlag(entry.flag) + "."));
  const weak = used().filter((rule) => rule.weak).length;
  if (weak) lines.push(make("li", "", plural(weak, "rule") + " in use " + (weak === 1 ? "is" : "are") + " weak, and marked so in the list of rules."));
  for (const entry of content.warnings.unseen) {
    lines.push(make("li", "", "Column ", make("code", "", entry.column), " holds values that training never saw in " +
      plural(entry.rows, "row") + ": " + entry.values.join(", ") + ". No rule speaks of them."));
  }
  if (content.warnings.unknown_class) {
    lines.push(make("li", "", plural(content.warnings.unknown_class, "row") +
      " of a class that training never saw: counted as wrong."));
  }
  for (const entry of content.classes.filter((one) => !one.rows)) {
    lines.push(make("li", "", "Training never saw the class ", make("code", "", entry.name), ", so it is never predicted."));
  }
  put("warnings", lines.length ? make("ul", "", ...lines) : make("p", "", "None."));
}

// What the flag of the class offset means.
function tellFlag(flag) {
  return flag === "another class scores higher" ? ", but the predicted one has a head start (class offset)" : "";
}

function tellUse(rule) {
  const sure = rule.confidence === null ? "" : ", with a confidence of " + percent(rule.confidence);
  return "decides " + plural(rule.rows, "row") + " (" + percent(rule.usage) + ")" + sure;
}

function drawTop() {
  const shown = used().slice(0, RULES_ON_TOP);
  put("top", make("ol", "top", ...shown.map((rule) => make("li", "", drawRuleButton(rule, content.rules.indexOf(rule)), drawPrecision(rule),
    make("span", "dim", tellUse(rule))))));
  const rest = used().length - shown.length;
  if (rest > 0) put("top", link("#rules", "All " + plural(used().length, "rule")));
}

function link(to, text) {
  const element = make("a", "", text);
  element.href = to;
  return element;
}
