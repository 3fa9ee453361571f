//! Nagios, by NSCA.
//!
//! ```text
//! server: 128 bytes initialization vector | time u32
//! client: version i16 = 3 | 2 bytes | crc32 u32 | time u32 | return code i16
//!         | host 64 | service 128 | output 4096 | 2 bytes
//! ```
//! All numbers are big-endian, texts end with a zero. The CRC is of the whole packet with zero in
//! its place. The packet is then encrypted whole.

use std::io::{Read, Write};

use event::Event;

use crate::socket::{Address, connect};
use crate::target::{DeliveryError, Item, Target};
use crate::words;

pub const PORT: u16 = 5667;

const VECTOR_BYTES: usize = 128;
const CRC_AT: usize = 4;
const TIME_AT: usize = 8;
const CODE_AT: usize = 12;
const HOST_AT: usize = 14;
const SERVICE_AT: usize = 78;
const OUTPUT_AT: usize = 206;
const OUTPUT_END: usize = 4302;
const PACKET_BYTES: usize = 4304;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    None,
    Xor,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Nagios {
    pub address: Address,
    pub encryption: Encryption,
    /// Of use only when something is encrypted.
    pub password: String,
}

/// The result of a check that the server did not make itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub host: String,
    pub service: String,
    /// 0 ok, 1 warning, 2 critical, 3 unknown.
    pub code: u8,
    pub output: String,
}

impl Item for Check {
    fn size_bytes(&self) -> usize {
        self.host.len() + self.service.len() + self.output.len()
    }
}

impl Check {
    /// The output is the description.
    pub fn new(event: &Event) -> Check {
        let [host, service, state, output] =
            ["host", "service", "state", "description"].map(|name| words::field(event, name));
        Check {
            host,
            service,
            code: code(&state),
            output,
        }
    }

    fn packet(&self, time: u32) -> [u8; PACKET_BYTES] {
        let mut packet = [0; PACKET_BYTES];
        packet[..2].copy_from_slice(&3u16.to_be_bytes());
        packet[TIME_AT..CODE_AT].copy_from_slice(&time.to_be_bytes());
        packet[CODE_AT..HOST_AT].copy_from_slice(&u16::from(self.code).to_be_bytes());
        put(&mut packet[HOST_AT..SERVICE_AT], &self.host);
        put(&mut packet[SERVICE_AT..OUTPUT_AT], &self.service);
        put(&mut packet[OUTPUT_AT..OUTPUT_END], &self.output);
        let crc = crc32(&packet);
        packet[CRC_AT..TIME_AT].copy_from_slice(&crc.to_be_bytes());
        packet
    }
}

/// The return code of a state.
pub fn code(state: &str) -> u8 {
    match state {
        "ok" => 0,
        "warning" => 1,
        "critical" => 2,
        _ => 3,
    }
}

/// Copies as much as fits before a zero, whole characters only.
fn put(place: &mut [u8], text: &str) {
    let end = text.floor_char_boundary(place.len() - 1);
    place[..end].copy_from_slice(&text.as_bytes()[..end]);
}

/// The CRC of Ethernet and zip.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    })
}

fn encrypt(packet: &mut [u8], encryption: Encryption, vector: &[u8], password: &[u8]) {
    if encryption == Encryption::None {
        return;
    }
    for key in [vector, password] {
        for (byte, key) in packet.iter_mut().zip(key.iter().cycle()) {
            *byte ^= key;
        }
    }
}

impl Target for Nagios {
    type Item = Check;

    fn batch_max(&self) -> usize {
        1
    }

    fn deliver(&mut self, batch: &[Check]) -> Result<(), DeliveryError> {
        for check in batch {
            let mut stream = connect(&self.address)?;
            let mut greeting = [0; VECTOR_BYTES + 4];
            stream.read_exact(&mut greeting)?;
            let (vector, time) = greeting.split_at(VECTOR_BYTES);
            let time = u32::from_be_bytes([time[0], time[1], time[2], time[3]]);
            let mut packet = check.packet(time);
            encrypt(
                &mut packet,
                self.encryption,
                vector,
                self.password.as_bytes(),
            );
            stream.write_all(&packet)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::event;

    #[test]
    fn knows_the_crc() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_packet() {
        let packet = Check::new(&event()).packet(0x0102_0304);
        assert_eq!(packet[..4], [0, 3, 0, 0]);
        assert_eq!(packet[8..14], [1, 2, 3, 4, 0, 2]);
        assert_eq!(&packet[14..19], b"www1\0");
        assert_eq!(&packet[78..87], b"api rate\0");
        assert_eq!(&packet[206..215], b"too slow\0");
        let mut without = packet;
        without[4..8].fill(0);
        assert_eq!(packet[4..8], crc32(&without).to_be_bytes());
    }

    #[test]
    fn long_texts_are_cut_before_the_zero() {
        let check = Check {
            host: "ü".repeat(40),
            ..Check::new(&event())
        };
        let packet = check.packet(0);
        assert_eq!(&packet[14..76], "ü".repeat(31).as_bytes());
        assert_eq!(packet[76..78], [0, 0]);
    }

    #[test]
    fn encrypts_with_vector_and_password() {
        let mut packet = [0x10, 0x20, 0x30];
        encrypt(&mut packet, Encryption::Xor, &[1, 2], &[0x80]);
        assert_eq!(packet, [0x91, 0xa2, 0xb1]);
    }
}
