//! Which steps are done, what is undone, and where records go.

use super::*;
use crate::{StepVerdict, Verdict};

#[test]
fn what_a_step_finds_is_there_for_the_next() {
    let steps = vec![
        kv("fw"),
        when("fw.action:deny", set("severity", "warning")),
        when("fw.action:deny", set("host", "${fw.device}")),
        when("fw.action:permit", tag("permitted")),
    ];
    let pipeline = pipeline(vec![route("fw", steps)]);
    assert_eq!(
        outcome(&pipeline, "h1 action=deny device=edge"),
        ["fw: edge|action=deny device=edge|fw.action=deny fw.device=edge []"]
    );
    assert_eq!(
        outcome(&pipeline, "h1 action=permit"),
        ["fw: h1|action=permit|fw.action=permit [permitted]"]
    );
}

#[test]
fn what_a_route_changed_is_undone_where_it_does_not_take_the_record() {
    let rejecting = route("a", vec![set("host", "changed"), matching("nothing")]);
    let pipeline = pipeline(vec![rejecting, route("b", vec![tag("seen")])]);
    assert_eq!(outcome(&pipeline, "h1 text"), ["b: h1|text| [seen]"]);
}

#[test]
fn a_later_route_sees_what_an_earlier_one_changed() {
    let normalise = Route {
        logspace: None,
        ..route("normalise", vec![set("host", "h2")])
    };
    let mut second = route("b", vec![]);
    second.matching = Some(query("host:h2"));
    let pipeline = pipeline(vec![normalise, second]);
    assert_eq!(outcome(&pipeline, "h1 text"), ["b: h2|text| []"]);
}

#[test]
fn what_was_sent_stays_as_it_was_then() {
    let pipeline = pipeline(vec![
        route("a", vec![]),
        route("b", vec![set("host", "h2")]),
        route("c", vec![set("host", "h3"), matching("nothing")]),
    ]);
    assert_eq!(
        outcome(&pipeline, "h1 text"),
        ["a: h1|text| []", "b: h2|text| []"]
    );
}

#[test]
fn a_logspace_gets_the_record_as_the_last_route_sent_it() {
    let again = Route {
        name: "again".to_owned(),
        ..route("a", vec![set("host", "h2")])
    };
    let pipeline = pipeline(vec![route("a", vec![]), again]);
    assert_eq!(outcome(&pipeline, "h1 text"), ["a: h2|text| []"]);
}

#[test]
fn what_is_dropped_ends_there_and_is_counted_where_nobody_has_it() {
    let dropping = || route("b", vec![when("debug", step(Work::Drop))]);
    let only = pipeline(vec![dropping(), route("c", vec![])]);
    assert_eq!(outcome(&only, "h1 debug"), ["dropped 1"]);
    assert_eq!(
        outcome(&only, "h1 text"),
        ["b: h1|text| []", "c: h1|text| []"]
    );
    let behind = pipeline(vec![route("a", vec![]), dropping(), route("c", vec![])]);
    assert_eq!(outcome(&behind, "h1 debug"), ["a: h1|debug| []"]);
}

#[test]
fn one_of_two_branches_is_done() {
    let branch = step(Work::If(
        query("left"),
        vec![tag("l")],
        vec![step(Work::If(query("right"), vec![tag("r")], vec![]))],
    ));
    let pipeline = pipeline(vec![route("a", vec![branch])]);
    assert_eq!(outcome(&pipeline, "h left"), ["a: h|left| [l]"]);
    assert_eq!(outcome(&pipeline, "h right"), ["a: h|right| [r]"]);
    assert_eq!(outcome(&pipeline, "h none"), ["a: h|none| []"]);
}

