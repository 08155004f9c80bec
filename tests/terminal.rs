//! What a record says never commands the terminal of whoever reads it.
//!
//! `script` of util-linux gives the command line a terminal of its own.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use testkit::{Server, binary, need, peers, run};

/// A title for the terminal, a colour by an 8-bit control, a jump home, and another direction.
const HOSTILE: &str = "start\u{1b}]0;owned\u{7}\u{9b}31m\u{1b}[H\u{202e}end";

/// What the command line writes to a terminal, both of its outputs.
fn on_terminal(words: &[&str]) -> Result<String> {
    let quoted: Vec<String> = [&[binary()?.to_str().context("a path of text")?], words]
        .concat()
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
        .collect();
    let output = Command::new("script")
        .env("NO_COLOR", "1")
        .args([
            "--quiet",
            "--return",
            "--command",
            &quoted.join(" "),
            "/dev/null",
        ])
        .output()
        .context("cannot run script")?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn commands(text: &str) -> Vec<char> {
    let is_command = |c: &char| {
        (c.is_control() && !matches!(c, '\r' | '\n' | '\t')) || *c == '\u{202e}' || *c == '\u{fffd}'
    };
    text.chars().filter(is_command).collect()
}

#[test]
fn no_form_of_output_lets_a_record_command_a_terminal() -> Result<()> {
    if need(peers::program("script", "bsdutils"))?.is_none() {
        return Ok(());
    }
    let server = Server::start()?;
    let record = serde_json::json!({"message": HOSTILE, "host": HOSTILE, "program": HOSTILE, "pid": HOSTILE});
    let body = format!("{record}\n");
    server
        .api()
        .post("/api/v1/ingest?format=ndjson", body.as_bytes())?
        .ok()?;
    let url = server.url();
    let questions: &[&[&str]] = &[
        &["search", "start"],
        &["search", "start", "--json"],
        &["query", "* | fields host, message", "--csv"],
        &["query", "* | fields host, message"],
        &["query", "* | fields host, message", "--json"],
        &["query", "* | patterns"],
        &["query", "* | patterns", "--csv"],
        &["stats", "", "--by", "host"],
        &["stats", "", "--by", "host", "--json"],
    ];
    for question in questions {
        let shown = on_terminal(&[question, &["--url", &url][..]].concat())?;
        ensure!(shown.contains("start"), "{question:?}: {shown:?}");
        ensure!(commands(&shown).is_empty(), "{question:?}: {shown:?}");
    }
    // An error that says the words once more.
    let shown = on_terminal(&["search", &format!("({HOSTILE}"), "--url", &url])?;
    ensure!(
        shown.contains("error") && commands(&shown).is_empty(),
        "{shown:?}"
    );
    // A program gets what there is.
    let csv = run(&["query", "* | fields host", "--csv", "--url", &url])?;
    ensure!(csv.output.contains(HOSTILE), "{}", csv.output);
    let raw = on_terminal(&["search", "start", "--raw", "--url", &url])?;
    ensure!(
        raw.contains('\u{9b}'),
        "the bytes themselves were asked for: {raw:?}"
    );
    Ok(())
}
