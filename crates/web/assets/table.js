// The table: only the rows in view exist as elements, so its cost does not grow with the index.

import { COLUMNS } from "./order.js";
import { age, metric } from "./format.js";

// Rows drawn beyond each edge of the view.
const OVERSCAN = 8;

const MOVES = {
  ArrowDown: () => 1,
  ArrowUp: () => -1,
  PageDown: (page) => page,
  PageUp: (page) => -page,
  Home: () => -Infinity,
  End: () => Infinity,
};

// `on` has `select(row)`, when the chosen row changes; `open(row)`; `sort(order)`; `scroll()`.
export class Table {
  #root = document.getElementById("table");
  #head = this.#root.querySelector(".head");
  #body = this.#root.querySelector(".body");
  #pool = [];
  #rows = [];
  #order = { column: "state", descending: false };
  #on;
  selected = null;

  constructor(on) {
    this.#on = on;
    this.#head.append(...COLUMNS.map((column) => this.#headCell(column)));
    this.#root.setAttribute("aria-colcount", COLUMNS.length);
    this.#root.addEventListener("scroll", () => on.scroll(), { passive: true });
    this.#root.addEventListener("keydown", (event) => this.#key(event));
    this.#body.addEventListener("click", (event) => this.#click(event));
    new ResizeObserver(() => on.scroll()).observe(this.#root);
  }

  focus() {
    this.#root.focus({ preventScroll: true });
  }

  showOrder(order) {
    this.#order = order;
    this.#head.childNodes.forEach((cell, index) => {
      const sorted = COLUMNS[index].field === order.column;
      if (sorted) cell.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
  }

  // Draws the part of `rows` that is in view; `now` is the server's clock, in ms.
  draw(rows, now) {
    this.#rows = rows;
    const height = this.#rowHeight();
    const first = Math.max(0, Math.floor(this.#root.scrollTop / height) - OVERSCAN);
    const visible = Math.ceil(this.#root.clientHeight / height) + 2 * OVERSCAN;
    const last = Math.min(rows.length, first + visible);
    this.#body.style.height = `${rows.length * height}px`;
    this.#root.setAttribute("aria-rowcount", rows.length + 1);
    let active = null;
    for (let index = first; index < last; index++) {
      const element = this.#element(index - first);
      fill(element, rows[index], index, now);
      element.style.transform = `translateY(${index * height}px)`;
      const chosen = rows[index].key === this.selected;
      element.setAttribute("aria-selected", chosen);
      if (chosen) active = element.id;
    }
    for (let spare = last - first; spare < this.#pool.length; spare++) {
      this.#pool[spare].hidden = true;
    }
    if (active) this.#root.setAttribute("aria-activedescendant", active);
    else this.#root.removeAttribute("aria-activedescendant");
  }

  #rowHeight() {
    return parseFloat(getComputedStyle(this.#root).getPropertyValue("--row-height"));
  }

  #element(slot) {
    if (!this.#pool[slot]) {
      const row = document.createElement("div");
      row.id = `row-${slot}`;
      row.role = "row";
      for (const { field } of COLUMNS) {
        const cell = document.createElement("span");
        cell.role = "gridcell";
        cell.className = field;
        row.append(cell);
      }
      this.#pool[slot] = row;
      this.#body.append(row);
    }
    this.#pool[slot].hidden = false;
    return this.#pool[slot];
  }

  #headCell({ field, title }) {
    const cell = document.createElement("span");
    const button = document.createElement("button");
    cell.role = "columnheader";
    cell.className = field;
    button.type = "button";
    button.textContent = title;
    button.addEventListener("click", () => {
      const descending = this.#order.column === field && !this.#order.descending;
      this.#on.sort({ column: field, descending });
    });
    cell.append(button);
    return cell;
  }

  #click(event) {
    const key = event.target.closest("[role=row]")?.dataset.key;
    const row = this.#rows.find((row) => row.key === key);
    if (!row) return;
    this.selected = row.key;
    this.#on.open(row);
  }

  #key(event) {
    if (event.target !== this.#root || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#rows.findIndex((row) => row.key === this.selected);
    if (event.key === "Enter" && at >= 0) this.#on.open(this.#rows[at]);
    if (!(event.key in MOVES) || !this.#rows.length) return;
    event.preventDefault();
    const page = Math.max(1, Math.floor(this.#root.clientHeight / this.#rowHeight()) - 2);
    const to = at + MOVES[event.key](page);
    const next = Math.min(this.#rows.length - 1, Math.max(0, to));
    this.selected = this.#rows[next].key;
    this.#reveal(next);
    this.#on.select(this.#rows[next]);
  }

  #reveal(index) {
    const height = this.#rowHeight();
    const top = index * height;
    const room = this.#root.clientHeight - this.#head.offsetHeight;
    if (top < this.#root.scrollTop) this.#root.scrollTop = top;
    else if (top + height > this.#root.scrollTop + room) this.#root.scrollTop = top + height - room;
  }
}

function fill(element, row, index, now) {
  if (element.dataset.key !== row.key) {
    element.dataset.key = row.key;
    element.dataset.host = row.host;
    element.dataset.service = row.service;
  }
  element.className = `row ${row.kind.name}`;
  element.setAttribute("aria-rowindex", index + 2);
  const [state, host, service, number, time, description] = element.childNodes;
  set(state, `${row.kind.glyph} ${row.state || "–"}`);
  set(host, row.host);
  set(service, row.service);
  set(number, metric(row.metric));
  set(time, age(row.time, now));
  set(description, row.description);
}

function set(cell, text) {
  if (cell.textContent === text) return;
  cell.textContent = text;
  cell.title = text;
}
