//! The sizes that a plan reckons with are those that the server has on disk.

use std::fs;

use anyhow::{Context as _, Result};
use model::Timestamp;
use serde_json::Value;
use testkit::{Corpus, Line, Server, run};

fn plan(words: &[&str]) -> Result<Value> {
    let words = [&["plan", "--rate", "100", "--json"], words].concat();
    let finished = run(&words)?;
    assert_eq!(finished.code, Some(0), "{words:?}: {}", finished.errors);
    serde_json::from_str(&finished.output).with_context(|| finished.output.clone())
}

#[test]
fn a_measured_plan_and_a_stored_one_agree() -> Result<()> {
    let lines: Vec<Line> = Corpus::new(3, Timestamp::from_seconds(1_795_300_000))
        .take(2_000)
        .collect();
    let text: Vec<String> = lines.iter().map(|line| line.rfc5424() + "\n").collect();
    let text = text.concat();
    let server = Server::start()?;
    let imported = server
        .api()
        .post("/api/v1/import?time=message", text.as_bytes())?;
    assert_eq!(imported.ok()?.json()?["imported"], 2_000);
    let folder = tempfile::tempdir()?;
    let sample = folder.path().join("sample");
    fs::write(&sample, &text)?;

    let measured = plan(&["--measure", sample.to_str().context("a path")?])?;
    assert_eq!(measured["basis"], "measured");
    let stored = plan(&["--url", &server.url()])?;
    assert_eq!(stored["basis"], "stored");
    for part in ["text", "data", "index", "total"] {
        let of = |plan: &Value| plan["bytes_per_message"][part].as_f64().context("a figure");
        let (measured, stored) = (of(&measured)?, of(&stored)?);
        assert!(
            (measured / stored - 1.0).abs() < 0.05,
            "{part}: measured {measured}, stored {stored}"
        );
    }
    Ok(())
}

#[test]
fn a_given_figure_is_multiplied_by_rate_and_time() -> Result<()> {
    let given = plan(&["--bytes-per-message", "20", "--retention", "10d"])?;
    assert_eq!(given["basis"], "given");
    let kept = given["disk"]
        .as_array()
        .and_then(|disk| disk.last())
        .context("periods")?;
    assert_eq!(kept["messages"], 86_400_000.0);
    assert_eq!(kept["bytes"]["total"], 1_728_000_000.0);
    assert_eq!(kept["bytes"]["data"], Value::Null);

    let wrong = run(&["plan", "--rate", "0"])?;
    assert_eq!(wrong.code, Some(2));
    let none = run(&["plan", "--rate", "1", "--measure", "no-such-file"])?;
    assert_eq!(none.code, Some(2));
    assert!(
        none.errors.contains("cannot read no-such-file"),
        "{}",
        none.errors
    );
    Ok(())
}
