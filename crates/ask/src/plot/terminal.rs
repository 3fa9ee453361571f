//! Panels in characters: lines of braille dots, heat in shades.

use super::axis::{self, Scale};
use super::grid::Grid;
use super::panel::{Bin, Curve, Drawing, panels};
use crate::reply::Reply;

/// Rows of a panel.
const ROWS: usize = 8;

/// The most panels that are drawn; the rest is told.
const PANELS_MAX: usize = 24;

/// Columns for the numbers beside a panel.
const LABEL_WIDTH: usize = 10;

/// The narrowest panel.
const COLUMNS_MIN: usize = 16;

/// Columns that a label of time needs.
const TIME_COLUMNS: usize = 12;

const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

/// Colours of shades and lines, of the 256 that terminals have.
const HEAT_COLOURS: [u8; 5] = [0, 54, 125, 202, 220];
const LINE_COLOURS: [u8; 6] = [39, 208, 42, 205, 220, 99];

/// Bits of the eight dots of a braille character, by column and row from the top.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// How it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Canvas {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether colours are written.
    pub is_coloured: bool,
}

/// Draws an answer: a panel for each thing that is shown of each series.
#[must_use]
pub fn draw(reply: &Reply, canvas: Canvas) -> String {
    let columns = canvas
        .width
        .saturating_sub(LABEL_WIDTH + 2)
        .max(COLUMNS_MIN);
    let mut picture = Picture {
        reply,
        canvas,
        columns,
        text: String::new(),
        panels: 0,
    };
    let mut left_out = 0;
    for panel in panels(reply) {
        match panel.drawing {
            Drawing::Lines(curves) => {
                for curve in &curves {
                    left_out += usize::from(!picture.curve(&panel.title, curve, curves.len()));
                }
            }
            Drawing::Heat(steps) => {
                left_out += usize::from(!picture.heat(&panel.title, &steps));
            }
            Drawing::Texts(texts) => picture.texts(&panel.title, &texts),
        }
    }
    if left_out > 0 {
        picture.text += &format!("… and {left_out} more; narrow the query\n");
    }
    picture.text
}

struct Picture<'a> {
    reply: &'a Reply,
    canvas: Canvas,
    columns: usize,
    text: String,
    panels: usize,
}

