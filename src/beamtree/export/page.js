"use strict";

// Folding, and the path of a row through the tree. Texts from the data are only set as text.

const { nodes } = JSON.parse(document.getElementById("data").textContent);
const folding = [...document.querySelectorAll("#tree details")];
const form = document.getElementById("row");
const path = document.getElementById("path");
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INTEGER = /^[+-]?\d+$/;
const CLOCK = String.raw`(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?`;
const TIME = new RegExp(`^${CLOCK}$`);
const DATE = new RegExp(String.raw`^(\d{4})-(\d\d)(?:-(\d\d)(?:[ T]${CLOCK} ?(Z|UTC|[+-]\d\d:?\d\d)?)?)?$`);
const PART = /(\d+)(?:\.(\d{1,9}))?\s*(days?|d|h|min|s)\b/g;
const SECONDS = { d: 86400n, h: 3600n, m: 60n, s: 1n };

/** Return the nanoseconds of a time of day, given its parts, or null if there is no such time. */
function clock(hour, minute, second = "0", fraction = "") {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  return BigInt(seconds) * 10n ** 9n + BigInt(fraction.padEnd(9, "0"));
}

/** Return the nanoseconds of a date since 1970 in UTC, or null if the text is none. */
function instant(text, zoned) {
  const [found, year, month, day = "01", hour = "00", minute = "00", second, fraction, zone] =
    DATE.exec(text) ?? [];
  if (!found || zoned !== (zone !== undefined)) return null;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  const time = clock(hour, minute, second, fraction);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day) || time === null) return null;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? "") ?? [];
  const offset = sign ? BigInt(`${sign}1`.replace("+", "")) * clock(hours, minutes) : 0n;
  return BigInt(date.getTime()) * 10n ** 6n + time - offset;
}

/** Return the nanoseconds of a duration, or null if the text is none. */
function duration(text) {
  const negative = text.startsWith("-");
  const parts = text.replace(/^-/, "").replace(/^\((.*)\)$/, "$1");
  if (parts.replace(PART, "").trim() !== "" || parts === "") return null;
  let sum = 0n;
  for (const [, whole, fraction = "", unit] of parts.matchAll(PART)) {
    sum += BigInt(whole + fraction.padEnd(9, "0")) * SECONDS[unit[0]];
  }
  return negative ? -sum : sum;
}

/** Return the nanoseconds of a text that a field for dates or times has, or null if it is none. */
function nanoseconds(text, pattern) {
  if (pattern === "duration") return duration(text);
  if (pattern === "time") return TIME.test(text) ? clock(...TIME.exec(text).slice(1)) : null;
  return instant(text, pattern === "zoned");
}

/** Return whether a value goes left: null if missing, nanoseconds, a text of digits, a position. */
function goesLeft(test, value) {
  if (value === null) return test.missing_left;
  if (test.kind === "missing") return true;
  if (test.kind === "time") return value < BigInt(test.before);
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
  if (field.dataset.time !== undefined) {
    const good = nanoseconds(text, field.dataset.time) !== null;
    return good ? "" : `This must be written like ${field.placeholder}, or be empty.`;
  }
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
  const values = fields.map(({ value, dataset }) => {
    const text = value.trim();
    return text && dataset.time ? nanoseconds(text, dataset.time) : text || null;
  });
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
