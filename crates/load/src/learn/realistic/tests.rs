//! Determinism, exact counts, likeness.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use model::RecordParts;
use proptest::prelude::*;
use syslog::{Context, ParseOptions, Parser};

use super::*;
use crate::demo::Demo;
use crate::learn::{Learner, Manifest, Profile};

fn start() -> Timestamp {
    Timestamp::parse_rfc3339(b"2026-11-21T00:00:00Z").expect("valid")
}

/// Lines of the made-up company, without their line ends.
fn demo_lines(count: usize) -> Vec<Vec<u8>> {
    let mut demo = Demo::new(11);
    let mut now = start();
    (0..count)
        .map(|_| {
            now = demo.next_time(now);
            let mut line = Vec::new();
            demo.next_line(now, &mut line);
            line
        })
        .collect()
}

fn learned(lines: &[Vec<u8>]) -> Profile {
    let mut learner = Learner::new();
    for line in lines {
        learner.push(line);
    }
    learner.finish().expect("lines")
}

fn written(tables: &Arc<Tables>, plan: &Plan, connection: usize, count: u64) -> Vec<Vec<u8>> {
    let mut source = Realistic::new(tables, plan, connection);
    let mut now = start();
    (0..count)
        .map(|_| {
            now = now.plus_nanos(7_654_321);
            let mut line = Vec::new();
            assert!(source.next_message(now, &mut line));
            line
        })
        .collect()
}

fn builtin(style: Style) -> Arc<Tables> {
    Arc::new(Tables::new(&Profile::builtin().expect("sound"), style, 500))
}

/// How many lines `grep -E` finds; an independent program says so.
fn grep(pattern: &str, path: &std::path::Path) -> u64 {
    let output = Command::new("grep")
        .env("LC_ALL", "C")
        .args(["-Eic", "--", pattern])
        .arg(path)
        .output()
        .expect("grep");
    let text = String::from_utf8(output.stdout).expect("a number");
    text.trim().parse().expect("a number")
}

/// The built-in profile is that of the made-up company; `UPDATE_EXPECT=1` writes it anew.
#[test]
fn the_built_in_profile_is_what_is_learned_of_the_demo() {
    let profile = learned(&demo_lines(BUILTIN_LINES));
    let mut text = Vec::new();
    profile.write(&mut text).expect("memory");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/learn/builtin.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &text).expect("writable");
    }
    let is_fresh = text == include_bytes!("../builtin.json");
    assert!(is_fresh, "run it again with UPDATE_EXPECT=1");
}

const BUILTIN_LINES: usize = 3_000;

#[test]
fn the_same_seed_gives_the_same_messages_and_another_gives_others() {
    let tables = builtin(Style::Rfc5424);
    let plan = |seed| Plan::standard(seed, Style::Rfc5424);
    let first = written(&tables, &plan(1), 0, 2_000);
    assert_eq!(first, written(&tables, &plan(1), 0, 2_000));
    assert_ne!(first, written(&tables, &plan(2), 0, 2_000));
    assert_ne!(first, written(&tables, &plan(1), 1, 2_000));
}

#[test]
fn messages_are_read_as_they_were_meant() {
    let mut parser = Parser::new(ParseOptions::default());
    let mut parts = RecordParts::default();
    for style in [Style::Rfc5424, Style::Rfc3164] {
        let lines = written(&builtin(style), &Plan::standard(1, style), 0, 5_000);
        let mut hosts = BTreeMap::<Vec<u8>, u32>::new();
        for line in &lines {
            let context = Context {
                received: start(),
                peer: None,
            };
            parser.parse(line, &context, &mut parts);
            let text = String::from_utf8_lossy(line);
            assert_eq!(parts.tags & 0xffff, 0, "{text}");
            assert!(!parts.program.of(line).is_empty(), "{text}");
            *hosts.entry(parts.host.of(line).to_vec()).or_default() += 1;
        }
        // Zipf: the first of 500 hosts has 1 of 6.8 messages.
        let most = hosts.values().max().copied().unwrap_or(0);
        assert!((600..900).contains(&most), "{most}");
        assert!(hosts.len() > 300, "{}", hosts.len());
    }
}

