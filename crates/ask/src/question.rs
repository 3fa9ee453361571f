//! A question: what is asked of history, read from names and values as a URL or flags give them.

use crate::error::Refused;
use crate::limits::{RANGE_US_MAX, STEP_US_MIN, STEPS_MAX, STEPS_USUAL};
use crate::names::Names;
use crate::show::Show;
use crate::time::{Moment, length, length_text};

const MINUTE_US: i64 = 60_000_000;
const HOUR_US: i64 = 60 * MINUTE_US;

/// Lengths that a step has if the question does not say: people reckon in them.
const STEPS_US: [i64; 19] = [
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    15_000_000,
    30_000_000,
    MINUTE_US,
    2 * MINUTE_US,
    5 * MINUTE_US,
    10 * MINUTE_US,
    15 * MINUTE_US,
    30 * MINUTE_US,
    HOUR_US,
    2 * HOUR_US,
    3 * HOUR_US,
    6 * HOUR_US,
    12 * HOUR_US,
    24 * HOUR_US,
    7 * 24 * HOUR_US,
];

/// What is shown if the question does not say.
const SHOW_USUAL: &str = "count,quantile:0.5,quantile:0.99,max";

/// The names that a question's parts have.
pub const PARTS: [&str; 7] = ["query", "from", "to", "step", "show", "source", "each"];

/// What is asked of history.
#[derive(Debug)]
pub struct Question {
    /// Which series.
    pub names: Names,
    /// From when on, in microseconds since 1970.
    pub from_us: i64,
    /// Until when, excluded.
    pub to_us: i64,
    /// How long a step is, in microseconds; `None` asks for samples as they came.
    pub step_us: Option<i64>,
    /// What is shown of each step.
    pub shows: Vec<Show>,
    /// Whether each series is answered by itself, and not all merged.
    pub each: bool,
}

/// Where answers come from, beside what is the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Auto,
    /// Samples as they came, unless a step is given.
    Raw,
    /// Cells of this many microseconds: times and steps are rounded to them.
    Cells(i64),
}

impl Question {
    /// Reads a question. Without `from` it is about the last hour, without `to` until now.
    ///
    /// ```
    /// use ask::Question;
    /// let parts = [("query", "service = \"rtt\""), ("from", "-6h"), ("show", "quantile:0.99")];
    /// let question = Question::read(parts, 1_700_000_000_000_000)?;
    /// assert_eq!(question.step_us, Some(300_000_000));
    /// assert_eq!(question.to_us - question.from_us, 73 * 300_000_000);
    /// # Ok::<(), ask::Refused>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong with a part, and what to write; if it asks for too much.
    pub fn read<'a>(
        parts: impl IntoIterator<Item = (&'a str, &'a str)>,
        now_us: i64,
    ) -> Result<Question, Refused> {
        let mut given = [None; PARTS.len()];
        for (name, value) in parts {
            let part = PARTS.iter().position(|part| *part == name);
            let part = part.ok_or_else(|| unknown(name, &PARTS))?;
            if !value.is_empty() {
                given[part] = Some(value);
            }
        }
        let [query, from, to, step, show, source, each] = given;
        let query = query.ok_or_else(|| {
            let remedy = "name them: query=service = \"api latency\"; all: query=true";
            Refused::new("no query says which series are meant", remedy)
        })?;
        let source = Source::read(source.unwrap_or("auto"))?;
        let span = Span::read(from, to, now_us)?;
        let step_us = match (step, source) {
            (Some(step), _) => Some(read_step(step)?),
            (None, Source::Raw) => None,
            (None, _) => Some(span.usual_step_us()),
        };
        let step_us = step_us.map(|us| source.round(us));
        let (from_us, to_us) = span.ends(step_us, source);
        if let Some(step_us) = step_us {
            check_steps(from_us, to_us, step_us)?;
        }
        Ok(Question {
            names: Names::parse(query)?,
            from_us,
            to_us,
            step_us,
            shows: Show::parse_list(show.unwrap_or(SHOW_USUAL))?,
            each: each.map_or(Ok(false), read_flag)?,
        })
    }

    /// How many steps it has.
    #[must_use]
    pub fn steps(&self) -> i64 {
        self.step_us.map_or(0, |step_us| {
            steps_between(self.from_us, self.to_us, step_us)
        })
    }
}

