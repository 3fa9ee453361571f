//! What holds for all histograms: merging, the forms, and the bounds of what is estimated.

use histogram::{Bin, Histogram};
use proptest::prelude::*;

/// Numbers of all signs and sizes, some on the edges of bins, some not numbers.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (-99i32..=99, -12i32..12).prop_map(|(val, exp)| f64::from(val) * 10f64.powi(exp)),
        6 => -1e3..1e3,
        2 => any::<f64>(),
        1 => Just(0.0),
    ]
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(number(), 0..60)
}

fn of(numbers: &[f64]) -> Histogram {
    numbers.iter().copied().collect()
}

/// Numbers whose bin tells them to a tenth.
fn plain() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((1e-3..1e3).prop_map(|x: f64| x), 1..200)
}

fn merged(a: &Histogram, b: &Histogram) -> Histogram {
    let mut both = a.clone();
    both.merge(b);
    both
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

proptest! {
    #[test]
    fn a_number_is_in_its_bin(number in number()) {
        let bin = Bin::of(number);
        if !bin.is_nan() && !bin.is_zero() {
            // The nudge that makes literals fall into their bins is 1e-14 of the number.
            let slack = number.abs() * 2e-14;
            prop_assert!(bin.left() <= number + slack && number - slack <= bin.right());
            prop_assert!((bin.middle() - number).abs() <= number.abs() * (1.0 / 21.0 + 1e-12));
            prop_assert_eq!(Bin::of(bin.middle()), bin);
        }
    }

    #[test]
    fn a_run_is_as_many_additions(
        before in numbers(),
        first in number(),
        counts in prop::collection::vec(prop_oneof![Just(0_u64), 0..9_u64, any::<u64>()], 0..300),
        is_cleared: bool,
    ) {
        let mut at_once = of(&before);
        if is_cleared {
            at_once.clear();
        }
        let mut one_by_one = at_once.clone();
        at_once.add_run(Bin::of(first), &counts);
        let (mut val, mut exp) = (Bin::of(first).val(), Bin::of(first).exp());
        let mut bin = Bin::of(first);
        for count in counts {
            one_by_one.add(bin, count);
            if bin.is_nan() || bin.is_zero() {
                continue;
            }
            val += val.signum();
            if val.abs() == 100 {
                val /= 10;
                exp = exp.saturating_add(1);
            }
            let is_beyond = val.abs() == 10 && bin.exp() == 127;
            bin = if is_beyond { Bin::NAN } else { Bin::new(val, exp).unwrap() };
        }
        prop_assert_eq!(&at_once, &one_by_one);
        at_once.merge(&of(&before));
        one_by_one.merge(&of(&before));
        prop_assert_eq!(at_once, one_by_one);
    }

    #[test]
    fn bins_are_ordered_as_their_numbers(a in -1e3..1e3f64, b in -1e3..1e3f64) {
        prop_assert!(a > b || Bin::of(a) <= Bin::of(b));
    }

    #[test]
    fn a_scaled_integer_is_where_its_decimal_is(
        // Of more digits, the nudge takes the last before an edge for the edge.
        value in -999_999_999_999i64..=999_999_999_999,
        shift in 0u32..40,
        scale in -40i32..40,
    ) {
        let value = value >> shift;
        let decimal: f64 = format!("{value}e{scale}").parse().expect("a number");
        prop_assert_eq!(Bin::of_scaled(value, scale), Bin::of(decimal));
    }

    #[test]
    fn merging_is_counting_all(a in numbers(), b in numbers(), c in numbers()) {
        let (ha, hb, hc) = (of(&a), of(&b), of(&c));
        let all = of(&[&a[..], &b, &c].concat());
        prop_assert_eq!(&merged(&merged(&ha, &hb), &hc), &all);
        prop_assert_eq!(&merged(&ha, &merged(&hb, &hc)), &all);
        prop_assert_eq!(merged(&ha, &hb), merged(&hb, &ha));
        prop_assert_eq!(all.count() + all.nan_count(), (a.len() + b.len() + c.len()) as u64);
    }

    #[test]
    fn what_was_merged_can_be_taken_off(a in numbers(), b in numbers()) {
        let mut both = merged(&of(&a), &of(&b));
        prop_assert_eq!(both.subtract(&of(&b)), 0);
        prop_assert_eq!(&both, &of(&a));
        both.clear();
        prop_assert!(both.is_empty());
        both.merge(&of(&b));
        prop_assert_eq!(both, of(&b));
    }

    #[test]
    fn a_removed_number_is_gone(a in numbers(), count in 0u64..3) {
        let mut histogram = of(&a);
        for number in &a {
            histogram.insert_n(*number, count);
        }
        for number in &a {
            prop_assert_eq!(histogram.remove(*number, count), count);
        }
        prop_assert_eq!(histogram, of(&a));
    }

    #[test]
    fn bins_ascend(a in numbers()) {
        let bins: Vec<Bin> = of(&a).bins().map(|(bin, _)| bin).collect();
        prop_assert!(bins.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn every_form_comes_back(a in numbers(), count in 1u64..) {
        let mut histogram = of(&a);
        histogram.insert_n(1.5, count);
        prop_assert_eq!(Histogram::decode(&histogram.encode()), Ok(histogram.clone()));
        prop_assert_eq!(Histogram::from_base64(&histogram.to_base64()), Ok(histogram.clone()));
        prop_assert_eq!(Histogram::from_json(&histogram.to_json()), Ok(histogram));
    }

    #[test]
    fn merging_bytes_is_merging(a in numbers(), b in numbers()) {
        let mut ours = of(&a);
        let bytes = of(&b).encode();
        prop_assert_eq!(ours.merge_encoded(&bytes), Ok(bytes.len()));
        prop_assert_eq!(ours, merged(&of(&a), &of(&b)));
    }

    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok((histogram, length)) = Histogram::decode_prefix(&bytes) {
            prop_assert!(length <= bytes.len());
            prop_assert_eq!(Histogram::decode(&histogram.encode()), Ok(histogram));
        }
    }

    #[test]
    fn a_damaged_histogram_does_not_panic(
        a in numbers(),
        at in any::<prop::sample::Index>(),
        byte: u8,
    ) {
        let mut bytes = of(&a).encode();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = Histogram::decode(&bytes);
        let _ = Histogram::decode(&bytes[..at]);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,40}", key in "[H\\[\\]=0-9.e+-]{0,12}") {
        let _ = Histogram::from_base64(&text);
        for value in [
            serde_json::json!(text),
            serde_json::json!([key, text]),
            serde_json::json!({ key: 1 }),
        ] {
            let _ = Histogram::from_json(&value);
        }
    }

    #[test]
    fn a_quantile_is_in_the_bin_of_the_exact_one(mut a in plain(), q in 0.0..=1.0f64) {
        a.sort_by(f64::total_cmp);
        let exact = a[((q * a.len() as f64).ceil() as usize).clamp(1, a.len()) - 1];
        let estimate = of(&a).quantile(q);
        prop_assert!((estimate - exact).abs() <= exact * 0.1 + 1e-12, "{estimate} {exact}");
        prop_assert_eq!(Bin::of(estimate), Bin::of(exact));
    }

    #[test]
    fn counts_at_two_digits_are_exact(a in plain(), val in 10i32..=99, exp in -4i32..2) {
        let threshold: f64 = format!("{val}e{exp}").parse().expect("a number");
        let above = a.iter().filter(|x| **x >= threshold).count() as u64;
        let histogram = of(&a);
        prop_assert_eq!(histogram.count_above(threshold), above);
        prop_assert_eq!(histogram.count_below_exclusive(threshold), a.len() as u64 - above);
        let share = histogram.share_below(threshold);
        prop_assert!((share - 1.0 + above as f64 / a.len() as f64).abs() < 1e-9);
    }

    #[test]
    fn a_share_is_off_by_its_bin_at_most(a in plain(), threshold in 1e-3..1e3f64) {
        let histogram = of(&a);
        let exact = a.iter().filter(|x| **x < threshold).count() as f64;
        let slack = histogram.count_near(threshold) as f64 + 1e-6;
        let off = histogram.share_below(threshold) * a.len() as f64 - exact;
        prop_assert!(off.abs() <= slack, "{off} {slack}");
    }

    #[test]
    fn mean_and_sum_are_within_a_twentieth(a in plain()) {
        let exact = mean(&a);
        let histogram = of(&a);
        prop_assert!((histogram.mean() - exact).abs() <= exact / 21.0 + 1e-9);
        let square: Vec<f64> = a.iter().map(|x| x * x).collect();
        let deviation = (mean(&square) - exact * exact).max(0.0).sqrt();
        let bound = 2.0 / 21.0 * mean(&square).sqrt() + 1e-6;
        prop_assert!((histogram.stddev() - deviation).abs() <= bound);
    }

    #[test]
    fn distance_is_within_a_tenth_of_both(mut a in plain(), scale in 0.5..2.0f64) {
        let mut b: Vec<f64> = a.iter().map(|x| x * scale).collect();
        a.sort_by(f64::total_cmp);
        b.sort_by(f64::total_cmp);
        let exact = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).sum::<f64>() / a.len() as f64;
        let found = of(&a).compare(&of(&b));
        let bound = 0.1 * (mean(&a) + mean(&b)) + 1e-9;
        prop_assert!((found.distance - exact).abs() <= bound, "{} {exact}", found.distance);
        prop_assert!((found.shift - (mean(&a) - mean(&b))).abs() <= bound);
        prop_assert!(found.shift.abs() <= found.distance * (1.0 + 1e-9) + 1e-12);
        let back = of(&b).distance(&of(&a));
        prop_assert!((back - found.distance).abs() <= 1e-9 * (1.0 + back));
    }

    #[test]
    fn coarser_loses_no_count(a in numbers(), exp in -10i8..10) {
        let histogram = of(&a);
        let coarse = histogram.compressed(exp);
        prop_assert_eq!(coarse.count(), histogram.count());
        prop_assert_eq!(coarse.nan_count(), histogram.nan_count());
        prop_assert!(coarse.bin_count() <= histogram.bin_count());
    }

    #[test]
    fn pictures_and_modes_never_panic(a in numbers(), width in 0usize..30) {
        let histogram = of(&a);
        let modes = histogram.modes();
        prop_assert_eq!(modes.is_empty(), histogram.count() == 0);
        let drawn = histogram.sparkline(width).chars().count();
        prop_assert_eq!(drawn, if histogram.count() == 0 { 0 } else { width });
    }
}

