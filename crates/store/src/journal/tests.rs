//! What the journal's tests share, and tests of its files as a whole.

use std::path::Path;
use std::sync::Arc;

use model::{LogspaceName, RecordBatch, RecordNumber, RecordParts, Span, Timestamp};

use super::scan::end_before;
use super::{Encoded, JournalWriter, scan};
use crate::disk::RealDisk;
use crate::names;

/// A batch of records with these messages, a second apart.
pub(crate) fn batch(texts: &[&str]) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("test").expect("room");
    for (index, text) in texts.iter().enumerate() {
        let parts = RecordParts {
            message: Span::new(0, text.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_seconds(1_000 + index as i64);
        batch
            .push(text.as_bytes(), &parts, received, None, source)
            .expect("room");
    }
    batch
}

fn writer(dir: &Path) -> JournalWriter {
    std::fs::create_dir_all(names::journal_dir(dir)).expect("creates");
    JournalWriter::new(Arc::new(RealDisk), dir.to_owned(), 64 * 1024, 1, Vec::new())
}

fn block(first: u64, texts: &[&str]) -> Arc<Encoded> {
    let encoded = Encoded::new(
        &LogspaceName::main(),
        first,
        RecordNumber(first),
        &batch(texts),
    );
    Arc::new(encoded)
}

fn commit(writer: &mut JournalWriter, blocks: &[Arc<Encoded>]) {
    assert!(writer.commit(blocks, true).is_ok(), "the disk works");
}

fn firsts(path: &Path) -> (Vec<u64>, usize, bool) {
    let scan = scan(&RealDisk, path, 1, None).expect("reads");
    let firsts = scan.blocks.iter().map(|block| block.first.0).collect();
    (firsts, scan.damages.len(), scan.torn_bytes > 0)
}

/// A file with commits of the records 1; 2 and 3; 4 and 5, the last of two blocks, and where each
/// block starts.
fn three_commits(dir: &Path) -> (std::path::PathBuf, Vec<usize>) {
    let mut writer = writer(dir);
    let blocks = [
        block(1, &["a"]),
        block(2, &["b", "c"]),
        block(4, &["d"]),
        block(5, &["e"]),
    ];
    let mut starts = vec![64];
    for block in &blocks {
        starts.push(starts[starts.len() - 1] + block.len());
    }
    commit(&mut writer, &blocks[..1]);
    commit(&mut writer, &blocks[1..2]);
    commit(&mut writer, &blocks[2..]);
    (names::journal(dir, 1), starts)
}

#[test]
fn commits_come_back_in_order() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (path, _) = three_commits(dir.path());
    assert_eq!(firsts(&path), (vec![1, 2, 4, 5], 0, false));
}

#[test]
fn a_torn_commit_is_dropped_whole_wherever_it_tore() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (path, starts) = three_commits(dir.path());
    let whole = std::fs::read(&path).expect("reads");
    for at in (starts[2]..starts[4]).step_by(7) {
        let mut torn = whole.clone();
        torn[at] ^= 0xff;
        std::fs::write(&path, &torn).expect("writes");
        let (found, damages, _) = firsts(&path);
        // Padding may be flipped without harm; otherwise both blocks of the commit go together.
        let is_padding = found == [1, 2, 4, 5]
            && [starts[3], starts[4]]
                .iter()
                .any(|end| (1..=16).contains(&end.wrapping_sub(at)));
        assert!(
            (found == [1, 2] || is_padding) && damages == 0,
            "byte {at}: {found:?}"
        );
    }
}

#[test]
fn a_commit_that_ends_early_is_dropped_whole_at_every_length() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (path, starts) = three_commits(dir.path());
    let whole = std::fs::read(&path).expect("reads");
    for len in starts[1]..starts[4] {
        // What did not reach the disk is missing, or zeros.
        for fill in [len, whole.len()] {
            let mut torn = whole[..len].to_vec();
            torn.resize(fill, 0);
            std::fs::write(&path, &torn).expect("writes");
            let (found, damages, _) = firsts(&path);
            let is_padding = |end: usize| (0..16).contains(&end.saturating_sub(len));
            let expected: &[u64] = match len {
                _ if found == [1, 2, 4, 5] && is_padding(starts[4]) => &[1, 2, 4, 5],
                _ if found == [1, 2] && is_padding(starts[2]) => &[1, 2],
                _ if len < starts[2] => &[1],
                _ => &[1, 2],
            };
            assert_eq!((found.as_slice(), damages), (expected, 0), "{len} bytes");
        }
    }
}

#[test]
fn what_came_before_the_tear_goes_with_its_commit() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let mut writer = writer(dir.path());
    let blocks = [block(1, &["a"]), block(2, &["b"]), block(3, &["c"])];
    commit(&mut writer, &blocks);
    let path = names::journal(dir.path(), 1);
    let mut bytes = std::fs::read(&path).expect("reads");
    bytes[64 + blocks[0].len() + 80] ^= 1;
    std::fs::write(&path, &bytes).expect("writes");
    assert_eq!(firsts(&path), (vec![], 0, true));
}

