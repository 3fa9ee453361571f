//! The number and the places of modes of mixtures that are known, 300 samples each.

use histogram::Histogram;

/// Samples of a case: few, as of a minute of a small service.
const SAMPLES: usize = 300;
const CASES: usize = 100;

/// SplitMix64, so that a case is the same on every machine.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below 1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Of mean 0 and deviation 1.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Where the modes are, and the samples.
type Case = (Vec<f64>, Histogram);

/// Log-normal modes; neighbours are at least four deviations of the wider apart.
fn log_normal(random: &mut Random, modes: usize) -> Case {
    let mut at = random.between(-5.0, 2.0);
    let mut parts: Vec<(f64, f64, f64)> = Vec::new();
    for _ in 0..modes {
        let deviation = random.between(0.03, 0.25);
        if let Some((last, last_deviation, _)) = parts.last() {
            at = last + f64::max(*last_deviation, deviation) * random.between(4.0, 9.0);
        }
        parts.push((at, deviation, random.between(0.5, 1.5)));
    }
    let weight: f64 = parts.iter().map(|part| part.2).sum();
    let mut histogram = Histogram::new();
    for (at, deviation, part) in &parts {
        for _ in 0..(part / weight * SAMPLES as f64) as usize {
            histogram.insert(10f64.powf(at + deviation * random.normal()));
        }
    }
    (
        parts.iter().map(|part| 10f64.powf(part.0)).collect(),
        histogram,
    )
}

/// Normal modes on the plain axis, also below zero.
fn normal(random: &mut Random, modes: usize) -> Case {
    let deviation = random.between(1.0, 3.0);
    let first = random.between(-20.0, 60.0);
    let apart = deviation * random.between(5.0, 9.0);
    let places: Vec<f64> = (0..modes).map(|mode| first + apart * mode as f64).collect();
    let histogram = (0..SAMPLES)
        .map(|sample| places[sample % modes] + deviation * random.normal())
        .collect();
    (places, histogram)
}

/// One mode that is not symmetric: waits of a Poisson process, or evenly spread.
fn skewed(random: &mut Random, _: usize) -> Case {
    let scale = 10f64.powf(random.between(-3.0, 3.0));
    let even = random.unit() < 0.5;
    let histogram = (0..SAMPLES)
        .map(|_| {
            let unit = 1.0 - random.unit();
            scale * if even { unit } else { -unit.ln() }
        })
        .collect();
    (vec![scale / 2.0], histogram)
}

fn right_share(name: &str, modes: usize, case: fn(&mut Random, usize) -> Case) -> f64 {
    let mut random = Random(modes as u64 + name.len() as u64 * 100);
    let right = (0..CASES)
        .filter(|_| {
            let (places, histogram) = case(&mut random, modes);
            let found = histogram.modes();
            let around = |(at, mode): (&f64, &histogram::Mode)| mode.low <= *at && *at <= mode.high;
            found.len() == modes && places.iter().zip(&found).all(around)
        })
        .count();
    let share = right as f64 / CASES as f64;
    println!("{name:>10} {modes} modes: {:.1} %", share * 100.0);
    share
}

#[test]
fn modes_are_found_with_300_samples() {
    let mut shares = vec![right_share("skewed", 1, skewed)];
    for modes in 1..=4 {
        shares.push(right_share("log-normal", modes, log_normal));
        shares.push(right_share("normal", modes, normal));
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    println!("mean {:.1} %", mean * 100.0);
    assert!(mean >= 0.94, "{shares:?}");
    assert!(shares.iter().all(|share| *share >= 0.9), "{shares:?}");
}

#[test]
fn no_numbers_have_no_mode_and_one_has_one() {
    assert_eq!(Histogram::new().modes(), []);
    for number in [-3.0, 0.0, 0.25, 9.9e127, 1e-128] {
        let mut histogram = Histogram::new();
        histogram.insert_n(number, u64::MAX);
        let modes = histogram.modes();
        assert_eq!(modes.len(), 1, "{number}");
        assert!(
            modes[0].low <= number && number <= modes[0].high,
            "{modes:?}"
        );
    }
}
