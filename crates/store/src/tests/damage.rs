//! What is damaged is found, told and mended, and nothing else is touched.

use super::*;
use crate::{Finding, Remedy, Repaired, Verified, VerifyOptions, repair, verify};

fn deep() -> VerifyOptions {
    VerifyOptions {
        logspace: None,
        is_deep: true,
        threads: 2,
    }
}

fn check(dir: &Path) -> Verified {
    verify(&RealDisk, dir, &deep(), &|_, _| {}).expect("is readable")
}

fn mend(dir: &Path) -> Repaired {
    let clock = Arc::new(TestClock::default());
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    repair(options(dir), &deep(), false, &disk, clock, &|_, _| {}).expect("is repairable")
}

/// Mends, and accepts what is lost.
fn accept(dir: &Path) -> Repaired {
    let clock = Arc::new(TestClock::default());
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    repair(options(dir), &deep(), true, &disk, clock, &|_, _| {}).expect("is repairable")
}

/// A directory with three segments of two records, nothing in the journal, and its records.
fn three_segments(dir: &Path) -> Vec<(u64, i64, String)> {
    let small = segments_of(2, dir);
    let store = open_with(small, Arc::new(RealDisk));
    fill_three(&store);
    let expected = rows(&store);
    drop(store);
    remove_journal(dir);
    expected
}

fn remove_journal(dir: &Path) {
    for file in journal_files(dir) {
        std::fs::remove_file(file).expect("removes");
    }
}

/// A directory with one segment of many pages, and its records.
fn large_segment(dir: &Path) -> Vec<(u64, i64, String)> {
    // Of two kinds, the second one in pages of its own.
    let digest = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let lines: Vec<_> = (0..3_000_u64)
        .map(|n| match n % 2 {
            0 => format!("record {n} of a {} and {}", n % 17, "long text ".repeat(20)),
            _ => (0..8)
                .map(|at| format!("{:016x} ", digest(8 * n + at)))
                .collect(),
        })
        .collect();
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let many = Options {
        segment_rows: 3_000,
        journal_file_bytes: 4 << 20,
        ..options(dir)
    };
    let store = open_with(many, Arc::new(RealDisk));
    append(&store, batch(&lines));
    wait_until(&store, |store| segments(store) == 1);
    let expected = rows(&store);
    drop(store);
    remove_journal(dir);
    expected
}

fn first_segment(dir: &Path) -> PathBuf {
    dir.join("logspaces/main/1970/01-01/00000000000000000001.segment")
}

fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).expect("reads");
    bytes[at] ^= 0x10;
    std::fs::write(path, bytes).expect("writes");
}

fn only(verified: &Verified) -> &Finding {
    let [finding] = verified.findings.as_slice() else {
        panic!("{:?}", verified.findings);
    };
    finding
}

#[test]
fn a_directory_in_use_is_whole() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let small = segments_of(2, dir.path());
    let store = open_with(small, Arc::new(RealDisk));
    fill_three(&store);
    append(&store, batch(&["in the journal"]));
    let verified = check(dir.path());
    assert_eq!(verified.findings, []);
    assert_eq!(verified.notes, []);
    assert_eq!((verified.segments, verified.segment_records), (3, 6));
    assert!(verified.journal_records >= 1);
}

#[test]
fn a_directory_that_changes_all_the_time_is_whole() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let small = segments_of(2, dir.path());
    let store = open_with(small, Arc::new(RealDisk));
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..200 {
                append(&store, batch(&[&format!("{round}"), "x"]));
            }
            is_done.store(true, Ordering::Relaxed);
        });
        while !is_done.load(Ordering::Relaxed) {
            assert_eq!(check(dir.path()).findings, []);
        }
    });
}

#[test]
fn every_flipped_byte_of_a_segment_is_found() {
    let dir = tempfile::tempdir().expect("temporary directory");
    three_segments(dir.path());
    let path = first_segment(dir.path());
    let whole = std::fs::read(&path).expect("reads");
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&path, bytes).expect("writes");
        match verify(&RealDisk, dir.path(), &deep(), &|_, _| {}) {
            Ok(verified) => {
                assert!(!verified.findings.is_empty(), "byte {at}");
                for finding in verified.findings {
                    assert_eq!(finding.damage.path, path, "byte {at}");
                }
            }
            Err(error) => panic!("byte {at}: {error}"),
        }
    }
}

