//! Many columns into pages.
//!
//! Columns are packed in the order in which they come: small ones share a page, long ones are cut by
//! rows into parts that fill a page each. A part never straddles pages, so that a value is found by
//! decompressing one page.
#![deny(clippy::indexing_slicing)]

use super::Column;
use super::directory::DirectoryWriter;
use super::zone_maps::{ZoneMap, ZoneMapWriter};
use crate::Corrupt;
use crate::limits::{
    COLUMN_PAGE_BYTES, COLUMN_PART_BYTES, COLUMN_ROWS_MAX, SMALL_CHUNK_PAGE_BYTES, SMALL_CHUNK_ROWS,
};
use crate::page::{PageEntry, PageWriter};
use crate::page_file::PageFile;
use crate::wire::Reader;

/// A part that takes more is cut again. Half more than it should take, so that what is hardly too large
/// is not cut into two halves.
const PART_BYTES_MAX: usize = COLUMN_PART_BYTES * 3 / 2;

/// Values of a part are taken until they have this many bytes: thirty-two times what the part should
/// take, so that little is encoded twice and dictionaries are still found.
const PART_VALUE_BYTES: usize = 32 * COLUMN_PART_BYTES;

/// Packs columns into pages.
#[derive(Debug)]
pub(crate) struct Packer {
    /// At which length a page is closed.
    page_bytes: usize,
    /// The open page.
    open: Vec<u8>,
    open_parts: u32,
    part: Vec<u8>,
    pages: Vec<PageEntry>,
    directory: DirectoryWriter,
    /// Those of all parts.
    zone_maps: ZoneMapWriter,
    /// Whether what was written is compared with what it was written of, and where it was not that.
    check: Option<Result<(), Corrupt>>,
}

/// What columns were packed into.
#[derive(Debug)]
pub(crate) struct Packed {
    /// The pages, in which `first_row` and `rows` count parts.
    pub(crate) pages: Vec<PageEntry>,
    /// Where the columns are.
    pub(crate) directory: DirectoryWriter,
    /// What is known of their parts.
    pub(crate) zone_maps: ZoneMapWriter,
    /// Whether all parts say what they were written of, where that was looked at.
    pub(crate) check: Result<(), Corrupt>,
}

impl Packer {
    /// For a chunk of so many rows.
    pub(crate) fn new(rows: usize) -> Self {
        let is_small = rows < SMALL_CHUNK_ROWS as usize;
        Self {
            zone_maps: ZoneMapWriter::default(),
            check: None,
            page_bytes: if is_small {
                SMALL_CHUNK_PAGE_BYTES
            } else {
                COLUMN_PAGE_BYTES
            },
            open: Vec::new(),
            open_parts: 0,
            part: Vec::new(),
            pages: Vec::new(),
            directory: DirectoryWriter::default(),
        }
    }

    /// Compares each part, as it is written, with its values: for who deletes what they were read from.
    pub(crate) fn with_check(self) -> Self {
        let check = Some(Ok(()));
        Self { check, ..self }
    }

    /// Adds the next column.
    pub(crate) fn push(
        &mut self,
        values: &[&[u8]],
        writer: &mut PageWriter,
        file: &mut dyn PageFile,
    ) {
        let parts = self.push_values(values, writer, file);
        self.close_column(parts);
    }

    /// Adds the next values of a column; how many parts they are.
    pub(crate) fn push_values(
        &mut self,
        values: &[&[u8]],
        writer: &mut PageWriter,
        file: &mut dyn PageFile,
    ) -> usize {
        let mut rest = values;
        let mut rows_max = COLUMN_ROWS_MAX;
        let mut parts = 0;
        while !rest.is_empty() {
            let rows = self.encode_part(rest, &mut rows_max);
            self.zone_map_part(rest.get(..rows).unwrap_or(rest));
            rest = rest.get(rows..).unwrap_or(&[]);
            // A few long values are no reason to cut all others one by one.
            if self.part.len() < COLUMN_PART_BYTES / 2 {
                rows_max = (2 * rows_max).min(COLUMN_ROWS_MAX);
            }
            self.place_part(rows, writer, file);
            parts += 1;
        }
        parts
    }

    /// Ends a column of so many parts.
    pub(crate) fn close_column(&mut self, parts: usize) {
        self.directory.close_column(parts);
    }

    /// Closes the last page.
    pub(crate) fn finish(mut self, writer: &mut PageWriter, file: &mut dyn PageFile) -> Packed {
        self.close_page(writer, file);
        Packed {
            pages: self.pages,
            directory: self.directory,
            zone_maps: self.zone_maps,
            check: self.check.unwrap_or(Ok(())),
        }
    }

