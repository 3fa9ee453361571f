// The event pane: every field and attribute of one event, kept up to date.

import { Past } from "./past.js";
import { Sparkline } from "./sparkline.js";
import { age, duration, moment, text } from "./format.js";
import { equals } from "./query.js";

const USUAL = ["host", "service", "state", "metric", "description", "tags", "time", "ttl"];
// Values of the metric's line, from when the pane was opened.
const TRAIL = 120;
const NS = "http://www.w3.org/2000/svg";

// `on` has `close()`, and `narrow(clause)` to add a clause to the query.
export class Pane {
  #root = document.getElementById("pane");
  #on;
  #row = null;
  #drawn = null;
  #parts = null;
  #past = new Past();
  // Whether the server has history to ask.
  hasHistory = false;

  constructor(on) {
    this.#on = on;
  }

  get key() {
    return this.#row?.key ?? null;
  }

  open(row) {
    if (row.key !== this.key) this.#build(row);
    this.#row = row;
    this.#drawn = null;
    this.#root.hidden = false;
  }

  close() {
    this.#row = null;
    this.#past.close();
    this.#root.hidden = true;
    this.#root.replaceChildren();
  }

  // Draws the row as it is now; `row` is undefined once it has left the index.
  draw(row, now) {
    if (!this.#row) return;
    this.#row = row ?? this.#row;
    const { event, time, ttl, kind, metric } = this.#row;
    const parts = this.#parts;
    parts.gone.hidden = Boolean(row);
    parts.age.textContent = time === null ? "no time" : agoText(age(time, now));
    parts.life.textContent = lifeText(time, ttl, now);
    if (event === this.#drawn) return;
    this.#drawn = event;
    parts.state.textContent = `${kind.glyph} ${this.#row.state || "no state"}`;
    parts.state.className = `state ${kind.name}`;
    parts.metric.textContent = text(event.metric) || "–";
    if (typeof metric === "number") parts.line.push(metric, false);
    parts.description.textContent = text(event.description);
    parts.fields.replaceChildren(...fields(event));
    parts.json.textContent = JSON.stringify(event, null, 2);
  }

  #build(row) {
    const close = button("Close", () => this.#on.close());
    close.className = "close";
    close.title = "Close (Esc)";
    const svg = document.createElementNS(NS, "svg");
    svg.setAttribute("class", "sparkline");
    const raw = element("details");
    const parts = {
      gone: element("p", "gone", "This event has left the index, or no longer matches the query."),
      state: element("span", "state"),
      age: element("span", "age"),
      life: element("span", "life"),
      metric: element("p", "metric"),
      line: new Sparkline(svg, TRAIL),
      description: element("p", "description"),
      fields: element("dl", "fields"),
      json: element("pre"),
    };
    parts.gone.hidden = true;
    raw.append(element("summary", "", "JSON"), parts.json);
    const times = element("p", "times");
    times.append(parts.state, parts.age, parts.life);
    const narrow = element("p", "narrow");
    narrow.append(
      button("Only this host", () => this.#on.narrow(equals("host", row.event.host))),
      button("Only this service", () => this.#on.narrow(equals("service", row.event.service))),
    );
    const title = element("h2", "", row.service || "no service");
    const host = element("p", "host", row.host || "no host");
    this.#root.replaceChildren(
      ...[close, host, title, parts.gone, times, parts.metric, svg, this.#past.root],
      ...[parts.description, parts.fields, narrow, raw],
    );
    this.#parts = parts;
    if (this.hasHistory) this.#past.open(row.event);
  }
}

function agoText(age) {
  return age === "now" || age.startsWith("in ") ? age : `${age} ago`;
}

function lifeText(time, ttl, now) {
  if (time === null) return "";
  const left = time / 1000 + ttl - now / 1000;
  return left >= 0 ? `expires in ${duration(left)}` : "expired";
}

// The usual fields first, then attributes by name.
function fields(event) {
  const others = Object.keys(event).filter((name) => !USUAL.includes(name));
  const names = [...USUAL.filter((name) => name in event), ...others.sort()];
  return names.flatMap((name) => {
    const attribute = USUAL.includes(name) ? "" : "attribute";
    const value = element("dd", "");
    if (event[name] === null) value.append(element("i", "", "nil"));
    else if (name === "tags" && Array.isArray(event.tags)) value.append(...event.tags.map(tag));
    else value.textContent = text(event[name]);
    if (name === "time" && !Number.isNaN(Date.parse(event.time))) {
      value.title = moment(Date.parse(event.time));
    }
    return [element("dt", attribute, name), value];
  });
}

function tag(name) {
  return element("span", "tag", text(name));
}

function button(label, click) {
  const made = element("button", "", label);
  made.type = "button";
  made.addEventListener("click", click);
  return made;
}

function element(name, className = "", content = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = content;
  return made;
}
