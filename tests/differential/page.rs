//! Holds the page for readers to the tables: all of it from its first table on is made of them.

use std::env;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::cases::{Case, DATAGRAMS, LINES, Theme};
use super::parts::Part;
use super::rules::{RSYSLOG, Rule, SYSLOG_NG};

/// Set, the tables of the page are written and not compared.
const RECORD: &str = "LOGWOOD_RECORD";

/// The heading of the first table.
const START: &str = "## In general\n";

pub(super) fn check() -> Result<()> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/parsing-differences.md");
    let page = fs::read_to_string(&path)?;
    let (prose, tables) = page.split_once(START).context("no first table")?;
    let expected = rendered();
    if env::var_os(RECORD).is_some() {
        return Ok(fs::write(&path, format!("{prose}{START}{expected}"))?);
    }
    let mut lines = tables.lines().zip(expected.lines());
    let different = lines.find(|(found, expected)| found != expected);
    ensure!(
        tables == expected,
        "the page says something else than the tables; run this test with {RECORD}=1 to write \
         it\nfirst different line: {different:?}"
    );
    Ok(())
}

fn rendered() -> String {
    let mut page = general();
    let themes = || LINES.iter().chain(DATAGRAMS);
    for theme in themes() {
        page += &table(theme);
    }
    page += "\n## Read alike by all three\n\n| about | what | message |\n|---|---|---|\n";
    for theme in themes() {
        for case in theme.cases.iter().filter(|case| case.differs.is_empty()) {
            let sent = code(case.sent);
            page += &format!("| {} | {} | {sent} |\n", theme.name, case.name);
        }
    }
    page
}

/// A row for each kind of messages that rules are about.
fn general() -> String {
    let mut table = "\n| message | syslog-ng | rsyslog | why Logwood does otherwise |\n\
                     |---|---|---|---|\n"
        .to_owned();
    let mut told = Vec::new();
    for rule in SYSLOG_NG.iter().chain(RSYSLOG) {
        if told.contains(&rule.when) {
            continue;
        }
        told.push(rule.when);
        let [syslog_ng, rsyslog] = [SYSLOG_NG, RSYSLOG].map(|rules| done(rules, rule.when));
        table += &format!(
            "| {} | {syslog_ng} | {rsyslog} | {} |\n",
            rule.when, rule.why
        );
    }
    table
}

/// What a peer does with messages of a kind; nothing where other rows say all that there is.
fn done(rules: &[Rule], when: &str) -> String {
    let of_kind = rules.iter().filter(|rule| rule.when == when);
    of_kind.map(|rule| rule.does).collect::<Vec<_>>().join(" ")
}

/// The cases of a theme in which the three differ.
fn table(theme: &Theme) -> String {
    let mut table = format!(
        "\n## {}\n\n| message | Logwood | syslog-ng | rsyslog | why Logwood does so |\n\
         |---|---|---|---|---|\n",
        theme.name
    );
    for case in theme.cases.iter().filter(|case| !case.differs.is_empty()) {
        let [logwood, syslog_ng, rsyslog] = [0, 1, 2].map(|who| said(case, who));
        table += &format!(
            "| {}:<br>{} | {logwood} | {syslog_ng} | {rsyslog} | {} |\n",
            case.name,
            code(case.sent),
            case.why
        );
    }
    table
}

/// What one of the three says of the parts in which they differ: the first all, the others those that
/// are not as with the first.
fn said(case: &Case, who: usize) -> String {
    let is_refused =
        |(part, values): &(Part, [&str; 3])| *part == Part::Fate && values[who] == "refused";
    if case.differs.iter().any(is_refused) {
        return "refuses it".to_owned();
    }
    let parts = case
        .differs
        .iter()
        .filter(|(part, values)| *part != Part::Fate && (who == 0 || values[who] != values[0]));
    let parts: Vec<String> = parts
        .map(|(part, values)| format!("{} {}", part.name(), code(values[who])))
        .collect();
    match parts.is_empty() {
        true if who == 0 => "reads it".to_owned(),
        true => "as Logwood".to_owned(),
        false => parts.join("<br>"),
    }
}

/// Text as code, with what cannot be seen written out.
fn code(text: &str) -> String {
    if text.is_empty() {
        return "none".to_owned();
    }
    let mut shown = String::new();
    for character in text.chars() {
        match character {
            '|' => shown.push_str("\\|"),
            '\u{feff}' => shown.push_str("\\u{feff}"),
            _ if character.is_control() => shown.extend(character.escape_debug()),
            _ => shown.push(character),
        }
    }
    format!("`{shown}`")
}
