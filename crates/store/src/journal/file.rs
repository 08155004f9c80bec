//! The header of a journal file: which file it is, and where the one before it ended.

use crate::notes::StoreId;

/// Bytes of the header; the first block follows.
pub(crate) const HEADER_LEN: usize = 64;
/// The newest version of the journal's format that this program reads and writes.
pub(crate) const VERSION: u16 = 2;

const MAGIC: [u8; 4] = *b"LWJF";
/// Where the store is named.
const STORE_AT: usize = 32;

/// Where a file that is full, or the last one of a process that was stopped, ended. All that lies
/// before was durable when the next file began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileEnd {
    pub(crate) file_id: u64,
    /// The offset behind its last block.
    pub(crate) offset: u64,
}

/// The header of a file that follows another one.
pub(crate) fn encode_header(
    file_id: u64,
    before: Option<FileEnd>,
    store: StoreId,
) -> [u8; HEADER_LEN] {
    let mut bytes = Vec::with_capacity(HEADER_LEN);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&[0; 2]);
    bytes.extend_from_slice(&file_id.to_le_bytes());
    if let Some(before) = before {
        bytes.extend_from_slice(&before.file_id.to_le_bytes());
        bytes.extend_from_slice(&before.offset.to_le_bytes());
    }
    bytes.resize(STORE_AT, 0);
    bytes.extend_from_slice(&store.0.to_le_bytes());
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
    /// It is this file of this store, and follows that one.
    File {
        id: u64,
        before: Option<FileEnd>,
        store: StoreId,
    },
    /// Never written, torn, or damaged: the name has to do.
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
    let long = |at: usize| {
        bytes
            .get(at..at + 8)
            .and_then(|b| b.try_into().ok())
            .map_or(0, u64::from_le_bytes)
    };
    let before = FileEnd {
        file_id: long(16),
        offset: long(24),
    };
    let store = bytes.get(STORE_AT..).and_then(<[u8]>::first_chunk);
    FileHeader::File {
        id: long(8),
        before: Some(before).filter(|before| before.offset > 0),
        store: StoreId(store.copied().map_or(0, u128::from_le_bytes)),
    }
}

/// The same header of a file of another store; `None` where it is none.
pub(crate) fn with_owner(header: &[u8; HEADER_LEN], store: StoreId) -> Option<[u8; HEADER_LEN]> {
    match decode_header(header) {
        FileHeader::File { id, before, .. } => Some(encode_header(id, before, store)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_names_its_file_and_every_flip_is_found() {
        let before = Some(FileEnd {
            file_id: 76,
            offset: 4_096,
        });
        let store = StoreId(5 << 100);
        let header = encode_header(77, before, store);
        let expected = FileHeader::File {
            id: 77,
            before,
            store,
        };
        assert_eq!(decode_header(&header), expected);
        let first = FileHeader::File {
            id: 77,
            before: None,
            store,
        };
        assert_eq!(decode_header(&encode_header(77, None, store)), first);
        for at in 0..HEADER_LEN {
            let mut flipped = header;
            flipped[at] ^= 0x10;
            assert_eq!(decode_header(&flipped), FileHeader::Unreadable, "byte {at}");
        }
    }

    #[test]
    fn a_newer_version_is_told_apart() {
        let mut header = encode_header(1, None, StoreId::default());
        header[4] = 9;
        let crc = crc32c::crc32c(&header[..HEADER_LEN - 4]);
        header[HEADER_LEN - 4..].copy_from_slice(&crc.to_le_bytes());
        assert_eq!(decode_header(&header), FileHeader::Newer(9));
    }
}