#[test]
fn grep_finds_as_many_lines_as_the_manifest_says() {
    let tables = builtin(Style::Rfc5424);
    let mut plan = Plan::standard(3, Style::Rfc5424);
    let shares = [60_000, 40_000];
    for (needle, count) in [("xylophone", 7), ("find (this) exactly.", 1_234)] {
        plan.plant(needle, count, &shares, &tables)
            .expect("own words");
    }
    let mut text = Vec::new();
    for (connection, share) in shares.iter().enumerate() {
        text.extend(written(&tables, &plan, connection, *share).join(&b'\n'));
        text.push(b'\n');
    }
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), &text).expect("writable");
    let manifest = Manifest::new(&plan, &shares, None, None);
    assert_eq!(manifest.messages, 100_000);
    let mut checked = 0;
    for query in &manifest.queries {
        let Some(pattern) = &query.pattern else {
            continue;
        };
        assert_eq!(grep(pattern, file.path()), query.count, "{query:?}");
        checked += 1;
    }
    assert!(checked >= 20, "{checked}");
    let count = |name: &str| {
        let query = manifest.queries.iter().find(|query| query.name == name);
        query.expect("there").count
    };
    assert_eq!(count("one_percent"), 1_000);
    assert_eq!(count("ten_percent"), 10_000);
    assert_eq!(count("not"), 90_000);
    assert_eq!(count("and_not"), 1_000 - count("and"));
    // Blocks of 700 that are whole: 85 and 57. The last one of each connection is not.
    assert!((142..=144).contains(&count("cidr")), "{}", count("cidr"));
    let needles: Vec<u64> = manifest
        .queries
        .iter()
        .filter(|query| query.name == "needle")
        .map(|query| query.count)
        .collect();
    assert_eq!(needles, [7, 1_234]);
}

/// How many of the lines the definition of the query language finds.
fn matching(query: &str, lines: &[Vec<u8>]) -> u64 {
    let parsed = query::parse(query);
    assert!(parsed.is_valid(), "{query}");
    let mut batch = model::RecordBatch::new();
    let mut parser = Parser::new(ParseOptions::default());
    let mut parts = RecordParts::default();
    let source = batch.source_index("test").expect("room");
    let mut found = 0;
    for line in lines {
        let context = Context {
            received: start(),
            peer: None,
        };
        parser.parse(line, &context, &mut parts);
        batch
            .push(line, &parts, start(), None, source)
            .expect("room");
    }
    for record in batch.iter() {
        found += u64::from(query::naive::matches(&parsed.query.root, record));
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn the_query_language_finds_as_many_as_the_manifest_says(
        seed in any::<u64>(),
        one in 0_u64..1_500,
        other in 1_u64..1_000,
    ) {
        let tables = builtin(Style::Rfc5424);
        let plan = Plan::standard(seed, Style::Rfc5424);
        let mut lines = written(&tables, &plan, 0, one);
        lines.extend(written(&tables, &plan, 1, other));
        for query in Manifest::new(&plan, &[one, other], None, None).queries {
            prop_assert_eq!(matching(&query.query, &lines), query.count, "{:?}", query);
        }
    }
}

#[test]
fn a_needle_whose_count_would_not_be_exact_is_refused() {
    let tables = builtin(Style::Rfc5424);
    let mut plan = Plan::standard(1, Style::Rfc5424);
    plan.plant("quince jam", 1, &[10], &tables)
        .expect("own word");
    for (text, count) in [
        ("", 1),
        ("client", 1),
        ("a\nb", 1),
        ("sshd", 1),
        ("deadbeef 17", 1),
        ("user", 1),
        ("more quince jam", 1),
        ("marmalade", 11),
    ] {
        plan.plant(text, count, &[10], &tables).expect_err(text);
    }
}

/// Distinct words for each word, which is what an index grows with, and zstd's part of the size.
fn likeness(lines: &[Vec<u8>]) -> (f64, f64) {
    let text = lines.join(&b'\n');
    let words: Vec<&[u8]> = model::words::words(&text).collect();
    let distinct: BTreeSet<&[u8]> = words.iter().copied().collect();
    let packed = zstd::bulk::compress(&text, 3).expect("memory");
    (
        distinct.len() as f64 / words.len() as f64,
        packed.len() as f64 / text.len() as f64,
    )
}

#[test]
fn what_is_written_is_like_what_was_learned() {
    let lines: Vec<Vec<u8>> = demo_lines(6_000)
        .into_iter()
        .filter(|line| line.windows(5).any(|five| five == b"nginx"))
        .collect();
    let tables = Arc::new(Tables::new(&learned(&lines), Style::Rfc3164, 8));
    let made = written(&tables, &Plan::empty(1), 0, lines.len() as u64);
    let (words, packed) = likeness(&lines);
    let (made_words, made_packed) = likeness(&made);
    assert!(
        (0.6..1.6).contains(&(made_words / words)),
        "{made_words} {words}"
    );
    assert!(
        (0.6..1.6).contains(&(made_packed / packed)),
        "{made_packed} {packed}"
    );
}
