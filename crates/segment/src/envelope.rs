//! The first and the last bytes of a segment file: header and trailer.
#![deny(clippy::indexing_slicing)]

use model::RecordNumber;

use crate::limits::FOOTER_BYTES_MAX;
use crate::page::{check, checksum};
use crate::wire::Reader;
use crate::{Corrupt, Footer};

/// Version of the format. It stays at 1 until the first release.
pub const FORMAT_VERSION: u16 = 1;

/// Version of the rule that cuts text into words ([`model::words`]), as the index is made by it.
pub const WORDS_VERSION: u16 = 1;

/// What a file starts with.
pub const HEADER_MAGIC: [u8; 8] = *b"LWSEGMT\n";
const TRAILER_MAGIC: [u8; 8] = *b"TMGESWL\n";

/// What files of development versions started and ended with.
const DEVELOPMENT_MAGICS: [[u8; 8]; 2] = [*b"LOGWOOD\n", *b"DOOWGOL\n"];

/// What a segment file starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version of the format.
    pub version: u16,
    /// Number of the first record.
    pub first_number: RecordNumber,
}

impl Header {
    /// Length in bytes.
    pub const LEN: usize = 64;

    /// The header of a file with a footer.
    pub(crate) fn of(footer: &Footer) -> Self {
        Self {
            version: FORMAT_VERSION,
            first_number: footer.first_number,
        }
    }

    /// Appends the header to an empty file.
    pub(crate) fn encode(self, file: &mut Vec<u8>) {
        assert!(file.is_empty(), "the header comes first");
        file.extend_from_slice(&HEADER_MAGIC);
        file.extend_from_slice(&self.version.to_le_bytes());
        file.extend_from_slice(&[0; 6]);
        file.extend_from_slice(&self.first_number.0.to_le_bytes());
        file.extend_from_slice(&[0; 36]);
        let crc = checksum(0, file);
        file.extend_from_slice(&crc.to_le_bytes());
        assert_eq!(file.len(), Self::LEN);
    }

    /// Decodes the first [`Header::LEN`] bytes of a file.
    pub fn decode(bytes: &[u8]) -> Result<Self, Corrupt> {
        let what = "header";
        let mut reader = Reader::new(what, bytes);
        check_magic(what, reader.array()?, HEADER_MAGIC)?;
        let version = u16::from_le_bytes(reader.array()?);
        reader.bytes(6)?;
        let first_number = RecordNumber(reader.u64()?);
        reader.bytes(36)?;
        let crc = reader.u32()?;
        reader.finish()?;
        let covered = bytes.get(..Self::LEN - 4).unwrap_or(&[]);
        // First, so that a flipped bit of the version is no newer version. Later versions keep the
        // places of version and checksum.
        check(what, 0, covered, crc)?;
        check_version(version)?;
        check_zero(what, covered.get(10..16))?;
        check_zero(what, covered.get(24..60))?;
        Ok(Self {
            version,
            first_number,
        })
    }
}

/// What a segment file ends with: where its footer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// Version of the format.
    pub version: u16,
    /// Offset of the footer in the file, in bytes.
    pub footer_offset: u64,
    /// Length of the footer, in bytes.
    pub footer_len: u32,
    /// crc32c of the offset (eight bytes, little-endian) and the footer.
    pub footer_crc: u32,
}

impl Trailer {
    /// Length in bytes.
    pub const LEN: usize = 32;

    /// Appends the trailer behind the footer, or the part of the file that ends with it.
    pub(crate) fn encode(self, file: &mut Vec<u8>) {
        let offset = file.len();
        let place = self.footer_offset + u64::from(self.footer_len);
        file.extend_from_slice(&self.footer_offset.to_le_bytes());
        file.extend_from_slice(&self.footer_len.to_le_bytes());
        file.extend_from_slice(&self.footer_crc.to_le_bytes());
        file.extend_from_slice(&self.version.to_le_bytes());
        file.extend_from_slice(&[0; 2]);
        let crc = checksum(place, file.get(offset..).unwrap_or(&[]));
        file.extend_from_slice(&crc.to_le_bytes());
        file.extend_from_slice(&TRAILER_MAGIC);
        assert_eq!(file.len() - offset, Self::LEN);
    }

    /// Decodes the last [`Trailer::LEN`] bytes of a file of `file_len` bytes.
    pub fn decode(bytes: &[u8], file_len: u64) -> Result<Self, Corrupt> {
        let what = "trailer";
        let mut reader = Reader::new(what, bytes);
        let (footer_offset, footer_len, footer_crc) = (reader.u64()?, reader.u32()?, reader.u32()?);
        let trailer = Self {
            version: u16::from_le_bytes(reader.array()?),
            footer_offset,
            footer_len,
            footer_crc,
        };
        reader.bytes(2)?;
        let crc = reader.u32()?;
        check_magic(what, reader.array()?, TRAILER_MAGIC)?;
        reader.finish()?;
        let offset = file_len.saturating_sub(Self::LEN as u64);
        let covered = bytes.get(..20).unwrap_or(&[]);
        check(what, offset, covered, crc)?;
        check_version(trailer.version)?;
        check_zero(what, covered.get(18..))?;
        if trailer.footer_len as usize > FOOTER_BYTES_MAX {
            return Err(Corrupt::TooLarge {
                what: "length of the footer",
                value: u64::from(trailer.footer_len),
                max: FOOTER_BYTES_MAX as u64,
            });
        }
        let end = trailer
            .footer_offset
            .checked_add(u64::from(trailer.footer_len));
        if end != Some(offset) || trailer.footer_offset < Header::LEN as u64 {
            return Err(Corrupt::Invalid {
                what: "offset of the footer",
                value: trailer.footer_offset,
            });
        }
        Ok(trailer)
    }
}

fn check_magic(what: &'static str, found: [u8; 8], expected: [u8; 8]) -> Result<(), Corrupt> {
    if found == expected {
        return Ok(());
    }
    Err(match DEVELOPMENT_MAGICS.contains(&found) {
        true => Corrupt::Development { what },
        false => Corrupt::Magic { what },
    })
}

fn check_version(found: u16) -> Result<(), Corrupt> {
    match found {
        FORMAT_VERSION => Ok(()),
        _ => Err(Corrupt::Version { found }),
    }
}

/// Room for later versions is zero in this one.
fn check_zero(what: &'static str, reserved: Option<&[u8]>) -> Result<(), Corrupt> {
    match reserved.unwrap_or(&[]).iter().find(|byte| **byte != 0) {
        None => Ok(()),
        Some(byte) => Err(Corrupt::Invalid {
            what,
            value: u64::from(*byte),
        }),
    }
}