#[test]
fn every_flipped_byte_of_a_manifest_is_told_and_costs_no_record() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let expected = three_segments(dir.path());
    let path = dir.path().join("logspaces/main/manifest");
    let whole = std::fs::read(&path).expect("reads");
    for at in (0..whole.len()).step_by(5) {
        // The version is no part of a checksum.
        if (4..6).contains(&at) {
            continue;
        }
        flip(&path, at);
        let verified = check(dir.path());
        if verified.findings.is_empty() {
            // Padding, which no checksum covers.
            std::fs::write(&path, &whole).expect("writes");
            continue;
        }
        for finding in &verified.findings {
            assert_eq!(finding.remedy, Remedy::RewriteManifest, "byte {at}");
        }
        let store = open(dir.path());
        assert_eq!(rows(&store), expected, "byte {at}");
        drop(store);
        assert_eq!(check(dir.path()).findings, [], "byte {at}");
        std::fs::write(&path, &whole).expect("writes");
    }
}

#[test]
fn a_manifest_that_is_gone_is_made_of_the_segments() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let expected = three_segments(dir.path());
    std::fs::remove_file(dir.path().join("logspaces/main/manifest")).expect("removes");
    assert_eq!(only(&check(dir.path())).remedy, Remedy::RewriteManifest);
    assert_eq!(mend(dir.path()).after.findings, []);
    assert_eq!(rows(&open(dir.path())), expected);
}

#[test]
fn a_manifest_that_is_gone_is_told_as_nothing_else_names_what_it_knew() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let expected = three_segments(dir.path());
    let manifest = dir.path().join("logspaces/main/manifest");
    let tampered = [journal_files(dir.path()), vec![first_segment(dir.path())]].concat();
    for path in tampered.iter().chain([&manifest]) {
        std::fs::remove_file(path).expect("removes");
    }
    let store = open(dir.path());
    assert_eq!(rows(&store), expected[2..]);
    let told = &snapshot(&store).damages;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].path, manifest);
    drop(store);
    // Until somebody says that they know.
    assert_eq!(&snapshot(&open(dir.path())).damages, told);
    assert_eq!(only(&check(dir.path())).remedy, Remedy::Accept);
    assert_eq!(accept(dir.path()).after.findings, []);
    let store = open(dir.path());
    assert!(snapshot(&store).damages.is_empty());
    assert_eq!(rows(&store), expected[2..]);
    drop(store);
    assert_eq!(check(dir.path()).notes.len(), 1);
}

#[test]
fn damage_in_the_journal_is_counted_in_records() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    for _ in 0..3 {
        append(&store, batch(&["one", "two"]));
    }
    drop(store);
    let file = journal_files(dir.path()).remove(0);
    let scan = crate::journal::scan(&RealDisk, &file, 1, None).expect("reads");
    let second = 64 + scan.blocks[0].len;
    for at in [second + 80, second + 2] {
        let whole = std::fs::read(&file).expect("reads");
        flip(&file, at);
        let verified = check(dir.path());
        let finding = only(&verified);
        assert_eq!(finding.damage.offset, second as u64);
        assert_eq!(finding.records, Some(2), "byte {at}");
        std::fs::write(&file, whole).expect("writes");
    }
}

#[test]
fn a_missing_segment_is_told_and_not_forgotten() {
    let dir = tempfile::tempdir().expect("temporary directory");
    three_segments(dir.path());
    std::fs::remove_file(first_segment(dir.path())).expect("removes");
    let repaired = mend(dir.path());
    for verified in [&repaired.before, &repaired.after] {
        let finding = only(verified);
        assert_eq!(finding.damage.path, first_segment(dir.path()));
        assert_eq!(
            (finding.records, finding.remedy),
            (Some(2), Remedy::Restore)
        );
    }
}

