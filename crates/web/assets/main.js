// The page: wires the address, the feed, the rows, the table and the pane together.

import { readAddress, writeAddress } from "./address.js";
import { Feed, snapshot } from "./feed.js";
import { Header } from "./header.js";
import { Pane } from "./pane.js";
import { narrowed } from "./query.js";
import { Rows, keyOf } from "./rows.js";
import { Server } from "./server.js";
import { Summary } from "./summary.js";
import { Table } from "./table.js";

// Numbers that change faster than this cannot be read.
const DRAW_EVERY_MS = 250;
// While the pointer moves over the table its rows keep their places for so long.
const HOLD_MS = 1_500;
// A query other than `true` is asked again so often, to find rows that it chooses no longer; and
// its answers take at most this part of the time.
const RECONCILE_EVERY_MS = 2_000;
const RECONCILE_SHARE = 0.05;
// Lost updates are told for so long.
const NOTICE_MS = 10_000;
// The service of the event by which the server tells that this page was too slow.
const DROPPED = "cauchy dropped";

const at = (id) => document.getElementById(id);
const view = readAddress();
const rows = new Rows();
const header = new Header();
const pane = new Pane({ close: closePane, narrow });
const summary = new Summary(narrow);
const table = new Table({ select: follow, open: openPane, sort: setOrder, scroll: drawNow });
const server = new Server({ status: showStatus, lost: statusLost });
const feed = new Feed({ open: feedOpen, event: feedEvent, refused: feedRefused, down: feedDown });

let status = null;
let connected = false;
let refused = false;
let misses = 0;
let heldUntil = 0;
let dropped = 0;
let droppedUntil = 0;
let drawnAt = -Infinity;
let waiting = false;
let framed = false;

applyAddress();
setInterval(eachSecond, 1_000);
reconcileForever();

function applyAddress() {
  const address = readAddress();
  const sameQuery = connected && address.query === view.query;
  Object.assign(view, address);
  at("query").value = view.query === "true" ? "" : view.query;
  rows.sortBy(view);
  table.showOrder(view);
  if (!sameQuery) subscribe();
  drawNow();
}

function setQuery(query) {
  view.query = query.trim() || "true";
  at("query").value = view.query === "true" ? "" : view.query;
  writeAddress(view);
  subscribe();
}

function narrow(clause) {
  setQuery(narrowed(view.query, clause));
}

function setOrder(order) {
  Object.assign(view, order);
  heldUntil = 0;
  writeAddress(view);
  rows.sortBy(view);
  table.showOrder(view);
  drawNow();
}

function subscribe() {
  refused = false;
  at("query-error").hidden = true;
  at("query").removeAttribute("aria-invalid");
  feed.subscribe(view.query);
}

function feedOpen() {
  connected = true;
  rows.clear();
  at("offline").hidden = true;
  document.body.classList.remove("stale");
  drawSoon();
}

function feedEvent(event) {
  if (event.service === DROPPED) {
    dropped += Number(event.metric) || 0;
    droppedUntil = performance.now() + NOTICE_MS;
  } else {
    rows.take(event, performance.now());
  }
  drawSoon();
}

function feedRefused(reason) {
  connected = false;
  refused = true;
  rows.clear();
  at("query-reason").textContent = reason || "The server refused this query.";
  at("query-error").hidden = false;
  at("query").setAttribute("aria-invalid", "true");
  drawSoon();
}

function feedDown(delay) {
  connected = false;
  const seconds = Math.max(1, Math.round(delay / 1000));
  at("offline-text").textContent =
    `Disconnected from ${location.host}, retrying in ${seconds} s. ` +
    (rows.size ? "What you see is what was last known." : "");
  at("offline").hidden = false;
  document.body.classList.add("stale");
  drawSoon();
}

function showStatus(next) {
  misses = 0;
  status = next;
  header.draw(status);
  pane.hasHistory = status.history;
  drawSoon();
}

// A network that swallows packets leaves the websocket open and silent; the status tells.
function statusLost() {
  misses += 1;
  if (misses === 2 && connected) {
    feedDown(0);
    feed.connect();
  }
}

function eachSecond() {
  if (connected) rows.expire(server.now());
  drawSoon();
}

async function reconcileForever() {
  let wait = RECONCILE_EVERY_MS;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const start = performance.now();
    const inDoubt = view.query !== "true" || droppedUntil > start;
    if (connected && inDoubt && !rows.left.size) await reconcile(start);
    wait = Math.max(RECONCILE_EVERY_MS, (performance.now() - start) / RECONCILE_SHARE);
  }
}

async function reconcile(start) {
  const { query } = view;
  const lost = droppedUntil > start;
  const events = await snapshot(query);
  if (!events || !connected || query !== view.query) return;
  rows.retain(new Set(events.map(keyOf)), start);
  for (const event of events) {
    const row = rows.get(keyOf(event));
    if (!row || (lost && row.takenAt < start)) rows.take(event, start);
  }
  drawSoon();
}

function openPane(row) {
  table.selected = row.key;
  pane.open(row);
  drawNow();
}

function follow(row) {
  if (pane.key) pane.open(row);
  drawNow();
}

function closePane() {
  pane.close();
  table.focus();
  drawNow();
}

// Draws what came from the server, no more often than it can be read.
function drawSoon() {
  if (waiting) return;
  waiting = true;
  setTimeout(drawNow, Math.max(0, drawnAt + DRAW_EVERY_MS - performance.now()));
}

// Draws with the next frame: what a person did shows at once.
function drawNow() {
  if (!framed) requestAnimationFrame(draw);
  framed = true;
}

function draw() {
  waiting = framed = false;
  drawnAt = performance.now();
  const now = server.now();
  table.draw(rows.inOrder(drawnAt < heldUntil), now);
  pane.draw(rows.get(pane.key), now);
  if (drawnAt >= droppedUntil) dropped = 0;
  summary.draw(rows, { connected, refused, dropped, query: view.query, status });
}

at("search").addEventListener("submit", (event) => {
  event.preventDefault();
  setQuery(at("query").value);
});
at("retry").addEventListener("click", () => feed.connect());
at("table").addEventListener("pointermove", () => (heldUntil = performance.now() + HOLD_MS));
at("table").addEventListener("pointerleave", () => (heldUntil = 0));
addEventListener("popstate", applyAddress);
addEventListener("online", () => connected || refused || feed.connect());
addEventListener("keydown", (event) => {
  const typing = event.target === at("query");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    at("query").focus();
    at("query").select();
  }
  if (event.key !== "Escape") return;
  if (typing) {
    event.preventDefault();
    at("query").value = view.query === "true" ? "" : view.query;
    table.focus();
  } else if (pane.key) closePane();
});