#[test]
fn a_baseline_of_the_same_is_no_change_and_a_slower_one_is() {
    let usual: Histogram = (0..1000).map(|n| 0.1 + f64::from(n) * 1e-4).collect();
    let same = usual.compare(&usual);
    assert_eq!((same.distance, same.shift, same.gap), (0.0, 0.0, 0.0));
    assert_eq!(same.chance, 1.0);
    let slower: Histogram = (0..300).map(|n| 0.15 + f64::from(n) * 3e-4).collect();
    let change = slower.compare(&usual);
    assert!((change.shift - 0.045).abs() < 0.002, "{change:?}");
    assert!(
        change.distance >= change.shift && change.chance < 1e-9,
        "{change:?}"
    );
    assert!((0.4..0.6).contains(&change.gap), "{change:?}");
    assert!((0.14..0.161).contains(&change.gap_at), "{change:?}");
}

#[test]
fn an_empty_histogram_answers_nan() {
    let (none, one) = (Histogram::new(), Histogram::from_iter([1.0]));
    for answer in [
        none.quantile(0.5),
        none.share_below(1.0),
        none.mean(),
        none.stddev(),
        none.distance(&one),
        one.distance(&none),
        one.quantile(f64::NAN),
        one.quantile(1.5),
    ] {
        assert!(answer.is_nan());
    }
}
