//! Columns of numbers: whole numbers in Rice codes, times as distances from a line, floating
//! point as decimals where they are decimals, else as bits that differ from the last.

use crate::bits::{BitReader, BitWriter, rice_k, unzigzag, zigzag};

/// Numbers that share a parameter: few enough to follow a change, enough to pay for six bits.
const GROUP: usize = 64;

/// The parameter that says: all of the group are 0.
const ALL_ZERO: u64 = 63;

/// The most decimals that are tried.
const DECIMALS_MAX: u32 = 9;

/// Whole numbers up to here are the same in floating point.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// Writes whole numbers, best small ones.
pub(crate) fn write_ints(writer: &mut BitWriter, numbers: &[u64]) {
    let mut scratch = [0; GROUP];
    for group in numbers.chunks(GROUP) {
        if group.iter().all(|number| *number == 0) {
            writer.write(ALL_ZERO, 6);
            continue;
        }
        let scratch = &mut scratch[..group.len()];
        scratch.copy_from_slice(group);
        let k = rice_k(scratch);
        writer.write(u64::from(k), 6);
        for number in group {
            writer.rice(*number, k);
        }
    }
}

/// Reads as many whole numbers.
pub(crate) fn read_ints(reader: &mut BitReader, count: usize) -> Vec<u64> {
    let mut numbers = Vec::with_capacity(count);
    while numbers.len() < count {
        let len = GROUP.min(count - numbers.len());
        match reader.read(6) {
            ALL_ZERO => numbers.resize(numbers.len() + len, 0),
            k => numbers.extend((0..len).map(|_| reader.rice(k as u32))),
        }
    }
    numbers
}

/// How whole numbers are foretold from those before.
#[derive(Clone, Copy)]
enum Foretold {
    /// A step from the last one.
    Step = 0,
    /// As far from the last one as that from the one before it.
    Going = 1,
    /// On the line from the first one, by the step.
    Line = 2,
}

/// Writes signed whole numbers in the way that takes the fewest bytes.
pub(crate) fn write_signed(writer: &mut BitWriter, numbers: &[i64]) {
    let Some(&first) = numbers.first() else {
        return;
    };
    let (median, mean) = (median_step(numbers), mean_step(numbers));
    let ways = [
        (Foretold::Step, 0),
        (Foretold::Step, median),
        (Foretold::Going, median),
        (Foretold::Line, 0),
        (Foretold::Line, mean),
    ];
    let mut best: Option<(usize, Foretold, i64, Vec<u64>)> = None;
    for (way, step) in ways {
        let differences = differences(numbers, way, step);
        let mut column = BitWriter::default();
        write_ints(&mut column, &differences);
        let len = column.finish().len();
        if best.as_ref().is_none_or(|best| len < best.0) {
            best = Some((len, way, step, differences));
        }
    }
    let (_, way, step, differences) = best.expect("several ways");
    writer.signed(first);
    writer.signed(step);
    writer.write(way as u64, 2);
    write_ints(writer, &differences);
}

fn median_step(numbers: &[i64]) -> i64 {
    let pairs = numbers.windows(2);
    let mut steps: Vec<i64> = pairs.map(|pair| pair[1].wrapping_sub(pair[0])).collect();
    if steps.is_empty() {
        return 0;
    }
    let middle = steps.len() / 2;
    *steps.select_nth_unstable(middle).1
}

fn mean_step(numbers: &[i64]) -> i64 {
    let count = numbers.len() as i64 - 1;
    let whole = numbers[numbers.len() - 1].wrapping_sub(numbers[0]);
    if count > 0 {
        whole.saturating_add(count / 2).div_euclid(count)
    } else {
        0
    }
}

fn differences(numbers: &[i64], way: Foretold, step: i64) -> Vec<u64> {
    let mut teller = Teller {
        last: numbers[0],
        step,
        way,
    };
    let rest = numbers[1..].iter();
    rest.map(|&number| {
        let difference = number.wrapping_sub(teller.next());
        teller.learn(number);
        zigzag(difference)
    })
    .collect()
}

/// Says what comes next.
struct Teller {
    last: i64,
    step: i64,
    way: Foretold,
}

impl Teller {
    fn next(&self) -> i64 {
        self.last.wrapping_add(self.step)
    }

    fn learn(&mut self, number: i64) {
        match self.way {
            Foretold::Step => self.last = number,
            Foretold::Going => {
                self.step = number.wrapping_sub(self.last);
                self.last = number;
            }
            Foretold::Line => self.last = self.next(),
        }
    }
}

/// Reads as many signed whole numbers.
pub(crate) fn read_signed(reader: &mut BitReader, count: usize) -> Option<Vec<i64>> {
    if count == 0 {
        return Some(Vec::new());
    }
    let first = reader.signed();
    let step = reader.signed();
    let way = match reader.read(2) {
        0 => Foretold::Step,
        1 => Foretold::Going,
        2 => Foretold::Line,
        _ => return None,
    };
    let mut teller = Teller {
        last: first,
        step,
        way,
    };
    let mut numbers = Vec::with_capacity(count);
    numbers.push(first);
    for difference in read_ints(reader, count - 1) {
        let number = teller.next().wrapping_add(unzigzag(difference));
        teller.learn(number);
        numbers.push(number);
    }
    Some(numbers)
}

/// Writes times in microseconds: in the greatest power of ten that divides them all.
pub(crate) fn write_times(writer: &mut BitWriter, times: &[i64]) {
    let mut digits = 6;
    for time in times {
        while time % 10_i64.pow(digits) != 0 {
            digits -= 1;
        }
    }
    writer.write(u64::from(digits), 3);
    let unit = 10_i64.pow(digits);
    let units: Vec<i64> = times.iter().map(|time| time / unit).collect();
    write_signed(writer, &units);
}