impl Picture<'_> {
    /// Whether there is room for one more panel.
    fn begin(&mut self, title: &str) -> bool {
        if self.panels == PANELS_MAX {
            return false;
        }
        self.panels += 1;
        self.text += &format!("{title}\n");
        true
    }

    fn column(&self, us: i64, per_column: usize) -> usize {
        let range_us = (self.reply.to_us - self.reply.from_us).max(1) as f64;
        let dots = self.columns * per_column;
        let at = (us - self.reply.from_us) as f64 / range_us * dots as f64;
        (at.max(0.0) as usize).min(dots - 1)
    }

    fn curve(&mut self, title: &str, curve: &Curve, curves: usize) -> bool {
        let title = match curves {
            1 => title.to_owned(),
            _ => format!("{title}  {}", curve.name),
        };
        if !self.begin(&title) {
            return false;
        }
        let scale = Scale::even(curve.points().map(|(_, number)| number));
        let mut dots = vec![0_u8; self.columns * ROWS];
        let place = |us: i64, number: f64| {
            let height = scale.height(number) * (ROWS * 4 - 1) as f64;
            (self.column(us, 2), ROWS * 4 - 1 - height.round() as usize)
        };
        for run in &curve.runs {
            let mut last = None;
            for (us, number) in run {
                let to = place(*us, *number);
                line(last.unwrap_or(to), to, |x, y| {
                    dots[y / 4 * self.columns + x / 2] |= DOTS[x % 2][y % 4];
                });
                last = Some(to);
            }
        }
        let colour = LINE_COLOURS[(self.panels - 1) % LINE_COLOURS.len()];
        for row in 0..ROWS {
            let cells = &dots[row * self.columns..(row + 1) * self.columns];
            let braille = |dots: &u8| char::from_u32(0x2800 + u32::from(*dots)).unwrap_or(' ');
            let blank = |char: char| if char == '\u{2800}' { ' ' } else { char };
            let cells: String = cells.iter().map(braille).map(blank).collect();
            let cells = self.coloured(cells.trim_end(), colour);
            self.row((row, ROWS), scale, &cells);
        }
        self.times();
        true
    }

    fn heat(&mut self, title: &str, steps: &[(i64, Vec<Bin>)]) -> bool {
        if !self.begin(title) {
            return false;
        }
        let (from_us, to_us) = (self.reply.from_us, self.reply.to_us);
        let times = (from_us, to_us, self.reply.step_us.unwrap_or(0));
        let grid = Grid::new(steps, times, (self.columns, ROWS * 2));
        for row in 0..ROWS * 2 {
            let shade = |column: usize| {
                let fullness = grid.fullness(column, ROWS * 2 - 1 - row);
                (fullness * (SHADES.len() - 1) as f64).ceil() as usize
            };
            let mut cells = String::new();
            for column in 0..self.columns {
                let shade = shade(column);
                let cell = SHADES[shade].to_string();
                cells += &match shade {
                    0 => cell,
                    _ => self.coloured(&cell, HEAT_COLOURS[shade]),
                };
            }
            self.row((row, ROWS * 2), grid.scale, cells.trim_end());
        }
        self.times();
        true
    }

    /// Texts, each at its time, in lines: what came last in a column is what is read.
    fn texts(&mut self, title: &str, texts: &[(i64, &str)]) {
        if !self.begin(title) {
            return;
        }
        let mut cells: Vec<char> = vec!['─'; self.columns];
        for (index, (us, text)) in texts.iter().enumerate() {
            let from = self.column(*us, 1);
            let next = texts.get(index + 1);
            let to = next.map_or(self.columns, |(us, _)| self.column(*us, 1));
            cells[from] = '┤';
            let room = (from + 1..to.max(from + 1)).take_while(|at| *at < self.columns);
            for (at, char) in room.zip(text.chars()) {
                cells[at] = char;
            }
        }
        let cells: String = cells.into_iter().collect();
        self.text += &format!("{:LABEL_WIDTH$}  {cells}\n", "");
        self.times();
    }

    fn coloured(&self, text: &str, colour: u8) -> String {
        match self.canvas.is_coloured && !text.is_empty() {
            true => format!("\x1b[38;5;{colour}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }

    /// A row of cells; the first, the middle and the last have a number beside them.
    fn row(&mut self, (row, rows): (usize, usize), scale: Scale, cells: &str) {
        let label = match row {
            0 => scale.label(1.0),
            _ if row == rows / 2 => scale.label(0.5),
            _ if row == rows - 1 => scale.label(0.0),
            _ => String::new(),
        };
        let edge = if label.is_empty() { '│' } else { '┤' };
        let line = format!("{label:>LABEL_WIDTH$} {edge}{cells}");
        self.text += &format!("{}\n", line.trim_end());
    }

    fn times(&mut self) {
        let mut edge: Vec<char> = vec!['─'; self.columns];
        let mut labels: Vec<char> = vec![' '; self.columns + TIME_COLUMNS];
        let (from_us, to_us) = (self.reply.from_us, self.reply.to_us);
        for (us, label) in axis::times(from_us, to_us, self.columns / TIME_COLUMNS) {
            let at = self.column(us, 1);
            edge[at] = '┬';
            for (cell, char) in labels[at..].iter_mut().zip(label.chars()) {
                *cell = char;
            }
        }
        let (edge, labels): (String, String) = (edge.iter().collect(), labels.iter().collect());
        let indent = format!("{:LABEL_WIDTH$} ", "");
        self.text += &format!("{indent}└{edge}\n{indent} {}\n", labels.trim_end());
    }
}

/// Sets the dots of a straight line.
fn line((x, y): (usize, usize), (to_x, to_y): (usize, usize), mut set: impl FnMut(usize, usize)) {
    let steps = x.abs_diff(to_x).max(y.abs_diff(to_y));
    let between = |from: usize, to: usize, step: usize| {
        let share = step as f64 / steps.max(1) as f64;
        (from as f64 + (to as f64 - from as f64) * share).round() as usize
    };
    for step in 0..=steps {
        set(between(x, to_x, step), between(y, to_y, step));
    }
}
