//! The header of a journal file: which file it is.

/// Bytes of the header; the first block follows.
pub(crate) const HEADER_LEN: usize = 64;
/// The newest version of the journal's format that this program reads and writes.
pub(crate) const VERSION: u16 = 1;

const MAGIC: [u8; 4] = *b"LWJF";

/// The header of a file.
pub(crate) fn encode_header(file_id: u64) -> [u8; HEADER_LEN] {
    let mut bytes = Vec::with_capacity(HEADER_LEN);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&[0; 2]);
    bytes.extend_from_slice(&file_id.to_le_bytes());
    bytes.resize(HEADER_LEN - 4, 0);
    let crc = crc32c::crc32c(&bytes);
    bytes.extend_from_slice(&crc.to_le_bytes());
    let mut header = [0; HEADER_LEN];
    header.copy_from_slice(&bytes);
    header
}

/// What the header of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileHeader {
    /// Written by this program or an older one.
    Known,
    /// Never written, torn, or damaged.
    Unreadable,
    /// Written by a newer program.
    Newer(u16),
}

/// Reads the header of a file.
pub(crate) fn decode_header(bytes: &[u8; HEADER_LEN]) -> FileHeader {
    let word = |at: usize| {
        bytes
            .get(at..at + 4)
            .and_then(|b| b.try_into().ok())
            .map_or(0, u32::from_le_bytes)
    };
    let crc = crc32c::crc32c(bytes.get(..HEADER_LEN - 4).unwrap_or(&[]));
    if !bytes.starts_with(&MAGIC) || word(HEADER_LEN - 4) != crc {
        return FileHeader::Unreadable;
    }
    let version = u16::try_from(word(4) & 0xffff).unwrap_or(u16::MAX);
    if version > VERSION {
        return FileHeader::Newer(version);
    }
    FileHeader::Known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flip_of_a_header_is_found() {
        let header = encode_header(77);
        assert_eq!(decode_header(&header), FileHeader::Known);
        for at in 0..HEADER_LEN {
            let mut flipped = header;
            flipped[at] ^= 0x10;
            assert_eq!(decode_header(&flipped), FileHeader::Unreadable, "byte {at}");
        }
    }

    #[test]
    fn a_newer_version_is_told_apart() {
        let mut header = encode_header(1);
        header[4] = 9;
        let crc = crc32c::crc32c(&header[..HEADER_LEN - 4]);
        header[HEADER_LEN - 4..].copy_from_slice(&crc.to_le_bytes());
        assert_eq!(decode_header(&header), FileHeader::Newer(9));
    }
}
