function bar(...parts) {
  return shape("svg", "pr-bar", {}, ...parts);
}

const at = (share) => 100 * share + "%";

function stripe(kind, left, width) {
  if (width === null) return shape("line", kind, { x1: at(left), x2: at(left), y1: "-25%", y2: "125%" });
  return width ? shape("rect", kind, { x: at(left), width: at(Math.max(width, 0.004)), height: "100%" }) : "";
}

function gridLine(name, middle, text) {
  return [make("span", "", name), middle, make("span", "", text)];
}

const CLASSES_SHOWN = 8;

function countLines(rule) {
  const counts = [...rule.counts].sort((a, b) => (b[0] === rule.class) - (a[0] === rule.class) || b[1] - a[1]);
  const lines = counts.slice(0, CLASSES_SHOWN).flatMap(([label, rows]) =>
    gridLine(className(label), bar(stripe(label === rule.class ? "pr-own" : "", 0, rows / rule.cover_size)), count(rows)));
  const rest = counts.slice(CLASSES_SHOWN);
  if (!rest.length) return lines;
  const total = rest.reduce((sum, [, rows]) => sum + rows, 0);
  const name = rest.length === 1 ? "1 other class" : rest.length + " other classes";
  return [...lines, ...gridLine(name, bar(stripe("", 0, total / rule.cover_size)), count(total))];
}

function drawConfidence(rule, place) {
  const confidence = content.cases.confidence && content.cases.confidence[place];
  const value = confidence ?? rule.precision;
  return gridLine(confidence === null ? "precision" : "confidence",
    bar(stripe("pr-share", rule.share, null), stripe("pr-point", value, null)), percent(value));
}

function drawHead(name, place) {
  if (content.cases.confidence === null) return make("p", "pr-head", make("b", "", name));
  return make("p", "pr-head", make("b", "", name), make("span", "pr-dim",
    ": Predictions like this one are right " + percent(content.cases.confidence[place]) + " of the time."));
}

function drawConditions(rule, place) {
  if (!rule.conditions.length) return make("p", "", sentence(content.cases.no_rule[place]));
  return make("ul", "pr-rule", ...rule.conditions.map((at, order) => {
    const condition = content.conditions[at];
    const cell = cellText(condition.column, place);
    return make("li", "", make("span", "pr-dim", order ? "and " : "because "), make("code", "", condition.text),
      cell === null ? "" : make("span", "pr-dim", " (here " + cell + ")"));
  }));
}

function cellText(column, place) {
  const cells = content.cases.cells[column];
  if (cells === null) return null;
  const cell = cells.numbers ? cells.numbers[place] : cells.texts[cells.codes[place]];
  return cell === null || cell === undefined ? "missing" : String(cell);
}

function drawOthers(place) {
  const others = content.cases.contrast[place];
  if (!others.length) return "";
  return make("div", "", make("h4", "", "The best case for the other side"), make("ul", "pr-list", ...others.map((at) => {
    const rule = content.rules[at];
    return make("li", "", make("code", "", ruleText(rule)), make("span", "pr-dim", ": " + count(rule.hits) + " of " +
      plural(rule.cover_size, "row") + " (" + percent(rule.precision) + "); score " + rule.score.toFixed(3)));
  })));
}

function drawOverruled(place, name) {
  const other = content.cases.overruled[place];
  if (!other) return "";
  const sign = other.offset < 0 ? "" : "+";
  return make("div", "", make("h4", "", "The class offset decided"), make("p", "",
    "A rule for another class scores higher (" + other.score.toFixed(3) + "): ", make("code", "", other.rule),
    "; the offset of " + sign + other.offset.toFixed(3) + " put " + name + " ahead."));
}

function points(number, text) {
  const whole = Math.round(number);
  return [make("span", number < 0 ? "pr-against" : "", whole < 0 ? String(whole) : "+" + whole), make("span", "", ...text)];
}

function drawPoints(place, own) {
  const card = content.cases.scorecard && content.cases.scorecard[place];
  if (!card) return "";
  const lines = card.rules.flatMap((at, order) => {
    const rule = at === null ? null : content.rules[at];
    const word = rule && rule.class !== own ? "but: " : order ? "also: " : "rule: ";
    if (!rule) return points(card.points[order], [word + "no rule of it covers this row"]);
    const isAlike = content.model.decided_by[order] === "look-alikes";
    return points(card.points[order], [word, make("code", "", reasonText(rule)), make("span", "pr-dim", ": " + count(rule.hits) +
      " of " + count(rule.cover_size) + " are " + className(rule.class) + (isAlike ? " (look-alikes)" : ""))]);
  });
  const together = make("b", "", "together, for " + className(own) + " against " + className(card.rival));
  return make("div", "", make("h4", "", card.rules.length + " rules decide together"),
    make("div", "pr-points", ...lines, ...points(card.offset, ["class offset"]), ...points(card.total, [together])),
    make("p", "pr-dim", "10 points double the odds."));
}

function drawAlike(place) {
  const told = content.cases.alike && content.cases.alike[place];
  return told ? make("p", "", told) : "";
}

function drawSilent(place) {
  const told = content.cases.silent && content.cases.silent[place];
  return told ? make("p", "", told) : "";
}

function drawNearest(place) {
  const nearest = content.cases.nearest && content.cases.nearest[place];
  if (!nearest || !nearest.length) return "";
  const texts = nearest.map(([row, label]) => rowName(row) + " (" + className(label) + ")");
  return make("p", "pr-dim", "Nearest covered training rows: " + texts.join(", "));
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

function drawCard(place) {
  const rule = content.rules[content.cases.rule[place]];
  const name = className(rule.class);
  const like = rule.conditions.length ? " like this" : "";
  const real = content.cases.class && content.cases.class[place];
  const truth = content.cases.class === null ? "" : make("p", "", real === rule.class ? "The prediction is right." :
    make("b", "", "The prediction is wrong: the class is " + className(real) + "."));
  return make("div", "picrules-card",
    drawHead(name, place), truth, drawMarks(place), drawConditions(rule, place),
    make("h4", "", plural(rule.cover_size, "training row") + like),
    make("div", "pr-grid", ...countLines(rule), ...drawConfidence(rule, place)),
    make("p", "pr-dim", "Precision " + percent(rule.precision) + ", " + rule.lift.toFixed(2) + " times the share of " + name + " (" + percent(rule.share) + "); recall " +
      percent(rule.recall) + "; score " + rule.score.toFixed(3) + ". " + (content.remarks[content.cases.remark[place]] ?? "")),
    rule.weak ? make("p", "", make("span", "mark", "weak"), rule.weak) : "",
    drawSilent(place), drawAlike(place), drawOverruled(place, name), drawPoints(place, rule.class), drawOthers(place), drawNearest(place));
}
