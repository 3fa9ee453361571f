//! A draw from the binomial distribution.

use std::f64::consts::TAU;

/// Below so many expected, successes are counted one by one; above, drawn by rejection.
const FEW_EXPECTED: f64 = 10.0;

/// How many of `count` are kept, each with a chance of `share`.
pub(crate) fn draw(count: u64, share: f64, random: &mut impl FnMut() -> u64) -> u64 {
    if share >= 1.0 || count == 0 {
        return count;
    }
    if share.is_nan() || share <= 0.0 {
        return 0;
    }
    if share > 0.5 {
        return count - draw(count, 1.0 - share, random);
    }
    if count as f64 * share < FEW_EXPECTED {
        draw_few(count, share, random)
    } else {
        draw_many(count, share, random)
    }
}

/// From one success to the next by the geometric distribution.
fn draw_few(count: u64, share: f64, random: &mut impl FnMut() -> u64) -> u64 {
    let miss = (-share).ln_1p();
    let mut left = count as f64;
    let mut kept = 0;
    loop {
        left -= ((1.0 - unit(random)).ln() / miss).floor() + 1.0;
        if left < 0.0 {
            return kept;
        }
        kept += 1;
    }
}

/// W. Hörmann, *The generation of binomial random variates* (1993): transformed rejection (BTRS).
fn draw_many(count: u64, share: f64, random: &mut impl FnMut() -> u64) -> u64 {
    let n = count as f64;
    let spread = (n * share * (1.0 - share)).sqrt();
    let b = 1.15 + 2.53 * spread;
    let a = -0.0873 + 0.0248 * b + 0.01 * share;
    let center = n * share + 0.5;
    let v_r = 0.92 - 4.2 / b;
    let alpha = (2.83 + 5.1 / b) * spread;
    let odds = (share / (1.0 - share)).ln();
    let mode = ((n + 1.0) * share).floor();
    let peak = ln_factorial(mode) + ln_factorial(n - mode);
    loop {
        let u = unit(random) - 0.5;
        let v = unit(random);
        let us = 0.5 - u.abs();
        let kept = ((2.0 * a / us + b) * u + center).floor();
        if !(0.0..=n).contains(&kept) {
            continue;
        }
        if us >= 0.07 && v <= v_r {
            return kept as u64;
        }
        let height = (v * alpha / (a / (us * us) + b)).ln();
        let likelihood = peak - ln_factorial(kept) - ln_factorial(n - kept) + (kept - mode) * odds;
        if height <= likelihood {
            return kept as u64;
        }
    }
}

/// Stirling's series where it is exact to a double's last digits, the sum below.
fn ln_factorial(n: f64) -> f64 {
    if n < 16.0 {
        return (2..=n as u32).map(|factor| f64::from(factor).ln()).sum();
    }
    let inverse = 1.0 / n;
    let tail = inverse / 12.0 - inverse.powi(3) / 360.0 + inverse.powi(5) / 1260.0;
    n * n.ln() - n + 0.5 * (TAU * n).ln() + tail
}

/// A number from 0 to below 1.
fn unit(random: &mut impl FnMut() -> u64) -> f64 {
    (random() >> 11) as f64 / (1u64 << 53) as f64
}
