//! Where numbers and times stand on a picture, and where it is labelled.

use jiff::Timestamp;

use crate::table::number_text;

const SECOND_US: i64 = 1_000_000;

/// Distances of labels on the axis of time, in seconds.
const TICKS_S: [i64; 20] = [
    1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800,
    604_800, 2_592_000, 7_776_000, 31_536_000,
];

/// From numbers to heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    is_log: bool,
}

impl Scale {
    /// Even, with room for all numbers; from zero if that wastes less than half.
    pub fn even(numbers: impl Iterator<Item = f64>) -> Scale {
        let ends = numbers.filter(|number| number.is_finite());
        let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |ends, number| {
            (ends.0.min(number), ends.1.max(number))
        });
        let (mut low, mut high) = if low > high { (0.0, 1.0) } else { (low, high) };
        if low >= 0.0 && low <= high / 2.0 {
            low = 0.0;
        }
        if low == high {
            // A line in the middle; one at zero stands on the ground.
            let room = if low == 0.0 { 1.0 } else { low.abs() / 10.0 };
            (low, high) = (low - if low == 0.0 { 0.0 } else { room }, high + room);
        }
        Scale {
            low,
            high,
            is_log: false,
        }
    }

    /// Where powers of ten are equally long, if all numbers are positive.
    pub fn of_bins(low: f64, high: f64) -> Scale {
        if low > 0.0 {
            let high = if high > low { high } else { low * 1.1 };
            return Scale {
                low,
                high,
                is_log: true,
            };
        }
        Scale::even([low, high].into_iter())
    }

    /// How high a number stands, from 0 to 1.
    pub fn height(self, number: f64) -> f64 {
        // Halves, for the greatest numbers are further apart than any number is great.
        let at = |number: f64| {
            if self.is_log {
                number.log10()
            } else {
                number / 2.0
            }
        };
        let height = (at(number) - at(self.low)) / (at(self.high) - at(self.low));
        match height.is_nan() {
            true => 0.5,
            false => height.clamp(0.0, 1.0),
        }
    }

    /// The number at a height.
    pub fn number(self, height: f64) -> f64 {
        let between = |low: f64, high: f64| low * (1.0 - height) + high * height;
        match self.is_log {
            true => 10_f64.powf(between(self.low.log10(), self.high.log10())),
            false => between(self.low, self.high),
        }
    }

    /// What is written at a height: numbers that are apart look different, and noise is left out.
    pub fn label(self, height: f64) -> String {
        let number = self.number(height);
        let resolution = if self.is_log {
            number.abs() / 20.0
        } else {
            self.high / 200.0 - self.low / 200.0
        };
        let unit = 10_f64.powf(resolution.log10().floor());
        if !unit.is_normal() {
            return number_text(number);
        }
        number_text((number / unit).round() * unit)
    }
}

/// Times that are labelled, and their labels: about as many as there is room for.
pub fn times(from_us: i64, to_us: i64, labels_max: usize) -> Vec<(i64, String)> {
    let range_s = (to_us - from_us) / SECOND_US;
    let least = range_s / labels_max.max(1) as i64;
    let tick_s = TICKS_S.into_iter().find(|tick_s| *tick_s > least);
    let tick_s = tick_s.unwrap_or_else(|| (least / 31_536_000 + 1) * 31_536_000);
    let tick_us = tick_s * SECOND_US;
    let first = from_us.div_euclid(tick_us) + i64::from(from_us.rem_euclid(tick_us) > 0);
    let at = (first..).map(|tick| tick.saturating_mul(tick_us));
    at.take_while(|us| *us < to_us)
        .take(labels_max)
        .map(|us| (us, time_label(us, tick_s)))
        .collect()
}

fn time_label(us: i64, tick_s: i64) -> String {
    let form = match tick_s {
        ..60 => "%H:%M:%S",
        60..86_400 if us % (86_400 * SECOND_US) == 0 => "%b %-d",
        60..86_400 => "%H:%M",
        86_400..2_592_000 => "%b %-d",
        _ => "%b %Y",
    };
    let stamp = Timestamp::from_microsecond(us);
    stamp.map_or_else(|_| String::new(), |stamp| stamp.strftime(form).to_string())
}

/// A stretch of time in words, with what is needed to tell it from others.
pub fn stretch(from_us: i64, to_us: i64) -> String {
    let text = |us: i64| {
        let stamp = Timestamp::from_microsecond(us);
        stamp.map_or_else(
            |_| String::new(),
            |stamp| stamp.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        )
    };
    format!("{} to {} UTC", text(from_us), text(to_us))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_hold_all_numbers() {
        let scale = Scale::even([3.0, 10.0, f64::NAN].into_iter());
        assert_eq!((scale.height(0.0), scale.height(10.0)), (0.0, 1.0));
        let scale = Scale::even([9.0, 10.0].into_iter());
        assert_eq!(
            (scale.height(9.0), scale.label(0.5)),
            (0.0, "9.5".to_owned())
        );
        assert_eq!(Scale::even([5.0].into_iter()).height(5.0), 0.5);
        assert_eq!(Scale::even([0.0].into_iter()).height(0.0), 0.0);
        let log = Scale::of_bins(0.01, 100.0);
        assert!((log.height(1.0) - 0.5).abs() < 1e-12);
        assert_eq!(log.label(0.5), "1");
        assert_eq!(Scale::of_bins(-1.0, 1.0).number(0.5), 0.0);
    }

    #[test]
    fn times_are_round() {
        let hour = 3600 * SECOND_US;
        let labels = |from, to, max| -> Vec<String> {
            let times = times(from, to, max).into_iter();
            times.map(|(_, label)| label).collect()
        };
        assert_eq!(labels(0, 6 * hour, 4), ["Jan 1", "02:00", "04:00"]);
        assert_eq!(labels(1, 10 * SECOND_US, 3), ["00:00:05"]);
        assert_eq!(labels(0, 24 * 7 * hour, 8).len(), 7);
        assert_eq!(labels(0, 24 * 365 * 5 * hour, 6)[1], "Jan 1971");
    }
}
