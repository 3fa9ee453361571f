// Pieces of Riemann's query language.

// The clause that chooses exactly one value of a field.
export function equals(field, value) {
  return `${field} = ${value === null || value === undefined ? "nil" : JSON.stringify(value)}`;
}

// The query with a clause added; choosing the same again takes it away.
export function narrowed(query, clause) {
  if (query === "true") return clause;
  if (query === clause) return "true";
  const rest = query.endsWith(` and ${clause}`) && query.slice(0, -` and ${clause}`.length);
  if (rest && isSafe(rest)) return rest;
  return `${isSafe(query) ? query : `(${query})`} and ${clause}`;
}

// True if ` and` after the query concerns all of it: no `or` outside a leading group.
function isSafe(query) {
  return !/\bor\b/.test(query.replace(/^\([^()]*\)/, ""));
}
