//! One block: a header bound to its place, the logspace's name, and the compressed records.

use lz4_flex::block::{compress_into, get_maximum_output_size};
use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};

use crate::limits::{BLOCK_RAW_BYTES_MAX, BLOCK_STORED_BYTES_MAX, ENCODER_BYTES_MAX};

/// `LWJB`, the first bytes of every block.
pub(crate) const MAGIC: [u8; 4] = *b"LWJB";
/// Bytes of a header.
pub(crate) const HEADER_LEN: usize = 72;
/// Blocks start at multiples of this, so that recovery can look for one behind a damaged one.
pub(crate) const ALIGNMENT: usize = 16;

/// The compression of a block's records.
const CODEC_LZ4: u8 = 1;
/// Set where the commit goes on with the next block: without that one it was never finished.
const FLAG_GOES_ON: u8 = 1;

/// Where a block stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockPlace {
    pub(crate) file_id: u64,
    pub(crate) offset: u64,
    /// Up to where the file is durable: the offset of the first block that is synced together with
    /// this one.
    pub(crate) group_start: u64,
    /// Whether more blocks of the same commit follow.
    pub(crate) goes_on: bool,
}

/// Records of one logspace, encoded and compressed, before their place in a file is known.
pub(crate) struct Encoded {
    logspace: LogspaceName,
    first: RecordNumber,
    before: u64,
    rows: u32,
    received_len: u32,
    raw_len: u32,
    stored: Vec<u8>,
}

/// Encodes blocks. Keeps its memory: the kernel clearing as much for each of them would take longer
/// than compressing it.
#[derive(Default)]
pub(crate) struct Encoder {
    received: Vec<Timestamp>,
    raw: Vec<u8>,
    stored: Vec<u8>,
}

impl Encoder {
    /// Encodes a batch whose first record has a number. `before` is the number behind the record
    /// of the logspace that the journal had last.
    pub(crate) fn encode(
        &mut self,
        logspace: &LogspaceName,
        before: u64,
        first: RecordNumber,
        batch: &RecordBatch,
    ) -> Encoded {
        self.received.clear();
        let received = batch.heads().iter().map(|head| head.received);
        self.received.extend(received);
        self.raw.clear();
        self.raw
            .reserve(batch.bytes().len() + batch.len() * 24 + 256);
        segment::received::encode(&self.received, &mut self.raw);
        let received_len = self.raw.len();
        segment::rows::encode_rows(batch, 0..batch.len(), &mut self.raw);
        let encoded = Encoded {
            logspace: logspace.clone(),
            first,
            before,
            rows: narrow(batch.len()),
            received_len: narrow(received_len),
            raw_len: narrow(self.raw.len()),
            stored: self.compress(),
        };
        if self.raw.capacity() > ENCODER_BYTES_MAX {
            // One huge message, which must not be paid for ever.
            *self = Self::default();
        }
        encoded
    }

    fn compress(&mut self) -> Vec<u8> {
        let len_max = get_maximum_output_size(self.raw.len());
        if self.stored.len() < len_max {
            self.stored.resize(len_max, 0);
        }
        let len = compress_into(&self.raw, &mut self.stored);
        match len.ok().and_then(|len| self.stored.get(..len)) {
            Some(stored) => stored.to_vec(),
            // There is always room for the largest output.
            None => lz4_flex::block::compress(&self.raw),
        }
    }
}

impl Encoded {
    /// Encodes one batch alone; see [`Encoder::encode`].
    pub(crate) fn new(
        logspace: &LogspaceName,
        before: u64,
        first: RecordNumber,
        batch: &RecordBatch,
    ) -> Self {
        Encoder::default().encode(logspace, before, first, batch)
    }

    /// Bytes the block takes in a file, padding included.
    pub(crate) fn len(&self) -> usize {
        (HEADER_LEN + self.logspace.as_str().len() + self.stored.len()).next_multiple_of(ALIGNMENT)
    }

    /// The logspace the records belong to.
    pub(crate) fn logspace(&self) -> &LogspaceName {
        &self.logspace
    }

    /// The number of the last record.
    pub(crate) fn last(&self) -> RecordNumber {
        RecordNumber(self.first.0 + u64::from(self.rows) - 1)
    }

