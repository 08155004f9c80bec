//! The corpora of the fuzz targets, and mutations of what is in them, on any machine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fuzzing::{Mutations, TARGETS};
use segment::Header;

/// Most bytes of all corpora: they are read by people too.
const CORPORA_BYTES_MAX: usize = 200 * 1024;

/// Bytes of mutations that a target is fed: a second or two of a debug build.
const MUTATED_BYTES: usize = 1 << 20;

/// Most mutations of one input.
const MUTATIONS_MAX: usize = 300;

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

fn inputs(target: &str) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut inputs = Vec::new();
    for entry in fs::read_dir(corpora().join(target))? {
        let path = entry?.path();
        let bytes = fs::read(&path)?;
        inputs.push((path, bytes));
    }
    inputs.sort();
    Ok(inputs)
}

#[test]
fn no_input_and_no_mutation_of_one_breaks_a_target() {
    let mut bytes = 0;
    for (name, target) in TARGETS {
        let inputs = inputs(name).expect("a corpus");
        assert!(!inputs.is_empty(), "{name} has no corpus");
        let files = matches!(name, "journal" | "manifest");
        for (path, input) in &inputs {
            bytes += input.len();
            println!("{}", path.display());
            target(input);
            let share = MUTATED_BYTES / inputs.len() / (input.len() + 1);
            let most = if files {
                MUTATIONS_MAX / 3
            } else {
                MUTATIONS_MAX
            };
            for mutation in Mutations::new(input, share.clamp(20, most)) {
                target(&mutation);
            }
        }
    }
    assert!(bytes < CORPORA_BYTES_MAX, "{bytes} bytes");
}

#[test]
fn every_corpus_has_a_target_and_a_program() {
    let programs = corpora().join("../fuzz_targets");
    let names = |folder: &Path| {
        let listed = fs::read_dir(folder).expect("a folder");
        let stem = |entry: fs::DirEntry| entry.path().file_stem().expect("a name").to_owned();
        let mut names: Vec<_> = listed.map(|entry| stem(entry.expect("an entry"))).collect();
        names.sort();
        names
    };
    let targets: Vec<_> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names(&corpora()), targets);
    assert_eq!(names(&programs), targets);
}

#[test]
fn the_segments_of_the_corpus_are_read() {
    for (path, bytes) in inputs("segment").expect("a corpus") {
        // Those of an older version would be refused before anything else is looked at.
        let read = bytes
            .get(..Header::LEN)
            .is_some_and(|header| Header::decode(header).is_ok());
        assert!(read, "{}", path.display());
    }
}
