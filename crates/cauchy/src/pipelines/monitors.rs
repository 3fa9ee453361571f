//! When the log tells of pipelines: those of one interval together.

use std::time::Duration;

use ::pipe::{Figures, Monitor};

/// A monitor for each interval.
#[derive(Default)]
pub struct Monitors(Vec<Turn>);

struct Turn {
    interval: Duration,
    due: Duration,
    monitor: Monitor,
}

impl Monitors {
    /// The intervals whose turn it is, of those that are wanted; the others are forgotten.
    pub fn due(&mut self, wanted: &[Duration], now: Duration) -> Vec<Duration> {
        self.0.retain(|turn| wanted.contains(&turn.interval));
        for &interval in wanted {
            if self.0.iter().all(|turn| turn.interval != interval) {
                self.0.push(Turn {
                    interval,
                    due: now + interval,
                    monitor: Monitor::since(now),
                });
            }
        }
        let mut due = Vec::new();
        for turn in self.0.iter_mut().filter(|turn| now >= turn.due) {
            turn.due = now + turn.interval;
            due.push(turn.interval);
        }
        due
    }

    /// The text of an interval.
    pub fn text(
        &mut self,
        interval: Duration,
        now: Duration,
        figures: &[(String, Figures)],
    ) -> String {
        let turn = self.0.iter_mut().find(|turn| turn.interval == interval);
        turn.map_or_else(String::new, |turn| turn.monitor.text(now, figures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interval_has_its_turn() {
        let second = Duration::from_secs(1);
        let mut monitors = Monitors::default();
        let wanted = [second * 2, second * 3, second * 2];
        let due: Vec<_> = (0..7)
            .map(|now| monitors.due(&wanted, second * now))
            .collect();
        let (two, three) = (second * 2, second * 3);
        assert_eq!(due[..3], [vec![], vec![], vec![two]]);
        assert_eq!(due[3..], [vec![three], vec![two], vec![], vec![two, three]]);
        assert!(monitors.due(&[], second * 9).is_empty());
    }
}
