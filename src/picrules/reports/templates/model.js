function drawModel() {
  const model = content.model;
  put("model",
    make("p", "", model.estimator + ", learned from " + plural(model.rows, "row") + " with " +
      plural(content.columns.length, "column") + "."),
    make("p", "", "What decides: " + model.decides + "."),
    table("", "Classes", ["class", "training rows"], content.classes.map((entry, label) =>
      make("tr", "", head("", "row", drawClass(label)), number(count(entry.rows))))),
    details("Columns", table("", "Columns", ["column", "kind", "in training", "missing here"], content.columns.map(drawColumn))),
    model.in_use ? details("Settings in use, chosen by leave-one-out", pairs("Settings in use", Object.entries(model.in_use))) : null,
    details("Parameters", pairs("Parameters", Object.entries(model.parameters)),
      make("p", "dim", "Engine " + model.engine + ": " + model.engine_reason + ".")));
}

function drawColumn(column) {
  const known = column.kind === "category" ? plural(column.values, "value") : plural(column.cuts, "cut");
  return make("tr", "", head("", "row", column.name), make("td", "", column.kind), make("td", "", known),
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
    put("accuracy", make("p", "", "Not known: there is no leave-one-out (of this estimator, or of one class), and the classes of the rows were not given."));
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
  return labels.length > FEW_CLASSES ? listConfusion(entries) : tabulateConfusion(entries, labels);
}

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
const share = (part, whole) => number(whole ? percent(part / whole) : "none");

function tabulateConfusion(entries, labels) {
  const counts = new Map(entries.map(([real, said, rows]) => [real + " " + said, rows]));
  const at = (real, said) => counts.get(real + " " + said) ?? 0;
  const said = (label) => sum(labels.map((real) => at(real, label)));
  const lines = labels.map((real) => {
    const rows = labels.map((label) => at(real, label));
    return make("tr", "", head("", "row", drawClass(real)), ...labels.map((label, place) =>
      make("td", "number " + (!rows[place] ? "" : real === label ? "yes" : "no"), count(rows[place]))),
    number(count(sum(rows))), share(at(real, real), sum(rows)));
  });
  const right = sum(labels.map((label) => at(label, label)));
  const all = sum(labels.map(said));
  lines.push(make("tr", "total", head("", "row", "total"), ...labels.map((label) => number(count(said(label)))), number(count(all)), share(right, all)),
    make("tr", "", head("", "row", "right of these"), ...labels.map((label) => share(at(label, label), said(label))), number(""), number("")));
  const caption = "Confusion: a line for each class, a column for each prediction.";
  return table("confusion", caption, ["is \\ predicted", ...labels.map((label) => head("number", "col", drawClass(label))),
    head("number", "col", "total"), head("number", "col", "recall")], lines);
}

// With many classes: how many of each are found, and the most frequent errors.
function listConfusion(entries) {
  const [totals, right] = [new Map(), new Map()];
  for (const [real, said, rows] of entries) {
    totals.set(real, (totals.get(real) ?? 0) + rows);
    if (real === said) right.set(real, rows);
  }
  const found = [...totals.keys()].sort((a, b) => a - b).map((real) => make("tr", "", head("", "row", drawClass(real)),
    number(count(totals.get(real))), share(right.get(real) ?? 0, totals.get(real))));
  const wrong = entries.filter(([real, said]) => real !== said).sort((a, b) => b[2] - a[2]).slice(0, 20);
  const errors = wrong.map(([real, said, rows]) =>
    make("tr", "", head("", "row", className(real)), make("td", "", className(said)), number(count(rows))));
  return make("div", "", table("", "The most frequent errors", ["is", "predicted", "rows"], errors),
    details("Recall of each class", table("", "Recall of each class", ["class", "total", "recall"], found)));
}

// Where no confidence is known, the probability is a share of the rule's training rows, which flatters.
const sureness = () => (content.cases.confidence === null ? "probability" : "confidence");

function drawReliability(parts) {
  const lines = parts.map((part) => make("tr", "", head("", "row", range([part.lower, part.upper])),
    number(count(part.n_rows)), number(percent(part.confidence)), number(percent(part.share)),
    number(range(part.interval))));
  const what = sureness();
  return make("figure", "", plotReliability(parts),
    make("figcaption", "", "Calibration: of the predictions with a given " + what + ", how many are right. On the dashed line the " + what + " is what it says; the bars are 95% intervals."),
    details("As a table", table("", "Calibration", [what, "rows", "mean", "right", "95% interval"], lines)));
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
