// The order of rows: by one column, then by host and service, so that equal rows never swap.

export const COLUMNS = [
  { field: "state", title: "State" },
  { field: "host", title: "Host" },
  { field: "service", title: "Service" },
  { field: "metric", title: "Metric" },
  { field: "time", title: "Age" },
  { field: "description", title: "Description" },
];

const BY_FIELD = {
  state: (a, b) => a.kind.rank - b.kind.rank || byText(a.state, b.state),
  host: (a, b) => byText(a.host, b.host),
  service: (a, b) => byText(a.service, b.service),
  metric: (a, b) => a.metric - b.metric,
  time: (a, b) => b.time - a.time,
  description: (a, b) => byText(a.description, b.description),
};

// A comparison for `Array.sort`. Rows that lack a number in the column come last either way.
export function comparison({ column, descending }) {
  const field = column in BY_FIELD ? column : "state";
  const compare = BY_FIELD[field];
  const numeric = field === "metric" || field === "time";
  const sign = descending ? -1 : 1;
  return (a, b) => {
    if (numeric) {
      const missing = (typeof a[field] !== "number") - (typeof b[field] !== "number");
      if (missing) return missing;
    }
    const order = numeric && typeof a[field] !== "number" ? 0 : sign * compare(a, b);
    return order || byText(a.host, b.host) || byText(a.service, b.service);
  };
}

function byText(a, b) {
  return a === b ? 0 : a < b ? -1 : 1;
}