    /// Appends the block as it stands at a place.
    pub(crate) fn write(&self, place: BlockPlace, out: &mut Vec<u8>) {
        let start = out.len();
        let name = self.logspace.as_str().as_bytes();
        let payload_crc = crc32c::crc32c_append(crc32c::crc32c(name), &self.stored);
        out.extend_from_slice(&MAGIC);
        out.push(CODEC_LZ4);
        out.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
        out.push(if place.goes_on { FLAG_GOES_ON } else { 0 });
        out.push(0);
        for long in [place.file_id, place.offset, place.group_start, self.first.0] {
            out.extend_from_slice(&long.to_le_bytes());
        }
        for word in [
            self.rows,
            self.received_len,
            self.raw_len,
            narrow(self.stored.len()),
            payload_crc,
        ] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&self.before.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        let header_crc = crc32c::crc32c(out.get(start..start + HEADER_LEN - 4).unwrap_or(&[]));
        if let Some(place) = out.get_mut(start + HEADER_LEN - 4..start + HEADER_LEN) {
            place.copy_from_slice(&header_crc.to_le_bytes());
        }
        out.extend_from_slice(name);
        out.extend_from_slice(&self.stored);
        out.resize(start + self.len(), 0);
    }
}

/// The records of one block, read back.
#[derive(Debug)]
pub(crate) struct Block {
    /// The logspace the records belong to.
    pub(crate) logspace: LogspaceName,
    /// The number of the first record.
    pub(crate) first: RecordNumber,
    /// The number behind the record of the logspace that the journal had last before these; 0 where
    /// the block does not say.
    pub(crate) before: u64,
    /// The records, at least one.
    pub(crate) batch: RecordBatch,
    /// Where the commit that this block belongs to started.
    pub(crate) group_start: u64,
    /// Whether the commit goes on with the next block.
    pub(crate) goes_on: bool,
    /// Bytes the block takes in its file.
    pub(crate) len: usize,
    /// Bytes of the records before compression.
    pub(crate) raw_len: usize,
    /// Bytes of the records as they are stored.
    pub(crate) stored_len: usize,
}

impl Block {
    /// Decodes the block at the start of `bytes`, which lie at `offset` of a file. `Err` says in
    /// words what is wrong: there is no block, a torn one, or one from another place.
    pub(crate) fn decode(bytes: &[u8], file_id: u64, offset: u64) -> Result<Self, &'static str> {
        let header = Header::decode(bytes, file_id, offset)?;
        let name_end = HEADER_LEN + header.name_len;
        let name = bytes
            .get(HEADER_LEN..name_end)
            .ok_or("the block is cut off")?;
        let stored = bytes
            .get(name_end..name_end + header.stored_len)
            .ok_or("the block is cut off")?;
        if crc32c::crc32c_append(crc32c::crc32c(name), stored) != header.payload_crc {
            return Err("the checksum of the records is wrong");
        }
        let logspace = std::str::from_utf8(name)
            .ok()
            .and_then(|name| LogspaceName::parse(name).ok())
            .ok_or("the name of the logspace is wrong")?;
        let raw = lz4_flex::block::decompress(stored, header.raw_len)
            .map_err(|_| "the records cannot be decompressed")?;
        let (received, rows) = raw
            .split_at_checked(header.received_len)
            .ok_or("the columns are cut off")?;
        let received =
            segment::received::decode(received, header.rows).map_err(|_| "bad times of receipt")?;
        let batch =
            segment::rows::decode_rows(rows, &received).map_err(|_| "the records are malformed")?;
        if batch.len() != header.rows || batch.is_empty() {
            return Err("the number of records is wrong");
        }
        let len = (name_end + header.stored_len).next_multiple_of(ALIGNMENT);
        Ok(Self {
            logspace,
            first: header.first,
            before: header.before,
            batch,
            group_start: header.group_start,
            goes_on: header.goes_on,
            len,
            raw_len: header.raw_len,
            stored_len: header.stored_len,
        })
    }

    /// The numbers of its records.
    pub(crate) fn numbers(&self) -> std::ops::Range<u64> {
        self.first.0..self.last().0.saturating_add(1)
    }

    /// The number of the last record.
    pub(crate) fn last(&self) -> RecordNumber {
        RecordNumber(self.first.0 + (self.batch.len() as u64).saturating_sub(1))
    }
}

/// The logspace, the number of the first record and the number of records that the header of the
/// block at the start of `bytes` names, where at least it is whole.
pub(crate) fn announced(
    bytes: &[u8],
    file_id: u64,
    offset: u64,
) -> Option<(LogspaceName, RecordNumber, u64)> {
    let header = Header::decode(bytes, file_id, offset).ok()?;
    let name = bytes.get(HEADER_LEN..HEADER_LEN + header.name_len)?;
    let name = LogspaceName::parse(std::str::from_utf8(name).ok()?).ok()?;
    Some((name, header.first, header.rows as u64))
}

