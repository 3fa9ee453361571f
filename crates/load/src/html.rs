//! The report as a page that needs nothing else.

use serde_json::json;

use crate::chart::{Series, svg};
use crate::report::{Report, Sample};
use crate::text::{duration, si, summary};

/// The page: what was asked, the summary, and four charts.
pub fn html(report: &Report) -> String {
    let mut out = String::from(HEAD);
    out += "<h1>Load test</h1>\n<dl>";
    for (name, value) in &report.setup {
        out += &format!(
            "<div><dt>{}</dt><dd>{}</dd></div>",
            escape(name),
            escape(value)
        );
    }
    out += &format!(
        "</dl>\n<pre id=\"summary\">{}</pre>\n",
        escape(&summary(report))
    );
    let events = report.events_per_message;
    let mut chart = |id: &str, title: &str, series: Vec<Series>, label: fn(f64) -> String| {
        out += &figure(id, title, &series, label);
    };
    let line = |name, value: &dyn Fn(&Sample) -> f64| Series {
        name,
        points: report
            .samples
            .iter()
            .map(|one| (one.at_s, value(one)))
            .collect(),
    };
    let mut rates = vec![line("sent", &|one| one.send_rate(events))];
    if report.answered {
        rates.push(line("acked", &|one| one.ack_rate(events)));
    }
    chart("rates", "Events a second", rates, si);
    let unacked = line("unacked", &|one| one.unacked as f64);
    chart("unacked", "Messages unacknowledged", vec![unacked], si);
    let trips = vec![
        line("p50", &|one| one.round_trip(0.5)),
        line("p99", &|one| one.round_trip(0.99)),
        line("max", &Sample::round_trip_max),
    ];
    chart("trips", "Round trip", trips, duration);
    let bytes = line("sent", &Sample::bytes_rate);
    chart("throughput", "Throughput", vec![bytes], |bytes| {
        format!("{}B/s", si(bytes))
    });
    out + "<script>\n" + SCRIPT + "</script>\n"
}

/// A chart with its names, and its values for the script.
fn figure(id: &str, title: &str, series: &[Series], label: fn(f64) -> String) -> String {
    let mut out = format!("<figure id=\"{id}\"><figcaption>{title} <span class=\"legend\">");
    for (number, series) in series.iter().enumerate() {
        out += &format!("<span class=\"s{number}\">{} <b></b></span> ", series.name);
    }
    out += "</span></figcaption>\n";
    out += &svg(series, label);
    let at: Vec<f64> = series.first().map_or(Vec::new(), |first| {
        first.points.iter().map(|(x, _)| *x).collect()
    });
    let texts: Vec<Vec<String>> = series
        .iter()
        .map(|series| series.points.iter().map(|(_, y)| text(*y, label)).collect())
        .collect();
    let values = json!({ "at": at, "texts": texts });
    out + &format!("\n<script type=\"application/json\">{values}</script></figure>\n")
}

fn text(value: f64, label: fn(f64) -> String) -> String {
    if value.is_finite() {
        label(value)
    } else {
        "-".to_owned()
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

const HEAD: &str = "<!doctype html>
<html lang=\"en\"><meta charset=\"utf-8\"><title>Load test</title>
<meta name=\"viewport\" content=\"width=device-width\">
<link rel=\"icon\" href=\"data:,\">
<style>
:root { color-scheme: light dark; --s0: #0969da; --s1: #bc4c00; --s2: #8250df; }
@media (prefers-color-scheme: dark) { :root { --s0: #58a6ff; --s1: #f0883e; --s2: #bc8cff; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1360px; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.3rem; }
dl { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; margin: 0; }
dl div { display: flex; gap: .4rem; }
dt { opacity: .7; }
dd { margin: 0; font-weight: 600; }
pre { overflow-x: auto; padding: .8rem; border-radius: 6px;
  border: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
main { display: grid; }
figure { display: inline-block; width: min(640px, 100%); margin: .5rem 0; vertical-align: top; }
figcaption { font-weight: 600; }
.legend { font-weight: 400; float: right; }
.legend b { display: inline-block; min-width: 4.5rem; font-variant-numeric: tabular-nums; }
svg { width: 100%; display: block; touch-action: pan-y; }
svg text { font-size: 11px; fill: currentColor; opacity: .7; }
.y { text-anchor: end; }
.x { text-anchor: middle; }
.grid { stroke: currentColor; opacity: .15; }
.line { fill: none; stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }
.cursor { stroke: currentColor; opacity: .4; visibility: hidden; }
.s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); } .s2 { stroke: var(--s2); }
span.s0 { color: var(--s0); } span.s1 { color: var(--s1); } span.s2 { color: var(--s2); }
</style>
";

/// Shows the values under the pointer, in all charts at once.
const SCRIPT: &str = "
const figures = [...document.querySelectorAll('figure')].map(figure => ({
  svg: figure.querySelector('svg'), cursor: figure.querySelector('.cursor'),
  texts: figure.querySelectorAll('.legend b'),
  values: JSON.parse(figure.querySelector('script').textContent) }));
const LEFT = 64, RIGHT = 12, WIDTH = 640;
function show(x) {
  for (const { svg, cursor, texts, values } of figures) {
    const end = Number(svg.dataset.end);
    const seconds = (x - LEFT) / (WIDTH - LEFT - RIGHT) * end;
    let near = 0;
    values.at.forEach((at, index) => {
      if (Math.abs(at - seconds) < Math.abs(values.at[near] - seconds)) near = index;
    });
    if (!values.at.length) continue;
    const place = LEFT + values.at[near] / end * (WIDTH - LEFT - RIGHT);
    cursor.setAttribute('x1', place);
    cursor.setAttribute('x2', place);
    cursor.style.visibility = 'visible';
    texts.forEach((text, series) => { text.textContent = values.texts[series][near]; });
  }
}
for (const { svg } of figures) {
  svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect();
    show((event.clientX - box.left) / box.width * WIDTH);
  });
}
";