/// Reads as many times.
pub(crate) fn read_times(reader: &mut BitReader, count: usize) -> Option<Vec<i64>> {
    let unit = 10_i64.pow(reader.read(3) as u32);
    let mut times = read_signed(reader, count)?;
    for time in &mut times {
        *time = time.wrapping_mul(unit);
    }
    Some(times)
}

/// What says that floats follow as bits.
const BITS: u64 = 15;

/// Writes floats, given as bits.
pub(crate) fn write_floats(writer: &mut BitWriter, floats: &[u64]) {
    if let Some((decimals, wholes)) = as_decimals(floats) {
        writer.write(u64::from(decimals), 4);
        write_signed(writer, &wholes);
    } else {
        writer.write(BITS, 4);
        write_bits(writer, floats);
    }
}

/// Reads as many floats.
pub(crate) fn read_floats(reader: &mut BitReader, count: usize) -> Option<Vec<u64>> {
    match reader.read(4) {
        BITS => read_bits(reader, count),
        decimals => {
            let scale = 10_f64.powi(decimals as i32);
            let wholes = read_signed(reader, count)?;
            let floats = wholes
                .into_iter()
                .map(|whole| (whole as f64 / scale).to_bits());
            Some(floats.collect())
        }
    }
}

/// The floats as whole numbers of the least decimals that all of them have, if that is exact.
fn as_decimals(floats: &[u64]) -> Option<(u32, Vec<i64>)> {
    let mut decimals = 0;
    for &bits in floats {
        while whole_of(bits, 10_f64.powi(decimals as i32)).is_none() {
            decimals += 1;
            if decimals > DECIMALS_MAX {
                return None;
            }
        }
    }
    let scale = 10_f64.powi(decimals as i32);
    let wholes = floats.iter().map(|&bits| whole_of(bits, scale));
    Some((decimals, wholes.collect::<Option<_>>()?))
}

fn whole_of(bits: u64, scale: f64) -> Option<i64> {
    let scaled = (f64::from_bits(bits) * scale).round();
    let is_whole = scaled.abs() < WHOLE_MAX;
    let whole = scaled as i64;
    (is_whole && (whole as f64 / scale).to_bits() == bits).then_some(whole)
}

/// Writes what differs from the float before, without the zeros that all of a group have.
fn write_bits(writer: &mut BitWriter, floats: &[u64]) {
    let mut last = 0;
    for group in floats.chunks(GROUP) {
        let mut differing = [0; GROUP];
        let differing = &mut differing[..group.len()];
        for (difference, &float) in differing.iter_mut().zip(group) {
            *difference = float ^ last;
            last = float;
        }
        let all = differing.iter().fold(0, |all, difference| all | difference);
        // Where nothing differs, there is a bit each all the same.
        let low = all.trailing_zeros().min(63);
        let width = (64 - all.leading_zeros()).saturating_sub(low).max(1);
        writer.write(u64::from(low), 6);
        writer.write(u64::from(width - 1), 6);
        for difference in differing {
            writer.write(*difference >> low, width);
        }
    }
}

fn read_bits(reader: &mut BitReader, count: usize) -> Option<Vec<u64>> {
    let mut floats = Vec::with_capacity(count);
    let mut last = 0;
    while floats.len() < count {
        let low = reader.read(6) as u32;
        let width = reader.read(6) as u32 + 1;
        if low + width > 64 {
            return None;
        }
        for _ in 0..GROUP.min(count - floats.len()) {
            last ^= reader.read(width) << low;
            floats.push(last);
        }
    }
    Some(floats)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn floats() -> impl Strategy<Value = Vec<u64>> {
        let decimal = (-1_000_000_i64..1_000_000, 0_i32..4);
        let decimals = prop::collection::vec(decimal, 0..200).prop_map(|list| {
            let floats = list
                .into_iter()
                .map(|(whole, scale)| whole as f64 / 10_f64.powi(scale));
            floats.map(f64::to_bits).collect()
        });
        let runs = prop::collection::vec((any::<u64>(), 1_usize..200), 0..4).prop_map(|runs| {
            let floats = runs
                .into_iter()
                .flat_map(|(bits, times)| std::iter::repeat_n(bits, times));
            floats.collect()
        });
        prop_oneof![prop::collection::vec(any::<u64>(), 0..200), decimals, runs]
    }

    proptest! {
        #[test]
        fn floats_come_back(floats in floats()) {
            let mut writer = BitWriter::default();
            write_floats(&mut writer, &floats);
            let bytes = writer.finish();
            let mut reader = BitReader::new(&bytes);
            prop_assert_eq!(read_floats(&mut reader, floats.len()), Some(floats));
            prop_assert!(reader.finish().is_some());
        }

        #[test]
        fn times_come_back(
            times in prop::collection::vec(any::<i64>(), 0..200),
            unit in 1_i64..2_000_000,
        ) {
            let times: Vec<i64> = times.iter().map(|time| time / unit * unit).collect();
            let mut writer = BitWriter::default();
            write_times(&mut writer, &times);
            let bytes = writer.finish();
            let mut reader = BitReader::new(&bytes);
            prop_assert_eq!(read_times(&mut reader, times.len()), Some(times));
        }
    }

    #[test]
    fn regular_times_and_decimals_are_small() {
        let times: Vec<i64> = (0..1024)
            .map(|at| 1_700_000_000_000_000 + at * 10_000_000)
            .collect();
        let floats: Vec<u64> = (0..1024)
            .map(|at| (f64::from(at % 7) / 100.0).to_bits())
            .collect();
        let mut writer = BitWriter::default();
        write_times(&mut writer, &times);
        write_floats(&mut writer, &floats);
        assert!(writer.finish().len() < 700);
    }
}
