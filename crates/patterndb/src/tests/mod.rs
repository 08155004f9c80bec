//! Whole databases: loading them, and what they make of messages.

mod loading;
mod matching;

use crate::Database;

/// A database with one ruleset for the program `p`, whose rules have these patterns and are called by their
/// places.
fn of_patterns(patterns: &[&str]) -> Database {
    let rules = patterns.iter().enumerate().map(|(id, pattern)| {
        format!("<rule id='{id}' class='c' provider='t'><patterns><pattern>{pattern}</pattern></patterns></rule>")
    });
    let rules: String = rules.collect();
    loaded(&format!(
        "<patterndb version='4'><ruleset><pattern>p</pattern><rules>{rules}</rules></ruleset></patterndb>"
    ))
}

fn loaded(xml: &str) -> Database {
    Database::parse(xml.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// The rule of a message, and its values.
fn found(database: &Database, program: &str, message: &str) -> Option<(String, Vec<String>)> {
    let found = database.classify(program.as_bytes(), message.as_bytes())?;
    let values = found.values().map(|value| {
        assert_eq!(value.value, &message.as_bytes()[value.range.clone()]);
        format!("{}={}", value.name, String::from_utf8_lossy(value.value))
    });
    Some((found.rule.id.clone(), values.collect()))
}

/// The id of the rule of a message; empty for none.
fn rule_id(database: &Database, program: &str, message: &str) -> String {
    found(database, program, message).unwrap_or_default().0
}
