//! What is chosen when a journal is made, and kept: the file `journal`, in two copies.

use crate::block::{long, packing_number, packing_of, word};
use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::options::{Compression, Mode, Options};
use crate::segment::VERSION;

/// The file's name.
pub(crate) const FILE: &str = "journal";

/// The file's name while it is made.
const FILE_NEW: &str = "journal.new";

const MAGIC: &[u8; 8] = b"Cauchy.J";
const COPY_BYTES: usize = 64;
/// Where the copies stand: a damaged sector spoils one of them.
const COPIES_AT: [usize; 2] = [0, 4096];

/// What is chosen when a journal is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How blocks are packed.
    pub compression: Compression,
    /// Who may have it open.
    pub mode: Mode,
    /// Where a new segment begins, in bytes.
    pub segment_bytes: u64,
}

impl Settings {
    pub(crate) fn of(options: &Options) -> Settings {
        Settings {
            compression: options.compression,
            mode: options.mode,
            segment_bytes: options.segment_bytes.max(crate::limits::SEGMENT_BYTES_MIN),
        }
    }

    /// Reads the settings; `None` if there is no journal.
    pub(crate) fn read(disk: &dyn Disk) -> Result<Option<Settings>> {
        let file = match disk.open(FILE, false) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("open", FILE, error)),
        };
        for at in COPIES_AT {
            let mut bytes = [0; COPY_BYTES];
            let read = file.read_at(&mut bytes, at as u64);
            let len = read.map_err(|error| Error::io("read", FILE, error))?;
            if len == COPY_BYTES
                && let Some(settings) = Settings::decode(&bytes)?
            {
                return Ok(Some(settings));
            }
        }
        Err(Error::Broken {
            file: FILE,
            why: "has no good copy of the settings".to_owned(),
        })
    }

    /// Writes both copies; they are there whole or not at all.
    pub(crate) fn write(&self, disk: &dyn Disk) -> Result<()> {
        let failed = |what| move |error| Error::io(what, FILE_NEW, error);
        let file = disk.open(FILE_NEW, true).map_err(failed("make"))?;
        for at in COPIES_AT {
            file.write_at(&self.encode(), at as u64)
                .map_err(failed("write"))?;
        }
        file.sync().map_err(failed("sync"))?;
        disk.rename(FILE_NEW, FILE).map_err(failed("rename"))?;
        disk.sync_names()
            .map_err(|error| Error::io("sync", "the folder", error))
    }

    fn encode(&self) -> [u8; COPY_BYTES] {
        let mut bytes = [0; COPY_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16] = packing_number(self.compression);
        bytes[17] = match self.mode {
            Mode::SingleProcess => 0,
            Mode::MultiProcess => 1,
        };
        bytes[24..32].copy_from_slice(&self.segment_bytes.to_le_bytes());
        let checksum = checksum(&bytes);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; COPY_BYTES]) -> Result<Option<Settings>> {
        if &bytes[..8] != MAGIC || word(bytes, 12) != checksum(bytes) {
            return Ok(None);
        }
        let found = word(bytes, 8);
        if found != VERSION {
            return Err(Error::Version {
                found,
                known: VERSION,
            });
        }
        let mode = match bytes[17] {
            0 => Mode::SingleProcess,
            _ => Mode::MultiProcess,
        };
        Ok(packing_of(bytes[16]).map(|compression| Settings {
            compression,
            mode,
            segment_bytes: long(bytes, 24),
        }))
    }
}

fn checksum(bytes: &[u8; COPY_BYTES]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&bytes[..12]), &bytes[16..])
}
