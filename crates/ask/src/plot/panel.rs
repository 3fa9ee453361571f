//! What is drawn: a panel for each thing that is shown.

use serde_json::Value;

use crate::reply::Reply;

/// A picture of one thing that is shown.
#[derive(Debug)]
pub struct Panel<'a> {
    pub title: String,
    pub drawing: Drawing<'a>,
}

#[derive(Debug)]
pub enum Drawing<'a> {
    /// Numbers over time, of each series.
    Lines(Vec<Curve<'a>>),
    /// How many were where, over time: ends and count of each bin.
    Heat(Vec<(i64, Vec<Bin>)>),
    /// Texts, each from its time on.
    Texts(Vec<(i64, &'a str)>),
}

/// Ends and count of a bin.
pub type Bin = (f64, f64, f64);

/// A curve: runs of points without a gap.
#[derive(Debug)]
pub struct Curve<'a> {
    pub name: &'a str,
    pub runs: Vec<Vec<(i64, f64)>>,
}

impl Curve<'_> {
    pub fn points(&self) -> impl Iterator<Item = (i64, f64)> {
        self.runs.iter().flatten().copied()
    }
}

/// The panels of an answer, in the order of what is shown; lines of all series share one.
pub fn panels(reply: &Reply) -> Vec<Panel<'_>> {
    let mut panels = Vec::new();
    for (column, show) in reply.shows.iter().enumerate() {
        let curves: Vec<Curve> = (reply.series.iter())
            .map(|line| Curve {
                name: &line.name,
                runs: runs(&line.rows, column, reply.step_us),
            })
            .filter(|curve| !curve.runs.is_empty())
            .collect();
        if !curves.is_empty() {
            panels.push(Panel {
                title: show.clone(),
                drawing: Drawing::Lines(curves),
            });
        }
        for line in &reply.series {
            let title = match reply.series.len() {
                1 => show.clone(),
                _ => format!("{show}  {}", line.name),
            };
            let drawing = match &**show {
                "heatmap" => heat(&line.rows, column),
                "histogram" => None,
                _ => texts(&line.rows, column),
            };
            panels.extend(drawing.map(|drawing| Panel { title, drawing }));
        }
    }
    panels
}

type Row = (i64, Vec<Value>);

fn runs(rows: &[Row], column: usize, step_us: Option<i64>) -> Vec<Vec<(i64, f64)>> {
    let mut runs: Vec<Vec<(i64, f64)>> = Vec::new();
    let mut last_us = None;
    for (time_us, values) in rows {
        let Some(number) = values.get(column).and_then(Value::as_f64) else {
            last_us = None;
            continue;
        };
        // Rows that begin where the one before ends hang together; so do all samples.
        let goes_on = match (last_us, step_us) {
            (Some(last_us), Some(step_us)) => time_us - last_us <= step_us,
            (Some(_), None) => true,
            (None, _) => false,
        };
        match runs.last_mut() {
            Some(run) if goes_on => run.push((*time_us, number)),
            _ => runs.push(vec![(*time_us, number)]),
        }
        last_us = Some(*time_us);
    }
    runs
}

fn heat<'a>(rows: &'a [Row], column: usize) -> Option<Drawing<'a>> {
    let bin = |bin: &Value| Some((bin[0].as_f64()?, bin[1].as_f64()?, bin[2].as_f64()?));
    let bins = |(time_us, values): &'a Row| {
        let bins = values.get(column)?.as_array()?;
        Some((*time_us, bins.iter().filter_map(bin).collect()))
    };
    let columns: Vec<(i64, Vec<Bin>)> = rows.iter().filter_map(bins).collect();
    let has_any = columns.iter().any(|(_, bins)| !bins.is_empty());
    has_any.then_some(Drawing::Heat(columns))
}

fn texts(rows: &[Row], column: usize) -> Option<Drawing<'_>> {
    let mut texts: Vec<(i64, &str)> = Vec::new();
    for (time_us, values) in rows {
        if let Some(Value::String(text)) = values.get(column)
            && texts.last().is_none_or(|(_, last)| last != text)
        {
            texts.push((*time_us, text));
        }
    }
    (!texts.is_empty()).then_some(Drawing::Texts(texts))
}
