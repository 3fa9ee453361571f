//! What is shown of each step.

use std::sync::Arc;

use histogram::Mode;
use store::Cell;

use crate::error::Refused;
use crate::limits::SHOWS_MAX;
use crate::time;

const MINUTE_US: i64 = 60_000_000;

/// Every word, with what it takes after a colon.
pub const WORDS: [&str; 20] = [
    "count",
    "sum",
    "mean",
    "min",
    "max",
    "last",
    "rate",
    "stddev",
    "quantile:Q",
    "share-above:X",
    "share-below:X",
    "count-above:X",
    "count-below:X",
    "people-above:X",
    "people-minutes-above:X",
    "people-minutes-above:X@LENGTH",
    "modes",
    "heatmap",
    "histogram",
    "text",
];

/// Something that is known of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Show {
    /// How many were measured.
    Count,
    /// Their sum.
    Sum,
    /// Sum by count.
    Mean,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// The last.
    Last,
    /// Their sum by the seconds of the step, as Riemann's `rate`.
    Rate,
    /// The standard deviation, of the histogram.
    StdDev,
    /// What a share of them is at most.
    Quantile(f64),
    /// The share that is at or above a threshold.
    ShareAbove(f64),
    /// The share that is below.
    ShareBelow(f64),
    /// How many are at or above a threshold.
    CountAbove(f64),
    /// How many are below.
    CountBelow(f64),
    /// How many were at or above a threshold since the question's begin: one measurement, one
    /// person.
    PeopleAbove(f64),
    /// The same in minutes: each measurement stands for so many microseconds of a person's time.
    PeopleMinutesAbove(f64, i64),
    /// Where the measurements gather.
    Modes,
    /// All bins with their counts.
    Heatmap,
    /// The histogram, as OpenHistogram's base64.
    Histogram,
    /// The last text.
    Text,
}

/// What was asked for, as a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// A number; NaN where nothing was measured.
    Number(f64),
    /// How many.
    Count(u64),
    /// The last text, if there is one.
    Text(Option<Arc<str>>),
    /// Peaks.
    Modes(Vec<Mode>),
    /// Ends and count of each bin.
    Bins(Vec<(f64, f64, u64)>),
    /// Base64.
    Encoded(String),
}

