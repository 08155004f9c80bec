use super::*;
use crate::disk::RealDisk;

fn entry(first: u64) -> Entry {
    Entry {
        first: RecordNumber(first),
        rows: 10,
        is_imported: first % 2 == 1,
        is_archived: first % 3 == 1,
        is_compacted: first % 5 == 1,
        day: 20_000,
        file_bytes: 4_096,
        first_received: Timestamp::from_seconds(1),
        last_received: Timestamp::from_seconds(2),
        raw_bytes: 999,
        generation: 0,
        fingerprint: 7,
    }
}

fn open(dir: &Path) -> (Manifest, Vec<Damage>) {
    Manifest::open(Arc::new(RealDisk), dir, &owner(), Left::New).expect("opens")
}

fn owner() -> Owner {
    Owner {
        store: StoreId(0x2a << 100),
        logspace: LogspaceName::main(),
    }
}

fn firsts(manifest: &Manifest) -> Vec<u64> {
    manifest
        .contents()
        .entries
        .iter()
        .map(|entry| entry.first.0)
        .collect()
}

#[test]
fn entries_survive_reopening() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (mut manifest, _) = open(dir.path());
    manifest.change(&[entry(1), entry(11)], &[]).expect("adds");
    manifest.change(&[entry(21)], &[]).expect("adds");
    let (manifest, damages) = open(dir.path());
    assert_eq!(
        manifest.contents().entries,
        [entry(1), entry(11), entry(21)]
    );
    assert!(damages.is_empty());
}

#[test]
fn an_unfinished_record_is_dropped_and_damage_in_the_middle_is_reported() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (mut manifest, _) = open(dir.path());
    for first in [1, 11, 21] {
        manifest.change(&[entry(first)], &[]).expect("adds");
    }
    let path = names::manifest(dir.path());
    let whole = std::fs::read(&path).expect("reads");
    let start = HEADER_LEN + encode_owner(&owner(), 16).len();
    let record_len = (whole.len() - start) / 3;
    for cut in 1..record_len {
        std::fs::write(&path, &whole[..whole.len() - cut]).expect("writes");
        let (manifest, damages) = open(dir.path());
        assert_eq!(
            (firsts(&manifest), damages.len()),
            (vec![1, 11], 0),
            "cut {cut}"
        );
    }
    let mut broken = whole;
    broken[start + record_len + 20] ^= 1;
    std::fs::write(&path, &broken).expect("writes");
    let (manifest, damages) = open(dir.path());
    assert_eq!((firsts(&manifest), damages.len()), (vec![1, 21], 1));
    assert_eq!(damages[0].offset, (start + record_len) as u64);
}

#[test]
fn removed_segments_stay_removed_and_are_remembered_until_the_file_is_written_anew() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (mut manifest, _) = open(dir.path());
    manifest
        .change(&[entry(1), entry(11), entry(21)], &[])
        .expect("adds");
    let merged = Entry {
        rows: 20,
        generation: 1,
        ..entry(1)
    };
    manifest
        .change(&[merged], &[entry(1).id(), entry(11).id()])
        .expect("changes");
    let (mut manifest, _) = open(dir.path());
    assert_eq!(manifest.contents().entries, [entry(21), merged]);
    assert_eq!(manifest.contents().removed, [entry(1).id(), entry(11).id()]);
    manifest.rewrite().expect("rewrites");
    let (manifest, _) = open(dir.path());
    assert_eq!(manifest.contents().entries, [entry(21), merged]);
    assert_eq!(manifest.contents().removed, []);
}

#[test]
fn the_file_does_not_grow_with_what_came_and_went() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (mut manifest, _) = open(dir.path());
    let mut largest = 0;
    for first in 1..3 * STALE_MIN as u64 {
        manifest.change(&[entry(first)], &[]).expect("adds");
        manifest.change(&[], &[entry(first).id()]).expect("removes");
        let path = names::manifest(dir.path());
        largest = largest.max(std::fs::metadata(path).expect("there").len());
    }
    assert!(
        largest < 2 * STALE_MIN as u64 * ENTRY_LEN as u64,
        "{largest}"
    );
    assert_eq!(open(dir.path()).0.contents().entries, []);
}

#[test]
fn a_reader_takes_a_missing_manifest_for_a_start_that_was_cut_short() {
    let folder = tempfile::tempdir().unwrap();
    let (contents, damages) = Manifest::read(&RealDisk, folder.path()).unwrap();
    assert!(contents.entries.is_empty() && damages.is_empty());
    std::fs::create_dir(folder.path().join("2026")).unwrap();
    let error = Manifest::read(&RealDisk, folder.path()).unwrap_err();
    assert!(error.to_string().contains("manifest"), "{error}");
}

#[test]
fn a_manifest_of_another_store_or_logspace_is_refused() {
    let dir = tempfile::tempdir().expect("temporary directory");
    drop(open(dir.path()));
    let other_store = Owner {
        store: StoreId(9),
        ..owner()
    };
    let other_logspace = Owner {
        logspace: LogspaceName::parse("other").expect("a name"),
        ..owner()
    };
    for other in [other_store, other_logspace] {
        let result = Manifest::open(Arc::new(RealDisk), dir.path(), &other, Left::Known);
        assert!(matches!(result, Err(Error::Foreign { .. })));
    }
}

#[test]
fn a_manifest_that_is_not_as_it_was_left_is_told() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (mut manifest, _) = open(dir.path());
    let mut stands = vec![manifest.stand().expect("written")];
    for first in [1, 11] {
        manifest.change(&[entry(first)], &[]).expect("adds");
        stands.push(manifest.stand().expect("written"));
    }
    let look = |left| {
        let opened = Manifest::open(Arc::new(RealDisk), dir.path(), &owner(), left);
        opened.expect("opens").1.len()
    };
    assert_eq!(look(Left::Stopped(stands[2])), 0);
    assert_eq!(look(Left::Stopped(stands[1])), 1);
    std::fs::write(names::manifest(dir.path()), b"").expect("writes");
    assert_eq!(look(Left::Known), 1);
}

/// The bytes of the example of FORMAT.md.
fn example() -> Vec<u8> {
    let text = include_str!("../../../../FORMAT.md");
    let (_, rest) = text.split_once("### Example of a manifest").expect("there");
    let (_, rest) = rest.split_once("```text").expect("there");
    let (dump, _) = rest.split_once("```").expect("there");
    let lines = dump.lines().filter(|line| !line.is_empty());
    let bytes = lines.flat_map(|line| line[10..58].split_whitespace());
    bytes
        .map(|byte| u8::from_str_radix(byte, 16).expect("hexadecimal"))
        .collect()
}

#[test]
fn the_example_of_the_format_is_what_is_written() {
    let received = Timestamp::from_nanos(0x18e9_d54b_900e_b600);
    let added = Entry {
        first: RecordNumber(2),
        rows: 1,
        is_imported: true,
        is_archived: false,
        is_compacted: false,
        day: 20_777,
        file_bytes: 617,
        first_received: received,
        last_received: received,
        raw_bytes: 54,
        generation: 0,
        fingerprint: 0x1234_5678,
    };
    let removed = entry(1).id();
    let mut file = encode_header(VERSION).to_vec();
    file.extend_from_slice(&encode_owner(&owner(), 16));
    let marks = Marks { next: 2, sealed: 2 };
    let offset = file.len() as u64;
    file.extend_from_slice(&encode_record(&[added], &[removed], marks, offset));
    assert_eq!(file, example());
}
