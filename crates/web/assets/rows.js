// The events the page knows, one row for each host and service, as the server's index has them.

import { comparison } from "./order.js";
import { kindOf } from "./state.js";
import { text } from "./format.js";

// Rows the page holds at most: a browser tab stays below some 200 MB. More are counted, not kept.
const ROWS_MAX = 100_000;
// Seconds an event lives when it does not say, as in the index.
const TTL_DEFAULT_S = 60;
// Seconds a row outlives its ttl: an agent that is a little late does not make rows blink.
const TTL_GRACE_S = 2;
// Sorting takes at most this part of the time.
const SORT_SHARE = 0.1;

export class Rows {
  #rows = new Map();
  #sorted = [];
  #compare = comparison({ column: "state", descending: false });
  #column = "state";
  #gone = false;
  #unsorted = false;
  #sortAgainAt = 0;
  // Rows left out because there are too many.
  left = new Set();

  get size() {
    return this.#rows.size;
  }

  get(key) {
    return this.#rows.get(key);
  }

  clear() {
    this.#rows.clear();
    this.#sorted = [];
    this.left.clear();
  }

  // Takes one event of the feed: adds or changes its row, or removes it when it has expired.
  // `now` is this browser's monotonic clock, in ms.
  take(event, now) {
    const key = keyOf(event);
    if (event.state === "expired") {
      this.remove(key);
      return;
    }
    let row = this.#rows.get(key);
    if (!row) {
      if (this.#rows.size >= ROWS_MAX) {
        if (this.left.size < ROWS_MAX) this.left.add(key);
        return;
      }
      row = { key, host: text(event.host), service: text(event.service), gone: false };
      this.#rows.set(key, row);
      this.#sorted.push(row);
      this.#unsorted = true;
    }
    const before = row[this.#column];
    update(row, event, now);
    if (row[this.#column] !== before) this.#unsorted = true;
  }

  remove(key) {
    this.left.delete(key);
    const row = this.#rows.get(key);
    if (!row) return;
    this.#rows.delete(key);
    row.gone = true;
    this.#gone = true;
  }

  // Removes rows whose time to live is over. `serverNow` is the server's clock, in ms.
  expire(serverNow) {
    let removed = false;
    for (const row of this.#rows.values()) {
      if (row.time === null || serverNow <= row.time + (row.ttl + TTL_GRACE_S) * 1000) continue;
      this.remove(row.key);
      removed = true;
    }
    return removed;
  }

  // Removes rows that are not among `keys` and have not been heard of since `since`: they have
  // changed so that the query no longer chooses them, which the feed does not tell.
  retain(keys, since) {
    for (const row of this.#rows.values()) {
      if (row.takenAt < since && !keys.has(row.key)) this.remove(row.key);
    }
  }

  sortBy(order) {
    this.#column = order.column;
    this.#compare = comparison(order);
    this.#unsorted = true;
    this.#sortAgainAt = 0;
  }

  // All rows in order. With `hold`, rows stay where they are.
  inOrder(hold) {
    if (this.#gone) {
      this.#sorted = this.#sorted.filter((row) => !row.gone);
      this.#gone = false;
    }
    const start = performance.now();
    if (this.#unsorted && !hold && start >= this.#sortAgainAt) {
      this.#sorted.sort(this.#compare);
      this.#unsorted = false;
      const end = performance.now();
      this.#sortAgainAt = end + (end - start) / SORT_SHARE;
    }
    return this.#sorted;
  }

  // How many rows each state has, worst state first.
  tally() {
    const counts = new Map();
    for (const row of this.#rows.values()) counts.set(row.state, (counts.get(row.state) ?? 0) + 1);
    return [...counts]
      .map(([state, rows]) => ({ state, rows, kind: kindOf(state) }))
      .sort((a, b) => a.kind.rank - b.kind.rank || b.rows - a.rows);
  }
}

export function keyOf(event) {
  return JSON.stringify([event.host ?? null, event.service ?? null]);
}

function update(row, event, now) {
  const time = Date.parse(event.time);
  row.event = event;
  row.state = text(event.state);
  row.kind = kindOf(row.state);
  row.metric = event.metric ?? null;
  row.description = text(event.description);
  row.time = Number.isNaN(time) ? null : time;
  row.ttl = typeof event.ttl === "number" ? event.ttl : TTL_DEFAULT_S;
  row.takenAt = now;
}
