//! What bounds terms, said by the request or by logspaces.

use client::Parameters;
use model::LogspaceName;
use query::{Delimiters, Tokens};

use super::Fixture;

#[test]
fn whole_tokens_are_found_where_that_is_asked_for() {
    let fixture = Fixture::start();
    let lines = "<13>1 - h p - - - the error.c file\n<13>1 - h p - - - an error: file\n";
    let accepted = fixture
        .client
        .ingest(&Parameters::default(), lines.as_bytes());
    assert_eq!(accepted.expect("accepts").accepted, 2);
    let other = LogspaceName::parse("other").expect("a name");
    let created = fixture.app.store.create_logspace(&other);
    created.expect("creates");
    let count = |more: &[(&'static str, &'static str)]| {
        let mut parameters = Parameters::query("error");
        for (name, value) in more {
            parameters = parameters.with(name, *value);
        }
        fixture.search(&parameters).0.len()
    };
    assert_eq!(count(&[]), 2);
    assert_eq!(count(&[("tokens", "ssb")]), 1);
    assert_eq!(count(&[("tokens", "_")]), 0);
    assert_eq!(count(&[("tokens", ".:")]), 2);
    // What a logspace says holds where the request does not.
    let main = LogspaceName::main();
    let ssb = Tokens::Between(Delimiters::SSB);
    fixture.app.set_tokens([(main, ssb)].into());
    assert_eq!(count(&[]), 1);
    assert_eq!(count(&[("logspace", "main")]), 1);
    assert_eq!(count(&[("tokens", "words")]), 2);
    fixture
        .app
        .set_tokens([(LogspaceName::main(), ssb), (other, Tokens::Words)].into());
    assert_eq!(count(&[]), 2);
    assert_eq!(count(&[("logspace", "main")]), 1);
    let problem = fixture.refusal(&Parameters::default().with("tokens", "a-z"));
    let detail = problem.detail;
    assert!(detail.contains("cannot be a delimiter"), "{detail}");
}
