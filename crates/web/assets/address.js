// What the page shows, kept in the address, so that a view can be shared and the back button works:
// `#q=state = "critical"&sort=-metric`.

export function readAddress() {
  const params = new URLSearchParams(location.hash.slice(1));
  const sort = params.get("sort") ?? "state";
  return {
    query: params.get("q")?.trim() || "true",
    column: sort.replace(/^-/, ""),
    descending: sort.startsWith("-"),
  };
}

export function writeAddress({ query, column, descending }) {
  const params = new URLSearchParams();
  if (query !== "true") params.set("q", query);
  if (column !== "state" || descending) params.set("sort", (descending ? "-" : "") + column);
  const hash = params.size ? `#${params}` : "";
  if (hash === location.hash) return;
  history.pushState(null, "", location.pathname + location.search + hash);
}