/// A name that is none of those that are known.
pub(crate) fn unknown(name: &str, known: &[&str]) -> Refused {
    let remedy = format!("known are {}", known.join(", "));
    Refused::new(format!("'{name}' is no part of a question"), remedy)
}

impl Source {
    fn read(text: &str) -> Result<Source, Refused> {
        Ok(match text {
            "auto" => Source::Auto,
            "raw" => Source::Raw,
            "1m" => Source::Cells(MINUTE_US),
            "30m" => Source::Cells(30 * MINUTE_US),
            _ => {
                let error = format!("'{text}' is no source");
                return Err(Refused::new(error, "known are auto, raw, 1m, 30m"));
            }
        })
    }

    fn round(self, step_us: i64) -> i64 {
        match self {
            Source::Cells(cell_us) => next(step_us, cell_us),
            Source::Auto | Source::Raw => step_us,
        }
    }
}

/// The stretch of time, as it was written.
struct Span {
    from: Moment,
    to: Moment,
    from_us: i64,
    to_us: i64,
}

impl Span {
    fn read(from: Option<&str>, to: Option<&str>, now_us: i64) -> Result<Span, Refused> {
        let from = from.map_or(Ok(Moment::FromNow(-HOUR_US)), Moment::parse)?;
        let to = to.map_or(Ok(Moment::FromNow(0)), Moment::parse)?;
        let (from_us, to_us) = (from.us(now_us), to.us(now_us));
        if from_us >= to_us {
            let remedy = "write the earlier time as from; -6h is six hours ago";
            return Err(Refused::new("from is not before to", remedy));
        }
        if to_us.saturating_sub(from_us) > RANGE_US_MAX {
            let error = "the question is about more than a hundred years";
            return Err(Refused::new(error, "ask for less at once"));
        }
        Ok(Span {
            from,
            to,
            from_us,
            to_us,
        })
    }

    fn usual_step_us(&self) -> i64 {
        let exact = (self.to_us - self.from_us) / STEPS_USUAL;
        let fits = STEPS_US.iter().find(|us| **us >= exact);
        let longest = STEPS_US[STEPS_US.len() - 1];
        fits.copied().unwrap_or_else(|| next(exact, longest))
    }

    /// Times that were reckoned from now are rounded outward, so that no step is cut short.
    fn ends(&self, step_us: Option<i64>, source: Source) -> (i64, i64) {
        let Some(step_us) = step_us else {
            return (self.from_us, self.to_us);
        };
        let rounds = |moment: Moment| {
            matches!(moment, Moment::FromNow(_)) || matches!(source, Source::Cells(_))
        };
        let (mut from_us, mut to_us) = (self.from_us, self.to_us);
        if rounds(self.from) {
            from_us = from_us.div_euclid(step_us).saturating_mul(step_us);
        }
        if rounds(self.to) {
            to_us = next(to_us, step_us);
        }
        (from_us, to_us)
    }
}

/// The next multiple.
fn next(us: i64, of_us: i64) -> i64 {
    let less = us.div_euclid(of_us) * of_us;
    if less == us {
        us
    } else {
        less.saturating_add(of_us)
    }
}

fn read_step(text: &str) -> Result<i64, Refused> {
    let step_us = length(text)?;
    if step_us < STEP_US_MIN {
        let least = length_text(STEP_US_MIN);
        let error = format!("a step of {text} is too short");
        return Err(Refused::new(error, format!("the shortest is {least}")));
    }
    Ok(step_us)
}

