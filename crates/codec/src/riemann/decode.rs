//! Messages to borrowed views.

use event::{HistogramRef, Scalar, Time, View, Views};

use super::wire::{
    BYTES, DecodeError, FIXED32, FIXED64, HISTOGRAM_FIELD, MSG_EVENTS_MAX, Reader, VARINT, tag,
    zigzag,
};

/// What a message holds beside its events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MsgHead<'a> {
    pub ok: Option<bool>,
    pub error: Option<&'a str>,
    /// The query's text; empty if there is a query without text.
    pub query: Option<&'a str>,
    /// Events appended to the views.
    pub events: usize,
    /// Deprecated states, which are read and ignored.
    pub states: usize,
}

/// Appends the events of a message to `views`. An event without a time gets `now`.
///
/// ```
/// use codec::riemann::decode_msg;
/// use event::{Fields, Time, Views};
/// let msg = b"\x32\x0a\x1a\x03www\x22\x03web";
/// let mut views = Views::new();
/// let head = decode_msg(msg, Time::from_s(5), &mut views).unwrap();
/// assert_eq!((head.events, head.query), (1, None));
/// assert_eq!(views.get(0).service(), Some("www"));
/// assert_eq!(views.get(0).time(), Some(Time::from_s(5)));
/// ```
///
/// # Errors
/// When the message is malformed; `views` is then as it was. After [`DecodeError::Utf8`] the copy
/// that [`repair_msg`](super::repair_msg) makes can be decoded.
pub fn decode_msg<'a>(
    bytes: &'a [u8],
    now: Time,
    views: &mut Views<'a>,
) -> Result<MsgHead<'a>, DecodeError> {
    let before = views.len();
    let mut head = MsgHead::default();
    let result = decode_fields(bytes, now, views, &mut head);
    match result {
        Ok(()) => Ok(head),
        Err(error) => {
            views.truncate(before);
            Err(error)
        }
    }
}

fn decode_fields<'a>(
    bytes: &'a [u8],
    now: Time,
    views: &mut Views<'a>,
    head: &mut MsgHead<'a>,
) -> Result<(), DecodeError> {
    const OK: u32 = tag(2, VARINT);
    const ERROR: u32 = tag(3, BYTES);
    const STATE: u32 = tag(4, BYTES);
    const QUERY: u32 = tag(5, BYTES);
    const EVENT: u32 = tag(6, BYTES);

    let mut reader = Reader(bytes);
    while !reader.is_empty() {
        match reader.tag()? {
            EVENT => {
                if head.events == MSG_EVENTS_MAX {
                    return Err(DecodeError::TooManyEvents);
                }
                decode_event(reader.bytes()?, now, views)?;
                head.events += 1;
            }
            OK => head.ok = Some(reader.varint()? != 0),
            ERROR => head.error = Some(reader.text()?),
            QUERY => decode_query(reader.bytes()?, &mut head.query)?,
            STATE => {
                skip_fields(reader.bytes()?)?;
                head.states += 1;
            }
            other => reader.skip(other)?,
        }
    }
    Ok(())
}

fn decode_query<'a>(bytes: &'a [u8], query: &mut Option<&'a str>) -> Result<(), DecodeError> {
    const TEXT: u32 = tag(1, BYTES);

    query.get_or_insert("");
    let mut reader = Reader(bytes);
    while !reader.is_empty() {
        match reader.tag()? {
            TEXT => *query = Some(reader.text()?),
            other => reader.skip(other)?,
        }
    }
    Ok(())
}

fn skip_fields(bytes: &[u8]) -> Result<(), DecodeError> {
    let mut reader = Reader(bytes);
    while !reader.is_empty() {
        let tag = reader.tag()?;
        reader.skip(tag)?;
    }
    Ok(())
}

/// Times and metrics of an event, each as one of several fields.
#[derive(Default)]
struct Numbers {
    time_s: Option<i64>,
    time_us: Option<i64>,
    metric_int: Option<i64>,
    metric_f64: Option<f64>,
    metric_f32: Option<f32>,
}

