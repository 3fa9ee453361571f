//! Panels as a picture: one SVG that needs nothing else.

use std::fmt::Write as _;

use super::axis::{self, Scale};
use super::grid::Grid;
use super::panel::{Bin, Curve, Drawing, Panel, panels};
use crate::reply::Reply;

/// Pixels: the picture's width, a panel's height, and what is around it.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 180.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TITLE: f64 = 30.0;
const TIMES: f64 = 30.0;
const TEXTS_HEIGHT: f64 = 40.0;

/// Columns and rows of a heatmap: cells of about four pixels.
const GRID: (usize, usize) = (240, 45);

/// Lines on the axes, of numbers and of time.
const NUMBERS: usize = 4;
const LABELS_MAX: usize = 10;

/// Colours that can be told apart, also by those who see fewer.
const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d00", "#555555",
];

/// Colours of a heatmap.
const COLOURS_MAX: f64 = 24.0;

/// The most names in a legend.
const NAMES_MAX: usize = 8;

const STYLE: &str = "text{font:12px sans-serif;fill:#333}.t{font-weight:bold}\
    .n{text-anchor:end}.x{text-anchor:middle}.g{stroke:#ddd}.l{fill:none;stroke-width:1.5}\
    .b{fill:none;stroke:#999}";

/// Draws an answer under a title.
#[must_use]
pub fn draw(reply: &Reply, title: &str) -> String {
    let panels = panels(reply);
    let mut body = String::new();
    let stretch = axis::stretch(reply.from_us, reply.to_us);
    let _ = writeln!(
        body,
        "<text class=\"t\" x=\"{LEFT}\" y=\"20\">{}</text>\
         <text x=\"{LEFT}\" y=\"38\">{stretch}</text>",
        escaped(title)
    );
    let mut top = 46.0;
    for panel in &panels {
        top += draw_panel(reply, panel, top, &mut body);
    }
    if panels.is_empty() {
        let _ = writeln!(
            body,
            "<text x=\"{LEFT}\" y=\"70\">nothing was measured</text>"
        );
        top += 40.0;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{top}\" \
         viewBox=\"0 0 {WIDTH} {top}\"><style>{STYLE}</style>\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

/// Where a panel is.
struct Frame<'a> {
    reply: &'a Reply,
    top: f64,
    height: f64,
}

impl Frame<'_> {
    fn x(&self, us: i64) -> f64 {
        let range_us = (self.reply.to_us - self.reply.from_us).max(1) as f64;
        let share = (us - self.reply.from_us) as f64 / range_us;
        LEFT + share.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, height: f64) -> f64 {
        self.top + (1.0 - height) * self.height
    }

    fn times(&self, body: &mut String) {
        let (from_us, to_us) = (self.reply.from_us, self.reply.to_us);
        let bottom = self.top + self.height;
        for (us, label) in axis::times(from_us, to_us, LABELS_MAX) {
            let x = self.x(us);
            let (top, text) = (self.top, bottom + 16.0);
            let _ = writeln!(
                body,
                "<path class=\"g\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>\
                 <text class=\"x\" x=\"{x:.1}\" y=\"{text:.1}\">{label}</text>"
            );
        }
    }

    fn numbers(&self, scale: Scale, body: &mut String) {
        for line in 0..=NUMBERS {
            let height = line as f64 / NUMBERS as f64;
            let (y, end) = (self.y(height), WIDTH - RIGHT);
            let label = scale.label(height);
            let (x, text) = (LEFT - 8.0, y + 4.0);
            let _ = writeln!(
                body,
                "<path class=\"g\" d=\"M{LEFT} {y:.1}H{end}\"/>\
                 <text class=\"n\" x=\"{x}\" y=\"{text:.1}\">{label}</text>"
            );
        }
    }

    fn border(&self, body: &mut String) {
        let (top, width, height) = (self.top, WIDTH - LEFT - RIGHT, self.height);
        let _ = writeln!(
            body,
            "<rect class=\"b\" x=\"{LEFT}\" y=\"{top:.1}\" width=\"{width}\" height=\"{height}\"/>"
        );
    }
}

/// Draws a panel and gives how much room it took.
fn draw_panel(reply: &Reply, panel: &Panel, top: f64, body: &mut String) -> f64 {
    let title = escaped(&panel.title);
    let _ = writeln!(
        body,
        "<text class=\"t\" x=\"{LEFT}\" y=\"{:.1}\">{title}</text>",
        top + TITLE - 8.0
    );
    let height = match panel.drawing {
        Drawing::Texts(_) => TEXTS_HEIGHT,
        _ => HEIGHT,
    };
    let frame = Frame {
        reply,
        top: top + TITLE,
        height,
    };
    match &panel.drawing {
        Drawing::Lines(curves) => draw_lines(&frame, curves, body),
        Drawing::Heat(steps) => draw_heat(&frame, steps, body),
        Drawing::Texts(texts) => draw_texts(&frame, texts, body),
    }
    frame.border(body);
    TITLE + height + TIMES
}

