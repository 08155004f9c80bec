//! Questions with a pipe, compared with their definition.

use model::TimeRange;
use proptest::prelude::*;
use query::naive::pipe::{self, Row};
use query::{Query, Question, Table, parse_question};
use segment::Patterns;

use super::{Case, check_all};
use crate::testing::Listed;
use crate::{Cancel, Scope, tabulate};

/// Every stage, of every kind of field, and what may follow.
const PIPES: [&str; 50] = [
    "| count",
    "| count by host",
    "| count by host, program",
    "| count by n, tag, meta.seq",
    "| count by peer | sort peer | head 2",
    "| count by logspace, severity",
    "| count by received | head 3",
    "| count by id | sort count | head 3",
    "| count by message, source | fields count, message",
    "| count by n, n@x | head 1",
    "| top host 1",
    "| top message 3",
    "| top severity",
    "| top facility 2",
    "| top n 2 | sort n desc",
    "| top tag",
    "| top status",
    "| top client 3",
    "| avg bytes",
    "| count by path, n",
    "| distinct host",
    "| distinct n",
    "| distinct time",
    "| distinct absent",
    "| bars 7",
    "| bars 7 by severity",
    "| bars 3 by n | sort count desc | head 2",
    "| sum n",
    "| avg n by host",
    "| min n by program, severity",
    "| max n",
    "| sum severity by logspace",
    "| avg absent",
    "| avg absent by host",
    "| min received by host",
    "| max time",
    "| p50 n",
    "| p99.9 n by tag",
    "| p1 facility",
    "| patterns",
    "| patterns bars 6",
    "| patterns 3 bars | sort count | fields bars, count",
    "| patterns 2 | sort first desc | fields first, count",
    "",
    "| head 3",
    "| sort n desc | fields id, n, tag",
    "| fields id, host, n | sort host | sort n | head 5 | sort id desc | head 3",
    "| head 6 | sort message desc | fields message, peer, received",
    "| sort program | head 4 | sort logspace desc | head 2",
    "| fields severity, facility, source | head 2",
];

/// The table that the definition gives for some records that match.
pub(super) fn defined(question: &Question, found: &[Listed], range: TimeRange) -> Table {
    fn named(row: &Listed) -> Row<'_> {
        Row {
            id: row.id.clone(),
            record: row.batch.get(0).expect("one"),
            at: row.at,
        }
    }
    let rows: Vec<Row<'_>> = found.iter().map(named).collect();
    let mut patterns = Patterns::default();
    let pattern = |message: &[u8]| patterns.of(message).to_vec();
    pipe::answer(question, &rows, range, pattern)
}

fn expected(case: &Case, question: &Question) -> Table {
    defined(question, &case.expected, case.scope.range)
}

fn question(case: &Case, pipe: &str) -> Question {
    let parsed = parse_question(pipe);
    assert_eq!(parsed.diagnostics, [], "{pipe}");
    Question {
        query: case.query.clone(),
        stages: parsed.question.stages,
    }
}

/// The case with the range that bars are cut from.
fn bounded(case: &Case) -> Case {
    let mut scope = case.scope.clone();
    if scope.range == TimeRange::ALL {
        scope.range = scope.stored_range().expect("there are records");
    }
    Case {
        scope,
        query: case.query.clone(),
        expected: case.expected.clone(),
    }
}

#[test]
fn tables_are_those_of_the_definition() {
    check_all(2, |case| {
        let case = bounded(case);
        for pipe in PIPES {
            let question = question(&case, pipe);
            let found = tabulate(&case.scope, &question, 1_000, &Cancel::new());
            let wanted = expected(&case, &question);
            prop_assert!(found.completeness.is_complete());
            prop_assert_eq!(found.table, wanted, "{}", question.canonical());
            prop_assert!(!found.has_more);
        }
        Ok(())
    });
}

#[test]
fn a_table_that_is_cut_says_so() {
    check_all(2, |case| {
        let case = bounded(case);
        for pipe in PIPES {
            let question = question(&case, pipe);
            let wanted = expected(&case, &question);
            for rows_max in [1, 2, 5] {
                let found = tabulate(&case.scope, &question, rows_max, &Cancel::new());
                prop_assert_eq!(found.has_more, wanted.rows.len() > rows_max, "{}", pipe);
                let mut cut = wanted.clone();
                cut.rows.truncate(rows_max);
                prop_assert_eq!(found.table, cut, "{}", question.canonical());
            }
        }
        Ok(())
    });
}

#[test]
fn a_question_that_is_stopped_says_so() {
    check_all(1, |case| {
        let case = Case {
            scope: Scope::new(case.scope.snapshots.clone()),
            query: Query::all(),
            expected: Vec::new(),
        };
        let case = bounded(&case);
        let cancel = Cancel::new();
        cancel.cancel();
        for pipe in PIPES {
            let question = question(&case, pipe);
            let found = tabulate(&case.scope, &question, 10, &cancel);
            prop_assert!(!found.completeness.is_complete(), "{}", pipe);
        }
        Ok(())
    });
}