fn steps_between(from_us: i64, to_us: i64, step_us: i64) -> i64 {
    (to_us - 1).div_euclid(step_us) - from_us.div_euclid(step_us) + 1
}

fn check_steps(from_us: i64, to_us: i64, step_us: i64) -> Result<(), Refused> {
    let steps = steps_between(from_us, to_us, step_us);
    if steps <= STEPS_MAX {
        return Ok(());
    }
    let longer = length_text(next((to_us - from_us) / STEPS_MAX, 1_000_000));
    Err(Refused::new(
        format!("the question has {steps} steps; {STEPS_MAX} are answered at once"),
        format!("take a step of {longer} or more, or less time"),
    ))
}

fn read_flag(text: &str) -> Result<bool, Refused> {
    match text {
        "true" | "1" | "yes" => Ok(true),
        "false" | "0" | "no" => Ok(false),
        _ => {
            let error = format!("'{text}' does not say whether each series is wanted by itself");
            Err(Refused::new(error, "write each=true or each=false"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2023-11-14T22:13:20Z.
    const NOW_US: i64 = 1_700_000_000_000_000;

    fn read(parts: &[(&str, &str)]) -> Result<Question, Refused> {
        let query = ("query", "true");
        Question::read([query].into_iter().chain(parts.iter().copied()), NOW_US)
    }

    fn check(parts: &[(&str, &str)], from: i64, to: i64, step: Option<i64>) {
        let question = read(parts).unwrap();
        let us = |s: i64| s * 1_000_000;
        assert_eq!(
            (question.from_us, question.to_us, question.step_us),
            (us(from), us(to), step.map(us)),
            "{parts:?}"
        );
    }

    #[test]
    fn times_from_now_are_rounded_to_steps_and_others_are_not() {
        check(&[], 1_699_996_380, 1_700_000_010, Some(30));
        check(&[("step", "1h")], 1_699_995_600, 1_700_002_800, Some(3600));
        let parts = [("from", "1000"), ("to", "2000"), ("step", "1m")];
        check(&parts, 1000, 2000, Some(60));
        let cells = [("from", "1000"), ("to", "2000"), ("source", "30m")];
        check(&cells, 0, 3600, Some(1800));
        let raw = [("from", "-10s"), ("source", "raw")];
        check(&raw, 1_699_999_990, 1_700_000_000, None);
    }

    #[test]
    fn steps_are_counted() {
        let parts = [("from", "59"), ("to", "61"), ("step", "1m")];
        assert_eq!(read(&parts).unwrap().steps(), 2);
        let parts = [("from", "60"), ("to", "120"), ("step", "1m")];
        assert_eq!(read(&parts).unwrap().steps(), 1);
        let parts = [("from", "-100w")];
        assert_eq!(read(&parts).unwrap().step_us, Some(604_800_000_000));
    }

    fn refuse(parts: &[(&str, &str)], error: &str, remedy: &str) {
        let refused = read(parts).unwrap_err();
        assert_eq!((&*refused.error, &*refused.remedy), (error, remedy));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_remedy() {
        refuse(
            &[("form", "1")],
            "'form' is no part of a question",
            "known are query, from, to, step, show, source, each",
        );
        refuse(
            &[("from", "now"), ("to", "-1h")],
            "from is not before to",
            "write the earlier time as from; -6h is six hours ago",
        );
        refuse(
            &[("from", "-1w"), ("step", "1s")],
            "the question has 604800 steps; 50000 are answered at once",
            "take a step of 13s or more, or less time",
        );
        refuse(
            &[("from", "0"), ("to", "9999999999")],
            "the question is about more than a hundred years",
            "ask for less at once",
        );
        refuse(
            &[("step", "10us")],
            "a step of 10us is too short",
            "the shortest is 1ms",
        );
        refuse(
            &[("source", "2m")],
            "'2m' is no source",
            "known are auto, raw, 1m, 30m",
        );
        assert!(read(&[("each", "perhaps")]).is_err());
        assert!(Question::read([], NOW_US).is_err());
    }
}
