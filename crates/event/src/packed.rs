//! Histograms as events carry them: packed in OpenHistogram's binary form, some hundred bytes, to be
//! merged from there or unpacked.

use std::fmt;
use std::sync::Arc;

use crate::Number;
use histogram::{Bin, DecodeError, Histogram, each_encoded};

/// Bytes of a packed histogram: every bin there is with a count of eight bytes fits.
pub const HISTOGRAM_BYTES_MAX: usize = 512 * 1024;

/// The quantiles in the line for people, as they are called there.
const SHOWN: [(f64, &str); 3] = [(0.5, "p50"), (0.99, "p99"), (1.0, "max")];

/// Why bytes are not the histogram of an event. One byte, so that results of decoders stay in
/// registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistogramError {
    /// Longer than [`HISTOGRAM_BYTES_MAX`].
    TooLong,
    /// They end within a bin.
    CutShort,
    /// A count of more than eight bytes.
    CountWidth,
    /// They go on after the last bin.
    Trailing,
}

impl fmt::Display for HistogramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistogramError::TooLong => {
                write!(f, "it has more than {HISTOGRAM_BYTES_MAX} bytes")
            }
            HistogramError::CutShort => f.write_str("it ends within a bin"),
            HistogramError::CountWidth => f.write_str("a count is wider than 8 bytes"),
            HistogramError::Trailing => f.write_str("it has more bytes than its bins"),
        }
    }
}

impl From<DecodeError> for HistogramError {
    fn from(error: DecodeError) -> HistogramError {
        match error {
            DecodeError::CutShort => HistogramError::CutShort,
            DecodeError::CountWidth { .. } => HistogramError::CountWidth,
            DecodeError::Trailing { .. } => HistogramError::Trailing,
        }
    }
}

impl std::error::Error for HistogramError {}

/// A histogram in bytes that lie elsewhere.
///
/// ```
/// use event::HistogramRef;
/// let bytes = [0, 1, 15, 0, 0, 3];
/// let packed = HistogramRef::new(&bytes).unwrap();
/// assert_eq!(packed.unpack().count_near(1.5), 3);
/// assert!(HistogramRef::new(&bytes[..5]).is_err());
/// ```
#[derive(Clone, Copy)]
pub struct HistogramRef<'a>(&'a [u8]);

impl<'a> HistogramRef<'a> {
    /// # Errors
    /// When the bytes are no histogram, or more than [`HISTOGRAM_BYTES_MAX`].
    pub fn new(bytes: &'a [u8]) -> Result<HistogramRef<'a>, HistogramError> {
        if bytes.len() > HISTOGRAM_BYTES_MAX {
            return Err(HistogramError::TooLong);
        }
        if each_encoded(bytes, |_, _| ())? < bytes.len() {
            return Err(HistogramError::Trailing);
        }
        Ok(HistogramRef(bytes))
    }

    /// OpenHistogram's binary form.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The histogram, to be asked.
    pub fn unpack(self) -> Histogram {
        let mut histogram = Histogram::new();
        self.merge_into(&mut histogram);
        histogram
    }

    /// Adds its counts to another: cheaper than to unpack and merge.
    pub fn merge_into(self, sum: &mut Histogram) {
        sum.merge_encoded(self.0)
            .expect("bytes are looked at before they become this");
    }

    /// The binary form in base64, as it stands in JSON.
    pub fn to_base64(self) -> String {
        self.unpack().to_base64()
    }

    /// How many numbers and some quantiles, in a line for people: `n=300 p50=0.12 p99=3.5 max=9.2`.
    pub fn summary(self) -> String {
        summary(&self.unpack())
    }

    /// A copy of its own.
    pub fn to_owned(self) -> PackedHistogram {
        PackedHistogram(self.0.into())
    }
}

/// The same counts, whatever the bytes.
impl PartialEq for HistogramRef<'_> {
    fn eq(&self, other: &HistogramRef<'_>) -> bool {
        self.0 == other.0 || self.unpack() == other.unpack()
    }
}

impl fmt::Debug for HistogramRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.unpack().fmt(f)
    }
}

/// How many numbers, and some quantiles to the two digits that a bin has: what is shown to people.
///
/// ```
/// let waits = [0.123, 0.5, 7.0].into_iter().collect();
/// assert_eq!(event::summary(&waits), "n=3 p50=0.5 p99=7 max=7");
/// let one = [0.49].into_iter().collect();
/// assert_eq!(event::summary(&one), "n=1 p50=0.49 p99=0.49 max=0.49");
/// ```
pub fn summary(histogram: &Histogram) -> String {
    let mut line = format!("n={}", histogram.count());
    if histogram.count() > 0 {
        for (q, name) in SHOWN {
            line.push_str(&format!(" {name}={}", two_digits(histogram.quantile(q))));
        }
    }
    if histogram.nan_count() > 0 {
        line.push_str(&format!(" nan={}", histogram.nan_count()));
    }
    line
}

/// A number as its bin knows it.
fn two_digits(number: f64) -> String {
    let edge = Bin::of(number).edge();
    // An edge is a product, and not always the float nearest to its two digits.
    let digits = format!("{edge:.1e}").parse().unwrap_or(edge);
    let text = Number::F64(digits).to_text();
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A histogram as an event keeps it. Cheap to clone.
#[derive(Clone)]
pub struct PackedHistogram(Arc<[u8]>);

impl PackedHistogram {
    pub fn as_ref(&self) -> HistogramRef<'_> {
        HistogramRef(&self.0)
    }
}

impl From<&Histogram> for PackedHistogram {
    fn from(histogram: &Histogram) -> PackedHistogram {
        PackedHistogram(histogram.encode().into())
    }
}

impl PartialEq for PackedHistogram {
    fn eq(&self, other: &PackedHistogram) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl fmt::Debug for PackedHistogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_bins_know_them() {
        assert_eq!(two_digits(0.123_456), "0.12");
        assert_eq!(two_digits(1_234.5), "1200");
        assert_eq!(two_digits(-9.96), "-9.9");
        assert_eq!(two_digits(1.26e100), "1.2E100");
    }

    #[test]
    fn every_histogram_fits() {
        let bins = (i8::MIN..=i8::MAX).flat_map(|exp| {
            (-99..=99).filter_map(move |val| Some((histogram::Bin::new(val, exp)?, u64::MAX)))
        });
        let all: Histogram = bins.chain([(histogram::Bin::NAN, u64::MAX)]).collect();
        let packed = PackedHistogram::from(&all);
        assert_eq!(
            HistogramRef::new(packed.as_ref().bytes()),
            Ok(packed.as_ref())
        );
        assert_eq!(packed.as_ref().unpack(), all);
    }

    #[test]
    fn what_is_none_is_refused() {
        let long = vec![0; HISTOGRAM_BYTES_MAX + 1];
        assert_eq!(HistogramRef::new(&long), Err(HistogramError::TooLong));
        let check = |bytes: &[u8], error| assert_eq!(HistogramRef::new(bytes), Err(error));
        check(&[0], HistogramError::CutShort);
        check(&[0, 0, 9], HistogramError::Trailing);
        check(&[0, 1, 15, 0, 8, 1], HistogramError::CountWidth);
    }

    #[test]
    fn bins_in_another_order_are_the_same_histogram() {
        let one = HistogramRef::new(&[0, 2, 15, 0, 0, 3, 25, 0, 0, 1]);
        let other = HistogramRef::new(&[0, 2, 25, 0, 1, 1, 0, 15, 0, 0, 3]);
        assert_eq!(one, other);
        assert_ne!(one, HistogramRef::new(&[0, 1, 15, 0, 0, 3]));
    }
}
