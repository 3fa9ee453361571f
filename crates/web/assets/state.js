// States are free text; these are the common ones. Each kind has a shape besides its colour.

const KINDS = {
  bad: { name: "bad", rank: 0, glyph: "▲" },
  warn: { name: "warn", rank: 1, glyph: "◆" },
  other: { name: "other", rank: 2, glyph: "■" },
  good: { name: "good", rank: 3, glyph: "●" },
  none: { name: "none", rank: 4, glyph: "○" },
};

const KNOWN = new Map([
  ...["critical", "crit", "error", "fatal", "failed", "failure", "down", "alert", "emergency"].map(
    (state) => [state, KINDS.bad],
  ),
  ...["warning", "warn", "degraded", "major", "minor"].map((state) => [state, KINDS.warn]),
  ...["ok", "up", "good", "success", "passing", "running", "info", "normal"].map((state) => [
    state,
    KINDS.good,
  ]),
]);

// The kind of a state: its name (a class in the style sheet), its rank (worst first), its glyph.
export function kindOf(state) {
  if (!state) return KINDS.none;
  return KNOWN.get(state.toLowerCase()) ?? KINDS.other;
}
