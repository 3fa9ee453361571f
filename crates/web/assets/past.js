// The past of one series: what history knows of it, drawn into the event pane.

import { metric, moment } from "./format.js";
import { equals } from "./query.js";

const NS = "http://www.w3.org/2000/svg";
const RANGES = ["1h", "6h", "1d", "1w"];
const SHOW = "min,quantile:0.5,quantile:0.99,max";
// Names of what is shown, in the order of `SHOW`; the band is between the first and the last.
const NAMES = ["least", "median", "99 %", "greatest"];
const WIDTH = 600;
const HEIGHT = 100;

export class Past {
  root = document.createElement("section");
  #range = RANGES[0];
  #event = null;
  #asked = null;
  #svg = document.createElementNS(NS, "svg");
  #text = document.createElement("p");
  #buttons = RANGES.map((range) => this.#button(range));

  constructor() {
    this.root.className = "past";
    this.root.hidden = true;
    this.#svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    this.#svg.setAttribute("preserveAspectRatio", "none");
    this.#svg.setAttribute("role", "img");
    const ranges = document.createElement("p");
    ranges.className = "ranges";
    ranges.append("History ", ...this.#buttons);
    this.root.append(ranges, this.#svg, this.#text);
  }

  // Shows the series of an event: of its host and service, whatever else it is kept by.
  open(event) {
    this.#event = event;
    this.root.hidden = true;
    this.#ask();
  }

  close() {
    this.#asked?.abort();
    this.#event = null;
  }

  #button(range) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = range;
    button.addEventListener("click", () => {
      this.#range = range;
      this.#ask();
    });
    return button;
  }

  async #ask() {
    this.#asked?.abort();
    const asked = (this.#asked = new AbortController());
    const { host, service } = this.#event;
    const query = `${equals("host", host)} and ${equals("service", service)}`;
    const url = new URL("api/history", document.baseURI);
    url.search = new URLSearchParams({ query, from: `-${this.#range}`, show: SHOW });
    try {
      const answer = await fetch(url, { cache: "no-store", signal: asked.signal });
      const past = answer.ok ? await answer.json() : null;
      if (!asked.signal.aborted) this.#draw(past);
    } catch {
      // The pane was closed, another range is wanted, or the server has gone: others tell of it.
    }
  }

  #draw(past) {
    const rows = (past?.series[0]?.rows ?? []).filter((row) => row[1] !== null);
    // A server without history, or that has none of this series, shows nothing.
    if (!rows.length && this.root.hidden) return;
    this.root.hidden = false;
    this.#buttons.forEach((button, index) => {
      button.setAttribute("aria-pressed", RANGES[index] === this.#range);
    });
    const total = past?.series[0]?.total ?? [];
    const known = NAMES.map((name, index) => `${name} ${metric(total[index])}`);
    this.#text.textContent = rows.length ? known.join(" · ") : "Nothing was measured.";
    const from = past ? `${moment(past.from * 1000)} to ${moment(past.to * 1000)}` : "";
    this.#svg.setAttribute("aria-label", `History, ${from}: ${this.#text.textContent}`);
    this.#svg.replaceChildren(...(rows.length ? shapes(past, rows) : []));
  }
}

// The band from least to greatest, and the lines between; a gap where steps are missing.
function shapes(past, rows) {
  const top = Math.max(...rows.map((row) => row[4]));
  const least = Math.min(...rows.map((row) => row[1]));
  const bottom = least >= 0 && least <= top / 2 ? 0 : least;
  const x = (time) => (((time - past.from) / (past.to - past.from)) * WIDTH).toFixed(1);
  const share = (value) => (top > bottom ? (value - bottom) / (top - bottom) : 0.5);
  const y = (value) => ((0.96 - 0.92 * share(value)) * HEIGHT).toFixed(1);
  const runs = [];
  let last = -Infinity;
  for (const row of rows) {
    if (row[0] - last > past.step) runs.push([]);
    runs.at(-1).push(row);
    last = row[0];
  }
  const line = (run, column) => run.map((row) => `${x(row[0])} ${y(row[column])}`).join("L");
  // A step alone is as wide as it is long.
  const wide = (run) => [...run, [run.at(-1)[0] + past.step, ...run.at(-1).slice(1)]];
  const path = (name, d) => {
    const shape = document.createElementNS(NS, "path");
    shape.setAttribute("class", name);
    shape.setAttribute("d", d);
    shape.setAttribute("vector-effect", "non-scaling-stroke");
    return shape;
  };
  const band = runs.map(wide).map((run) => `M${line(run, 4)}L${line([...run].reverse(), 1)}Z`);
  const lines = (column) => runs.map((run) => `M${line(wide(run), column)}`).join("");
  return [path("band", band.join("")), path("most", lines(3)), path("median", lines(2))];
}
