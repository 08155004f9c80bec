//! Segments of older versions, beside those of this one, which have more in their index.

use std::path::Path;

use model::LogspaceName;
use store::Part;

use crate::testing::{self, Sample, batch, list};
use crate::{Cancel, Scope, count};

/// A segment of 2,000 accesses, whose index has no addresses.
const SEGMENT_V8: &[u8] = include_bytes!("../../../store/testdata/segment.v8");

/// A store with that segment, and one of records like its own.
fn scope(directory: &Path) -> Scope {
    let day = directory.join("logspaces/main/1970/01-01");
    std::fs::create_dir_all(&day).expect("creates");
    std::fs::write(day.join("00000000000000000001.segment"), SEGMENT_V8).expect("writes");
    let store = testing::open(directory, 100_000);
    let message = |row: u32| {
        let (net, host) = (row % 3, row % 40);
        match row % 2 {
            0 => format!("10.{net}.0.{host} and 10.1.0. of {row}"),
            _ => format!(
                "10.{net}.0.{host} - - [01/Jan/2026:00:00:00 +0000] \"GET /index HTTP/1.1\" 200 {row}"
            ),
        }
    };
    let sample = |row: u32| Sample {
        received: 1_790_000_000_000_000_000,
        message: message(row).into_bytes(),
        ..Sample::default()
    };
    let samples: Vec<Sample> = (0..500).map(sample).collect();
    store
        .import(&LogspaceName::main(), batch(&samples))
        .expect("imported");
    Scope::new(testing::snapshots(&store))
}

#[test]
fn addresses_are_found_in_segments_with_and_without_them() {
    let directory = tempfile::tempdir().expect("a directory");
    let scope = scope(directory.path());
    let parts = scope.snapshots.iter().flat_map(|snapshot| &snapshot.parts);
    let mut have_addresses: Vec<bool> = parts
        .filter_map(|part| match part {
            Part::Segment(segment) => Some(segment.footer().has_addresses),
            Part::Tail(_) => None,
        })
        .collect();
    have_addresses.sort_unstable();
    assert_eq!(have_addresses, [false, true]);
    for text in [
        "10.1.0.7",
        "\"10.2.0.39\"",
        "10.1.0.*",
        "10.1.0.1*",
        "10.1.*",
        "NOT 10.2.0.*",
        "10.1.0.7 OR 10.0.0.3",
        "10.1.0.* AND index",
        "client:10.1.0.0/24",
        "client:10.0.0.0/8",
        "/10[.]1[.]0[.][0-9] /",
    ] {
        let query = query::parse(text).into_result().expect("valid");
        let expected = list(&scope, &query).len() as u64;
        assert!(expected > 0, "{text}");
        let counted = count(&scope, &query, &Cancel::new());
        assert_eq!(counted.count, expected, "{text}");
    }
}
