//! The document is the checked-in one, and speaks of every route and of no other.

use std::collections::BTreeSet;

use expect_test::expect_file;

use super::*;
use crate::http::{api_routes, health_routes};

/// `UPDATE_EXPECT=1 cargo test -p server` writes it anew.
#[test]
fn the_document_is_the_checked_in_one() {
    expect_file!["../../../../docs/reference/openapi.json"].assert_eq(text());
}

#[test]
fn every_route_is_described_and_none_else() {
    let api = api_routes()
        .into_iter()
        .map(|(path, _)| format!("/api/v1{path}"));
    let health = health_routes().into_iter().map(|(path, _)| path.to_owned());
    let routes: BTreeSet<String> = api.chain(health).collect();
    let described: BTreeSet<String> = endpoints().map(|e| e.path.to_owned()).collect();
    assert_eq!(routes, described);
    let mut names: Vec<&str> = endpoints().map(|endpoint| endpoint.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "two endpoints have one name");
}

#[test]
fn every_endpoint_and_every_code_stands_in_the_manual() {
    let manual = include_str!("../../../../docs/reference/http-api.md");
    for endpoint in endpoints() {
        let path = endpoint.path.replace("/sources/{name}", "/sources/NAME");
        assert!(manual.contains(&path), "{path} is missing");
    }
    for (code, status) in problems::CODES {
        let row = format!("| `{code}` | {status} |");
        assert!(manual.contains(&row), "{row} is missing");
    }
    let used: BTreeSet<&str> = endpoints().flat_map(|e| e.problems).copied().collect();
    for code in used {
        assert!(
            problems::CODES.iter().any(|(known, _)| *known == code),
            "{code}"
        );
    }
}

#[test]
fn what_the_path_has_is_a_parameter() {
    for endpoint in endpoints() {
        let in_path = |parameter: &&Parameter| matches!(parameter.place, Place::Path);
        let named: Vec<_> = endpoint.parameters.iter().filter(in_path).collect();
        assert_eq!(
            endpoint.path.matches('{').count(),
            named.len(),
            "{}",
            endpoint.path
        );
        for parameter in named {
            let place = format!("{{{}}}", parameter.name);
            assert!(endpoint.path.contains(&place), "{}", endpoint.path);
        }
    }
}
