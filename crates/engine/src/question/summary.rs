//! Stages that summarise: groups by what columns say of their fields, bars of them by a look at every record that
//! matches.

use std::sync::Mutex;

use model::Timestamp;
use query::{FieldName, Measure, Number, Question, Stage, Table, Target, Value};

use crate::cancel::Cancel;
use crate::histogram::edges;
use crate::limits::STATS_BYTES_MAX;
use crate::parallel::unlocked;
use crate::question::Start;
use crate::question::field_measure;
use crate::question::gather::{Added, By, gather};
use crate::question::groups::{
    Groups, Room, Values, each_key, first_of, kept_rows, push_value, row,
};
use crate::question::measure::Measured;
use crate::question::patterns::patterns;
use crate::question::records::{Keys, Records};
use crate::run::Run;
use crate::scope::Scope;

/// Rows, and whether there was no room for more.
type Gathered = (Vec<Vec<Value>>, bool);

/// The table of a stage that counts or computes, `limit` rows of it.
pub(super) fn summarise(
    scope: &Scope,
    question: &Question,
    stage: &Stage,
    limit: usize,
    cancel: &Cancel,
) -> Start {
    let mut run = Run::new(&scope.snapshots, &question.query, cancel);
    if let Stage::Measure { measure, field, by } = stage
        && by.is_empty()
        && let FieldName::Part(Target::Named(name)) = field
    {
        let found = field_measure::measure(&mut run, scope, &question.query, *measure, name);
        if found.is_full {
            run.left_out(format!(
                "more different values than fit into {STATS_BYTES_MAX} bytes"
            ));
        }
        let (cost, completeness) = run.finish();
        let columns = stage.columns().unwrap_or_default();
        let rows = vec![vec![found.number.map_or(Value::Missing, Value::Number)]];
        return Start {
            table: Table { columns, rows },
            matched: Some(found.matched),
            cost,
            completeness,
        };
    }
    let mut records = Records {
        run: &mut run,
        scope,
        query: &question.query,
        matched: 0,
    };
    let (rows, is_full) = match stage {
        Stage::Count { by } => counts(by, limit, &mut records),
        Stage::Top { field, limit: own } => {
            counts(std::slice::from_ref(field), limit.min(*own), &mut records)
        }
        Stage::Distinct { field } => distinct(field, &mut records),
        Stage::Bars { bars, by } => bars_by(*bars, by.as_slice(), limit, &mut records),
        Stage::Measure { measure, field, by } => measures(*measure, field, by, limit, &mut records),
        Stage::Patterns { limit: own, bars } => {
            let asked = (limit.min(*own), *bars);
            let (rows, is_full, matched) = patterns(records.run, scope, &question.query, asked);
            records.matched = matched;
            (rows, is_full)
        }
        // These do not summarise.
        Stage::Fields(_) | Stage::Sort { .. } | Stage::Head(_) => Gathered::default(),
    };
    let matched = records.matched;
    if is_full {
        run.left_out(format!(
            "more different values than fit into {STATS_BYTES_MAX} bytes"
        ));
    }
    let (cost, completeness) = run.finish();
    Start {
        table: Table {
            columns: stage.columns().unwrap_or_default(),
            rows,
        },
        matched: Some(matched),
        cost,
        completeness,
    }
}

/// Counts records.
fn count_all(count: &mut u64, added: Added, _: Room) -> usize {
    *count += added.times;
    0
}

fn counted(by: &[FieldName], records: &mut Records<'_, '_, '_>) -> Groups<u64> {
    let by = By {
        fields: by,
        measured: None,
    };
    gather(by, records, count_all)
}

fn counts(by: &[FieldName], limit: usize, records: &mut Records<'_, '_, '_>) -> Gathered {
    let groups = counted(by, records);
    let is_full = groups.is_full();
    let cancel = records.run.cancel();
    let counts = (groups.iter(), groups.len());
    let counts = first_of(cancel, counts, limit, |(one, count), (two, other)| {
        other.cmp(count).then_with(|| Values(one).cmp(Values(two)))
    });
    let rows = counts
        .iter()
        .map(|(key, count)| row(Values(key), Value::of_count(**count)));
    (kept_rows(cancel, rows), is_full)
}

fn distinct(field: &FieldName, records: &mut Records<'_, '_, '_>) -> Gathered {
    let groups = counted(std::slice::from_ref(field), records);
    let count = Value::of_count(groups.len() as u64);
    (vec![vec![count]], groups.is_full())
}

/// Counts by bar and value. The number of the bar is the first value of a key.
fn bars_by(
    bars: usize,
    by: &[FieldName],
    limit: usize,
    records: &mut Records<'_, '_, '_>,
) -> Gathered {
    let scope = records.scope;
    let edges = edges(scope.range, bars);
    let groups: Mutex<Groups<u64>> = Mutex::new(Groups::new(records.run.cancel()));
    let start = || (Keys::default(), Vec::new());
    records.each(by, start, |(keys, key), rows| {
        for row in rows {
            let at = scope.time.of(row.record);
            let behind = edges.partition_point(|edge| *edge <= at);
            let bar = u32::try_from(behind.saturating_sub(1)).unwrap_or(u32::MAX);
            key.clear();
            push_value(key, &bar.to_be_bytes());
            each_key(by, *row, key, &mut |key| {
                keys.push(key, Added::RECORD, &groups, &count_all);
            });
            key.clear();
        }
        keys.add_to(&groups, &count_all);
    });
    let groups = unlocked(groups);
    let is_full = groups.is_full();
    let cancel = records.run.cancel();
    let counts = (groups.iter(), groups.len());
    let counts = first_of(cancel, counts, limit, |(one, count), (two, other)| {
        let (one, two) = (Values(one), Values(two));
        let bar = one.clone().next().cmp(&two.clone().next());
        bar.then(other.cmp(count)).then_with(|| one.cmp(two))
    });
    let rows = counts.iter().filter_map(|(key, count)| {
        let mut values = Values(key);
        let bar = u32::from_be_bytes(values.next()?.try_into().ok()?);
        let start = *edges.get(bar as usize)?;
        let mut cells = vec![Value::Time(start)];
        cells.extend(row(values, Value::of_count(**count)));
        Some(cells)
    });
    (kept_rows(cancel, rows), is_full)
}

fn measures(
    measure: Measure,
    field: &FieldName,
    by: &[FieldName],
    limit: usize,
    records: &mut Records<'_, '_, '_>,
) -> Gathered {
    let by_fields = By {
        fields: by,
        measured: Some(field),
    };
    let groups = gather(
        by_fields,
        records,
        |measured: &mut Measured, added, room| {
            let number = added.number.iter();
            let added =
                number.map(|number| measured.add_times(measure, *number, added.times, room));
            added.sum()
        },
    );
    let is_full = groups.is_full();
    let value = |number| match number {
        Number::Integer(nanos) if field.is_time() => Value::Time(Timestamp::from_nanos(nanos)),
        number => Value::Number(number),
    };
    let found = groups.iter();
    let found = found.filter_map(|(key, measured)| Some((key, value(measured.finish(measure)?))));
    let cancel = records.run.cancel();
    let found = (found, groups.len());
    let mut found = first_of(cancel, found, limit, |(one, value), (two, other)| {
        let order = value.compare(other, true);
        order.then_with(|| Values(one).cmp(Values(two)))
    });
    if by.is_empty() && found.is_empty() {
        found.push((&[], Value::Missing));
    }
    let rows = found
        .into_iter()
        .map(|(key, value)| row(Values(key), value));
    (kept_rows(cancel, rows), is_full)
}