fn draw_lines(frame: &Frame, curves: &[Curve], body: &mut String) {
    let numbers = curves.iter().flat_map(Curve::points);
    let scale = Scale::even(numbers.map(|(_, number)| number));
    frame.numbers(scale, body);
    frame.times(body);
    for (index, curve) in curves.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let mut path = String::new();
        for run in &curve.runs {
            for (at, (us, number)) in run.iter().enumerate() {
                let letter = if at == 0 { 'M' } else { 'L' };
                let (x, y) = (frame.x(*us), frame.y(scale.height(*number)));
                let _ = write!(path, "{letter}{x:.1} {y:.1}");
            }
            // One point alone is a dot.
            if run.len() == 1 {
                path += "h1";
            }
        }
        let _ = writeln!(body, "<path class=\"l\" stroke=\"{colour}\" d=\"{path}\"/>");
        if curves.len() > 1 && index < NAMES_MAX {
            let (x, y) = (WIDTH - RIGHT - 8.0, frame.top + 16.0 * (index + 1) as f64);
            let name = escaped(curve.name);
            let _ = writeln!(
                body,
                "<text class=\"n\" x=\"{x}\" y=\"{y:.1}\" style=\"fill:{colour}\">{name}</text>"
            );
        }
    }
}

fn draw_heat(frame: &Frame, steps: &[(i64, Vec<Bin>)], body: &mut String) {
    let (from_us, to_us) = (frame.reply.from_us, frame.reply.to_us);
    let times = (from_us, to_us, frame.reply.step_us.unwrap_or(0));
    let grid = Grid::new(steps, times, GRID);
    let width = (WIDTH - LEFT - RIGHT) / grid.columns as f64;
    let height = frame.height / grid.rows as f64;
    for row in 0..grid.rows {
        let y = frame.top + (grid.rows - 1 - row) as f64 * height;
        let colour = |column: usize| match grid.fullness(column, row) {
            0.0 => None,
            fullness => Some(heat_colour(fullness)),
        };
        let mut column = 0;
        while column < grid.columns {
            let own = colour(column);
            // Neighbours of one colour are one cell.
            let same = (column..grid.columns).take_while(|column| colour(*column) == own);
            let from = column;
            column += same.count();
            let Some(own) = own else {
                continue;
            };
            let x = LEFT + from as f64 * width;
            // A little more, so that no seams are seen.
            let (width, height) = ((column - from) as f64 * width + 0.3, height + 0.3);
            let _ = write!(
                body,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
                 fill=\"{own}\"/>"
            );
        }
    }
    body.push('\n');
    frame.numbers(grid.scale, body);
    frame.times(body);
}

/// From pale yellow by red to near black.
fn heat_colour(fullness: f64) -> String {
    const STOPS: [(f64, f64, f64); 4] = [
        (255.0, 245.0, 200.0),
        (250.0, 170.0, 60.0),
        (200.0, 40.0, 50.0),
        (70.0, 5.0, 60.0),
    ];
    // Few enough that neighbours share one, more than the eye tells apart.
    let at = (fullness.clamp(0.0, 1.0) * COLOURS_MAX).ceil() / COLOURS_MAX * 3.0;
    let first = (at as usize).min(2);
    let share = at - first as f64;
    let (from, to) = (STOPS[first], STOPS[first + 1]);
    let mix = |from: f64, to: f64| (from + (to - from) * share).round() as u8;
    let (red, green, blue) = (mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2));
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn draw_texts(frame: &Frame, texts: &[(i64, &str)], body: &mut String) {
    frame.times(body);
    for (index, (us, text)) in texts.iter().enumerate() {
        let x = frame.x(*us);
        let next = texts.get(index + 1);
        let width = next.map_or(WIDTH - RIGHT, |(us, _)| frame.x(*us)) - x;
        // Equal texts have equal colours.
        let known = texts.iter().position(|(_, other)| other == text);
        let colour = COLOURS[known.unwrap_or(0) % COLOURS.len()];
        let (top, height, middle) = (frame.top, frame.height, frame.top + frame.height / 2.0);
        let _ = writeln!(
            body,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height}\" \
             fill=\"{colour}\" fill-opacity=\"0.3\"/>"
        );
        // About seven pixels a letter: what does not fit is told by its colour.
        if text.chars().count() as f64 * 7.0 <= width {
            let (x, y, text) = (x + 4.0, middle + 4.0, escaped(text));
            let _ = writeln!(body, "<text x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
        }
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // No document may hold these.
            '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}' => {}
            char => escaped.push(char),
        }
    }
    escaped
}