fn decode_event<'a>(bytes: &'a [u8], now: Time, views: &mut Views<'a>) -> Result<(), DecodeError> {
    const TIME: u32 = tag(1, VARINT);
    const STATE: u32 = tag(2, BYTES);
    const SERVICE: u32 = tag(3, BYTES);
    const HOST: u32 = tag(4, BYTES);
    const DESCRIPTION: u32 = tag(5, BYTES);
    const TAG: u32 = tag(7, BYTES);
    const TTL: u32 = tag(8, FIXED32);
    const ATTRIBUTE: u32 = tag(9, BYTES);
    const TIME_MICROS: u32 = tag(10, VARINT);
    const METRIC_SINT64: u32 = tag(13, VARINT);
    const METRIC_D: u32 = tag(14, FIXED64);
    const METRIC_F: u32 = tag(15, FIXED32);

    let mut view = View::default();
    let mut numbers = Numbers::default();
    let mut overrides = Overrides::default();
    let mut attrs = 0;
    let mut histogram = None;
    let mut reader = Reader(bytes);
    while !reader.is_empty() {
        match reader.tag()? {
            TIME => numbers.time_s = Some(reader.varint()? as i64),
            STATE => view.state = Some(reader.text()?),
            SERVICE => view.service = Some(reader.text()?),
            HOST => view.host = Some(reader.text()?),
            DESCRIPTION => view.description = Some(reader.text()?),
            TAG => views.push_tag(reader.text()?),
            TTL => view.ttl = Some(Scalar::F32(f32::from_le_bytes(reader.fixed()?))),
            ATTRIBUTE => {
                let (name, value) = decode_attribute(reader.bytes()?)?;
                if !overrides.take(name, value) {
                    views.push_attr(name, value);
                    attrs += 1;
                }
            }
            TIME_MICROS => numbers.time_us = Some(reader.varint()? as i64),
            METRIC_SINT64 => numbers.metric_int = Some(zigzag(reader.varint()?)),
            METRIC_D => numbers.metric_f64 = Some(f64::from_le_bytes(reader.fixed()?)),
            METRIC_F => numbers.metric_f32 = Some(f32::from_le_bytes(reader.fixed()?)),
            other => rare(&mut reader, other, &mut histogram)?,
        }
    }
    overrides.apply(&mut view);
    if attrs > 1 {
        views.keep_last_attrs();
    }
    view.time = Some(numbers.time(now));
    match histogram {
        Some(bytes) => view.histogram = Some(HistogramRef::new(bytes)?),
        None => view.metric = numbers.metric(),
    }
    views.push(view);
    Ok(())
}

/// Fields that few events have, apart so that the others are told by a table of tags.
#[cold]
fn rare<'a>(
    reader: &mut Reader<'a>,
    other: u32,
    histogram: &mut Option<&'a [u8]>,
) -> Result<(), DecodeError> {
    const METRIC_HISTOGRAM: u32 = tag(HISTOGRAM_FIELD, BYTES);

    match other {
        METRIC_HISTOGRAM => *histogram = Some(reader.bytes()?),
        unknown => reader.skip(unknown)?,
    }
    Ok(())
}

impl Numbers {
    fn time(&self, now: Time) -> Time {
        match (self.time_us, self.time_s) {
            (Some(us), _) => Time::from_us(us),
            (None, Some(s)) => Time::from_s(s),
            (None, None) => now,
        }
    }

    fn metric(&self) -> Option<Scalar> {
        match (self.metric_int, self.metric_f64, self.metric_f32) {
            (Some(int), _, _) => Some(Scalar::Int(int)),
            (None, Some(float), _) => Some(Scalar::F64(float)),
            (None, None, float) => float.map(Scalar::F32),
        }
    }
}

/// Attributes that stand for fields: they win over the fields, wherever in the event they come.
#[derive(Default)]
struct Overrides<'a> {
    host: Option<&'a str>,
    service: Option<&'a str>,
    state: Option<&'a str>,
    description: Option<&'a str>,
}

impl<'a> Overrides<'a> {
    /// True if an attribute of that name is no attribute: it is a field's, or is ignored.
    fn take(&mut self, name: &str, value: &'a str) -> bool {
        match name {
            "host" => self.host = Some(value),
            "service" => self.service = Some(value),
            "state" => self.state = Some(value),
            "description" => self.description = Some(value),
            "tags" | "time" | "ttl" | "metric" => {}
            _ => return false,
        }
        true
    }

    fn apply(self, view: &mut View<'a>) {
        view.host = self.host.or(view.host);
        view.service = self.service.or(view.service);
        view.state = self.state.or(view.state);
        view.description = self.description.or(view.description);
    }
}

fn decode_attribute(bytes: &[u8]) -> Result<(&str, &str), DecodeError> {
    const KEY: u32 = tag(1, BYTES);
    const VALUE: u32 = tag(2, BYTES);

    let (mut key, mut value) = (None, "");
    let mut reader = Reader(bytes);
    while !reader.is_empty() {
        match reader.tag()? {
            KEY => key = Some(reader.text()?),
            VALUE => value = reader.text()?,
            other => reader.skip(other)?,
        }
    }
    Ok((key.ok_or(DecodeError::MissingKey)?, value))
}

#[cfg(test)]
mod tests {
    use event::{Event, Fields, Number};

    use super::*;

