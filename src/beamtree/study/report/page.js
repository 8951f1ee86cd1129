"use strict";
// Makes tables sortable by a click on a column's name, and draws curves that can be zoomed. It uses
// only the JSON data in the page.

const SVG = "http://www.w3.org/2000/svg";
const data = JSON.parse(document.getElementById("data").textContent);
document.documentElement.classList.add("scripted");

// --- Tables

// Orders numbers by value and words by the alphabet; empty cells are last in both directions.
function compare(one, other, direction) {
  const [a, b] = [one, other].map((cell) => cell.dataset.value ?? cell.textContent.trim());
  if (a === "" || b === "") return (a === "") - (b === "");
  const difference = Number(a) - Number(b);
  return direction * (Number.isNaN(difference) ? a.localeCompare(b, "en", { numeric: true }) : difference);
}

function sortBy(table, column, head) {
  const ascending = head.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => compare(a.cells[column], b.cells[column], ascending ? 1 : -1));
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, column, head));
    head.append(button);
    head.setAttribute("aria-sort", "none");
  });
}

// --- Curves

const WIDTH = 860, HEIGHT = 430, LEFT = 52, RIGHT = 12, TOP = 24, BOTTOM = 40;

function make(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Returns the value of a step function at a time, undefined before the first step.
function valueAt(points, time) {
  let value;
  for (const [seconds, y] of points) {
    if (seconds > time) break;
    value = y;
  }
  return value;
}

function shown(number) {
  return String(Number(number.toPrecision(4)));
}

// Returns about `about` round numbers between two numbers.
function ticks(low, high, about) {
  const raw = (high - low) / about, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) found.push(i * step);
  return found;
}

// Returns round numbers for a logarithmic axis, between two exponents of ten.
function timeTicks(low, high) {
  const found = [];
  for (let power = Math.floor(low); power <= high; power++) {
    for (const digit of high - low > 3.5 ? [1] : [1, 2, 5]) {
      const place = power + Math.log10(digit);
      if (low - 1e-9 <= place && place <= high + 1e-9) found.push(10 ** place);
    }
  }
  return found.length > 2 ? found : ticks(10 ** low, 10 ** high, 6);
}

class Chart {
  constructor(figure) {
    this.chart = data.charts[figure.dataset.chart];
    this.figure = figure;
    this.hidden = new Set();
    this.plot = make("svg", {
      class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, tabindex: 0, role: "img",
      "aria-label": figure.dataset.title,
    });
    figure.querySelector(".canvas").append(this.plot);
    this.select = figure.querySelector("select");
    this.select?.addEventListener("change", () => this.show());
    this.legend = figure.querySelector(".legend");
    this.listen();
    this.show();
  }

  show() {
    this.panel = this.chart.panels[this.select ? this.select.selectedIndex : 0];
    this.full = {
      x0: Math.log10(this.chart.start), x1: Math.log10(this.chart.end),
      y0: 0, y1: this.panel.top * 1.05,
    };
    this.drawLegend();
    this.reset();
  }

  reset() {
    this.view = { ...this.full };
    this.draw();
  }

  // Convert numbers to pixels, and pixels to numbers.
  x(seconds) {
    const { x0, x1 } = this.view;
    return LEFT + (Math.log10(Math.max(seconds, 1e-9)) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT);
  }
  y(value) {
    const { y0, y1 } = this.view;
    return HEIGHT - BOTTOM - (value - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM);
  }
  time(x) {
    const { x0, x1 } = this.view;
    return 10 ** (x0 + (x - LEFT) / (WIDTH - LEFT - RIGHT) * (x1 - x0));
  }
  at(event) {
    const box = this.plot.getBoundingClientRect(), scale = WIDTH / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  }

  path(points) {
    const end = this.x(this.chart.end);
    const corners = points.map(([seconds, y], i) => {
      const x = this.x(Math.max(seconds, this.chart.start)).toFixed(1);
      return i === 0 ? `M${x} ${this.y(y).toFixed(1)}` : `H${x}V${this.y(y).toFixed(1)}`;
    });
    return points.length ? `${corners.join("")}H${end.toFixed(1)}` : "";
  }

