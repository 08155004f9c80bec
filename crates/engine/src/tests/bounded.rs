//! Questions that share a bound of memory, and how soon one ends that was stopped.

use std::ops::ControlFlow;

use model::LogspaceName;
use query::{parse, parse_question};

use crate::limits::THREAD_BYTES;
use crate::parallel::threads_max;
use crate::testing::{self, Sample, batch};
use crate::{
    Budget, Cancel, Order, Scope, SearchOptions, StatsField, count, fields, histogram, search,
    search_each, stats, tabulate,
};

const ROWS: usize = 3_000;

/// Records of many hosts, each with a message of its own, most of them in a segment.
fn scope(directory: &std::path::Path) -> Scope {
    let store = testing::open(directory, ROWS);
    let sample = |row: usize| Sample {
        received: 1_790_000_000_000_000_000 + row as i64,
        message: format!("user=u{row} request {row:x} took={}", row * 7).into_bytes(),
        host: format!("host-{row}"),
        ..Sample::default()
    };
    let samples: Vec<Sample> = (0..ROWS).map(sample).collect();
    let main = LogspaceName::main();
    store.import(&main, batch(&samples)).expect("imported");
    testing::append(&store, &main, batch(&samples[..500]));
    Scope::new(vec![store.snapshot(&main).expect("there")])
}

/// What threads take before they keep anything.
fn of_threads() -> usize {
    threads_max() * THREAD_BYTES
}

/// Asks everything that keeps something for each record or value; what each says is missing.
fn ask_all(scope: &Scope, budget: &Budget) -> Vec<(String, Option<String>)> {
    let mut said = Vec::new();
    let mut note = |what: &str, completeness: &crate::Completeness| {
        said.push((what.to_owned(), completeness.reason().map(str::to_owned)));
        // The answer is dropped, and its switch with it.
        assert_eq!(budget.taken_bytes(), 0, "{what}");
    };
    for pipe in [
        "| sort message | head 100000",
        "| head 100000",
        "| count by host, message",
        "| top message 100000",
        "| sum took by host",
        "| p50 took by host",
        "| bars 3 by host",
        "| patterns 1000",
    ] {
        let question = parse_question(pipe).into_result().expect("valid");
        let cancel = Cancel::within(budget);
        let found = tabulate(scope, &question, 100_000, &cancel);
        drop(cancel);
        note(pipe, &found.completeness);
    }
    let query = parse("").into_result().expect("valid");
    for by in [StatsField::Host, StatsField::Named("user".to_owned())] {
        let found = stats(scope.clone(), &query, &by, 100_000, &Cancel::within(budget));
        note(&format!("{by:?}"), &found.completeness);
    }
    let options = SearchOptions {
        limit: 10_000,
        ..SearchOptions::default()
    };
    let found = search(scope, &query, &options, &Cancel::within(budget));
    note("a page", &found.completeness);
    said
}

#[test]
fn a_question_without_memory_says_so_and_gives_back_what_it_had() {
    let directory = tempfile::tempdir().expect("a directory");
    let scope = scope(directory.path());
    let (large, small) = (1 << 30, THREAD_BYTES + 64 * 1024);
    for (what, missing) in ask_all(&scope, &Budget::new(large)) {
        assert_eq!(missing, None, "{what}");
    }
    let small = Budget::new(small);
    let said = ask_all(&scope, &small);
    // Messages of one pattern take nothing.
    for (what, missing) in said.iter().filter(|(what, _)| what != "| patterns 1000") {
        let missing = missing.as_deref();
        assert_eq!(missing, Some("questions have no memory left"), "{what}");
    }
    assert!(small.refused() > 5);
    // Even a count needs a thread.
    let query = parse("").into_result().expect("valid");
    let found = count(&scope, &query, &Cancel::within(&Budget::new(1)));
    assert!(!found.completeness.is_complete());
}

#[test]
fn questions_at_once_have_no_more_than_there_is() {
    let directory = tempfile::tempdir().expect("a directory");
    let scope = scope(directory.path());
    let question = parse_question("| sort message | head 100000");
    let question = question.into_result().expect("valid");
    let alone = {
        let budget = Budget::new(1 << 30);
        let cancel = Cancel::within(&budget);
        let found = tabulate(&scope, &question, 100_000, &cancel);
        assert!(found.completeness.is_complete());
        budget.taken_bytes()
    };
    assert!(alone > ROWS * 100, "{alone}");
    let budget = Budget::new(of_threads() + 2 * alone);
    let answers: Vec<_> = std::thread::scope(|scope_of| {
        let ask = || {
            let cancel = Cancel::within(&budget);
            let found = tabulate(&scope, &question, 100_000, &cancel);
            // Whoever writes the answer keeps the switch.
            (found, cancel)
        };
        let asking: Vec<_> = (0..8).map(|_| scope_of.spawn(ask)).collect();
        let answered = asking.into_iter().map(|one| one.join().expect("answers"));
        answered.collect()
    });
    assert!(budget.taken_bytes() <= budget.bytes());
    let whole = answers
        .iter()
        .filter(|(found, _)| found.completeness.is_complete());
    // All answers are still there.
    assert!(whole.count() <= 2);
    drop(answers);
    assert_eq!(budget.taken_bytes(), 0);
    let found = tabulate(&scope, &question, 100_000, &Cancel::within(&budget));
    assert!(found.completeness.is_complete());
}

/// Hundreds of expressions that no index helps with, of every part and form.
fn bomb() -> String {
    let leaf = |number: usize| match number % 4 {
        0 => format!("/q{number}[a-z]*z/"),
        1 => format!("message:*x{number}y*z*"),
        2 => format!("user:/w{number}.*q/"),
        _ => format!("host:/h{number}.+/"),
    };
    let leaves: Vec<_> = (0..60).map(leaf).collect();
    leaves.join(" OR ")
}

#[test]
fn a_question_that_is_stopped_does_hardly_anything_more() {
    let directory = tempfile::tempdir().expect("a directory");
    let scope = scope(directory.path());
    let query = parse(&bomb()).into_result().expect("valid");
    let table = parse_question(&format!("{} | sort message | head 9", bomb()));
    let table = table.into_result().expect("valid");
    let ask = |what: &str, cancel: &Cancel| match what {
        "count" => count(&scope, &query, cancel).completeness,
        "histogram" => histogram(&scope, &query, 5, cancel).completeness,
        "fields" => fields(scope.clone(), &query, cancel).completeness,
        "stats" => stats(scope.clone(), &query, &StatsField::Host, 9, cancel).completeness,
        "table" => tabulate(&scope, &table, 9, cancel).completeness,
        "search" => search(&scope, &query, &SearchOptions::default(), cancel).completeness,
        _ => {
            let visit = &mut |_: crate::RowRef<'_>| ControlFlow::Continue(());
            search_each(&scope, &query, Order::OldestFirst, cancel, visit).completeness
        }
    };
    let mut stopped = 0;
    for what in [
        "count",
        "histogram",
        "fields",
        "stats",
        "table",
        "search",
        "export",
    ] {
        let whole = Cancel::new();
        // What is found is remembered with the segment: the first question does the most.
        ask(what, &whole);
        let looks = whole.looks();
        for part in [2, 7] {
            let cancel = Cancel::at_look(1 + looks * part / 10);
            let completeness = ask(what, &cancel);
            let (all, before) = cancel.work();
            // What is remembered may be answered before that look.
            if completeness.is_complete() {
                continue;
            }
            stopped += 1;
            // Each thread ends what it is at.
            assert!(all - before <= threads_max(), "{what}: {before} of {all}");
        }
    }
    assert!(stopped > 0);
}
