function drawAbout() {
  const judged = content.performance.find((entry) => entry.by === "this table" && !tellTraining(entry)) ??
    content.performance[0];
  const how = !judged ? "" : judged.by === "leave-one-out" ? " by leave-one-out" :
    tellTraining(judged) ? " on rows like those it was learned from" : " on this table";
  const sure = judged ? ", accuracy " + percent(judged.accuracy) + how : "";
  put("about", plural(content.rows, "row") + ", " +
    plural(content.rules.filter((rule) => rule.rows).length, "rule") + " in use, " +
    content.mean_length.toFixed(2) + " conditions per row on average" + sure +
    ". Rows are counted from " + content.first_row + ".");
}

function drawModel() {
  const model = content.model;
  put("model",
    make("p", "", model.estimator + ", learned from " + plural(model.rows, "row") + " with " +
      plural(content.columns.length, "column") + ". Engine " + model.engine + ": " + model.engine_reason + "."),
    make("p", "", "What decides: " + model.decides + "."),
    table("", ["class", "training rows"], content.classes.map((entry) =>
      make("tr", "", make("td", "", entry.name), number(count(entry.rows))))),
    details("Columns", table("", ["column", "kind", "in training", "missing here"], content.columns.map(drawColumn))),
    model.in_use ? details("Settings in use, chosen by leave-one-out", pairs(Object.entries(model.in_use))) : null,
    details("Parameters", pairs(Object.entries(model.parameters))));
}

function drawColumn(column) {
  const known = column.kind === "category" ? plural(column.values, "value") : plural(column.cuts, "cut");
  return make("tr", "", make("td", "", column.name), make("td", "", column.kind), make("td", "", known),
    number(count(column.missing)));
}

const NOTES = {
  "leave-one-out": "Each training row is predicted by what the others say. The settings, cuts, offsets and the confidence were learned with it, so that new rows can do slightly worse.",
};

// Rows that the model was learned from say little about others; most of them are enough to mislead.
function tellTraining(judged) {
  if (judged.is_training && judged.n_rows === content.model.rows) {
    return "These are the rows that the model was learned from, which flatters it.";
  }
  if (!(2 * judged.n_training_rows > judged.n_rows)) return "";
  return count(judged.n_training_rows) + " of the " + plural(judged.n_rows, "row") +
    " cannot be told from rows that the model was learned from, which may flatter it.";
}

function drawAccuracy() {
  if (!content.performance.length) {
    put("accuracy", make("p", "", "Not known: this estimator has no leave-one-out, and the classes of the rows were not given."));
  }
  for (const judged of content.performance) {
    const note = NOTES[judged.by] ?? tellTraining(judged);
    put("accuracy",
      make("h3", "", judged.by === "leave-one-out" ? "By leave-one-out" : "On this table"),
      make("p", "", make("b", "", percent(judged.accuracy)),
        " right: " + count(judged.n_right) + " of " + plural(judged.n_rows, "row") + " (95% interval " +
        range(judged.interval) + "); always the most frequent class: " + percent(judged.most_frequent) + "."),
      note ? make("p", "dim", note) : null,
      make("div", "side", drawConfusion(judged.confusion), drawReliability(judged.reliability)));
  }
}

const FEW_CLASSES = 12;

function drawConfusion(entries) {
  const labels = [...new Set(entries.flatMap(([real, said]) => [real, said]))].sort((a, b) => a - b);
  const body = labels.length > FEW_CLASSES ? listConfusion(entries) : tabulateConfusion(entries, labels);
  return make("figure", "", body, make("figcaption", "", "Confusion: a line for each class, a column for each prediction."));
}

function tabulateConfusion(entries, labels) {
  const counts = new Map(entries.map(([real, said, rows]) => [real + " " + said, rows]));
  const lines = labels.map((real) => make("tr", "", make("th", "", className(real)), ...labels.map((said) => {
    const rows = counts.get(real + " " + said) ?? 0;
    return make("td", "number " + (!rows ? "" : real === said ? "yes" : "no"), count(rows));
  })));
  return table("", ["is \\ predicted", ...labels.map(className)], lines);
}

