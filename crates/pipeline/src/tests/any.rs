//! Any steps on any bytes: what must be true of all of them.

use proptest::prelude::*;

use super::*;
use crate::actions::{Dedupe, Mask, Masking, Rename, Subst, Unset};

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("host".to_owned()),
        Just("message".to_owned()),
        Just("program".to_owned()),
        Just("severity".to_owned()),
        Just("time".to_owned()),
        "[a-c](\\.[a-c]){0,2}",
    ]
}

fn any_query() -> impl Strategy<Value = Query> {
    prop_oneof!["[a-c]", "a:[a-c]", "NOT [a-c]", Just("host:h".to_owned())]
        .prop_map(|text| query(&text))
}

fn any_action() -> impl Strategy<Value = Step> {
    let value = prop_oneof!["[a-c= {}\"]{0,6}", Just("${MSG}${HOST}${a.b}".to_owned())];
    prop_oneof![
        (any_name(), value).prop_filter_map("no template", |(name, value)| {
            let value = Template::compile(&value).ok()?;
            Some(act(Set {
                target: target(&name),
                value,
            }))
        }),
        (any_name(), "[a-c]").prop_map(|(name, pattern)| {
            let made = Subst::new(target(&name), (&pattern, true), "<$0$0>", true);
            act(made.unwrap())
        }),
        (any_name(), any_name()).prop_map(|(from, to)| act(Rename {
            from: target(&from),
            to: target(&to)
        })),
        "[a-c]\\*|[a-c]\\.[a-c]".prop_map(|name| act(Unset::new(&[name]).unwrap())),
        any_name().prop_map(|name| {
            let made = Mask::new(vec![target(&name)], None, Masking::KeepLastFour);
            act(made.unwrap())
        }),
        "[a-c]{0,1}".prop_map(|prefix| kv(&prefix)),
        Just(()).prop_map(|()| json()),
        "[xyz]".prop_map(|name| tag(&name)),
        Just(()).prop_map(|()| {
            let key = Template::compile("${MSG}").unwrap();
            act(Dedupe::new(key, std::time::Duration::from_secs(1)))
        }),
        any_query().prop_map(|query| step(Work::Match(query))),
        Just(()).prop_map(|()| step(Work::Drop)),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    let on_error = prop_oneof![
        Just(()).prop_map(|()| OnError::Tag),
        Just(()).prop_map(|()| OnError::Ignore),
        Just(()).prop_map(|()| OnError::Reject),
        Just(()).prop_map(|()| OnError::Drop),
        Just(()).prop_map(|()| OnError::Steps(vec![tag("mended")])),
    ];
    let with_condition = (any_action(), proptest::option::of(any_query()), on_error);
    let leaf = with_condition.prop_map(|(step, when, on_error)| Step {
        when,
        on_error,
        ..step
    });
    leaf.prop_recursive(3, 12, 3, |inner| {
        let steps = || proptest::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            (any_query(), steps(), steps()).prop_map(|(query, a, b)| step(Work::If(query, a, b))),
            (steps(), steps()).prop_map(|(a, b)| step(Work::Try(a, b))),
            steps().prop_map(|steps| step(Work::Use(steps))),
        ]
    })
}

fn any_route() -> impl Strategy<Value = Route> {
    let to = proptest::option::of(prop_oneof![Just("one"), Just("two")]);
    let steps = proptest::collection::vec(any_step(), 0..5);
    let flags = (any::<bool>(), proptest::bool::weighted(0.2));
    let matching = proptest::option::of(any_query());
    (to, steps, matching, flags).prop_map(|(to, steps, matching, (is_final, is_fallback))| Route {
        name: "r".to_owned(),
        steps,
        matching,
        logspace: to.map(name),
        is_final,
        is_fallback,
        ..Route::default()
    })
}

fn any_batch() -> impl Strategy<Value = RecordBatch> {
    let text = prop_oneof![
        "h [a-c= \\.]{0,12}",
        Just(r#"h {"a":{"b":"c"},"b":["c"]}"#.to_owned()),
        "h (a|b|c)=(a|b|c)",
        any::<String>(),
    ];
    proptest::collection::vec(text, 1..8).prop_map(|texts| {
        let mut batch = RecordBatch::new();
        for text in texts {
            batch.append(&message(&text)).unwrap();
        }
        batch
    })
}

proptest! {
    #[test]
    fn raw_stays_and_every_record_is_counted_once(
        routes in proptest::collection::vec(any_route(), 0..4),
        batch in any_batch(),
    ) {
        let pipeline = pipeline(routes);
        let source = name("source");
        let split = pipeline.split(batch.clone(), &source);
        let firsts: usize = split.parts.iter().map(|part| part.firsts).sum();
        prop_assert_eq!(firsts + split.dropped, batch.len());
        let raws: Vec<_> = batch.iter().map(|record| record.raw()).collect();
        let mut logspaces = Vec::new();
        for part in &split.parts {
            prop_assert!(!logspaces.contains(&part.logspace), "a logspace has one part");
            logspaces.push(part.logspace);
            // In the order in which they came, each once: a subsequence of what came in.
            let mut rest = raws.iter();
            for record in part.batch.iter() {
                prop_assert!(rest.any(|raw| *raw == record.raw()));
            }
        }
        for figures in pipeline.step_figures() {
            prop_assert!(figures.seen <= 4 * batch.len() as u64);
        }
    }

    #[test]
    fn a_trace_is_what_happens(
        routes in proptest::collection::vec(any_route(), 0..4),
        batch in any_batch(),
    ) {
        let pipeline = pipeline(routes);
        let source = name("source");
        let record = batch.get(0).unwrap();
        let traced = pipeline.trace(record, &source).split;
        let mut alone = RecordBatch::new();
        alone.push_record(record).unwrap();
        let show_all = |split: &crate::Split<'_>| {
            let parts = split.parts.iter();
            let shown: Vec<_> = parts
                .flat_map(|part| part.batch.iter().map(|record| (part.logspace.clone(), show(record))))
                .collect();
            (shown, split.dropped)
        };
        // A step that remembers what passed has seen it by now; any other does the same again.
        let again = pipeline.split(alone, &source);
        if again.dropped == traced.dropped && again.parts.len() == traced.parts.len() {
            prop_assert_eq!(show_all(&traced), show_all(&again));
        }
    }
}