#[test]
fn a_try_is_all_or_the_other() {
    let parsed = || vec![tag("tried"), json(), matching("js.level:error")];
    let tried = step(Work::Try(parsed(), vec![tag("other")]));
    let pipeline = pipeline(vec![route("a", vec![tried])]);
    assert_eq!(
        outcome(&pipeline, r#"h {"level":"error"}"#),
        [r#"a: h|{"level":"error"}|js.level=error [tried]"#]
    );
    assert_eq!(
        outcome(&pipeline, r#"h {"level":"info"}"#),
        [r#"a: h|{"level":"info"}| [other]"#]
    );
    assert_eq!(outcome(&pipeline, "h text"), ["a: h|text| [other]"]);
}

#[test]
fn a_failure_does_what_was_asked_for() {
    let with = |on_error| {
        let failing = Step { on_error, ..json() };
        pipeline(vec![route("a", vec![failing, tag("behind")])])
    };
    let check = |on_error, expected: &str| {
        assert_eq!(outcome(&with(on_error), "h text"), [expected]);
    };
    check(OnError::Tag, "a: h|text| [processing.failed behind]");
    check(OnError::Ignore, "a: h|text| [behind]");
    check(OnError::Reject, "source: h|text| []");
    check(OnError::Drop, "dropped 1");
    let steps = OnError::Steps(vec![tag("mended")]);
    check(steps, "a: h|text| [mended behind]");
}

#[test]
fn a_fallback_takes_what_goes_nowhere() {
    let mut errors = route("errors", vec![]);
    errors.matching = Some(query("error"));
    let fallback = Route {
        is_fallback: true,
        ..route("rest", vec![tag("rest")])
    };
    let pipeline = pipeline(vec![fallback, errors]);
    assert_eq!(outcome(&pipeline, "h error"), ["errors: h|error| []"]);
    assert_eq!(outcome(&pipeline, "h text"), ["rest: h|text| [rest]"]);
}

#[test]
fn what_each_step_did_is_counted() {
    let steps = vec![
        when("error", tag("e")),
        json(),
        when("drop", step(Work::Drop)),
        matching("NOT reject"),
    ];
    let pipeline = pipeline(vec![route("a", steps)]);
    for text in ["h error", "h {\"a\":1}", "h drop", "h reject"] {
        outcome(&pipeline, text);
    }
    let figures = pipeline.step_figures();
    let counts: Vec<_> = figures
        .iter()
        .map(|step| (step.place.as_str(), step.seen, step.done, step.skipped))
        .collect();
    let expected = [
        ("1", 4, 1, 3),
        ("2", 4, 1, 0),
        ("3", 4, 0, 3),
        ("4", 3, 2, 0),
    ];
    assert_eq!(counts, expected);
    assert_eq!(
        (figures[1].failed, figures[2].dropped, figures[3].unmatched),
        (3, 1, 1)
    );
}

#[test]
fn a_trace_says_what_each_step_did() {
    let steps = vec![
        when("absent", tag("x")),
        step(Work::If(query("a"), vec![kv("")], vec![])),
        set("host", "${user}"),
        json(),
    ];
    let pipeline = pipeline(vec![
        route("a", steps),
        route("b", vec![matching("absent")]),
    ]);
    let source = name("source");
    let batch = message("h a user=root");
    let trace = pipeline.trace(batch.get(0).unwrap(), &source);
    let steps: Vec<_> = trace.routes[0]
        .steps
        .iter()
        .map(|step| {
            (
                step.place.as_str(),
                step.verdict.clone(),
                step.changes.clone(),
            )
        })
        .collect();
    let change = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
    let failed = "expected an object at byte 0".to_owned();
    let StepVerdict::Failed(said) = &steps[4].1 else {
        panic!("{steps:?}");
    };
    assert!(said.contains("byte 0"), "{said} is like {failed}");
    assert_eq!(
        steps[..4],
        [
            ("1", StepVerdict::Skipped, vec![]),
            ("2", StepVerdict::Done, change("user", "root")),
            ("2.1", StepVerdict::Done, change("user", "root")),
            ("3", StepVerdict::Done, change("host", "root")),
        ]
    );
    assert_eq!(trace.routes[0].verdict, Verdict::Takes);
    assert_eq!(trace.routes[1].verdict, Verdict::Rejects);
    assert_eq!(trace.split.parts.len(), 1);
    let seen: u64 = pipeline.step_figures().iter().map(|step| step.seen).sum();
    assert_eq!(seen, 0, "a trace is not counted");
}

#[test]
fn steps_have_limits() {
    let mut nested = tag("x");
    for _ in 0..crate::limits::STEP_DEPTH_MAX {
        nested = step(Work::Use(vec![nested]));
    }
    let deep = |steps| Pipeline::new(vec![route("a", steps)], Context::default());
    assert!(deep(vec![nested.clone()]).is_ok());
    assert!(deep(vec![step(Work::Use(vec![nested]))]).is_err());
    let many = vec![tag("x"); crate::limits::STEPS_MAX + 1];
    assert!(deep(many).is_err());
}
