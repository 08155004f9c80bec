//! Files as an import dates and cuts them.

use proptest::prelude::*;

use super::*;

fn import(time: ImportTime, lines: &[&str]) -> Vec<(String, i64)> {
    let now = Timestamp::from_seconds(1_800_000_000);
    let mut importer = Importer::new(ParseOptions::default(), time, now, "import");
    for line in lines {
        assert!(importer.push(line.as_bytes()).is_none());
    }
    let batch = importer.finish().expect("records");
    let seen = |r: model::RecordRef<'_>| {
        (
            String::from_utf8_lossy(r.raw()).into_owned(),
            r.received().nanos() / 1_000_000_000 - 1_800_000_000,
        )
    };
    batch.iter().map(seen).collect()
}

#[test]
fn lines_without_a_time_take_that_of_the_line_before() {
    let lines = [
        "first",
        "<13>1 2027-01-15T08:00:10Z h p - - - x",
        "\tat Main.java:1\r",
        "",
    ];
    let found = import(ImportTime::Message, &lines);
    assert_eq!(
        found,
        [
            ("first".to_owned(), 0),
            ("<13>1 2027-01-15T08:00:10Z h p - - - x".to_owned(), 10),
            ("\tat Main.java:1\r".to_owned(), 10),
        ]
    );
}

#[test]
fn log_files_that_are_no_syslog_have_their_times() {
    let lines = [
        "1.2.3.4 - - [15/Jan/2027:08:00:07 +0000] \"GET / HTTP/1.1\" 200 1",
        "[2027-01-15 08:00:08,250] WARN x",
        "java.lang.Error: x",
        "{\"ts\":1800000009.5}",
    ];
    let found = import(ImportTime::Message, &lines);
    let times: Vec<i64> = found.into_iter().map(|(_, time)| time).collect();
    assert_eq!(times, [7, 8, 8, 9]);
}

#[test]
fn now_files_everything_under_the_import() {
    let found = import(
        ImportTime::Now,
        &["<13>1 2001-01-15T08:00:10Z h p - - - x", "y"],
    );
    assert!(found.iter().all(|(_, received)| *received == 0));
}

/// What a scan says that parses each line.
fn first_year_of_all(anchor: Timestamp, lines: &[&str]) -> Option<i16> {
    let mut scan = YearScan::new(ParseOptions::default(), anchor);
    for line in lines {
        scan.see_whole(line.as_bytes());
    }
    scan.first_year()
}

