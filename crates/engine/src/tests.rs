//! Every kind of question, compared with looking at every record.

mod again;
mod ahead;
mod among;
mod bars;
mod boundaries;
mod bounded;
mod compacted;
mod groups;
mod kinds;
mod memory_segments;
mod ordinals;
mod patterns;
mod phrases;
mod side_by_side;
mod tables;
mod trouble;
mod truncated_terms;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use model::{RecordBatch, RecordNumber, RecordRef, TimeRange};
use proptest::prelude::*;
use query::{Query, Target, naive};
use text_fields::Detector;

use crate::search::search_within;
use crate::testing::{self, Listed, list};
use crate::{
    Cancel, Counted, Cursor, FoundRow, Order, Scope, SearchOptions, StatsField, TimeKind, count,
    fields, histogram, histogram_watched, record, rows_after, search, search_each, stats,
};

/// A question to a store and the records that answer it.
struct Case {
    scope: Scope,
    query: Query,
    expected: Vec<Listed>,
}

/// Asks many questions of many stores.
fn check_all(questions: u32, check: impl Fn(&Case) -> Result<(), TestCaseError>) {
    let mut config = ProptestConfig::with_cases(12);
    config.max_shrink_iters = 200;
    let asked = (testing::queries(), testing::ranges(), testing::time_kinds());
    let asked = prop::collection::vec(asked, questions as usize);
    proptest!(config, |(steps in testing::steps(), rows in 10..60_usize, asked in asked)| {
        let directory = tempfile::tempdir().expect("a directory");
        let store = testing::open(directory.path(), rows);
        testing::perform(&store, &steps);
        for (query, range, time) in asked {
            let scope = Scope { snapshots: testing::snapshots(&store), range, time };
            let expected = list(&scope, &query);
            check(&Case { scope, query, expected })?;
        }
    });
}

fn listed(row: &FoundRow, time: TimeKind) -> Listed {
    let mut batch = RecordBatch::new();
    batch.push_record(row.record()).expect("room");
    Listed {
        at: time.of(row.record()),
        id: row.id.clone(),
        batch,
    }
}

/// Turns over the pages of a search to the end.
fn paged(case: &Case, order: Order, limit: usize) -> Vec<Listed> {
    let mut rows = Vec::new();
    let mut cursor = None;
    loop {
        let options = SearchOptions {
            limit,
            cursor,
            order,
        };
        let page = search(&case.scope, &case.query, &options, &Cancel::new());
        assert!(page.completeness.is_complete());
        assert!(page.rows.len() <= limit);
        rows.extend(page.rows.iter().map(|row| listed(row, case.scope.time)));
        let Some(next) = page.cursor else { return rows };
        cursor = Some(Cursor::parse(&next.to_string()).expect("a cursor"));
    }
}

#[test]
fn search_pages_through_all_matches_in_order() {
    check_all(24, |case| {
        for limit in [1, 7, 1_000] {
            let oldest_first = paged(case, Order::OldestFirst, limit);
            prop_assert_eq!(&oldest_first, &case.expected, "{:?}", case.query);
            let mut newest_first = paged(case, Order::NewestFirst, limit);
            newest_first.reverse();
            prop_assert_eq!(&newest_first, &case.expected, "{:?}", case.query);
        }
        Ok(())
    });
}

#[test]
fn search_each_streams_all_matches_in_order() {
    check_all(24, |case| {
        for order in [Order::OldestFirst, Order::NewestFirst] {
            let mut ids = Vec::new();
            let each = search_each(
                &case.scope,
                &case.query,
                order,
                &Cancel::new(),
                &mut |row| {
                    ids.push((case.scope.time.of(row.record), row.id()));
                    ControlFlow::Continue(())
                },
            );
            if order == Order::NewestFirst {
                ids.reverse();
            }
            let expected: Vec<_> = case
                .expected
                .iter()
                .map(|row| (row.at, row.id.clone()))
                .collect();
            prop_assert_eq!(&ids, &expected);
            prop_assert_eq!(each.rows, expected.len() as u64);
        }
        Ok(())
    });
}

