"use strict";
// All texts of the data go through text nodes, or are escaped in cards: none becomes an element.
const content = JSON.parse(document.getElementById("content").textContent);

function make(name, kind, ...children) {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  element.append(...children.filter((child) => child !== null && child !== ""));
  return element;
}

function shape(name, kind, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  if (kind) element.setAttribute("class", kind);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function put(id, ...children) {
  document.getElementById(id).append(...children.filter((child) => child !== null && child !== ""));
}

function button(kind, text, act) {
  const element = make("button", kind, text);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

// A list to choose from: pairs of value and text.
function choice(kind, label, options, act) {
  const list = make("select", "", ...options.map(([value, text]) => new Option(text, value)));
  list.addEventListener("change", () => act(list.value));
  return make("label", kind, label + " ", list);
}

function searchBox(label, placeholder, act) {
  const box = Object.assign(make("input"), { type: "search", placeholder, autocomplete: "off", spellcheck: false });
  box.setAttribute("aria-label", label);
  box.addEventListener("input", () => act(box.value.toLowerCase().split(/\s+/).filter(Boolean)));
  return box;
}

function status() {
  const place = make("p", "dim");
  place.setAttribute("role", "status");
  return place;
}

const count = (number) => number.toLocaleString("en-US");
const plural = (number, word) => count(number) + " " + word + (number === 1 ? "" : "s");
const range = (ends) => percent(ends[0]) + " to " + percent(ends[1]);
const number = (text) => make("td", "number", text);
const className = (label) => content.classes[label].name;
const rowName = (row) => count(row + content.first_row);

// The same operations as `format_share` in Python, so that page and text say the same.
function percent(share) {
  if (share === 0 || share === 1) return share ? "100%" : "0%";
  const thousandths = Math.floor(1000 * share + 0.5);
  if (thousandths === 0 || thousandths === 1000) return thousandths ? "over 99.9%" : "under 0.1%";
  return Math.floor(thousandths / 10) + "." + thousandths % 10 + "%";
}

// A class has one colour in the whole page; its name always stands beside it. See colours.css.
const colourOf = (label) => "pr-c" + Math.min(label, 7);
const drawClass = (label) => make("span", "class " + colourOf(label), className(label));

function drawBar(share, label) {
  return shape("svg", "bar", { "aria-hidden": "true" },
    shape("rect", colourOf(label), { width: Math.max(100 * share, 0.5) + "%", height: "100%" }));
}

const reasonText = (rule) => rule.conditions.map((place) => content.conditions[place].text).join(" and ");
const reasonWords = (rule) => rule.conditions.map((place) => content.conditions[place].words).join(", and ");

function ruleText(rule) {
  if (rule.conditions.length) return "if " + reasonText(rule) + " then " + className(rule.class);
  return tellNoRule() + " is " + className(rule.class);
}

function tellNoRule() {
  return content.is_scorecard ? "no rule of its own; the class" : "no rule; the most frequent class";
}

// A rule in plain words, beside its class.
function drawWords(rule) {
  return make("span", "words", rule.conditions.length ? "if " + reasonWords(rule) : tellNoRule());
}

// Reachable by the keyboard, so that it can be scrolled.
function scroll(child, label) {
  const element = make("div", "scroll", child);
  element.tabIndex = 0;
  element.setAttribute("role", "region");
  element.setAttribute("aria-label", label);
  return element;
}

function head(kind, scope, ...children) {
  const element = make("th", kind, ...children);
  element.scope = scope;
  return element;
}

// `heads` are texts or finished; the caption is only heard where a heading says the same.
function table(kind, caption, heads, body) {
  const line = make("tr", "", ...heads.map((one) => (one instanceof Node ? one : head("", "col", one))));
  const rows = body instanceof Node ? body : make("tbody", "", ...body);
  return scroll(make("table", kind, make("caption", "", caption), make("thead", "", line), rows), caption);
}

function named(cell, name) {
  cell.dataset.name = name;
  return cell;
}

function pairs(caption, entries) {
  return table("", caption, ["name", "value"], entries.map(([name, value]) =>
    make("tr", "", head("", "row", name), make("td", "", String(value)))));
}

function details(title, ...children) {
  return make("details", "", make("summary", "", title), ...children);
}