proptest! {
    #[test]
    fn passing_over_lines_of_a_day_changes_no_year(
        steps in prop::collection::vec((-20_i64..40, 1_usize..6, 0_u8..8), 1..60),
        anchor_days in 0_i64..3_000,
    ) {
        let day = 86_400 * 1_000_000_000;
        let anchor = Timestamp::parse_rfc3339(b"2020-02-20T12:00:00Z").expect("a time");
        let anchor = anchor.plus_nanos(anchor_days * day);
        // From far back up to the anchor, with days and hours between, and some steps back.
        let total: i64 = steps.iter().map(|(days, ..)| days).sum();
        let mut time = anchor.plus_nanos(-total.max(0) * day);
        let mut lines = Vec::new();
        for (days, count, form) in steps {
            time = time.plus_nanos(days * day);
            for line in 0..count {
                let time = time.plus_nanos(line as i64 * 5 * 3_600 * 1_000_000_000).to_civil();
                let months = [
                    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
                ];
                let month = months[usize::from(time.month) - 1];
                let (year, day, hour) = (time.year, time.day, time.hour);
                lines.push(match form {
                    0 => format!("<34>1 {year}-{:02}-{day:02}T{hour:02}:00:00Z h a - - - x", time.month),
                    1 => "no stamp".to_owned(),
                    2 => format!("{month} {day:>2} {hour:02}:00:00 {year} h a: x"),
                    3 => format!("<34>{month} {day:02} {year} {hour:02}:00:00 h a: x"),
                    4 => format!("{month} {day:>2} {hour:02}:00:00 h a: x"),
                    _ => format!("<34>{month} {day:>2} {hour:02}:00:00 h a: x"),
                });
            }
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut scan = YearScan::new(ParseOptions::default(), anchor);
        lines.iter().for_each(|line| scan.see(line.as_bytes()));
        prop_assert_eq!(scan.first_year(), first_year_of_all(anchor, &lines));
    }
}

/// Imports a file with what a scan of it says, and gives the years of its records' times.
fn years_of(anchor: &str, lines: &[&str]) -> Vec<i16> {
    let anchor = Timestamp::parse_rfc3339(anchor.as_bytes()).expect("a time");
    let mut scan = YearScan::new(ParseOptions::default(), anchor);
    for line in lines {
        scan.see(line.as_bytes());
    }
    years_as(
        Years {
            anchor,
            first: scan.first_year(),
        },
        lines,
    )
}

fn years_as(years: Years, lines: &[&str]) -> Vec<i16> {
    let now = Timestamp::parse_rfc3339(b"2026-11-28T10:00:00Z").expect("a time");
    let options = ParseOptions::default();
    let mut importer = Importer::new(options.clone(), ImportTime::Message, now, "import")
        .with_years(years, &options);
    for line in lines {
        assert!(importer.push(line.as_bytes()).is_none());
    }
    let batch = importer.finish().expect("records");
    batch
        .iter()
        .map(|record| {
            assert_eq!(record.time(), record.received());
            record.time().to_civil().year
        })
        .collect()
}

#[test]
fn a_file_is_dated_by_when_it_was_written_last() {
    let turn = [
        "Dec 31 23:59:59 h a: x",
        "Feb 28 10:00:00 h a: x",
        "Feb 29 10:00:00 h a: x",
        "Mar  1 10:00:00 h a: x",
    ];
    let expected = [2019, 2020, 2020, 2020];
    assert_eq!(years_of("2020-03-02T00:00:00Z", &turn), expected);
    // A clock may run ahead a little.
    assert_eq!(years_of("2020-02-25T00:00:00Z", &turn), expected);
    // The file was copied since: its leap day knows better.
    for copied in [
        "2021-06-01T00:00:00Z",
        "2023-03-02T00:00:00Z",
        "2022-12-31T23:00:00Z",
    ] {
        assert_eq!(years_of(copied, &turn), expected, "{copied}");
    }
    assert_eq!(
        years_of(
            "2023-01-05T00:00:00Z",
            &["<13>Jan  4 00:00:00 h a: x", "no stamp"]
        ),
        [2023, 2023]
    );
}

#[test]
fn years_go_back_at_their_turns() {
    let months = ["Jan", "Mar", "May", "Jul", "Sep", "Nov"];
    let mut lines = Vec::new();
    let mut expected = Vec::new();
    for year in 2016..=2019_i16 {
        for month in months {
            lines.push(format!("<13>{month} 10 10:00:00 h a: x"));
            expected.push(year);
        }
    }
    lines.push("<13>Jan  2 10:00:00 h a: x".to_owned());
    expected.push(2020);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(years_of("2020-01-03T00:00:00Z", &lines), expected);
    // From any line on.
    for start in 1..lines.len() {
        assert_eq!(
            years_of("2020-01-03T00:00:00Z", &lines[start..]),
            expected[start..]
        );
    }
    // And where all of it is a few days more than a year.
    let long = [
        "Mar 20 10:00:00 h a: x",
        "Jun  1 10:00:00 h a: x",
        "Sep  1 10:00:00 h a: x",
        "Dec  1 10:00:00 h a: x",
        "Mar 21 10:00:00 h a: x",
    ];
    assert_eq!(
        years_of("2020-03-21T12:00:00Z", &long),
        [2019, 2019, 2019, 2019, 2020]
    );
    // Glog has no year either.
    let glog = [
        "I0610 12:34:56.1 x",
        "W1201 12:34:56.1 x",
        "I0301 12:34:56.1 x",
        "I0801 10:00:00.1 x",
    ];
    assert_eq!(
        years_of("2020-08-02T00:00:00Z", &glog),
        [2019, 2019, 2020, 2020]
    );
}

#[test]
fn a_clock_that_starts_wrong_is_no_turn() {
    let lines = [
        "<13>Nov 20 10:00:00 h a: x",
        "<13>Jan  1 00:00:05 h a: boots",
        "<13>Nov 20 10:01:00 h a: x",
        "<13>Mar  1 00:00:05 h a: boots",
        "<13>Mar  1 00:00:06 h a: boots",
        "<13>Nov 20 10:02:00 h a: x",
        "<13>Jan  1 00:00:05 h a: boots and dies",
    ];
    assert_eq!(years_of("2024-11-20T12:00:00Z", &lines), [2024; 7]);
    // Nor is a gap of most of a year.
    let gap = ["<13>Jan 10 10:00:00 h a: x", "<13>Aug 20 10:00:00 h a: x"];
    assert_eq!(years_of("2024-08-20T12:00:00Z", &gap), [2024, 2024]);
}

#[test]
fn a_year_that_is_said_is_that_of_the_first_line() {
    let lines = [
        "<13>Dec 31 23:59:59 h a: x",
        "<13>Jan  1 00:00:01 h a: x",
        "<13>Jun  1 00:00:01 h a: x",
        "<13>Nov 30 00:00:01 h a: x",
        "<13>Dec 31 23:59:59 h a: x",
        "<13>Jan  1 00:00:01 h a: x",
    ];
    let anchor = Timestamp::parse_rfc3339(b"2026-11-28T10:00:00Z").expect("a time");
    let years = Years {
        anchor,
        first: Some(2011),
    };
    assert_eq!(
        years_as(years, &lines),
        [2011, 2012, 2012, 2012, 2012, 2013]
    );
    // Stamps with a year keep it.
    let mixed = ["<13>2003-05-05T10:00:00Z h a: x", lines[0], lines[1]];
    assert_eq!(years_as(years, &mixed), [2003, 2011, 2012]);
}

/// Feeds a file in pieces of a length and gives its lines and what was taken.
fn feed(file: &[u8], piece: usize) -> (Vec<Vec<u8>>, ImportProgress) {
    let now = Timestamp::from_seconds(1_800_000_000);
    let importer = Importer::new(ParseOptions::default(), ImportTime::Now, now, "import");
    let mut feed = LineFeed::new(importer);
    let mut full = Vec::new();
    for piece in file.chunks(piece) {
        feed.take(piece, &mut full);
    }
    feed.finish(&mut full);
    let raws = full
        .iter()
        .flat_map(RecordBatch::iter)
        .map(|record| record.raw().to_vec());
    (raws.collect(), feed.importer().progress())
}

#[test]
fn any_pieces_give_the_same_lines_and_holes_are_none() {
    let hole = [0; 4096];
    let file = [
        &hole[..],
        b"<13>first\r\n\n\r\n\0\0\0\0<13>few\n",
        &hole[..100],
        b"<13>behind a hole\n",
        &hole[..],
        b"\nlast\0\0",
    ]
    .concat();
    let expected = [
        &b"<13>first\r"[..],
        b"\0\0\0\0<13>few",
        b"<13>behind a hole",
        b"last\0\0",
    ];
    for piece in [1, 2, 3, 7, 50, 4095, 4096, 4097, usize::MAX] {
        let (lines, progress) = feed(&file, piece);
        assert_eq!(lines, expected, "by {piece}");
        assert_eq!(
            (progress.records, progress.skipped_bytes),
            (4, 4096 + 100 + 4096)
        );
        assert_eq!(progress.empty_lines, 3);
    }
    assert_eq!(feed(&hole, 100).1.skipped_bytes, 4096);
    assert_eq!(feed(b"\0\0", 1).0, [b"\0\0"]);
}
