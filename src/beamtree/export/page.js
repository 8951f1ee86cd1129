"use strict";

// Folding, and the path of a row through the tree. Texts from the data are only set as text.

const { nodes } = JSON.parse(document.getElementById("data").textContent);
const folding = [...document.querySelectorAll("#tree details")];
const form = document.getElementById("row");
const path = document.getElementById("path");
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INTEGER = /^[+-]?\d+$/;

/** Return whether a value goes left; it is null if missing, a text of digits, or a position. */
function goesLeft(test, value) {
  if (value === null) return test.missing_left;
  if (test.kind === "missing") return true;
  if (test.kind === "category") return test.categories.includes(Number(value));
  if (test.exact !== null && INTEGER.test(value)) {
    return BigInt(value.replace("+", "")) <= BigInt(test.exact);
  }
  return Number(value) <= Number(test.threshold);
}

/** Return the nodes that a row passes through, given one value per column that the tree uses. */
function pathOf(values) {
  const passed = [0];
  let node = nodes[0];
  while (node.test) {
    const next = goesLeft(node.test, values[node.test.column]) ? node.left : node.right;
    passed.push(next);
    node = nodes[next];
  }
  return passed;
}

/** Return what is wrong with the text of a field, or an empty text. */
function mistake(field) {
  const text = field.value.trim();
  if (field.tagName === "SELECT" || text === "") return "";
  if (field.dataset.whole !== undefined) {
    return INTEGER.test(text) ? "" : "This must be an integer, such as 12, or empty.";
  }
  const good = NUMBER.test(text) && Number.isFinite(Number(text));
  return good ? "" : "This must be a number, such as 2.5, or empty.";
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function clear() {
  for (const one of document.querySelectorAll("#tree [aria-current]")) {
    one.removeAttribute("aria-current");
  }
  path.replaceChildren();
}

function show(passed, values) {
  const leaf = nodes[passed.at(-1)];
  const steps = document.createElement("ol");
  passed.forEach((number, place) => {
    const shown = document.getElementById(`node-${number}`);
    shown.setAttribute("aria-current", "step");
    if (shown.tagName === "DETAILS") shown.open = true;
    const { test, question, yes } = nodes[number];
    if (!test) return;
    const answer = passed[place + 1] === yes ? "yes" : "no";
    const missing = values[test.column] === null ? " (the value is missing)" : "";
    steps.append(element("li", `${question} ${answer}${missing}`));
  });
  path.append(element("p", `Prediction: ${leaf.label} (${leaf.words})`), steps);
}

function submit(event) {
  event.preventDefault();
  clear();
  const fields = [...form.querySelectorAll("input, select")];
  const wrong = fields.filter((field) => {
    const message = mistake(field);
    field.setAttribute("aria-invalid", String(message !== ""));
    document.getElementById(field.getAttribute("aria-describedby")).textContent = message;
    return message !== "";
  });
  if (wrong.length > 0) {
    wrong[0].focus();
    return;
  }
  const values = fields.map((field) => field.value.trim() || null);
  show(pathOf(values), values);
}

for (const [id, open] of [["unfold", true], ["fold", false]]) {
  document.getElementById(id).addEventListener("click", () => {
    for (const one of folding) one.open = open;
  });
}
if (form) {
  form.addEventListener("submit", submit);
  form.addEventListener("input", clear); // a path is never shown beside the values of another row
  form.addEventListener("reset", () => {
    clear();
    for (const field of form.querySelectorAll("input, select")) field.removeAttribute("aria-invalid");
    for (const error of form.querySelectorAll(".error")) error.textContent = "";
  });
}
for (const one of document.querySelectorAll("[data-scripted]")) one.hidden = false;
