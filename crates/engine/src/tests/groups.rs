//! Records by the values of several fields, more of them than a thread has room for.

use model::{LogspaceName, Tag};
use query::parse_question;

use super::tables::defined;
use crate::limits::GROUPS_OWN_BYTES_MAX;
use crate::testing::{self, Sample, batch};
use crate::{Cancel, Scope, tabulate};

const ROWS: usize = 600;

/// Of some rows the values find no room together, of one not even its own beside others.
fn sample(row: usize) -> Sample {
    let mixed = (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 40;
    let long = "v".repeat(match row {
        78 => GROUPS_OWN_BYTES_MAX / 2,
        300..400 => GROUPS_OWN_BYTES_MAX / 64,
        _ => 3,
    });
    Sample {
        received: row as i64 * 1_000,
        host: format!("web-{:02}", mixed % 7),
        program: ["sshd", "cron"][mixed / 8 % 2].to_owned(),
        pid: (mixed / 16 % 5).to_string(),
        priority: (mixed / 128 % 24) as u8,
        time: Some((mixed % 977) as i64 * 1_000),
        source: row % 3,
        peer: [
            None,
            "10.0.0.1".parse().ok(),
            "::ffff:10.0.0.1".parse().ok(),
        ][mixed % 3],
        tags: [
            0,
            Tag::Empty.bit(),
            Tag::Empty.bit() | Tag::MissingPri.bit(),
        ][mixed / 3 % 3],
        message: match row % 3 {
            0 => format!("job={long}{} took={}", mixed % 400, mixed / 1024 % 9),
            1 => format!("took={} took={} job={row}", row % 2, mixed % 2),
            _ => format!("no field of {row}"),
        }
        .into_bytes(),
        fields: match row % 5 {
            0 => vec![(
                "meta".to_owned(),
                "took".to_owned(),
                (mixed % 3).to_string(),
            )],
            _ => Vec::new(),
        },
        glue: row.is_multiple_of(5).then_some("a"),
        ..Sample::default()
    }
}

#[test]
fn groups_of_any_size_are_those_of_the_definition() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::open(directory.path(), ROWS);
    let main = LogspaceName::main();
    let samples: Vec<Sample> = (0..ROWS).map(sample).collect();
    store.import(&main, batch(&samples)).expect("imported");
    let mut scope = Scope::new(vec![store.snapshot(&main).expect("there")]);
    scope.range = scope.stored_range().expect("rows");
    for text in [
        "* | count by host, severity",
        "* | count by job, host",
        "* | count by program, job, pid",
        "* | count by job, host, severity, logspace",
        "NOT web | count by took, facility, logspace",
        "program:sshd | avg took by host",
        "* | sum took by job",
        "* | max severity by program",
        "* | p50 pid",
        "* | p90 took by severity, host",
        "* | min facility",
        "* | count by source, host",
        "* | count by peer, severity",
        "job | count by tag, program",
        "NOT 7 | count by message, pid",
        "* | distinct message",
        "* | max received by host, program",
        "* | min time by job",
        "* | max time",
    ] {
        let parsed = parse_question(text);
        assert_eq!(parsed.diagnostics, [], "{text}");
        let question = parsed.question;
        let rows = testing::list(&scope, &question.query);
        let expected = defined(&question, &rows, scope.range);
        let found = tabulate(&scope, &question, 10_000, &Cancel::new());
        assert!(found.completeness.is_complete(), "{text}");
        // Without what makes no difference to be read.
        assert!(found.table == expected, "{text}");
        assert!(!expected.rows.is_empty(), "{text}");
    }
}