impl Show {
    /// Reads a list parted by commas.
    ///
    /// # Errors
    /// If a word is not known, or lacks its number.
    pub fn parse_list(text: &str) -> Result<Vec<Show>, Refused> {
        let words = text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty());
        let shows: Vec<Show> = words.map(Show::parse).collect::<Result<_, _>>()?;
        if shows.is_empty() {
            return Err(Refused::new("nothing is to be shown", known()));
        }
        if shows.len() > SHOWS_MAX {
            let error = format!("{} things are to be shown of each step", shows.len());
            return Err(Refused::new(error, format!("ask for {SHOWS_MAX} at most")));
        }
        Ok(shows)
    }

    fn parse(word: &str) -> Result<Show, Refused> {
        let (name, given) = match word.split_once(':') {
            Some((name, given)) => (name, Some(given)),
            None => (word, None),
        };
        let plain = match name {
            "count" => Some(Show::Count),
            "sum" => Some(Show::Sum),
            "mean" => Some(Show::Mean),
            "min" => Some(Show::Min),
            "max" => Some(Show::Max),
            "last" => Some(Show::Last),
            "rate" => Some(Show::Rate),
            "stddev" => Some(Show::StdDev),
            "modes" => Some(Show::Modes),
            "heatmap" => Some(Show::Heatmap),
            "histogram" => Some(Show::Histogram),
            "text" => Some(Show::Text),
            _ => None,
        };
        match (plain, given) {
            (Some(show), None) => return Ok(show),
            (Some(_), Some(_)) => {
                let error = format!("'{word}': {name} takes nothing after it");
                return Err(Refused::new(error, format!("write {name}")));
            }
            (None, _) => {}
        }
        Show::with_number(name, given, word)
    }

    fn with_number(name: &str, given: Option<&str>, word: &str) -> Result<Show, Refused> {
        let make: fn(f64) -> Show = match name {
            "quantile" => Show::Quantile,
            "share-above" => Show::ShareAbove,
            "share-below" => Show::ShareBelow,
            "count-above" => Show::CountAbove,
            "count-below" => Show::CountBelow,
            "people-above" => Show::PeopleAbove,
            "people-minutes-above" => |x| Show::PeopleMinutesAbove(x, MINUTE_US),
            _ => return Err(Refused::new(format!("'{word}' cannot be shown"), known())),
        };
        let (number, length) = match given.map(|given| given.split_once('@')) {
            Some(Some((number, length))) => (Some(number), Some(length)),
            _ => (given, None),
        };
        let finite = |number: &f64| number.is_finite();
        let number = number.and_then(|text| text.parse().ok()).filter(finite);
        let Some(number) = number else {
            let example = if name == "quantile" { "0.99" } else { "1.5" };
            let error = format!("'{word}' has no number");
            return Err(Refused::new(error, format!("write {name}:{example}")));
        };
        let show = make(number);
        match (&show, length) {
            (Show::Quantile(q), _) if !(0.0..=1.0).contains(q) => {
                let error = format!("'{word}': a quantile is from 0 to 1");
                Err(Refused::new(error, "write quantile:0.99 for 99 %"))
            }
            (Show::PeopleMinutesAbove(..), Some(length)) => {
                Ok(Show::PeopleMinutesAbove(number, time::length(length)?))
            }
            (_, Some(_)) => {
                let error = format!("'{word}': only people-minutes-above takes a length of time");
                Err(Refused::new(error, format!("write {name}:{number}")))
            }
            _ => Ok(show),
        }
    }

    /// The word that asks for it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Show::Count => "count".to_owned(),
            Show::Sum => "sum".to_owned(),
            Show::Mean => "mean".to_owned(),
            Show::Min => "min".to_owned(),
            Show::Max => "max".to_owned(),
            Show::Last => "last".to_owned(),
            Show::Rate => "rate".to_owned(),
            Show::StdDev => "stddev".to_owned(),
            Show::Quantile(q) => format!("quantile:{q}"),
            Show::ShareAbove(x) => format!("share-above:{x}"),
            Show::ShareBelow(x) => format!("share-below:{x}"),
            Show::CountAbove(x) => format!("count-above:{x}"),
            Show::CountBelow(x) => format!("count-below:{x}"),
            Show::PeopleAbove(x) => format!("people-above:{x}"),
            Show::PeopleMinutesAbove(x, MINUTE_US) => format!("people-minutes-above:{x}"),
            Show::PeopleMinutesAbove(x, us) => {
                format!("people-minutes-above:{x}@{}", time::length_text(*us))
            }
            Show::Modes => "modes".to_owned(),
            Show::Heatmap => "heatmap".to_owned(),
            Show::Histogram => "histogram".to_owned(),
            Show::Text => "text".to_owned(),
        }
    }

    /// Its value for a step. `before` is how many were counted before, of what adds up over steps.
    #[must_use]
    pub fn of(&self, cell: &Cell, step_us: i64, before: &mut u64) -> Shown {
        let histogram = &cell.histogram;
        let measured = |number: f64| match cell.count {
            0 => Shown::Number(f64::NAN),
            _ => Shown::Number(number),
        };
        match self {
            Show::Count => Shown::Count(cell.count),
            Show::Sum => measured(cell.sum),
            Show::Mean => measured(cell.mean()),
            Show::Min => measured(cell.min),
            Show::Max => measured(cell.max),
            Show::Last => measured(cell.last),
            Show::Rate => measured(cell.sum / (step_us as f64 / 1e6)),
            Show::StdDev => measured(histogram.stddev()),
            Show::Quantile(q) => measured(histogram.quantile(*q)),
            Show::ShareAbove(x) => measured(histogram.share_above(*x)),
            Show::ShareBelow(x) => measured(histogram.share_below(*x)),
            Show::CountAbove(x) => Shown::Count(histogram.count_above(*x)),
            Show::CountBelow(x) => Shown::Count(histogram.count_below_exclusive(*x)),
            Show::PeopleAbove(x) => {
                *before = before.saturating_add(histogram.count_above(*x));
                Shown::Count(*before)
            }
            Show::PeopleMinutesAbove(x, us) => {
                *before = before.saturating_add(histogram.count_above(*x));
                Shown::Number(*before as f64 * *us as f64 / MINUTE_US as f64)
            }
            Show::Modes => Shown::Modes(histogram.modes()),
            Show::Heatmap => {
                let numbers = histogram.bins().filter(|(bin, _)| !bin.is_nan());
                Shown::Bins(
                    numbers
                        .map(|(bin, count)| (bin.left(), bin.right(), count))
                        .collect(),
                )
            }
            Show::Histogram => Shown::Encoded(histogram.to_base64()),
            Show::Text => Shown::Text(cell.text.as_ref().map(|(_, text)| Arc::clone(text))),
        }
    }
}

fn known() -> String {
    format!("known are {}", WORDS.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let list = "count,sum,mean,min,max,last,rate,stddev,quantile:0.99,share-above:1.5,\
            share-below:1.5,count-above:-2,count-below:3,people-above:1.5,\
            people-minutes-above:1.5,people-minutes-above:1.5@10s,modes,heatmap,histogram,text";
        let shows = Show::parse_list(list).unwrap();
        assert_eq!(shows.len(), WORDS.len());
        let names: Vec<String> = shows.iter().map(Show::name).collect();
        assert_eq!(names.join(","), list);
    }

    fn check(list: &str, error: &str, remedy: &str) {
        let refused = Show::parse_list(list).unwrap_err();
        assert_eq!(refused.error, error);
        assert!(refused.remedy.contains(remedy), "{refused}");
    }

    #[test]
    fn what_is_not_known_is_refused() {
        check("p99", "'p99' cannot be shown", "quantile:Q");
        check("quantile", "'quantile' has no number", "quantile:0.99");
        check(
            "quantile:99",
            "'quantile:99': a quantile is from 0 to 1",
            "quantile:0.99",
        );
        check(
            "share-above:NaN",
            "'share-above:NaN' has no number",
            "share-above:1.5",
        );
        check(
            "count:1",
            "'count:1': count takes nothing after it",
            "count",
        );
        check(
            "count-above:1@1m",
            "'count-above:1@1m': only people-minutes-above takes a length of time",
            "count-above:1",
        );
        check(", ,", "nothing is to be shown", "known are");
        check(
            &"count,".repeat(33),
            "33 things are to be shown of each step",
            "32 at most",
        );
    }
}
