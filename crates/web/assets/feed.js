// Events from the server's websocket: what matches a query now, then every change.

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 15_000;
// A connection that lasted so long counts as good: the next one is tried at once.
const STABLE_MS = 5_000;
// A server that has not answered by then is not there.
const CONNECT_TIMEOUT_MS = 10_000;
const SNAPSHOT_TIMEOUT_MS = 30_000;
// The close code with which the server refuses a query.
const REFUSED = 1008;

export function indexUrl(query, subscribe) {
  const url = new URL("index", document.baseURI);
  url.protocol = url.protocol.replace("http", "ws");
  url.hash = "";
  url.search = new URLSearchParams(subscribe ? { subscribe: "true", query } : { query });
  return url;
}

// A subscription that connects again when the connection is lost. `on` has:
// `open()`; `event(event)`; `refused(reason)`, after which nothing is retried; `down(delayMs)`.
export class Feed {
  #on;
  #query = "true";
  #socket = null;
  #timer = 0;
  #failures = 0;

  constructor(on) {
    this.#on = on;
  }

  subscribe(query) {
    this.#query = query;
    this.#failures = 0;
    this.connect();
  }

  // Connects now, leaving whatever connection there was.
  connect() {
    clearTimeout(this.#timer);
    this.#leave();
    const socket = new WebSocket(indexUrl(this.#query, true));
    const openedAt = performance.now();
    this.#socket = socket;
    this.#timer = setTimeout(() => {
      this.#leave();
      this.#retry(false);
    }, CONNECT_TIMEOUT_MS);
    socket.onopen = () => {
      clearTimeout(this.#timer);
      this.#on.open();
    };
    socket.onmessage = ({ data }) => {
      const event = parse(data);
      if (event) this.#on.event(event);
    };
    socket.onclose = ({ code, reason }) => {
      clearTimeout(this.#timer);
      this.#leave();
      if (code === REFUSED) this.#on.refused(reason);
      else this.#retry(performance.now() - openedAt > STABLE_MS);
    };
  }

  #leave() {
    const socket = this.#socket;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    this.#socket = null;
  }

  #retry(wasStable) {
    this.#failures = wasStable ? 0 : this.#failures + 1;
    const step = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.max(0, this.#failures - 1));
    const delay = step * (0.75 + Math.random() / 2);
    this.#on.down(delay);
    this.#timer = setTimeout(() => this.connect(), delay);
  }
}

// The events that match a query now; null if the server does not answer it whole, or not in time.
export function snapshot(query) {
  return new Promise((resolve) => {
    const events = [];
    const socket = new WebSocket(indexUrl(query, false));
    const timer = setTimeout(() => {
      resolve(null);
      socket.close();
    }, SNAPSHOT_TIMEOUT_MS);
    socket.onmessage = ({ data }) => {
      const event = parse(data);
      if (event) events.push(event);
    };
    socket.onclose = ({ code }) => {
      clearTimeout(timer);
      resolve(code === 1000 ? events : null);
    };
  });
}

function parse(data) {
  try {
    const event = JSON.parse(data);
    return event !== null && typeof event === "object" ? event : null;
  } catch {
    return null;
  }
}
