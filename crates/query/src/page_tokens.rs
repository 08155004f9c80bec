//! The page colours a query while it is typed, before the server has seen it. Its own tokenizer is
//! tested against a file; this holds that file against the parser.

use serde_json::Value;

use crate::parse_question;

const GOLDEN: &str = include_str!("../../../web/tests/tokens.golden.json");

#[test]
fn the_page_colours_what_the_parser_sees() {
    let cases: Vec<Value> = serde_json::from_str(GOLDEN).expect("a list of cases");
    assert!(!cases.is_empty());
    for case in cases {
        let query = case["query"].as_str().expect("a query");
        let tokens = parse_question(query).tokens;
        let seen: Vec<Value> = tokens
            .iter()
            .map(|token| serde_json::json!([token.kind.as_str(), token.span.start, token.span.end]))
            .collect();
        assert_eq!(Value::Array(seen), case["tokens"], "{query}");
    }
}
