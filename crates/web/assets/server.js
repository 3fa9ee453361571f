// The server's status, asked for every other second, and its clock.

const POLL_MS = 2_000;
const TIMEOUT_MS = 5_000;

// Calls `on.status(status)` with each answer, and `on.lost()` each time there is none.
export class Server {
  #on;
  #offset = 0;

  constructor(on) {
    this.#on = on;
    this.#poll();
  }

  // The server's clock, in ms since 1970: a browser's may be set wrong.
  now() {
    return Date.now() + this.#offset;
  }

  async #poll() {
    const asked = Date.now();
    try {
      const url = new URL("api/status", document.baseURI);
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await fetch(url, { cache: "no-store", signal });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const status = await answer.json();
      this.#offset = Date.parse(status.time) - (asked + Date.now()) / 2 || 0;
      this.#on.status(status);
    } catch {
      this.#on.lost();
    }
    setTimeout(() => this.#poll(), POLL_MS);
  }
}
