//! Stages as Splunk, Kusto, SQL and `LogQL` write them, in the words of ours.
//!
//! A stage is only offered where it can be read, so that no hint leads to the next error.

use crate::parse::parse_question;

/// Commands of others whose functions are our commands: `stats avg(size) by host`.
const SUMMARIES: [&str; 6] = [
    "stats",
    "summarize",
    "aggregate",
    "group",
    "eventstats",
    "select",
];

/// Functions of others, and the command that does the same.
const FUNCTIONS: [(&str, &str); 5] = [
    ("dc", "distinct"),
    ("dcount", "distinct"),
    ("mean", "avg"),
    ("average", "avg"),
    ("median", "p50"),
];

/// The stage that a command and what follows it up to the next pipe were meant as; `None` where it
/// reads like nothing that is known.
pub(super) fn stage(command: &str, rest: &str) -> Option<String> {
    // A pipe behind it is no part of it.
    let rest = rest.split('|').next().unwrap_or_default().trim();
    let stage = match command {
        "sort" | "order" | "orderby" => sort(rest),
        "top" => top(rest),
        _ if SUMMARIES.contains(&command) => summary(rest),
        _ => None,
    }?;
    let read = parse_question(&format!("| {stage}"));
    let is_sort = stage.starts_with("sort ");
    // What a column is called only the stages before know.
    (read.is_valid() || is_sort && read.question.stages.len() == 1).then_some(stage)
}

/// `sort -count`, `sort by count desc`, `order by count`.
fn sort(rest: &str) -> Option<String> {
    let mut words = rest.split_whitespace().peekable();
    let has_by = words
        .next_if(|word| word.eq_ignore_ascii_case("by"))
        .is_some();
    let first = words.next()?;
    let name = first.trim_start_matches(['-', '+']);
    let order = words.next().unwrap_or_default();
    let is_descending = first.starts_with('-') || order.eq_ignore_ascii_case("desc");
    let is_foreign = has_by || name.len() < first.len();
    let descending = if is_descending { " desc" } else { "" };
    is_foreign.then(|| format!("sort {name}{descending}"))
}

/// `top 10 host`, `top limit=10 host`.
fn top(rest: &str) -> Option<String> {
    let (first, field) = rest.split_once(char::is_whitespace)?;
    let number = first.strip_prefix("limit=").unwrap_or(first);
    let number: usize = number.parse().ok()?;
    Some(format!("top {} {number}", field.trim()))
}

/// `stats count by host`, `summarize count() by host`, `stats avg(size) by host`.
fn summary(rest: &str) -> Option<String> {
    let (function, by) = match rest.split_once(" by ") {
        Some((function, by)) => (function, format!(" by {}", by.trim())),
        None => (rest, String::new()),
    };
    let (name, argument) = match function.trim().split_once('(') {
        Some((name, argument)) => (name, argument.trim_end().strip_suffix(')')?.trim()),
        None => (function.trim(), ""),
    };
    let name = name.trim().to_ascii_lowercase();
    let known = FUNCTIONS.iter().find(|(other, _)| *other == name);
    let name = known.map_or(name.as_str(), |(_, ours)| ours);
    let argument = if argument == "*" || name == "count" {
        ""
    } else {
        argument
    };
    let stage = format!("{name} {argument}");
    Some(format!("{}{by}", stage.trim_end()))
}
