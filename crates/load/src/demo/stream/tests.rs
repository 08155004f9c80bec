use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::{Offset, TimeZone};
use model::{RecordBatch, RecordRef};
use syslog::{Context, ParseOptions, Parser};

use super::*;
use crate::demo::cast::HOSTS;

/// 2026-11-21T19:00:00Z.
const START: i64 = 1_795_287_600;

/// Lines at the times the demo itself wants.
fn lines(mut demo: Demo, count: usize) -> Vec<(Timestamp, Vec<u8>)> {
    let mut time = Timestamp::from_seconds(START);
    let mut lines = Vec::new();
    while lines.len() < count {
        let mut line = Vec::new();
        demo.next_line(time, &mut line);
        lines.push((time, line));
        time = demo.next_time(time);
    }
    lines
}

/// What our parser makes of lines, in a zone.
fn parsed(lines: &[(Timestamp, Vec<u8>)], offset_seconds: i32) -> RecordBatch {
    let zone = TimeZone::fixed(Offset::from_seconds(offset_seconds).expect("in range"));
    let mut parser = Parser::new(ParseOptions {
        zone,
        ..ParseOptions::default()
    });
    let mut batch = RecordBatch::new();
    let mut parts = model::RecordParts::default();
    for (received, line) in lines {
        let context = Context {
            received: *received,
            peer: None,
        };
        parser.parse(line, &context, &mut parts);
        batch.push(line, &parts, *received, None, 0).expect("room");
    }
    batch
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("ASCII")
}

#[test]
fn the_same_seed_gives_the_same_lines() {
    let one = lines(Demo::new(7), 1_000);
    assert_eq!(one, lines(Demo::new(7), 1_000));
    assert_ne!(one, lines(Demo::new(8), 1_000));
}

#[test]
fn every_line_is_syslog_in_good_order() {
    for offset_seconds in [0, 2 * 3_600] {
        let lines = lines(Demo::new(1).with_utc_offset(offset_seconds), 8_000);
        let batch = parsed(&lines, offset_seconds);
        for record in batch.iter() {
            let line = text(record.raw());
            assert_eq!(
                record.tags().collect::<Vec<_>>(),
                Vec::<&str>::new(),
                "{line}"
            );
            assert!(
                line.len() < 1_024 && !line.contains(char::is_control),
                "{line}"
            );
            assert!(
                !record.program().is_empty() && !record.message().is_empty(),
                "{line}"
            );
            let known = HOSTS
                .iter()
                .any(|host| host.name.as_bytes() == record.host());
            assert!(known, "{line}");
            let late = record.received().nanos() - record.time().nanos();
            assert!((0..1_000_000_000).contains(&late), "{line}");
        }
    }
}

#[test]
fn there_are_many_programs_and_few_loud_hosts() {
    let batch = parsed(&lines(Demo::new(1), 20_000), 0);
    let count = |part: fn(&RecordRef<'_>) -> String| {
        let mut counts = BTreeMap::<String, u32>::new();
        for record in batch.iter() {
            *counts.entry(part(&record)).or_default() += 1;
        }
        counts
    };
    let hosts = count(|record| text(record.host()));
    assert_eq!(hosts.len(), HOSTS.len());
    let of = |place: usize| hosts[HOSTS[place].name];
    assert!(of(0) > 3 * of(12) && of(12) > of(30), "{hosts:?}");
    let programs = count(|record| text(record.program()));
    assert!(programs.len() >= 30, "{programs:?}");
    let severities = count(|record| record.priority().severity().to_string());
    let share = |name: &str| f64::from(severities[name]) / 20_000.0;
    assert!(share("info") > 0.5, "{severities:?}");
    assert!((0.01..0.2).contains(&share("err")), "{severities:?}");
    assert!(
        ["debug", "notice", "warning"]
            .iter()
            .all(|name| share(name) > 0.0)
    );
}

#[test]
fn a_mail_keeps_its_number_through_the_queue() {
    let batch = parsed(&lines(Demo::new(1), 10_000), 0);
    let mut steps = BTreeMap::<String, BTreeSet<String>>::new();
    let mails = batch
        .iter()
        .filter(|record| record.program().starts_with(b"postfix/"));
    for record in mails {
        let message = text(record.message());
        if let Some((id, _)) = message.split_once(": ") {
            steps
                .entry(id.to_owned())
                .or_default()
                .insert(text(record.program()));
        }
    }
    let complete = steps
        .values()
        .filter(|programs| programs.len() == 4)
        .count();
    assert!(complete > 30, "{complete}");
}

#[test]
fn incidents_are_made_of_errors() {
    let mut demo = Demo::new(1);
    let seconds = (0..86_400).map(|second| Timestamp::from_seconds(START + second));
    let share = |intense: bool, demo: &mut Demo| {
        let is_wanted = |time: &Timestamp| {
            let intensity = incident_at(1, *time).map_or(0.0, |incident| incident.intensity);
            if intense {
                intensity > 2.0
            } else {
                intensity == 0.0
            }
        };
        let mut written = Vec::new();
        for time in seconds.clone().filter(is_wanted).take(1_000) {
            let mut line = Vec::new();
            demo.next_line(time, &mut line);
            written.push((time, line));
        }
        let batch = parsed(&written, 0);
        let is_bad = |record: &RecordRef<'_>| record.priority().severity().number() <= 5;
        batch.iter().filter(is_bad).count() as f64 / batch.len() as f64
    };
    let (quiet, intense) = (share(false, &mut demo), share(true, &mut Demo::new(1)));
    assert!(intense > 1.5 * quiet, "{intense} {quiet}");
}

#[test]
fn what_waits_is_bounded_where_time_stands_still() {
    let mut demo = Demo::new(1);
    let mut out = Vec::new();
    for _ in 0..30_000 {
        out.clear();
        demo.next_line(Timestamp::from_seconds(START), &mut out);
        assert!(!out.is_empty());
    }
    assert!(demo.pending.len() <= PENDING_MAX);
}
