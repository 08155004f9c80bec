//! Destinations on the command line, in the API, in the metrics and in `explain`.

use std::fs;

use anyhow::{Context, Result};

use super::files::lines;
use super::{destination, messages, send, server, wait_until_idle};

/// Runs a command; its standard output.
fn run(words: &[&str]) -> Result<String> {
    let done = testkit::run(words)?;
    anyhow::ensure!(
        done.code == Some(0),
        "{words:?} ended with {:?}: {}",
        done.code,
        done.errors
    );
    Ok(done.output)
}

#[test]
fn a_destination_is_paused_moved_tested_and_shown() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("all.log");
    let server = server(format!(
        "[destination.file.all]\npath = \"{}\"\n",
        path.display()
    ))?;
    let url = server.url();
    send(&server, &messages(0..10), 10)?;
    wait_until_idle(&server)?;
    run(&["destinations", "pause", "all", "--url", &url])?;
    send(&server, &messages(10..30), 30)?;
    assert_eq!(destination(&server)?["state"], "paused");
    assert_eq!(destination(&server)?["unread"], 20);
    assert!(run(&["destinations", "list", "--url", &url])?.contains("file.all"));
    run(&["destinations", "skip", "all", "--to", "#21", "--url", &url])?;
    run(&["destinations", "resume", "file.all", "--url", &url])?;
    let status = wait_until_idle(&server)?;
    assert_eq!(
        (&status["delivered"], &status["dropped"]["skipped"]),
        (&20.into(), &10.into())
    );
    run(&["destinations", "rewind", "all", "--url", &url])?;
    assert_eq!(wait_until_idle(&server)?["delivered"], 50);
    run(&["destinations", "test", "all", "a trial", "--url", &url])?;
    assert_eq!(lines(&path).last().map(String::as_str), Some("a trial"));
    let shown = run(&["destinations", "show", "all", "--url", &url])?;
    assert!(shown.contains("10 skipped"), "{shown}");
    let metrics = server.api().get("/metrics")?.ok()?.text();
    let line = "logwood_destination_delivered_total{destination=\"file.all\"} 50";
    assert!(metrics.contains(line), "{metrics}");
    let failed = testkit::run(&["destinations", "pause", "none", "--url", &url])?;
    assert_eq!(failed.code, Some(2));
    assert!(failed.errors.contains("file.all"), "{}", failed.errors);
    Ok(())
}

#[test]
fn explain_tells_what_would_be_sent() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("logwood.toml");
    let text = "[destination.file.errors]\npath = \"/var/log/${HOST}.log\"\nmatch = \"severity:<=err\"\n\
        template = \"${PROGRAM}: ${MSG}\"\n";
    fs::write(&config, text)?;
    let config = config.to_str().context("a text")?;
    let explained = |message| run(&["explain", "--config", config, message]);
    let taken = explained("<11>Nov 29 04:05:06 web app: broken")?;
    assert!(
        taken.contains("file.errors to /var/log/web.log: app: broken"),
        "{taken}"
    );
    let other = explained("<13>Nov 29 04:05:06 web app: well")?;
    assert!(other.contains("its query does not match"), "{other}");
    Ok(())
}