  draw() {
    const clip = `clip-${this.figure.dataset.chart}`;
    const lines = make("g", { "clip-path": `url(#${clip})` });
    this.plot.replaceChildren(
      make("clipPath", { id: clip }, make("rect", {
        x: LEFT, y: TOP, width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM,
      })), ...this.grid(), lines);
    if (this.panel.best !== undefined && this.panel.best !== null) {
      const y = this.y(this.panel.best);
      lines.append(make("line", { class: "best-known", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }));
    }
    for (const [system, points] of Object.entries(this.panel.lines)) {
      if (this.hidden.has(system)) continue;
      const { colour, dashes, width } = data.styles[system];
      const line = { stroke: colour, "stroke-width": width, "data-system": system };
      lines.append(make("path", { ...line, "stroke-dasharray": dashes, d: this.path(points) }));
    }
    if (this.panel.bound?.length && !this.hidden.has(data.ours)) {
      lines.append(make("path", {
        class: "bound", stroke: data.styles[data.ours].colour, "stroke-width": 1.4,
        "stroke-dasharray": "5 3", d: this.path(this.panel.bound),
      }));
    }
    this.cursor = make("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
    this.moment = make("text", { y: TOP + 12, visibility: "hidden" });
    this.plot.append(this.cursor, this.moment);
  }

  grid() {
    const { x0, x1, y0, y1 } = this.view, parts = [];
    for (const time of timeTicks(x0, x1)) {
      const x = this.x(time), label = make("text", { x, y: HEIGHT - BOTTOM + 17, "text-anchor": "middle" });
      label.textContent = shown(time);
      parts.push(make("line", { class: "grid", x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }), label);
    }
    for (const value of ticks(y0, y1, 8)) {
      const y = this.y(value), label = make("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" });
      label.textContent = shown(value);
      parts.push(make("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }), label);
    }
    const seconds = make("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" });
    seconds.textContent = "seconds";
    const unit = make("text", { x: LEFT, y: 12 });
    unit.textContent = this.chart.unit;
    return [...parts, seconds, unit];
  }

  drawLegend() {
    const items = Object.keys(this.panel.lines).map((system) => {
      const { colour, dashes, width, label } = data.styles[system];
      const item = document.createElement("li"), button = document.createElement("button");
      const words = document.createElement("span"), value = document.createElement("span");
      button.type = "button";
      button.dataset.system = system;
      button.setAttribute("aria-pressed", String(!this.hidden.has(system)));
      words.textContent = label;
      value.className = "value";
      button.append(make("svg", { width: 26, height: 8, "aria-hidden": true }, make("line", {
        x1: 0, x2: 26, y1: 4, y2: 4, stroke: colour, "stroke-width": width, "stroke-dasharray": dashes,
      })), words, value);
      button.addEventListener("click", () => this.toggle(system, button));
      item.append(button);
      return item;
    });
    this.legend.replaceChildren(...items);
    this.readOut(this.chart.end);
  }

  toggle(system, button) {
    if (!this.hidden.delete(system)) this.hidden.add(system);
    button.setAttribute("aria-pressed", String(!this.hidden.has(system)));
    this.draw();
  }

  // Shows the value of each system at a time next to its name in the legend.
  readOut(time) {
    for (const button of this.legend.querySelectorAll("button")) {
      const value = valueAt(this.panel.lines[button.dataset.system], time);
      button.querySelector(".value").textContent = value === undefined ? "–" : shown(value);
    }
  }

  // Zooms by a factor around a point; returns false if the view cannot be zoomed out further.
  zoom(factor, px, py) {
    const { x0, x1, y0, y1 } = this.view, full = this.full;
    if (factor > 1 && x1 - x0 >= full.x1 - full.x0 && y1 - y0 >= full.y1 - full.y0) return false;
    const fx = (px - LEFT) / (WIDTH - LEFT - RIGHT), fy = (HEIGHT - BOTTOM - py) / (HEIGHT - TOP - BOTTOM);
    const w = Math.min((x1 - x0) * factor, full.x1 - full.x0), h = Math.min((y1 - y0) * factor, full.y1 - full.y0);
    this.move(x0 + fx * (x1 - x0 - w), y0 + fy * (y1 - y0 - h), w, h);
    return true;
  }

  // Shows the part of the given corner and size, moved into the full range if necessary.
  move(x0, y0, w, h) {
    const full = this.full;
    x0 = Math.min(Math.max(x0, full.x0), full.x1 - w);
    y0 = Math.min(Math.max(y0, full.y0), full.y1 - h);
    this.view = { x0, x1: x0 + w, y0, y1: y0 + h };
    this.draw();
  }

  pan(dx, dy) {
    const { x0, x1, y0, y1 } = this.view;
    const w = x1 - x0, h = y1 - y0;
    this.move(x0 - dx / (WIDTH - LEFT - RIGHT) * w, y0 + dy / (HEIGHT - TOP - BOTTOM) * h, w, h);
  }

  listen() {
    const plot = this.plot;
    let from = null;
    plot.addEventListener("wheel", (event) => {
      if (this.zoom(event.deltaY > 0 ? 1.25 : 0.8, ...this.at(event))) event.preventDefault();
    }, { passive: false });
    plot.addEventListener("pointerdown", (event) => {
      from = this.at(event);
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointerup", () => { from = null; });
    plot.addEventListener("pointercancel", () => { from = null; });
    plot.addEventListener("pointermove", (event) => {
      const place = this.at(event);
      if (from) {
        this.pan(place[0] - from[0], place[1] - from[1]);
        from = place;
      }
      this.hover(place[0]);
    });
    plot.addEventListener("pointerleave", () => {
      this.cursor.setAttribute("visibility", "hidden");
      this.moment.setAttribute("visibility", "hidden");
      this.readOut(this.chart.end);
    });
    plot.addEventListener("dblclick", () => this.reset());
    plot.addEventListener("keydown", (event) => this.key(event));
  }

  hover(x) {
    if (x < LEFT || x > WIDTH - RIGHT) return;
    const time = this.time(x), right = x > WIDTH - 120;
    for (const key of ["x1", "x2"]) this.cursor.setAttribute(key, x);
    this.moment.setAttribute("x", x + (right ? -6 : 6));
    this.moment.setAttribute("text-anchor", right ? "end" : "start");
    this.moment.textContent = `${shown(time)} s`;
    for (const mark of [this.cursor, this.moment]) mark.setAttribute("visibility", "visible");
    this.readOut(time);
  }

  key(event) {
    const middle = [(LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2], step = 60;
    const actions = {
      "+": () => this.zoom(0.8, ...middle), "-": () => this.zoom(1.25, ...middle), "0": () => this.reset(),
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
    };
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  }
}

for (const figure of document.querySelectorAll(".chart")) new Chart(figure);
