//! Runs the examples of the reference for people, so that it cannot say what is not so.

use model::{
    Facility, LogspaceName, Priority, RecordBatch, RecordId, RecordNumber, Severity, TimeRange,
    Timestamp,
};

use crate::naive::pipe::Row;
use crate::samples::{Sample, batch};
use crate::{COMMANDS, Matcher, Value, field_names, naive, parse, parse_question, parse_time};

/// When record 0 would have been received: a minute before record 1.
const START: &str = "2026-11-22T10:00:00Z";

fn reference() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/query.md");
    std::fs::read_to_string(path).expect("the reference is there")
}

fn start() -> Timestamp {
    Timestamp::parse_rfc3339(START.as_bytes()).expect("a time")
}

/// The rows of the table whose heading starts with `heading`, cut into cells.
fn table<'t>(text: &'t str, heading: &str) -> Vec<Vec<&'t str>> {
    text.lines()
        .skip_while(|line| !line.starts_with(heading))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

fn sample(cells: &[&str]) -> Sample {
    let &[
        number,
        host,
        program,
        pid,
        priority,
        peer,
        structured,
        message,
    ] = cells
    else {
        panic!("{cells:?} has other columns");
    };
    let number: i64 = number.parse().expect("a number");
    let (facility, severity) = priority.split_once('.').expect("facility.severity");
    let priority = Priority::new(
        Facility::parse(facility).expect("a facility"),
        Severity::parse(severity).expect("a severity"),
    );
    let structured = structured.trim_matches('`');
    let mut words = structured.trim_matches(['[', ']']).split(' ');
    let group = words.next().unwrap_or_default();
    let fields = words
        .map(|pair| {
            let (name, value) = pair.split_once('=').expect("name=value");
            let value = value.trim_matches('"');
            (group.into(), name.into(), value.into())
        })
        .collect();
    Sample {
        received: start().plus_nanos(number * 60_000_000_000),
        host: host.into(),
        program: program.into(),
        pid: pid.into(),
        structured_data: structured.into(),
        message: message.into(),
        fields,
        priority: priority.number(),
        peer: Some(peer.parse().expect("an address")),
        ..Sample::default()
    }
}

/// The numbers in a line such as `Finds 1, 2 and 3.`
fn numbers(line: &str, count: usize) -> Vec<usize> {
    match line {
        "Finds all." => (1..=count).collect(),
        "Finds nothing." => Vec::new(),
        _ => line
            .trim_start_matches("Finds ")
            .trim_end_matches('.')
            .split([',', ' '])
            .filter(|word| !word.is_empty() && *word != "and")
            .map(|number| number.parse().expect("a number of a record"))
            .collect(),
    }
}

#[test]
fn every_example_finds_what_the_reference_says() {
    let text = reference();
    let samples: Vec<_> = table(&text, "| number")
        .iter()
        .map(|cells| sample(cells))
        .collect();
    let records = batch(&samples);
    let mut examples = 0;
    for example in text.split("```query\n").skip(1) {
        let (query, behind) = example.split_once("\n```\n").expect("the block ends");
        let said = behind.lines().next().expect("a line follows");
        examples += 1;
        if said.starts_with("This is not valid") {
            assert!(!parse_question(query).is_valid(), "{query}");
            continue;
        }
        if said == "Gives:" {
            assert_eq!(answer(query, &records), given(behind), "{query}");
            continue;
        }
        let parsed = parse(query);
        assert_eq!(parsed.diagnostics, [], "{query}");
        let mut matcher = Matcher::new(&parsed.query);
        let mut found = Vec::new();
        for (index, record) in records.iter().enumerate() {
            let matches = naive::matches(&parsed.query.root, record);
            assert_eq!(matcher.matches(record), matches, "{query}");
            if matches {
                found.push(index + 1);
            }
        }
        assert_eq!(found, numbers(said, samples.len()), "{query}");
    }
    assert!(examples > 65, "only {examples} examples were found");
}

/// The table that a question is answered with, as text, its columns first.
fn answer(text: &str, records: &RecordBatch) -> Vec<Vec<String>> {
    let parsed = parse_question(text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    let range = TimeRange {
        start: start(),
        end: start().plus_nanos(9 * 60_000_000_000),
    };
    let named = records.iter().zip(1..).map(|(record, number)| Row {
        id: RecordId {
            logspace: LogspaceName::parse("main").expect("a name"),
            number: RecordNumber(number),
        },
        record,
        at: record.received(),
    });
    let rows: Vec<Row<'_>> = named.collect();
    let mut patterns = segment::Patterns::default();
    let pattern = |message: &[u8]| patterns.of(message).to_vec();
    let table = naive::pipe::answer(&parsed.question, &rows, range, pattern);
    let cell = |value: &Value| match value {
        Value::Missing => String::new(),
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Time(time) => time.to_string(),
    };
    let columns = table.columns.iter().map(ToString::to_string).collect();
    let rows = table.rows.iter().map(|row| row.iter().map(cell).collect());
    [columns].into_iter().chain(rows).collect()
}

/// The table that the reference gives, code taken for text.
fn given(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().skip(1).skip_while(|line| line.is_empty());
    let lines = lines.take_while(|line| line.starts_with('|'));
    let lines = lines.filter(|line| !line.starts_with("|---"));
    lines
        .map(|line| {
            let cells = line.trim_matches('|').split('|');
            cells.map(|cell| cell.trim().replace('`', "")).collect()
        })
        .collect()
}

#[test]
fn every_command_is_in_the_reference() {
    let text = reference();
    let rows = table(&text, "| command");
    for command in COMMANDS {
        let shown = rows.iter().any(|cells| {
            let name = format!("`{}", command.name);
            cells[0].contains(&name) || cells[0].starts_with("`p50`") && command.name == "p95"
        });
        assert!(shown, "{}", command.name);
    }
}

#[test]
fn every_time_of_the_reference_is_read() {
    let text = reference();
    let rows = table(&text, "| form");
    assert_eq!(rows.len(), 8);
    for example in rows.iter().flat_map(|cells| cells[1].split(", ")) {
        let time = parse_time(example.trim_matches('`'), Timestamp::from_seconds(0));
        assert!(time.is_ok(), "{example}");
    }
}

#[test]
fn every_field_of_the_reference_is_known() {
    let text = reference();
    let mut rows = table(&text, "| field");
    assert!(rows.pop().is_some_and(|row| row[0] == "any other"));
    let mut names: Vec<_> = rows
        .iter()
        .flat_map(|cells| cells[0].split(", "))
        .map(|name| name.trim_matches('`'))
        .collect();
    let mut known: Vec<_> = field_names().collect();
    names.sort_unstable();
    known.sort_unstable();
    assert_eq!(names, known);
}
