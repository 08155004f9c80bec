//! What the lines of a file take: segments are built of them in memory, nothing is stored.

use std::io::{BufRead as _, Read as _, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use indicatif::ProgressBar;
use model::RecordBatch;
use segment::{BuildOptions, Builder};
use store::{Clock as _, SystemClock};

use crate::check::default_parse_options;
use crate::failure::Failure;
use crate::import;
use crate::plan::projection::Footprint;

/// Text taken of the file. A segment holds some 256 thousand messages, so that this is one or
/// two; a larger sample says no more and takes longer.
const SAMPLE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Text that the compressors of others are given: twice the window of zstd -19, which takes half
/// a second a megabyte.
const PACKED_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Measures what a line of the file takes on average.
pub(crate) fn measure(path: &Path) -> Result<Footprint, Failure> {
    of_text(&read(path)?)
}

/// The same of lines in memory.
pub(crate) fn of_text(text: &[u8]) -> Result<Footprint, Failure> {
    let (mut messages, mut raw, mut data, mut file) = (0_u64, 0_u64, 0_u64, 0_u64);
    for batch in batches(text) {
        let mut builder = Builder::new(BuildOptions::default());
        builder.push(&batch).map_err(|error| failed(&error))?;
        let built = builder.finish().map_err(|error| failed(&error))?;
        messages += u64::from(built.footer.rows);
        raw += built.footer.raw_bytes;
        data += built.footer.data_bytes();
        file += built.bytes.len() as u64;
    }
    if messages == 0 {
        let what = "the sample has no lines to measure";
        return Err(Failure::new(what).hint("name a file with one message a line"));
    }
    let each = |bytes: u64| bytes as f64 / messages as f64;
    // A line feed is no part of a message, but every archive of text has it.
    let packed = text.get(..text.len().min(PACKED_BYTES_MAX)).unwrap_or(&[]);
    let share = (each(raw) + 1.0) / packed.len() as f64;
    let gzip = gzip_9(packed).map_err(|error| failed(&error))?;
    let zstd = zstd::bulk::compress(packed, 19).map_err(|error| failed(&error))?;
    Ok(Footprint {
        text: each(raw),
        total: each(file),
        data: Some(each(data)),
        index: Some(each(file - data)),
        gzip_9: gzip.len() as f64 * share,
        zstd_19: zstd.len() as f64 * share,
    })
}

/// The start of a file, up to the last whole line.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::new(format!("cannot read {}", path.display())).because(error)
    };
    let import::Opened {
        mut reader, notes, ..
    } = import::open(path, &ProgressBar::hidden())?;
    let mut text = Vec::new();
    let mut start = reader.by_ref().take(SAMPLE_BYTES_MAX as u64);
    start.read_to_end(&mut text).map_err(unreadable)?;
    notes.report(path);
    let is_cut = !reader.fill_buf().map_err(unreadable)?.is_empty();
    if is_cut && let Some(last) = text.iter().rposition(|byte| *byte == b'\n') {
        text.truncate(last + 1);
    }
    Ok(text)
}

/// The lines as an import stores them.
fn batches(text: &[u8]) -> Vec<RecordBatch> {
    let time = ingest::ImportTime::Message;
    let now = SystemClock.now();
    let mut importer = ingest::Importer::new(default_parse_options(), time, now, "import");
    let lines = text.split(|byte| *byte == b'\n');
    let mut batches: Vec<_> = lines.filter_map(|line| importer.push(line)).collect();
    batches.extend(importer.finish());
    for batch in &mut batches {
        batch.sort_by_received();
    }
    batches
}

fn failed(error: &dyn std::fmt::Display) -> Failure {
    Failure::new("cannot measure the sample").because(error)
}

fn gzip_9(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text)?;
    encoder.finish()
}
