// The head of the page: the server's vital signs.

import { Sparkline } from "./sparkline.js";
import { count, duration, rate, moment } from "./format.js";

// Values of the events-per-second line: two minutes of a poll every other second.
const RATES = 60;

export class Header {
  #line = new Sparkline(document.getElementById("rate-line"), RATES);
  #last = null;

  draw(status) {
    const perSecond = this.#rate(status);
    this.#line.push(perSecond);
    set("rate", rate(perSecond));
    set("index-size", count(status.index_size));
    set("uptime", duration(status.uptime_s, 2));
    set("version", status.version);
    set("hostname", status.hostname);
    document.title = `${status.hostname} – Cauchy`;
    drawPorts(status);
    drawReload(status.last_reload);
  }

  // The rate between two polls; the server's own figure until there are two.
  #rate(status) {
    const last = this.#last;
    this.#last = status;
    const seconds = last ? status.uptime_s - last.uptime_s : 0;
    if (seconds <= 0) return status.events_per_s ?? 0;
    return Math.max(0, status.events_total - last.events_total) / seconds;
  }
}

function set(id, text) {
  const element = document.getElementById(id);
  if (element.textContent !== text) element.textContent = text;
}

function drawPorts(status) {
  const line = document.getElementById("ports");
  const parts = status.ports.map(({ name, address }) => [name, address]);
  parts.push(["config", status.config ?? "built-in"], ["pid", String(status.pid)]);
  const reload = status.last_reload;
  if (reload && !reload.error) parts.push(["reloaded", moment(Date.parse(reload.at))]);
  const shown = JSON.stringify(parts);
  if (line.dataset.shown === shown) return;
  line.dataset.shown = shown;
  line.replaceChildren(
    ...parts.map(([name, value]) => {
      const part = document.createElement("span");
      const label = document.createElement("b");
      label.textContent = name;
      part.append(label, ` ${value}`);
      return part;
    }),
  );
}

function drawReload(reload) {
  const bar = document.getElementById("reload-error");
  const failed = Boolean(reload?.error);
  bar.hidden = !failed;
  if (!failed) return;
  const at = moment(Date.parse(reload.at));
  set("reload-error", `Reload at ${at} failed, the old configuration stays: ${reload.error}`);
}