#[test]
fn count_is_the_number_of_matches() {
    check_all(60, |case| {
        let found = count(&case.scope, &case.query, &Cancel::new());
        prop_assert_eq!(found.count, case.expected.len() as u64, "{:?}", case.query);
        prop_assert!(found.completeness.is_complete());
        Ok(())
    });
}

#[test]
fn histogram_counts_the_matches_of_each_bar() {
    check_all(40, |case| {
        let mut scope = case.scope.clone();
        if scope.range == TimeRange::ALL {
            scope.range = scope.stored_range().expect("there are records");
        }
        for bars in [1, 7, 60] {
            let found = histogram(&scope, &case.query, bars, &Cancel::new());
            prop_assert_eq!(found.total, case.expected.len() as u64, "{:?}", case.query);
            prop_assert!(found.bars.len() == bars || scope.range.is_empty());
            let ends = found
                .bars
                .iter()
                .skip(1)
                .map(|bar| bar.start)
                .chain([scope.range.end]);
            for (bar, end) in found.bars.iter().zip(ends) {
                let range = TimeRange {
                    start: bar.start,
                    end,
                };
                let expected = case.expected.iter().filter(|row| range.contains(row.at));
                prop_assert_eq!(bar.count, expected.count() as u64);
            }
        }
        Ok(())
    });
}

#[test]
fn a_histogram_grows_part_by_part_to_what_it_is() {
    check_all(20, |case| {
        let mut scope = case.scope.clone();
        if scope.range == TimeRange::ALL {
            scope.range = scope.stored_range().expect("there are records");
        }
        let mut seen: Vec<Vec<u64>> = Vec::new();
        let watch = &mut |counted: Counted<'_>| {
            seen.push(counted.bars().map(|bar| bar.count).collect());
        };
        let found = histogram_watched(&scope, &case.query, 7, &Cancel::new(), watch);
        prop_assert_eq!(seen.len(), scope.parts().count());
        seen.push(found.bars.iter().map(|bar| bar.count).collect());
        for pair in seen.windows(2) {
            let grows = pair[0]
                .iter()
                .zip(&pair[1])
                .all(|(less, more)| less <= more);
            prop_assert!(grows, "{seen:?}");
        }
        Ok(())
    });
}

/// The values of a record, by the simplest code.
fn values(by: &StatsField, row: &Listed, record: RecordRef<'_>) -> BTreeSet<Vec<u8>> {
    let values: Vec<Vec<u8>> = match by {
        StatsField::Host => vec![record.host().into()],
        StatsField::Program => vec![record.program().into()],
        StatsField::Pid => vec![record.pid().into()],
        StatsField::Msgid => vec![record.msgid().into()],
        StatsField::Facility => vec![record.priority().facility().name().into()],
        StatsField::Severity => vec![record.priority().severity().name().into()],
        StatsField::Source => vec![record.source().into()],
        StatsField::Peer => record
            .peer()
            .map(|peer| peer.to_canonical().to_string().into_bytes())
            .into_iter()
            .collect(),
        StatsField::Tag => record.tags().map(Vec::from).collect(),
        StatsField::Logspace => vec![row.id.logspace.as_str().into()],
        StatsField::Named(name) => naive::texts(&Target::Named(name.clone()), record),
    };
    values
        .into_iter()
        .filter(|value| !value.is_empty())
        .collect()
}

#[test]
fn stats_count_the_matches_by_value() {
    let names = [
        "host", "program", "pid", "msgid", "facility", "severity", "source", "peer", "tag",
        "logspace", "n", "meta.seq", "user", "status",
    ];
    check_all(10, |case| {
        for name in names {
            let by = StatsField::parse(name).expect("a field");
            let mut expected: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
            for row in &case.expected {
                for value in values(&by, row, row.batch.get(0).expect("one")) {
                    *expected.entry(value).or_default() += 1;
                }
            }
            let mut expected: Vec<(String, u64)> = expected
                .into_iter()
                .map(|(value, count)| (String::from_utf8_lossy(&value).into_owned(), count))
                .collect();
            expected.sort_by_key(|(_, count)| std::cmp::Reverse(*count));

            for limit in [2, 100] {
                let found = stats(case.scope.clone(), &case.query, &by, limit, &Cancel::new());
                prop_assert_eq!(found.distinct, expected.len() as u64);
                prop_assert_eq!(found.total, case.expected.len() as u64);
                let found: Vec<_> = found
                    .values
                    .into_iter()
                    .map(|value| (value.value, value.count))
                    .collect();
                prop_assert_eq!(
                    &found[..],
                    &expected[..limit.min(expected.len())],
                    "{}",
                    name
                );
            }
        }
        Ok(())
    });
}

