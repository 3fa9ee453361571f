// What is told about the rows as a whole: how many, of which states, and what is missing.

import { count } from "./format.js";
import { equals } from "./query.js";

// States that have a button.
const STATES_MAX = 8;

export class Summary {
  #count = document.getElementById("count");
  #tally = document.getElementById("tally");
  #notice = document.getElementById("notice");
  #empty = document.getElementById("empty");

  // `narrow(clause)` is called to add a clause to the query, or to take it away again.
  constructor(narrow) {
    this.#tally.addEventListener("click", ({ target }) => {
      const state = target.closest("button")?.dataset.state;
      if (state !== undefined) narrow(equals("state", state || null));
    });
  }

  draw(rows, { connected, refused, dropped, query, status }) {
    set(this.#count, refused ? "" : countText(rows));
    set(this.#notice, dropped ? droppedText(dropped) : "");
    this.#notice.hidden = !dropped;
    this.#drawTally(rows.tally().slice(0, STATES_MAX), query);
    this.#empty.hidden = rows.size > 0 || !(connected || refused);
    if (!this.#empty.hidden) set(this.#empty, emptyText(refused, query, status));
  }

  // The states at hand, each a button that narrows the query to it.
  #drawTally(states, query) {
    const buttons = this.#tally.children;
    states.forEach(({ state, rows, kind }, index) => {
      const button = buttons[index] ?? this.#tally.appendChild(document.createElement("button"));
      const clause = equals("state", state || null);
      const chosen = query === clause || query.endsWith(` and ${clause}`);
      button.type = "button";
      button.className = kind.name;
      button.dataset.state = state;
      button.setAttribute("aria-pressed", chosen);
      set(button, `${kind.glyph} ${count(rows)} ${state || "no state"}`);
    });
    while (buttons.length > states.length) this.#tally.lastChild.remove();
  }
}

function countText(rows) {
  const events = `${count(rows.size)} ${rows.size === 1 ? "event" : "events"}`;
  if (!rows.left.size) return events;
  return `${events}, and ${count(rows.left.size)} more not shown: narrow the query`;
}

function droppedText(dropped) {
  const updates = `${count(dropped)} ${dropped === 1 ? "update was" : "updates were"} skipped`;
  return `${updates}: they came faster than this page took them. A narrower query helps.`;
}

function emptyText(refused, query, status) {
  if (refused) return "Nothing is shown until the query above is mended.";
  if (query !== "true") return "No event in the index matches this query.";
  const ports = (status?.ports ?? []).map(({ name, address }) => `${name} ${address}`).join(", ");
  return `The index is empty.${ports ? ` Send events to ${ports}.` : ""}`;
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