function listConfusion(entries) {
  const wrong = entries.filter(([real, said]) => real !== said).sort((a, b) => b[2] - a[2]).slice(0, 20);
  return table("", ["is", "predicted", "rows"], wrong.map(([real, said, rows]) =>
    make("tr", "", make("td", "", className(real)), make("td", "", className(said)), number(count(rows)))));
}

// Where no confidence is known, the probability is a share of the rule's training rows, which flatters.
const sureness = () => (content.cases.confidence === null ? "probability" : "confidence");

function drawReliability(parts) {
  const lines = parts.map((part) => make("tr", "", make("td", "", range([part.lower, part.upper])),
    number(count(part.n_rows)), number(percent(part.confidence)), number(percent(part.share)),
    number(range(part.interval))));
  const what = sureness();
  return make("figure", "", plotReliability(parts),
    make("figcaption", "", "Calibration: of the predictions with a given " + what + ", how many are right. On the dashed line the " + what + " is what it says; the bars are 95% intervals."),
    details("As a table", table("", [what, "rows", "mean", "right", "95% interval"], lines)));
}

function shape(name, kind, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  if (kind) element.setAttribute("class", kind);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function plotReliability(parts) {
  const [left, top, size] = [54, 8, 220];
  const x = (share) => left + size * share;
  const y = (share) => top + size * (1 - share);
  const ticks = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    shape("text", "", { x: x(share), y: top + size + 15, "text-anchor": "middle" }, percent(share).replace(".0", "")),
    shape("text", "", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, percent(share).replace(".0", "")),
  ]);
  const most = Math.max(...parts.map((part) => part.n_rows));
  const spots = parts.flatMap((part) => [
    shape("line", "reach", { x1: x(part.confidence), x2: x(part.confidence), y1: y(part.interval[0]), y2: y(part.interval[1]) }),
    shape("circle", "spot", { cx: x(part.confidence), cy: y(part.share), r: 3 + 4 * Math.sqrt(part.n_rows / most) },
      shape("title", "", {}, plural(part.n_rows, "row") + ", " + percent(part.share) + " right")),
  ]);
  return shape("svg", "", { viewBox: "0 0 300 270", width: 300, height: 270, role: "img", "aria-label": "Calibration" },
    shape("rect", "axis", { x: left, y: top, width: size, height: size }),
    shape("line", "even", { x1: x(0), y1: y(0), x2: x(1), y2: y(1) }), ...ticks, ...spots,
    shape("text", "", { x: left + size / 2, y: top + size + 32, "text-anchor": "middle" }, sureness()),
    shape("text", "", { x: 10, y: top + size / 2, "text-anchor": "middle", transform: `rotate(-90 10 ${top + size / 2})` }, "right"));
}

function drawWarnings() {
  const lines = content.warnings.rows.filter((entry) => entry.rows).map((entry) =>
    make("li", "", button("plain", plural(entry.rows, "row"), () => showFlag(entry.flag)), ": " + entry.flag + "."));
  const weak = content.rules.filter((rule) => rule.rows && rule.weak).length;
  if (weak) lines.push(make("li", "", plural(weak, "rule") + " in use " + (weak === 1 ? "is" : "are") + " weak, and marked below."));
  for (const entry of content.warnings.unseen) {
    lines.push(make("li", "", "Column ", make("code", "", entry.column), " holds values that training never saw in " +
      plural(entry.rows, "row") + ": " + entry.values.join(", ") + ". No rule speaks of them."));
  }
  if (content.warnings.unknown_class) {
    lines.push(make("li", "", plural(content.warnings.unknown_class, "row") +
      " of a class that training never saw: counted as wrong."));
  }
  for (const entry of content.classes.filter((entry) => !entry.rows)) {
    lines.push(make("li", "", "Training never saw the class ", make("code", "", entry.name), ", so it is never predicted."));
  }
  put("warnings", lines.length ? make("ul", "", ...lines) : make("p", "", "None."));
}
