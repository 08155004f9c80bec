//! Questions with a pipe, and what can be typed next.

use api::{Cell, ColumnKind, CompletionKind};
use client::Parameters;

use super::Fixture;

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

#[test]
fn a_question_is_answered_with_a_table() {
    let fixture = Fixture::with_records();
    let ask = |question: &str| {
        let answer = fixture.client.query(&Parameters::query(question));
        answer.expect("answers")
    };
    let answer = ask("|top program");
    assert_eq!(answer.query, "* | top program 10");
    let columns: Vec<_> = answer
        .columns
        .iter()
        .map(|c| (&c.name[..], c.kind))
        .collect();
    assert_eq!(
        columns,
        [("program", ColumnKind::Text), ("count", ColumnKind::Number)]
    );
    let row = |name: &str, count| vec![text(name), Cell::Integer(count)];
    assert_eq!(answer.rows, [row("nginx", 2), row("postgres", 1)]);
    assert!(answer.cost.complete && !answer.has_more);
    assert_eq!(answer.matched, Some(3));

    let answer = ask("disk | fields host, pid | sort host");
    let rows = [
        vec![text("db1"), Cell::Missing(())],
        vec![text("web1"), text("7")],
    ];
    assert_eq!(answer.rows, rows);

    let answer = ask("* | avg severity");
    assert_eq!(answer.rows, [[Cell::Decimal(5.0)]]);

    let answer = ask("* | max received");
    assert_eq!(answer.columns[0].kind, ColumnKind::Time);

    // Without a range the bars span what is stored.
    let answer = ask("* | bars 2");
    assert_eq!(answer.rows.len(), 2);
    assert_eq!(answer.matched, Some(3));

    let cut = Parameters::query("| count by host").with("limit", "2");
    let answer = fixture.client.query(&cut).expect("answers");
    assert!(answer.has_more && answer.rows.len() == 2);
}

#[test]
fn a_pipe_that_is_wrong_is_refused_with_its_place() {
    let fixture = Fixture::with_records();
    let problem = match fixture.client.query(&Parameters::query("disk | tpo host")) {
        Err(client::Error::Refused(problem)) => *problem,
        other => panic!("not refused: {other:?}"),
    };
    assert_eq!(
        (problem.code.as_str(), problem.status),
        ("query-invalid", 400)
    );
    assert_eq!((problem.spans[0].start, problem.spans[0].end), (7, 10));
    assert_eq!(problem.hint.as_deref(), Some("did you mean `top`?"));

    // Elsewhere a pipe has no place.
    let problem = fixture.refusal(&Parameters::query("disk | count"));
    assert_eq!(problem.spans[0].start, 5);
    assert!(
        problem
            .hint
            .is_some_and(|hint| hint.contains("logwood query"))
    );
}

#[test]
fn what_can_be_typed_next_is_told_with_counts() {
    let fixture = Fixture::with_records();
    let choices = |question: &str| {
        let answer = fixture.client.complete(&Parameters::query(question));
        let answer = answer.expect("answers");
        let span = question[answer.start..answer.end].to_owned();
        let choices = answer.choices.into_iter();
        let choices: Vec<_> = choices.map(|c| (c.text, c.kind, c.count)).collect();
        (span, choices)
    };
    let field = |name: &str, count| (name.to_owned(), CompletionKind::Field, Some(count));
    let value = |name: &str, count| (name.to_owned(), CompletionKind::Value, Some(count));
    assert_eq!(
        choices("disk AND pr"),
        ("pr".into(), vec![field("program:", 3)])
    );
    assert_eq!(choices("a@"), ("a@".into(), vec![field("a@1.k:", 1)]));
    let values = vec![value("nginx", 2), value("postgres", 1)];
    assert_eq!(choices("program:"), (String::new(), values));
    assert_eq!(
        choices("host:WE"),
        ("WE".into(), vec![value("web1", 1), value("web2", 1)])
    );
    assert_eq!(choices("k:v"), ("v".into(), vec![value("\"v 1\"", 1)]));
    assert_eq!(choices("severity:er").1, [value("err", 1)]);
    let names: Vec<String> = choices("| count by ho")
        .1
        .into_iter()
        .map(|c| c.0)
        .collect();
    assert_eq!(names, ["host"]);
    let (span, commands) = choices("disk | to");
    assert_eq!((span.as_str(), commands[0].0.as_str()), ("to", "top"));
    let (_, columns) = choices("| top host | sort c");
    assert_eq!(
        columns,
        [("count".to_owned(), CompletionKind::Column, None)]
    );

    let middle = Parameters::query("pr AND disk").with("at", "2");
    let answer = fixture.client.complete(&middle).expect("answers");
    assert_eq!((answer.start, answer.end), (0, 2));
    let beyond = Parameters::query("é").with("at", "1");
    assert!(fixture.client.complete(&beyond).is_err());
}

#[test]
fn a_logspace_that_is_named_twice_is_asked_once() {
    let fixture = Fixture::with_records();
    let client = &fixture.client;
    let audit = model::LogspaceName::parse("audit").expect("a name");
    fixture.app.store.create_logspace(&audit).expect("creates");
    for names in [
        "main,main",
        "main, main ,main",
        "audit,main,audit,main",
        "main,audit,main",
    ] {
        let asked = |query: &str| Parameters::query(query).with("logspace", names);
        assert_eq!(
            client.count(&asked("")).expect("answers").count,
            3,
            "{names}"
        );
        let (rows, end) = fixture.search(&asked("disk"));
        assert_eq!((rows.len(), end.rows), (2, 2), "{names}");
        let bars = client
            .histogram(&asked("").with("bars", "3"))
            .expect("answers");
        assert_eq!(bars.total, 3, "{names}");
        let stats = client
            .stats(&asked("").with("by", "host"))
            .expect("answers");
        assert!(stats.values.iter().all(|value| value.count == 1), "{names}");
        let table = client.query(&asked("* | count")).expect("answers");
        assert_eq!(table.rows, [vec![Cell::Integer(3)]], "{names}");
        let table = client
            .query(&asked("* | sort host | fields host"))
            .expect("answers");
        assert_eq!(table.rows.len(), 3, "{names}");
        let asked_by_url = |path: &str| {
            let names = names.replace(' ', "%20");
            client
                .text(&format!("/api/v1/{path}logspace={names}"))
                .expect("answers")
                .1
        };
        assert_eq!(
            asked_by_url("export?format=raw&").lines().count(),
            3,
            "{names}"
        );
    }
    let unknown = Parameters::default().with("logspace", "main,nowhere,nowhere");
    assert_eq!(fixture.refusal(&unknown).code, "logspace-unknown");
}
