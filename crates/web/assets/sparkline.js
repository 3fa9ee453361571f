// A line of recent values, drawn into an svg element.

const NS = "http://www.w3.org/2000/svg";

export class Sparkline {
  #values = [];
  #line = document.createElementNS(NS, "polyline");
  #length;

  // `svg` is filled with the last `length` values.
  constructor(svg, length) {
    this.#length = length;
    svg.setAttribute("viewBox", `0 0 ${length - 1} 1`);
    svg.setAttribute("preserveAspectRatio", "none");
    this.#line.setAttribute("vector-effect", "non-scaling-stroke");
    svg.replaceChildren(this.#line);
  }

  // Draws from zero, or from the least value with `fromZero` false.
  push(value, fromZero = true) {
    this.#values.push(value);
    if (this.#values.length > this.#length) this.#values.shift();
    const top = Math.max(...this.#values);
    const bottom = fromZero ? Math.min(0, ...this.#values) : Math.min(...this.#values);
    const start = this.#length - this.#values.length;
    const points = this.#values.map((value, index) => {
      const height = top > bottom ? (value - bottom) / (top - bottom) : fromZero ? 0 : 0.5;
      return `${start + index},${(0.95 - 0.9 * height).toFixed(3)}`;
    });
    this.#line.setAttribute("points", points.join(" "));
  }
}