#[test]
fn a_damaged_index_is_made_anew_without_losing_a_record() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let expected = large_segment(dir.path());
    let path = first_segment(dir.path());
    let raw = crate::raw_segment::RawSegment::open(&RealDisk, &path).expect("opens");
    let (_, footer) = raw.footer.expect("whole");
    flip(&path, footer.posting_pages[0].offset as usize + 20);
    flip(&path, footer.lexicon_pages[0].page.offset as usize + 20);
    let repaired = mend(dir.path());
    let remedies: Vec<_> = repaired.before.findings.iter().map(|f| f.remedy).collect();
    assert_eq!(remedies, [Remedy::RebuildIndex; 2]);
    assert_eq!(repaired.repairs.len(), 1);
    assert_eq!(repaired.repairs[0].set_aside, None);
    assert_eq!(repaired.after.findings, []);
    assert_eq!(rows(&open(dir.path())), expected);
}

fn damages(store: &Store) -> Vec<crate::Damage> {
    store.status().logspaces[0].damages.clone()
}

/// Wakes the housekeeper and waits until it has mended everything.
fn wait_until_healed(store: &Store) {
    let everything = crate::Retention::default();
    store
        .set_retention(&LogspaceName::main(), everything)
        .expect("wakes the housekeeper");
    wait_until(store, |store| damages(store).is_empty());
}

#[test]
fn a_running_store_makes_a_damaged_index_anew_once_a_reader_met_it() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let expected = large_segment(dir.path());
    let path = first_segment(dir.path());
    let raw = crate::raw_segment::RawSegment::open(&RealDisk, &path).expect("opens");
    let (_, footer) = raw.footer.expect("whole");
    flip(&path, footer.lexicon_pages[0].page.offset as usize + 20);
    let store = open(dir.path());
    assert_eq!(damages(&store), []);
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    segment.find_term(b"f").expect_err("is damaged");
    // What only the index lost is told and makes no answer incomplete.
    assert_eq!(damages(&store)[0].path, path);
    assert!(snapshot(&store).damages.is_empty());
    wait_until_healed(&store);
    assert_eq!(rows(&store), expected);
    assert_eq!(
        segment_files(dir.path()),
        ["00000000000000000001.1.segment"]
    );
    drop(store);
    assert_eq!(check(dir.path()).findings, []);
}

#[test]
fn a_running_store_reads_on_where_the_kinds_are_damaged_and_makes_them_anew() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let expected = large_segment(dir.path());
    let path = first_segment(dir.path());
    let store = open(dir.path());
    let raw = crate::raw_segment::RawSegment::open(&RealDisk, &path).expect("opens");
    let (_, footer) = raw.footer.expect("whole");
    let kinds = footer.kind_page.expect("has kinds");
    flip(&path, kinds.offset as usize + 20);
    // From the spare page.
    assert_eq!(rows(&store), expected);
    assert_eq!(damages(&store)[0].path, path);
    assert_eq!(damages(&store)[0].offset, kinds.offset);
    assert!(
        snapshot(&store).damages.is_empty(),
        "no answer lacks a record"
    );
    wait_until_healed(&store);
    assert_eq!(rows(&store), expected);
    wait_until(&store, |_| !path.exists());
    drop(store);
    assert_eq!(check(dir.path()).findings, []);
    assert_eq!(rows(&open(dir.path())), expected);
}

#[test]
fn a_segment_that_a_start_could_not_open_is_made_whole_where_no_record_is_lost() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let expected = large_segment(dir.path());
    let path = first_segment(dir.path());
    let whole = std::fs::read(&path).expect("reads");
    // The header, the footer, and the trailer.
    for at in [3, whole.len() - 60, whole.len() - 3] {
        std::fs::remove_dir_all(path.parent().expect("has one")).expect("removes");
        std::fs::create_dir(path.parent().expect("has one")).expect("creates");
        std::fs::remove_file(dir.path().join("logspaces/main/manifest")).expect("removes");
        std::fs::write(&path, &whole).expect("writes");
        drop(open(dir.path()));
        flip(&path, at);
        let store = open(dir.path());
        wait_until(&store, |store| segments(store) == 1);
        wait_until(&store, |store| snapshot(store).damages.is_empty());
        assert_eq!(rows(&store), expected, "byte {at}");
        drop(store);
        assert_eq!(check(dir.path()).findings, [], "byte {at}");
        assert_eq!(rows(&open(dir.path())), expected, "byte {at}");
    }
}

