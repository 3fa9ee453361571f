//! Zabbix, as its trapper takes values.
//!
//! ```text
//! "ZBXD" 1 | length u64, little-endian | JSON
//! ```

use event::{Event, Fields};
use serde_json::{Value, json};

use crate::event_json::size_bytes;
use crate::socket::{Address, exchange};
use crate::target::{DeliveryError, Item, Target};
use crate::words;

pub const PORT: u16 = 10_051;
/// Values in one request.
const BATCH_VALUES: usize = 250;
const HEAD: &[u8] = b"ZBXD\x01";
const HEAD_BYTES: usize = 13;
const ANSWER_BYTES: u64 = 64 << 10;

/// One value of one of a host's items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample(Value);

impl Item for Sample {
    fn size_bytes(&self) -> usize {
        size_bytes(&self.0)
    }

    fn told(&self) -> String {
        self.0.to_string()
    }
}

impl Sample {
    /// The metric under the service as key, with dots for spaces; `None` without host, service,
    /// metric or time.
    pub fn new(event: &Event) -> Option<Sample> {
        Some(Sample(json!({
            "host": event.host()?,
            "key": event.service()?.replace(' ', "."),
            "value": words::number(&event.metric()?),
            "clock": event.time()?.floor_s(),
        })))
    }
}

/// The bytes of a request.
pub fn request(batch: &[Sample]) -> Vec<u8> {
    let data: Value = batch.iter().map(|sample| sample.0.clone()).collect();
    let json = json!({"request": "sender data", "data": data}).to_string();
    [HEAD, &(json.len() as u64).to_le_bytes(), json.as_bytes()].concat()
}

/// Reads what became of a request. A host or item that the server does not know is no passing
/// trouble.
///
/// # Errors
/// When the answer is none, or some of the values were refused.
pub fn judge(answer: &[u8]) -> Result<(), DeliveryError> {
    let json = answer
        .get(HEAD_BYTES..)
        .filter(|_| answer.starts_with(HEAD))
        .and_then(|json| serde_json::from_slice::<Value>(json).ok())
        .ok_or_else(|| DeliveryError::passing("not an answer of Zabbix"))?;
    let info = json["info"].as_str().unwrap_or_default();
    if json["response"] != "success" {
        return Err(DeliveryError::lasting(format!("refused: {info}")));
    }
    if info.contains("failed: 0;") {
        return Ok(());
    }
    Err(DeliveryError::lasting(info))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zabbix {
    pub address: Address,
}

impl Target for Zabbix {
    type Item = Sample;

    fn batch_max(&self) -> usize {
        BATCH_VALUES
    }

    fn deliver(&mut self, batch: &[Sample]) -> Result<(), DeliveryError> {
        judge(&exchange(&self.address, &request(batch), ANSWER_BYTES)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::event;

    #[test]
    fn a_request() {
        let json = "{\"request\":\"sender data\",\"data\":[{\"host\":\"www1\",\
                    \"key\":\"api.rate\",\"value\":\"2.5\",\"clock\":1500000000}]}";
        let bytes = request(&[Sample::new(&event()).unwrap()]);
        assert_eq!(&bytes[..6], b"ZBXD\x01\x64");
        assert_eq!(bytes[6..13], [0; 7]);
        assert_eq!(std::str::from_utf8(&bytes[13..]).unwrap(), json);
        assert_eq!(json.len(), 0x64);
    }

    #[test]
    fn answers() {
        let check = |json: &str| judge(&[b"ZBXD\x01\0\0\0\0\0\0\0\0", json.as_bytes()].concat());
        let good = r#"{"response":"success","info":"processed: 1; failed: 0; total: 1"}"#;
        assert_eq!(check(good), Ok(()));
        let some = r#"{"response":"success","info":"processed: 1; failed: 1; total: 2"}"#;
        let failed = DeliveryError::lasting("processed: 1; failed: 1; total: 2");
        assert_eq!(check(some), Err(failed));
        let refused = r#"{"response":"failed","info":"no"}"#;
        assert_eq!(check(refused), Err(DeliveryError::lasting("refused: no")));
        assert!(judge(b"garbage").unwrap_err().retry);
    }
}