    const NOW: Time = Time {
        us: 9,
        kind: event::TimeKind::Ratio,
    };

    fn event(bytes: &[u8]) -> Event {
        let mut views = Views::new();
        let length = u8::try_from(bytes.len()).unwrap();
        let msg = [&[0x32, length], bytes].concat();
        decode_msg(&msg, NOW, &mut views).unwrap();
        Event::from_view(&views.get(0))
    }

    fn attr(name: &str, value: &str) -> Vec<u8> {
        let (n, v) = (name.len() as u8, value.len() as u8);
        [
            &[0x4a, n + v + 4, 0x0a, n],
            name.as_bytes(),
            &[0x12, v],
            value.as_bytes(),
        ]
        .concat()
    }

    #[test]
    fn integer_metrics_win_over_double_over_float() {
        let (int, double) = ([0x68, 3], [&[0x71][..], &1.5f64.to_le_bytes()].concat());
        let float = [&[0x7d][..], &2.5f32.to_le_bytes()].concat();
        assert_eq!(event(&float).metric(), Some(Number::F32(2.5)));
        assert_eq!(
            event(&[&double[..], &float].concat()).metric(),
            Some(Number::F64(1.5))
        );
        assert_eq!(
            event(&[&int[..], &double, &float].concat()).metric(),
            Some(Number::Int(-2))
        );
    }

    #[test]
    fn microseconds_win_over_seconds_over_now() {
        assert_eq!(event(&[]).time(), Some(NOW));
        assert_eq!(event(&[0x08, 3]).time(), Some(Time::from_s(3)));
        assert_eq!(event(&[0x50, 7, 0x08, 3]).time(), Some(Time::from_us(7)));
    }

    #[test]
    fn attributes_named_as_fields_are_not_attributes() {
        let bytes = [
            attr("host", "a"),
            attr("time", "7"),
            attr("x", "1"),
            vec![0x22, 1, b'b'],
        ];
        let event = event(&bytes.concat());
        assert_eq!(event.host(), Some("a"));
        assert_eq!(event.time(), Some(NOW));
        assert_eq!(event.attrs().collect::<Vec<_>>(), [("x", "1")]);
    }

    #[test]
    fn of_attributes_of_one_name_the_last_stays() {
        let many = (0..40).flat_map(|index| attr(&(index % 3).to_string(), &index.to_string()));
        let mut msg = vec![0x32];
        let many: Vec<u8> = many.collect();
        msg.extend([0x80 | many.len() as u8 & 0x7f, (many.len() >> 7) as u8]);
        msg.extend(many);
        let mut views = Views::new();
        decode_msg(&msg, NOW, &mut views).unwrap();
        let mut attrs = views.get(0).attrs.to_vec();
        attrs.sort_unstable();
        assert_eq!(attrs, [("0", "39"), ("1", "37"), ("2", "38")]);
    }

    #[test]
    fn a_message_of_too_many_events_is_refused() {
        let mut views = Views::new();
        let msg = [0x32, 0].repeat(MSG_EVENTS_MAX + 1);
        let whole = decode_msg(&msg[2..], NOW, &mut views).map(|head| head.events);
        assert_eq!(whole, Ok(MSG_EVENTS_MAX));
        assert_eq!(
            decode_msg(&msg, NOW, &mut views),
            Err(DecodeError::TooManyEvents)
        );
        assert_eq!(views.len(), MSG_EVENTS_MAX);
    }

    #[test]
    fn a_malformed_message_leaves_nothing_behind() {
        let mut views = Views::new();
        decode_msg(b"\x32\x03\x22\x01a", NOW, &mut views).unwrap();
        let broken = b"\x32\x03\x22\x01b\x32\x06\x3a\x01t\x22\x01\xff";
        assert_eq!(decode_msg(broken, NOW, &mut views), Err(DecodeError::Utf8));
        decode_msg(b"\x32\x03\x22\x01c", NOW, &mut views).unwrap();
        assert_eq!(
            views.iter().map(|view| view.host).collect::<Vec<_>>(),
            [Some("a"), Some("c")]
        );
        assert!(views.get(1).tags.is_empty());
    }

    #[test]
    fn a_repeated_query_is_merged() {
        let check = |msg: &[u8], query| {
            let mut views = Views::new();
            let head = decode_msg(msg, NOW, &mut views).unwrap();
            assert_eq!(
                head,
                MsgHead {
                    query,
                    ..MsgHead::default()
                }
            );
        };
        check(b"", None);
        check(b"\x2a\x00", Some(""));
        check(b"\x2a\x03\x0a\x01a\x2a\x00", Some("a"));
        check(b"\x2a\x03\x0a\x01a\x2a\x03\x0a\x01b", Some("b"));
    }
}