#[test]
fn segments_that_could_not_be_read_once_do_not_come_back_beside_what_the_journal_brought() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let small = segments_of(2, dir.path());
    let store = open_with(small.clone(), Arc::new(RealDisk));
    fill_three(&store);
    let expected = rows(&store);
    drop(store);
    let disk = Arc::new(FailingDisk::default());
    // The first read of each segment.
    disk.reads.store(3, Ordering::SeqCst);
    let store = open_with(small.clone(), Arc::clone(&disk) as Arc<dyn Disk>);
    wait_until(&store, |store| segments(store) > 0 && store.is_idle());
    assert_eq!(rows(&store), expected);
    drop(store);
    let store = open_with(small, Arc::new(RealDisk));
    assert_eq!(rows(&store), expected);
    drop(store);
    assert_eq!(check(dir.path()).findings, []);
}

#[test]
fn the_readable_records_of_a_damaged_segment_are_saved() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let expected = large_segment(dir.path());
    let path = first_segment(dir.path());
    let raw = crate::raw_segment::RawSegment::open(&RealDisk, &path).expect("opens");
    let (_, footer) = raw.footer.expect("whole");
    let page = footer.chunks[0].columns.last().expect("several");
    flip(&path, page.offset as usize + 20);
    let repaired = mend(dir.path());
    // All of the chunk at most: which of them have a value in the page is not looked at.
    assert_eq!(only(&repaired.before).records, Some(3_000));
    let [repair] = repaired.repairs.as_slice() else {
        panic!("{:?}", repaired.repairs);
    };
    assert!((1..3_000).contains(&repair.lost_records), "{repair:?}");
    assert_eq!(repair.lost_records + repair.saved_records, 3_000);
    let aside = repair.set_aside.clone().expect("set aside");
    assert!(aside.exists());
    assert_eq!(repaired.after.findings, []);
    let found = rows(&open(dir.path()));
    assert_eq!(found.len(), expected.len());
    let lost = found.iter().zip(&expected).filter(|(found, expected)| {
        assert_eq!((found.0, found.1), (expected.0, expected.1));
        assert!(found.2 == expected.2 || found.2.is_empty(), "{found:?}");
        found.2 != expected.2
    });
    assert_eq!(lost.count() as u64, repair.lost_records);
}

#[test]
fn a_segment_without_its_footer_loses_nothing() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let expected = large_segment(dir.path());
    let path = first_segment(dir.path());
    let end = std::fs::read(&path).expect("reads").len();
    flip(&path, end - 60);
    let repaired = mend(dir.path());
    assert_eq!(only(&repaired.before).records, Some(3_000));
    assert_eq!(repaired.repairs[0].saved_records, 3_000);
    assert_eq!(repaired.after.findings, []);
    assert_eq!(rows(&open(dir.path())), expected);
}

#[test]
fn a_segment_of_other_records_is_not_taken_for_its_own() {
    let dir = tempfile::tempdir().expect("temporary directory");
    three_segments(dir.path());
    let path = first_segment(dir.path());
    let other = path.with_file_name("00000000000000000003.segment");
    std::fs::copy(other, &path).expect("copies");
    let repaired = mend(dir.path());
    assert_eq!(repaired.repairs, []);
    assert_eq!(only(&repaired.after).damage.path, path);
    assert_eq!(texts(&open(dir.path())), ["1a", "1b", "2a", "2b"]);
}

#[test]
fn a_directory_in_use_is_not_repaired() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let _store = open(dir.path());
    let clock = Arc::new(TestClock::default());
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let refused = repair(
        options(dir.path()),
        &deep(),
        false,
        &disk,
        clock,
        &|_, _| {},
    );
    assert!(matches!(refused, Err(Error::Locked { .. })));
}