    /// Encodes the first values into `part`, as many as fit one; how many those are. What was too
    /// many is remembered in `rows_max`, as the other parts of a column are like the first.
    fn encode_part(&mut self, values: &[&[u8]], rows_max: &mut usize) -> usize {
        let mut rows = rows_within(values, *rows_max);
        loop {
            self.part.clear();
            super::encode(values.get(..rows).unwrap_or(values), &mut self.part);
            if self.part.len() <= PART_BYTES_MAX || rows == 1 {
                return rows;
            }
            let parts = self.part.len().div_ceil(COLUMN_PART_BYTES);
            rows = rows.div_ceil(parts);
            *rows_max = rows;
        }
    }

    /// Notes what is known of the values of `part`. Read from what was just written: that tells most of it
    /// at once.
    fn zone_map_part(&mut self, values: &[&[u8]]) {
        let column = Column::decode(&mut Reader::new("column", &self.part), values.len());
        if let Some(check @ Ok(())) = &mut self.check {
            *check = column
                .as_ref()
                .map_or_else(|error| Err(*error), |column| compare(column, values));
        }
        let zone_map = column.ok().and_then(|column| ZoneMap::of(values, &column));
        self.zone_maps.push(zone_map);
    }

    /// Puts `part` into a page. One that is less than half full is not closed for a part that goes
    /// beyond its end.
    fn place_part(&mut self, rows: usize, writer: &mut PageWriter, file: &mut dyn PageFile) {
        let is_beyond = self.open.len() + self.part.len() > self.page_bytes;
        if is_beyond && self.open.len() >= self.page_bytes / 2 {
            self.close_page(writer, file);
        }
        self.directory.push_part(self.part.len(), rows);
        self.open_parts += 1;
        self.open.extend_from_slice(&self.part);
        if self.open.len() >= self.page_bytes {
            self.close_page(writer, file);
        }
    }

    fn close_page(&mut self, writer: &mut PageWriter, file: &mut dyn PageFile) {
        if self.open_parts == 0 {
            return;
        }
        self.directory.close_page();
        let first_row = self.directory.parts() as u32 - self.open_parts;
        self.pages.push(PageEntry {
            first_row,
            rows: self.open_parts,
            ..writer.append(&self.open, file)
        });
        self.open.clear();
        self.open_parts = 0;
    }
}

/// Compares a column with its values.
fn compare(column: &Column, values: &[&[u8]]) -> Result<(), Corrupt> {
    let mut read = Vec::new();
    for (row, value) in values.iter().enumerate() {
        read.clear();
        column.append(row, &mut read);
        if read != *value {
            return Err(Corrupt::Invalid {
                what: "value of a column that was just written",
                value: row as u64,
            });
        }
    }
    Ok(())
}

