//! What the stages of a pipe make of records.
//!
//! A record has any number of values of a field, most often one. It counts once for each different
//! value that is not empty, and of several fields for each combination; so it does not count where
//! it has none. A measure is made of all numbers in the field, equal ones too.

use std::collections::{BTreeMap, BTreeSet};

use model::{RecordId, RecordRef, TimeRange, Timestamp};

use crate::ast::{Number, Target};
use crate::naive::{matches, texts};
use crate::question::{Column, FieldName, Measure, Question, Stage, Table, Value, default_columns};
use crate::sum::Sum;

/// A record that may be counted, and its name.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// Its name.
    pub id: RecordId,
    /// The record.
    pub record: RecordRef<'a>,
    /// The time that counts for ranges, bars and order: that of receipt, or that of the sender.
    pub at: Timestamp,
}

/// Values by which records are told apart, each not empty.
type Key = Vec<Vec<u8>>;

/// The answer to a question, from records in any order. `range` is what bars are cut from, and
/// `pattern` gives what a message has in common with others of its kind.
pub fn answer(
    question: &Question,
    rows: &[Row<'_>],
    range: TimeRange,
    mut pattern: impl FnMut(&[u8]) -> Vec<u8>,
) -> Table {
    let mut found: Vec<&Row<'_>> = rows
        .iter()
        .filter(|row| range.contains(row.at))
        .filter(|row| matches(&question.query.root, row.record))
        .collect();
    found.sort_by_key(|row| (row.at, &row.id));
    let mut left = question.stages.iter().peekable();
    let mut table = match left.peek() {
        Some(stage)
            if !matches!(
                stage,
                Stage::Fields(_) | Stage::Sort { .. } | Stage::Head(_)
            ) =>
        {
            let columns = stage.columns().unwrap_or_default();
            let rows = summarise(stage, &found, range, &mut pattern);
            left.next();
            Table { columns, rows }
        }
        _ => {
            found.reverse();
            list(&found, question)
        }
    };
    for stage in left {
        table = table.then(stage);
    }
    if question
        .stages
        .iter()
        .all(|stage| stage.columns().is_none())
    {
        table = table.then(&Stage::Fields(default_columns()));
    }
    table
}

/// A table of every column that any stage or the default names.
fn list(rows: &[&Row<'_>], question: &Question) -> Table {
    let mut columns = default_columns();
    for stage in &question.stages {
        match stage {
            Stage::Fields(more) => columns.extend(more.iter().cloned()),
            Stage::Sort { column, .. } => columns.push(column.clone()),
            _ => {}
        }
    }
    let values = |row: &&Row<'_>| {
        let value = |column: &Column| match column {
            Column::Field(field) => cell(field, row),
            _ => Value::Missing,
        };
        columns.iter().map(value).collect()
    };
    let rows = rows.iter().map(values).collect();
    Table { columns, rows }
}

fn summarise(
    stage: &Stage,
    rows: &[&Row<'_>],
    range: TimeRange,
    pattern: &mut dyn FnMut(&[u8]) -> Vec<u8>,
) -> Vec<Vec<Value>> {
    match stage {
        Stage::Count { by } => most_first(&groups(rows, by), usize::MAX),
        Stage::Top { field, limit } => {
            most_first(&groups(rows, std::slice::from_ref(field)), *limit)
        }
        Stage::Distinct { field } => {
            let distinct = groups(rows, std::slice::from_ref(field)).len();
            vec![vec![Value::of_count(distinct as u64)]]
        }
        Stage::Bars { bars, by } => (0..*bars)
            .map(|index| bar(range, index, *bars))
            .filter(|_| !range.is_empty())
            .flat_map(|bar| {
                let inside = rows.iter().filter(|row| bar.contains(row.at));
                let inside: Vec<_> = inside.copied().collect();
                let counts = most_first(&groups(&inside, by.as_slice()), usize::MAX);
                let start = |counts| [vec![Value::Time(bar.start)], counts].concat();
                counts.into_iter().map(start).collect::<Vec<_>>()
            })
            .collect(),
        Stage::Measure { measure, field, by } => measures(*measure, field, &groups(rows, by)),
        Stage::Patterns { limit, bars } => {
            let bars = bars.map(|bars| (range, bars));
            patterns(rows, pattern, *limit, bars)
        }
        Stage::Fields(_) | Stage::Sort { .. } | Stage::Head(_) => Vec::new(),
    }
}

/// The records of each combination of values, in the order of the values. Without a field that is
/// one group, also where there are no records.
fn groups<'a, 'r>(rows: &[&'a Row<'r>], by: &[FieldName]) -> BTreeMap<Key, Vec<&'a Row<'r>>> {
    let mut groups: BTreeMap<Key, Vec<&Row<'_>>> = BTreeMap::new();
    if by.is_empty() {
        groups.insert(Key::new(), Vec::new());
    }
    for row in rows {
        let mut keys: BTreeSet<Key> = [Key::new()].into();
        for field in by {
            keys = keys
                .iter()
                .flat_map(|key| {
                    let values = values(field, row).into_iter();
                    values.map(move |value| [key.clone(), vec![value]].concat())
                })
                .collect();
        }
        for key in keys {
            groups.entry(key).or_default().push(row);
        }
    }
    groups
}

/// The most frequent first, equally frequent ones in the order of their bytes.
fn most_first(groups: &BTreeMap<Key, Vec<&Row<'_>>>, limit: usize) -> Vec<Vec<Value>> {
    let mut counts: Vec<_> = groups.iter().map(|(key, rows)| (key, rows.len())).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(limit);
    let row = |(key, count): (&Key, usize)| with_key(key, Value::of_count(count as u64));
    counts.into_iter().map(row).collect()
}

/// The largest first, equal ones in the order of the bytes. Groups without a number are left out,
/// but where there is but one.
fn measures(
    measure: Measure,
    field: &FieldName,
    groups: &BTreeMap<Key, Vec<&Row<'_>>>,
) -> Vec<Vec<Value>> {
    let mut found = Vec::new();
    for (key, rows) in groups {
        let numbers: Vec<Number> = rows.iter().flat_map(|row| numbers(field, row)).collect();
        match measured(measure, numbers) {
            Some(Number::Integer(nanos)) if field.is_time() => {
                found.push((key, Value::Time(Timestamp::from_nanos(nanos))));
            }
            Some(number) => found.push((key, Value::Number(number))),
            None if key.is_empty() => found.push((key, Value::Missing)),
            None => {}
        }
    }
    found.sort_by(|(_, one), (_, two)| one.compare(two, true));
    found
        .into_iter()
        .map(|(key, value)| with_key(key, value))
        .collect()
}

fn measured(measure: Measure, mut numbers: Vec<Number>) -> Option<Number> {
    // Of equal numbers, the whole ones come first.
    numbers.sort_by(|one, two| one.order(*two));
    let mut sum = Sum::default();
    for number in &numbers {
        sum.add(*number);
    }
    let number = match measure {
        Measure::Sum => sum.total(),
        Measure::Avg => sum.mean(),
        Measure::Min => numbers.first().copied(),
        Measure::Max => {
            let last = *numbers.last()?;
            numbers
                .into_iter()
                .find(|number| number.compare(last).is_eq())
        }
        Measure::Percentile(thousandths) => {
            let rank = (numbers.len() * usize::from(thousandths)).div_ceil(1_000);
            numbers.get(rank.checked_sub(1)?).copied()
        }
    };
    number.map(Number::without_negative_zero)
}

fn patterns(
    rows: &[&Row<'_>],
    pattern: &mut dyn FnMut(&[u8]) -> Vec<u8>,
    limit: usize,
    bars: Option<(TimeRange, usize)>,
) -> Vec<Vec<Value>> {
    let mut groups: BTreeMap<Vec<u8>, Vec<&Row<'_>>> = BTreeMap::new();
    for row in rows {
        groups
            .entry(pattern(row.record.message()))
            .or_default()
            .push(row);
    }
    let mut counts: Vec<_> = groups.into_iter().collect();
    counts.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
    counts.truncate(limit);
    let row = |(pattern, rows): (Vec<u8>, Vec<&Row<'_>>)| {
        let first = rows.first()?;
        let mut cells = vec![
            Value::of_text(&pattern),
            Value::of_count(rows.len() as u64),
            Value::Time(first.at),
            Value::of_text(first.record.message()),
        ];
        cells.extend(bars.map(|(range, bars)| Value::of_counts(&per_bar(&rows, range, bars))));
        Some(cells)
    };
    counts.into_iter().filter_map(row).collect()
}

/// How many of the rows are in each bar.
fn per_bar(rows: &[&Row<'_>], range: TimeRange, bars: usize) -> Vec<u64> {
    (0..bars)
        .map(|index| bar(range, index, bars))
        .filter(|_| !range.is_empty())
        .map(|bar| rows.iter().filter(|row| bar.contains(row.at)).count() as u64)
        .collect()
}

fn with_key(key: &Key, value: Value) -> Vec<Value> {
    let key = key.iter().map(|part| Value::of_text(part));
    key.chain([value]).collect()
}

/// One of the equal stretches of a range; they differ by a nanosecond at most.
fn bar(range: TimeRange, index: usize, bars: usize) -> TimeRange {
    let start = i128::from(range.start.nanos());
    let length = i128::from(range.end.nanos()) - start;
    let edge = |index: usize| {
        let nanos = start + length * index as i128 / bars as i128;
        Timestamp::from_nanos(i64::try_from(nanos).unwrap_or(i64::MAX))
    };
    TimeRange {
        start: edge(index),
        end: edge(index + 1),
    }
}

/// The different values of a field, those that are not empty.
pub fn values(field: &FieldName, row: &Row<'_>) -> BTreeSet<Vec<u8>> {
    let values = all_values(field, row).into_iter();
    values.filter(|value| !value.is_empty()).collect()
}

fn all_values(field: &FieldName, row: &Row<'_>) -> Vec<Vec<u8>> {
    match field {
        FieldName::Id => vec![row.id.to_string().into()],
        FieldName::Received => vec![row.record.received().to_string().into()],
        FieldName::Time => vec![row.record.time().to_string().into()],
        FieldName::Logspace => vec![row.id.logspace.as_str().into()],
        FieldName::Part(target) => texts(target, row.record),
    }
}

/// The numbers in a field. Severities and facilities are their codes, times their nanoseconds.
fn numbers(field: &FieldName, row: &Row<'_>) -> Vec<Number> {
    let priority = row.record.priority();
    match field {
        FieldName::Received => vec![Number::Integer(row.record.received().nanos())],
        FieldName::Time => vec![Number::Integer(row.record.time().nanos())],
        FieldName::Part(Target::Severity) => {
            vec![Number::Integer(priority.severity().number().into())]
        }
        FieldName::Part(Target::Facility) => {
            vec![Number::Integer(priority.facility().number().into())]
        }
        _ => {
            let texts = all_values(field, row);
            texts
                .iter()
                .filter_map(|text| Number::parse(text))
                .collect()
        }
    }
}

/// What a list of records shows of a field: its values, side by side.
fn cell(field: &FieldName, row: &Row<'_>) -> Value {
    match field {
        FieldName::Received => Value::Time(row.record.received()),
        FieldName::Time => Value::Time(row.record.time()),
        _ => {
            let texts = all_values(field, row);
            let texts: Vec<_> = texts.into_iter().filter(|text| !text.is_empty()).collect();
            Value::of_text(&texts.join(&b", "[..]))
        }
    }
}
