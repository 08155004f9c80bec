use model::{RecordParts, Span, Timestamp};

use crate::{ROUTE_TAGS_MAX, Verdict};

use super::*;

fn name(text: &str) -> LogspaceName {
    LogspaceName::parse(text).expect("valid")
}

/// One record per text; its host is the first word, its message all of it.
fn batch(source: &str, texts: &[&str]) -> RecordBatch {
    let mut batch = RecordBatch::new();
    add(&mut batch, source, texts);
    batch
}

fn add(batch: &mut RecordBatch, source: &str, texts: &[&str]) {
    let source = batch.source_index(source).expect("room");
    for (second, text) in (0..).zip(texts) {
        let host = text.find(' ').unwrap_or(text.len());
        let parts = RecordParts {
            host: Span::new(0, host),
            message: Span::new(0, text.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_seconds(second);
        let pushed = batch.push(text.as_bytes(), &parts, received, None, source);
        pushed.expect("room");
    }
}

/// `NAME [from=SOURCE] [if=QUERY] [tag=TAG]... -> LOGSPACE [final]`
fn route(text: &str) -> Route {
    let (left, right) = text.split_once(" -> ").expect("an arrow");
    let mut words = left.split(' ');
    let mut route = Route {
        name: words.next().expect("a name").to_owned(),
        logspace: Some(name(right.trim_end_matches(" final"))),
        is_final: right.ends_with(" final"),
        ..Route::default()
    };
    for word in words {
        let (key, value) = word.split_once('=').expect("key=value");
        match key {
            "from" => route.from.push(value.to_owned()),
            "tag" => route.tags.push(value.to_owned()),
            _ => route.matching = Some(query::parse(value).into_result().expect("valid")),
        }
    }
    route
}

fn made(routes: Vec<Route>) -> Result<Pipeline, InvalidRoute> {
    Pipeline::new(routes, Context::default())
}

/// Where each record went, part by part: `LOGSPACE(firsts): MESSAGE[TAG,...] | ...`.
fn check(routes: &[&str], batch: &RecordBatch, expected: &[&str]) {
    let routes = routes.iter().copied().map(route).collect();
    let pipeline = made(routes).expect("valid");
    let otherwise = name("other");
    let parts = pipeline.split(batch.clone(), &otherwise).parts;
    let shown: Vec<String> = parts.iter().map(show).collect();
    assert_eq!(shown, expected);
    let firsts: usize = parts.iter().map(|part| part.firsts).sum();
    assert_eq!(firsts, batch.len(), "each record is counted once");
}

fn show(part: &Part<'_>) -> String {
    let records = part.batch.iter().map(|record| {
        let tags: Vec<_> = record.tags().collect();
        let message = String::from_utf8_lossy(record.message()).into_owned();
        format!("{message}[{}]", tags.join(","))
    });
    let records: Vec<_> = records.collect();
    format!(
        "{}({}): {}",
        part.logspace,
        part.firsts,
        records.join(" | ")
    )
}

#[test]
fn without_routes_all_goes_where_the_source_says() {
    check(
        &[],
        &batch("udp", &["a 1", "b 2"]),
        &["other(2): a 1[] | b 2[]"],
    );
    check(&[], &RecordBatch::new(), &[]);
}

#[test]
fn an_unconditional_route_takes_all() {
    let records = batch("udp", &["a 1", "b 2"]);
    check(&["all -> web"], &records, &["web(2): a 1[] | b 2[]"]);
    check(
        &["all tag=x -> web"],
        &records,
        &["web(2): a 1[x] | b 2[x]"],
    );
    check(&["all if=* -> web"], &records, &["web(2): a 1[] | b 2[]"]);
}

#[test]
fn a_whole_batch_is_handed_on_without_a_copy() {
    let records = batch("udp", &["a 1", "b 2"]);
    let arena = records.bytes().as_ptr();
    let pipeline = made(vec![route("a if=host:a -> a"), route("all -> web final")]);
    let pipeline = pipeline.expect("valid");
    let otherwise = name("other");
    let parts = pipeline.split(batch("udp", &["b 1"]), &otherwise).parts;
    assert_eq!(parts.len(), 1);
    let unconditional = made(vec![route("all -> web")]).expect("valid");
    let parts = unconditional.split(records, &otherwise).parts;
    assert_eq!(parts[0].batch.bytes().as_ptr(), arena);
}

#[test]
fn sources_choose_routes() {
    let routes = ["net from=udp from=tcp -> net", "rest from=tls -> tls"];
    check(&routes, &batch("tcp", &["a 1"]), &["net(1): a 1[]"]);
    check(&routes, &batch("tls", &["a 1"]), &["tls(1): a 1[]"]);
    check(&routes, &batch("relp", &["a 1"]), &["other(1): a 1[]"]);
    let mut mixed = batch("tcp", &["a 1"]);
    add(&mut mixed, "relp", &["b 2"]);
    add(&mut mixed, "udp", &["c 3"]);
    check(
        &routes,
        &mixed,
        &["net(2): a 1[] | c 3[]", "other(1): b 2[]"],
    );
}

#[test]
fn a_record_goes_to_every_route_that_matches() {
    check(
        &["a if=host:a tag=x -> one", "two if=2 -> two"],
        &batch("udp", &["a 1", "b 2", "a 2", "c 3"]),
        &[
            "one(2): a 1[x] | a 2[x]",
            "two(1): b 2[] | a 2[]",
            "other(1): c 3[]",
        ],
    );
}

#[test]
fn a_final_route_ends_the_way() {
    check(
        &["a if=host:a -> one final", "all -> two"],
        &batch("udp", &["a 1", "b 2"]),
        &["one(1): a 1[]", "two(1): b 2[]"],
    );
    check(
        &["all -> one final", "more -> two"],
        &batch("udp", &["a 1"]),
        &["one(1): a 1[]"],
    );
}

#[test]
fn a_logspace_gets_a_record_once_with_all_tags() {
    check(
        &["x tag=x -> one", "y tag=y -> two", "z tag=z tag=x -> one"],
        &batch("udp", &["a 1"]),
        &["one(1): a 1[x,z]", "two(0): a 1[y]"],
    );
    check(
        &["x if=1 tag=x -> one", "z if=host:a tag=z -> one"],
        &batch("udp", &["a 1", "a 2", "b 3"]),
        &["one(2): a 1[x,z] | a 2[z]", "other(1): b 3[]"],
    );
}

#[test]
fn tags_have_limits() {
    let tagged = |count: usize| {
        let tags = (0..count).map(|tag| format!("t{tag}")).collect();
        made(vec![Route {
            tags,
            ..route("all -> one")
        }])
    };
    assert!(tagged(ROUTE_TAGS_MAX).is_ok());
    let error = tagged(ROUTE_TAGS_MAX + 1).expect_err("one too many");
    assert_eq!(
        error.to_string(),
        format!(
            "route all adds tag \"t{ROUTE_TAGS_MAX}\", which is one too many: all routes together may add \
             {ROUTE_TAGS_MAX} different tags"
        )
    );
    assert!(made(vec![route("all tag= -> one")]).is_err());
}

#[test]
fn a_trace_says_what_each_route_makes_of_a_record() {
    use Verdict::{NoMatch, NotReached, OtherSource, Takes};
    let routes = [
        "a from=tcp -> one",
        "b if=disk -> two",
        "c if=host:web -> three final",
        "d -> four",
    ];
    let routes = routes.into_iter().map(route).collect();
    let pipeline = made(routes).expect("valid");
    let check = |text: &str, expected: [Verdict; 4]| {
        let batch = batch("udp", &[text]);
        let other = name("other");
        let traced = pipeline
            .trace(batch.get(0).expect("one record"), &other)
            .routes;
        let verdicts: Vec<_> = traced.iter().map(|traced| traced.verdict).collect();
        assert_eq!(verdicts, expected, "{text}");
        // The logspaces of those that take it are those that it is split to.
        let taken = traced.iter().filter(|t| t.verdict == Takes);
        let mut parts = pipeline.split(batch.clone(), &other).parts;
        parts.retain(|part| part.logspace != &other);
        let split: Vec<_> = parts.iter().map(|part| part.logspace).collect();
        let taken: Vec<_> = taken.filter_map(|traced| traced.logspace).collect();
        assert_eq!(split, taken, "{text}");
        assert_eq!(traced[3].route, "d");
    };
    check("db disk full", [OtherSource, Takes, NoMatch, Takes]);
    check("web all well", [OtherSource, NoMatch, Takes, NotReached]);
    check("web disk full", [OtherSource, Takes, Takes, NotReached]);
    check("db all well", [OtherSource, NoMatch, NoMatch, Takes]);
}
