//! Which messages the streams have seen, while several threads give them some.

use parking_lot::Mutex;

/// Messages on their way from the journal's end through the streams.
pub struct Flight(Mutex<State>);

struct State {
    /// The highest id that has arrived.
    last: u64,
    /// For each call under way, an id that its messages come after. As many as threads at most.
    under_way: Vec<u64>,
}

impl Flight {
    /// Everything up to an id has been seen.
    pub fn new(last: u64) -> Flight {
        Flight(Mutex::new(State {
            last,
            under_way: Vec::new(),
        }))
    }

    /// A call begins; gives the id that its messages come after.
    pub fn enter(&self) -> u64 {
        let mut state = self.0.lock();
        let last = state.last;
        state.under_way.push(last);
        last
    }

    /// A call has ended, whose messages go up to `id`; `after` is what [`Flight::enter`] gave.
    pub fn leave(&self, after: u64, id: u64) {
        let mut state = self.0.lock();
        let found = state.under_way.iter().position(|other| *other == after);
        if let Some(at) = found {
            state.under_way.swap_remove(at);
        }
        state.last = state.last.max(id);
    }

    /// The id up to which all has been seen.
    pub fn seen(&self) -> u64 {
        let state = self.0.lock();
        let first = state.under_way.iter().copied().min();
        first.unwrap_or(state.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_call_tells_what_is_seen() {
        let flight = Flight::new(4);
        let slow = flight.enter();
        let fast = flight.enter();
        flight.leave(fast, 9);
        assert_eq!(flight.seen(), 4);
        let later = flight.enter();
        flight.leave(slow, 6);
        assert_eq!((later, flight.seen()), (9, 9));
        flight.leave(later, 12);
        assert_eq!(flight.seen(), 12);
    }

    #[test]
    fn what_failed_moves_nothing() {
        let flight = Flight::new(4);
        let after = flight.enter();
        flight.leave(after, after);
        assert_eq!(flight.seen(), 4);
    }
}
