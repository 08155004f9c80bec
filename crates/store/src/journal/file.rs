//! The header of a journal file: which file it is, and where the one before it ended.

use crate::notes::StoreId;

/// Bytes of the header; the first block follows.
pub(crate) const HEADER_LEN: usize = 64;
/// The version of the journal's format.
pub(crate) const VERSION: u16 = 1;

/// What a file starts with.
pub(crate) const MAGIC: [u8; 4] = *b"LWJO";
/// What files of development versions started with.
const DEVELOPMENT_MAGIC: [u8; 4] = *b"LWJF";
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
    /// Written by a development version before the first release.
    Development,
    /// Of another version of the format.
    Other(u16),
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
    if word(HEADER_LEN - 4) != crc {
        return FileHeader::Unreadable;
    }
    if bytes.starts_with(&DEVELOPMENT_MAGIC) {
        return FileHeader::Development;
    }
    if !bytes.starts_with(&MAGIC) {
        return FileHeader::Unreadable;
    }
    let version = u16::try_from(word(4) & 0xffff).unwrap_or(u16::MAX);
    if version != VERSION {
        return FileHeader::Other(version);
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
    fn the_example_of_the_format_is_read() {
        let text = include_str!("../../../../FORMAT.md");
        let (_, rest) = text.split_once("### Example\n").expect("there");
        let (_, rest) = rest.split_once("```text\n").expect("there");
        let (dump, _) = rest.split_once("```").expect("there");
        let bytes = dump
            .lines()
            .flat_map(|line| line[10..58].split_whitespace());
        let bytes: Vec<u8> = bytes
            .map(|byte| u8::from_str_radix(byte, 16).expect("hexadecimal"))
            .collect();
        let (header, block) = bytes.split_first_chunk().expect("long enough");
        assert_eq!(*header, encode_header(1, None, StoreId::default()));
        let block = crate::journal::Block::decode(block, 1, 64).expect("valid");
        assert_eq!(block.batch.len(), 1);
        assert!(
            block
                .batch
                .get(0)
                .expect("one")
                .raw()
                .ends_with(b"- - hello")
        );
    }

    #[test]
    fn other_versions_are_told_apart() {
        let with = |at: usize, bytes: &[u8]| {
            let mut header = encode_header(1, None, StoreId::default());
            header[at..at + bytes.len()].copy_from_slice(bytes);
            let crc = crc32c::crc32c(&header[..HEADER_LEN - 4]);
            header[HEADER_LEN - 4..].copy_from_slice(&crc.to_le_bytes());
            decode_header(&header)
        };
        assert_eq!(with(4, &[9, 0]), FileHeader::Other(9));
        assert_eq!(with(4, &[0, 0]), FileHeader::Other(0));
        assert_eq!(with(0, b"LWJF"), FileHeader::Development);
        assert_eq!(with(0, b"LWJA"), FileHeader::Unreadable);
    }
}