/// How many of the first values have [`PART_VALUE_BYTES`], at least one.
fn rows_within(values: &[&[u8]], rows_max: usize) -> usize {
    let mut bytes = 0;
    let within = values.iter().take(rows_max).take_while(|value| {
        bytes += value.len();
        bytes <= PART_VALUE_BYTES
    });
    within.count().max(1)
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;
    use crate::columns::directory::{Directory, Part};
    use crate::page;
    use proptest::prelude::*;
    use std::sync::Arc;

    struct Written {
        file: Vec<u8>,
        pages: Vec<PageEntry>,
        /// The directory, encoded and decoded.
        bytes: Vec<u8>,
        directory: Directory,
    }

    fn pack(columns: &[Vec<Vec<u8>>]) -> Written {
        let mut writer = PageWriter::new(1);
        let mut file = b"before".to_vec();
        let mut packer = Packer::new(COLUMN_ROWS_MAX);
        for values in columns {
            let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
            packer.push(&values, &mut writer, &mut file);
        }
        let Packed {
            pages, directory, ..
        } = packer.finish(&mut writer, &mut file);
        let mut bytes = Vec::new();
        directory.encode(&mut bytes);
        let directory = decode(&bytes, &pages).expect("valid");
        assert_eq!(directory.check(&pages), Ok(()));
        Written {
            file,
            pages,
            bytes,
            directory,
        }
    }

    /// Reads all columns back by the encoded directory.
    fn unpack(packed: &Written) -> Vec<Vec<Vec<u8>>> {
        let directory = &packed.directory;
        let column = |index| {
            let parts = parts_of(directory, index).into_iter();
            parts.flat_map(|part| values_of(packed, &part)).collect()
        };
        (0..directory.columns()).map(column).collect()
    }

    fn decode(bytes: &[u8], pages: &[PageEntry]) -> Result<Directory, Corrupt> {
        let page = Arc::new(bytes.to_vec());
        let mut reader = Reader::new("test", &page);
        let directory = Directory::decode(&mut reader, pages, &page)?;
        reader.finish()?;
        Ok(directory)
    }

    fn parts_of(directory: &Directory, column: usize) -> Vec<Part> {
        let numbers = directory.numbers_of(column);
        let part = |number| {
            let before = numbers.clone().take_while(|own| *own < number);
            let rows = before
                .map(|own| directory.part(own).expect("there").rows)
                .sum();
            assert_eq!(directory.column_of_part(number), Some((column, rows)));
            directory.part(number).expect("there")
        };
        numbers.clone().map(part).collect()
    }

    fn values_of(packed: &Written, part: &Part) -> Vec<Vec<u8>> {
        let entry = &packed.pages[part.page as usize];
        let start = entry.offset as usize;
        let stored = &packed.file[start..start + entry.stored_len as usize];
        let page = page::open("page of columns", entry, stored).expect("valid");
        let column = part.open(&page).expect("valid");
        let value = |row| {
            let mut value = Vec::new();
            column.append(row, &mut value);
            value
        };
        (0..part.rows as usize).map(value).collect()
    }

    fn word(number: u64) -> Vec<u8> {
        format!("{:x} z", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).into_bytes()
    }

    #[test]
    fn small_columns_share_a_page_and_long_ones_are_cut() {
        let small: Vec<Vec<u8>> = (0..20).map(word).collect();
        let long: Vec<Vec<u8>> = (0..40_000).map(word).collect();
        let huge = vec![vec![b'x'; 3 << 20], vec![b'y'; 100]];
        let constant = vec![b"same".to_vec(); 40_000];
        let columns = [small.clone(), constant, long, Vec::new(), huge, small];
        let packed = pack(&columns);
        assert_eq!(unpack(&packed), columns);
        let directory = &packed.directory;
        assert_eq!(
            parts_of(directory, 0)[0].page,
            parts_of(directory, 1)[0].page
        );
        assert_eq!(parts_of(directory, 1).len(), 3);
        assert!(
            parts_of(directory, 2).len() > 5,
            "{}",
            parts_of(directory, 2).len()
        );
        assert_eq!(parts_of(directory, 3), []);
        assert_eq!(parts_of(directory, 4).len(), 2);
        let beyond = |page: &&PageEntry| page.raw_len as usize > PART_BYTES_MAX;
        assert_eq!(
            packed.pages.iter().filter(beyond).count(),
            1,
            "the huge value's"
        );
        let parts: u32 = packed.pages.iter().map(|page| page.rows).sum();
        assert_eq!(parts as usize, directory.parts());
    }

    #[test]
    fn a_column_with_another_value_is_told() {
        let mut part = Vec::new();
        super::super::encode(&[b"one", b"two", b"six"], &mut part);
        let column = Column::decode(&mut Reader::new("test", &part), 3).expect("valid");
        assert_eq!(compare(&column, &[b"one", b"two", b"six"]), Ok(()));
        let error = compare(&column, &[b"one", b"ten", b"six"]);
        assert!(
            matches!(error, Err(Corrupt::Invalid { value: 1, .. })),
            "{error:?}"
        );
    }

    #[test]
    fn rows_are_found_in_their_parts() {
        let long: Vec<Vec<u8>> = (0..40_000).map(word).collect();
        let packed = pack(&[vec![b"a".to_vec()], long.clone()]);
        for row in [0_u32, 1, 4_095, 16_383, 16_384, 39_999] {
            let (number, rows) = packed.directory.find(1, row).expect("there");
            let values = values_of(&packed, &packed.directory.part(number).expect("there"));
            assert_eq!(values[(row - rows.start) as usize], long[row as usize]);
        }
        assert_eq!(packed.directory.find(1, 40_000), None);
        assert_eq!(packed.directory.find(2, 0), None);
    }

    #[test]
    fn a_long_value_does_not_cut_those_behind_it() {
        let mut values = vec![b"x".repeat(900_000)];
        values.extend((0..16_000).map(word));
        let packed = pack(std::slice::from_ref(&values));
        assert_eq!(unpack(&packed), [values]);
        let parts = parts_of(&packed.directory, 0).len();
        assert!(parts < 30, "{parts}");
    }

    #[test]
    fn places_outside_of_pages_are_refused() {
        let packed = pack(&[(0..20).map(word).collect()]);
        let bytes = &packed.bytes;
        assert!(decode(bytes, &[]).is_err());
        let short = [PageEntry {
            raw_len: packed.pages[0].raw_len - 1,
            ..packed.pages[0]
        }];
        let directory = decode(bytes, &short);
        assert!(directory.expect("read").check(&short).is_err());
    }

    proptest! {
        #[test]
        fn columns_come_back(
            columns in prop::collection::vec(
                prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 0..30),
                0..9,
            ),
        ) {
            prop_assert_eq!(unpack(&pack(&columns)), columns);
        }

        #[test]
        fn any_bytes_are_survived(
            bytes in prop::collection::vec(prop_oneof![0..4_u8, any::<u8>()], 0..60),
        ) {
            let page = |first_row, rows| PageEntry { raw_len: 50, first_row, rows, ..PageEntry::default() };
            let pages = [page(0, 1), page(1, 2), page(3, 1)];
            if let Ok(directory) = decode(&bytes, &pages) {
                for column in 0..directory.columns().min(100) {
                    for part in parts_of(&directory, column) {
                        let is_within = part.offset + part.len <= 50 && part.page < 3;
                        prop_assert!(is_within || directory.check(&pages).is_err());
                        let _ = part.open(&bytes);
                    }
                }
            }
        }
    }
}
