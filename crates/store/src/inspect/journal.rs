//! What is in a journal file.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use model::{LogspaceName, RecordNumber};

use super::{InspectOptions, SampleView};
use crate::disk::{Disk, OpenMode};
use crate::error::Error;
use crate::journal::{self, Block, FILE_VERSION, FileHeader, InGroup};
use crate::limits::INSPECT_BYTES_MAX;
use crate::names;
use crate::snapshot::Damage;

/// A journal file.
#[derive(Clone, Debug)]
pub struct JournalView {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// The version of its format, and the number it says it has; `None` where the header is
    /// damaged.
    pub header: Option<(u16, u64)>,
    /// Its blocks, in order.
    pub blocks: Vec<BlockView>,
    /// Bytes of a commit at the end that did not finish.
    pub torn_bytes: u64,
    /// What cannot be read.
    pub damages: Vec<Damage>,
    /// Its first records.
    pub samples: Vec<SampleView>,
}

/// A block of a journal file.
#[derive(Clone, Debug)]
pub struct BlockView {
    /// Where it starts, in bytes.
    pub offset: u64,
    /// Where the first block of its commit starts, in bytes.
    pub group_start: u64,
    /// Whether its commit goes on with the next block.
    pub goes_on: bool,
    /// The logspace of its records.
    pub logspace: LogspaceName,
    /// The number of its first record.
    pub first_number: RecordNumber,
    /// How many records it has.
    pub records: u64,
    /// Bytes it takes in the file.
    pub bytes: u64,
    /// Bytes of its records as they are stored.
    pub stored_bytes: u64,
    /// Bytes of its records before compression.
    pub raw_bytes: u64,
}

impl InGroup for BlockView {
    fn group_start(&self) -> u64 {
        self.group_start
    }

    fn goes_on(&self) -> bool {
        self.goes_on
    }
}

/// Looks into a journal file.
pub(super) fn inspect(
    disk: &dyn Disk,
    path: &Path,
    options: &InspectOptions,
) -> Result<JournalView, Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let id = [names::JOURNAL_SUFFIX, names::FREE_SUFFIX]
        .iter()
        .find_map(|ending| names::journal_id(&name, ending));
    let file = disk.open(path, OpenMode::Read);
    let bytes = file
        .and_then(|file| file.len())
        .map_err(Error::io("open", path))?;
    if bytes > INSPECT_BYTES_MAX {
        let what = format!("the file has {bytes} bytes, at most {INSPECT_BYTES_MAX} are read");
        return Err(Error::Damaged {
            path: path.to_owned(),
            offset: 0,
            what,
        });
    }
    let samples = RefCell::new(Vec::new());
    let scan = journal::scan_with(disk, path, id.unwrap_or(0), None, |offset, block| {
        sample(&block, options.rows, &mut samples.borrow_mut());
        view(offset, block)
    })?;
    Ok(JournalView {
        path: path.to_owned(),
        bytes,
        header: match scan.header {
            FileHeader::File { id, .. } => Some((FILE_VERSION, id)),
            _ => None,
        },
        blocks: scan.blocks,
        torn_bytes: scan.torn_bytes,
        damages: scan.damages,
        samples: samples.into_inner(),
    })
}

fn view(offset: u64, block: Block) -> BlockView {
    BlockView {
        offset,
        group_start: block.group_start,
        goes_on: block.goes_on,
        first_number: block.first,
        records: block.batch.len() as u64,
        bytes: block.len as u64,
        stored_bytes: block.stored_len as u64,
        raw_bytes: block.raw_len as u64,
        logspace: block.logspace,
    }
}

fn sample(block: &Block, rows: usize, samples: &mut Vec<SampleView>) {
    let wanted = rows.saturating_sub(samples.len());
    for (number, record) in (block.first.0..).zip(block.batch.iter()).take(wanted) {
        samples.push(SampleView {
            number: RecordNumber(number),
            received: record.received(),
            raw: record.raw().to_vec(),
        });
    }
}
