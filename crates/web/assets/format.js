// Values as text for people.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });

export function count(value) {
  return Number.isFinite(value) ? whole.format(value) : "–";
}

// A metric in a column: five digits of a fraction, all digits of an integer.
export function metric(value) {
  if (typeof value !== "number") return text(value);
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(3);
  return (Number.isInteger(value) || size >= 1e5 ? whole : short).format(value);
}

// Any JSON value on one line; nothing for null.
export function text(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function rate(value) {
  if (!Number.isFinite(value)) return "–";
  return value < 10 && !Number.isInteger(value) ? value.toFixed(1) : whole.format(value);
}

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
];

// Seconds in the largest unit that fits: `42s`, `3m`, `5h`; with `parts` = 2, `3m 20s`.
export function duration(seconds, parts = 1) {
  let rest = Math.floor(Math.abs(seconds));
  const words = [];
  for (const [unit, size] of UNITS) {
    if (rest < size && !words.length && size > 1) continue;
    words.push(Math.floor(rest / size) + unit);
    rest %= size;
    if (words.length === parts) break;
  }
  return words.join(" ");
}

// The age of something at `time`, both in ms; a time to come reads `in 5s`.
export function age(time, now) {
  if (time === null) return "";
  const seconds = (now - time) / 1000;
  if (Math.abs(seconds) < 1) return "now";
  return seconds > 0 ? duration(seconds) : `in ${duration(seconds)}`;
}

const clock = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "medium",
});

export function moment(time) {
  return clock.format(time);
}
