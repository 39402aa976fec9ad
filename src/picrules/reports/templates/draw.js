"use strict";
// All texts of the data go through text nodes, or are escaped in cards: none becomes an element.
const content = JSON.parse(document.getElementById("content").textContent);

function make(name, kind, ...children) {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  element.append(...children.filter((child) => child !== null && child !== ""));
  return element;
}

function put(id, ...children) {
  document.getElementById(id).append(...children.filter((child) => child !== null));
}

function button(kind, text, act) {
  const element = make("button", kind, text);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
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

const reasonText = (rule) => rule.conditions.map((place) => content.conditions[place].text).join(" and ");

function ruleText(rule) {
  const name = className(rule.class);
  if (rule.conditions.length) return "if " + reasonText(rule) + " then " + name;
  return (content.cases.scorecard ? "no rule of its own; the class is " : "no rule; the most frequent class is ") + name;
}

// Reachable by the keyboard, so that it can be scrolled.
function scroll(child) {
  const element = make("div", "scroll", child);
  element.tabIndex = 0;
  return element;
}

function table(kind, heads, rows) {
  const line = make("tr", "", ...heads.map((head) => (head instanceof Node ? head : make("th", "", head))));
  return scroll(make("table", kind, make("thead", "", line), make("tbody", "", ...rows)));
}

function named(cell, name) {
  cell.dataset.name = name;
  return cell;
}

function pairs(entries) {
  return table("", ["setting", "value"], entries.map(([name, value]) =>
    make("tr", "", make("td", "", name), make("td", "", String(value)))));
}

function details(title, ...children) {
  return make("details", "", make("summary", "", title), ...children);
}