struct Header {
    name_len: usize,
    goes_on: bool,
    group_start: u64,
    before: u64,
    first: RecordNumber,
    rows: usize,
    received_len: usize,
    raw_len: usize,
    stored_len: usize,
    payload_crc: u32,
}

impl Header {
    fn decode(bytes: &[u8], file_id: u64, offset: u64) -> Result<Self, &'static str> {
        let header = bytes.get(..HEADER_LEN).ok_or("the header is cut off")?;
        if !header.starts_with(&MAGIC) {
            return Err("no block starts here");
        }
        let word = |at: usize| {
            header
                .get(at..at + 4)
                .and_then(|b| b.try_into().ok())
                .map_or(0, u32::from_le_bytes)
        };
        let long = |at: usize| {
            header
                .get(at..at + 8)
                .and_then(|b| b.try_into().ok())
                .map_or(0, u64::from_le_bytes)
        };
        if crc32c::crc32c(header.get(..HEADER_LEN - 4).unwrap_or(&[])) != word(HEADER_LEN - 4) {
            return Err("the checksum of the header is wrong");
        }
        if long(8) != file_id || long(16) != offset {
            return Err("the block belongs to another place");
        }
        if header.get(4) != Some(&CODEC_LZ4) {
            return Err("the compression is unknown");
        }
        let header = Self {
            name_len: header.get(5).copied().map_or(0, usize::from),
            goes_on: header.get(6).is_some_and(|flags| flags & FLAG_GOES_ON != 0),
            group_start: long(24),
            before: long(60),
            first: RecordNumber(long(32)),
            rows: word(40) as usize,
            received_len: word(44) as usize,
            raw_len: word(48) as usize,
            stored_len: word(52) as usize,
            payload_crc: word(56),
        };
        let fits = header.rows <= model::limits::BATCH_RECORDS_MAX
            && header.raw_len <= BLOCK_RAW_BYTES_MAX
            && header.stored_len <= BLOCK_STORED_BYTES_MAX
            && header.group_start <= offset
            && header.before <= header.first.0
            && header.first.0.checked_add(header.rows as u64).is_some();
        if fits {
            Ok(header)
        } else {
            Err("a number of the header is beyond its limit")
        }
    }
}

/// Narrows a length that the limits of a batch keep below 32 bits.
fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::batch;
    use proptest::prelude::*;

    fn block(texts: &[&str]) -> Vec<u8> {
        let encoded = Encoded::new(&LogspaceName::main(), 5, RecordNumber(7), &batch(texts));
        let mut out = Vec::new();
        let place = BlockPlace {
            file_id: 3,
            offset: 64,
            group_start: 64,
            goes_on: true,
        };
        encoded.write(place, &mut out);
        assert_eq!(out.len(), encoded.len());
        assert_eq!(out.len() % ALIGNMENT, 0);
        out
    }

    #[test]
    fn a_block_comes_back_whole() {
        let bytes = block(&["one", "two", ""]);
        let read = Block::decode(&bytes, 3, 64).expect("valid");
        let raws: Vec<_> = read
            .batch
            .iter()
            .map(|record| record.raw().to_vec())
            .collect();
        assert_eq!(raws, [b"one".to_vec(), b"two".to_vec(), b"".to_vec()]);
        assert_eq!(
            (read.first, read.last()),
            (RecordNumber(7), RecordNumber(9))
        );
        assert_eq!((read.logspace.as_str(), read.len), ("main", bytes.len()));
        assert_eq!((read.before, read.goes_on), (5, true));
    }

    #[test]
    fn a_block_is_bound_to_its_place() {
        let bytes = block(&["one"]);
        assert!(Block::decode(&bytes, 4, 64).is_err());
        assert!(Block::decode(&bytes, 3, 80).is_err());
    }

    proptest! {
        #[test]
        fn a_flipped_bit_is_found(at in 0_usize..4_000, bit in 0_u8..8) {
            let mut bytes = block(&["a message", "another message"]);
            let len = bytes.len();
            let at = at % len;
            bytes[at] ^= 1 << bit;
            // Only the padding behind the records may differ unnoticed.
            if let Ok(read) = Block::decode(&bytes, 3, 64) {
                prop_assert!(len - at <= ALIGNMENT);
                prop_assert_eq!(read.batch.len(), 2);
            }
        }

        #[test]
        fn any_bytes_decode_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut forged = block(&["x"]);
            let n = bytes.len().min(forged.len());
            forged[..n].copy_from_slice(&bytes[..n]);
            _ = Block::decode(&forged, 3, 64);
            _ = Block::decode(&bytes, 3, 64);
        }
    }
}