#[test]
fn damage_before_a_later_commit_is_reported_and_skipped() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (path, starts) = three_commits(dir.path());
    let mut bytes = std::fs::read(&path).expect("reads");
    bytes[starts[1] + 80] ^= 1;
    std::fs::write(&path, &bytes).expect("writes");
    assert_eq!(firsts(&path), (vec![1, 4, 5], 1, false));
}

#[test]
fn a_damaged_file_header_loses_nothing() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (path, _) = three_commits(dir.path());
    let mut bytes = std::fs::read(&path).expect("reads");
    bytes[9] ^= 1;
    std::fs::write(&path, &bytes).expect("writes");
    assert_eq!(firsts(&path).0, [1, 2, 4, 5]);
}

#[test]
fn damage_in_the_last_commit_of_a_file_that_another_follows_is_reported() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let mut writer = writer(dir.path());
    commit(&mut writer, &[block(1, &["a"])]);
    commit(&mut writer, &[block(2, &["b"])]);
    let noise: Vec<String> = (0..9_000)
        .map(|n| format!("{:x}", n * 0x9E37_79B9_u64))
        .collect();
    let noise: Vec<&str> = noise.iter().map(String::as_str).collect();
    commit(&mut writer, &[block(3, &noise)]);
    let (path, next) = (names::journal(dir.path(), 1), names::journal(dir.path(), 2));
    let end = end_before(&RealDisk, &next).expect("the second file tells");
    assert_eq!(end.file_id, 1);
    let mut bytes = std::fs::read(&path).expect("reads");
    let second = end.offset as usize - block(2, &["b"]).len();
    bytes[second + 80] ^= 1;
    std::fs::write(&path, &bytes).expect("writes");
    let scan = scan(&RealDisk, &path, 1, Some(end.offset)).expect("reads");
    assert_eq!(scan.blocks.len(), 1);
    assert_eq!(scan.damages.len(), 1);
    assert_eq!(scan.damages[0].offset, second as u64);
    // Without that knowledge it cannot be told from a commit that never finished.
    assert_eq!(firsts(&path), (vec![1], 0, true));
}

#[test]
fn of_commits_that_are_synced_together_those_before_the_tear_stay() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let mut writer = writer(dir.path());
    commit(&mut writer, &[block(1, &["a"])]);
    for first in 2..5 {
        assert!(writer.commit(&[block(first, &["b"])], false).is_ok());
    }
    assert!(writer.unsynced_bytes() > 0);
    let path = names::journal(dir.path(), 1);
    let whole = std::fs::read(&path).expect("reads");
    let start = 64 + block(1, &["a"]).len() + block(2, &["b"]).len();
    let mut torn = whole.clone();
    torn[start + 80] ^= 1;
    std::fs::write(&path, &torn).expect("writes");
    assert_eq!(firsts(&path), (vec![1, 2], 0, true));

    std::fs::write(&path, &whole).expect("writes");
    commit(&mut writer, &[block(5, &["c"])]);
    commit(&mut writer, &[block(6, &["d"])]);
    assert_eq!(writer.unsynced_bytes(), 0);
    let mut damaged = std::fs::read(&path).expect("reads");
    damaged[start + 80] ^= 1;
    std::fs::write(&path, &damaged).expect("writes");
    assert_eq!(firsts(&path), (vec![1, 2, 4, 5, 6], 1, false));
}

#[test]
fn a_recycled_file_shows_nothing_of_its_past() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let mut writer = writer(dir.path());
    let noise: Vec<String> = (0..400)
        .map(|n| format!("{:x}", n * 0x9E37_79B9_u64))
        .collect();
    let noise: Vec<&str> = noise.iter().map(String::as_str).collect();
    let mut closed = Vec::new();
    let mut first = 1;
    while closed.is_empty() {
        closed = writer
            .commit(&[block(first, &noise)], true)
            .map_err(|_| ())
            .expect("the disk works");
        first += 400;
    }
    writer.release(&closed[0]).expect("releases");
    let mut closed = Vec::new();
    while closed.is_empty() {
        closed = writer
            .commit(&[block(first, &noise)], true)
            .map_err(|_| ())
            .expect("the disk works");
        first += 400;
    }
    let path = names::journal(dir.path(), 3);
    assert!(path.exists() && !names::free_journal(dir.path(), 1).exists());
    let scan = scan(&RealDisk, &path, 3, None).expect("reads");
    assert_eq!(scan.blocks.len(), 1);
    assert_eq!(scan.blocks[0].first.0, first - 400);
    assert!(scan.damages.is_empty());
}