#[test]
fn fields_are_counted_where_they_are_not_empty() {
    check_all(20, |case| {
        let mut expected: BTreeMap<String, u64> = BTreeMap::new();
        for row in &case.expected {
            let record = row.batch.get(0).expect("one");
            let names = record.fields().filter(|field| !field.value.is_empty());
            let mut names: BTreeSet<String> = names.map(|field| field.full_name()).collect();
            Detector::default().each(record.message(), &mut |name, value| {
                let name = String::from_utf8_lossy(name).into_owned();
                let name = if name == "severity" {
                    "nvpair:severity".into()
                } else {
                    name
                };
                names.extend((!value.is_empty()).then_some(name));
            });
            for (name, text) in [
                ("host", record.host()),
                ("program", record.program()),
                ("pid", record.pid()),
                ("msgid", record.msgid()),
                ("facility", b"always"),
                ("severity", b"always"),
                ("message", record.message()),
                ("source", record.source().as_bytes()),
            ] {
                names.extend((!text.is_empty()).then(|| name.to_owned()));
            }
            names.extend(record.tags().next().map(|_| "tag".to_owned()));
            names.extend(record.peer().map(|_| "peer".to_owned()));
            for name in names {
                *expected.entry(name).or_default() += 1;
            }
        }
        let found = fields(case.scope.clone(), &case.query, &Cancel::new());
        let found: BTreeMap<String, u64> = found
            .fields
            .into_iter()
            .map(|field| (field.name, field.count))
            .collect();
        prop_assert_eq!(found, expected);
        Ok(())
    });
}

#[test]
fn rows_after_goes_on_where_it_stopped() {
    check_all(20, |case| {
        for snapshot in &case.scope.snapshots {
            let scope = Scope::new(vec![snapshot.clone()]);
            let mut expected = list(&scope, &case.query);
            expected.sort_by_key(|row| row.id.number);
            for limit in [1, 5, 1_000] {
                let mut found = Vec::new();
                let mut after = RecordNumber(0);
                loop {
                    let new = rows_after(snapshot, after, &case.query, limit, &Cancel::new());
                    prop_assert!(new.last > after || new.is_at_end);
                    let received = TimeKind::Received;
                    found.extend(new.rows.iter().map(|row| listed(row, received)));
                    after = new.last;
                    if new.is_at_end {
                        break;
                    }
                }
                prop_assert_eq!(&found, &expected);
                let last = snapshot.parts.last();
                let last = last.map(|part| part.first_number().0 + u64::from(part.rows()) - 1);
                prop_assert_eq!(after.0, last.unwrap_or(0));
            }
        }
        Ok(())
    });
}

#[test]
fn every_record_is_found_by_its_name() {
    check_all(1, |case| {
        let scope = Scope::new(case.scope.snapshots.clone());
        let all = list(&scope, &Query::all());
        for row in &all {
            let found = record(&scope.snapshots, &row.id)
                .expect("readable")
                .expect("there");
            prop_assert_eq!(&listed(&found, TimeKind::Received), row);
        }
        let mut id = all[0].id.clone();
        for number in [0, 1_000_000] {
            id.number = RecordNumber(number);
            prop_assert!(record(&scope.snapshots, &id).expect("readable").is_none());
        }
        Ok(())
    });
}

#[test]
fn a_search_ends_early_rather_than_gather_too_much() {
    check_all(4, |case| {
        let options = SearchOptions {
            limit: 1_000,
            cursor: None,
            order: Order::OldestFirst,
        };
        let cancel = Cancel::new();
        let found = search_within(1, &case.scope, &case.query, &options, &cancel);
        prop_assert_eq!(found.rows.len(), case.expected.len().min(1));
        prop_assert!(found.cursor.is_some() || case.expected.len() < 2);
        prop_assert!(found.completeness.is_complete());
        Ok(())
    });
}
