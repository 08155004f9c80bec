//! The command line as somebody uses it who does not know it yet: what is meant otherwise is said.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use testkit::{Finished, Server, run};

/// A server with three records.
fn server_with_three() -> Result<Server> {
    let server = Server::start()?;
    let lines = "<11>1 2026-11-21T18:47:27Z web1 nginx 7 - - disk full\n\
                 <14>1 2026-11-21T18:47:28Z web2 nginx - - - all is well\n\
                 <30>1 2026-11-21T18:47:29Z db1 postgres - - - disk empty\n";
    let answer = server
        .api()
        .post("/api/v1/import?time=message", lines.as_bytes())?;
    assert_eq!(answer.ok()?.json()?["imported"], 3);
    Ok(server)
}

fn ask(server: &Server, words: &[&str]) -> Result<Finished> {
    run(&[words, &["--url", &server.url()]].concat())
}

#[test]
fn a_query_that_means_something_else_is_answered_with_a_warning_below_it() -> Result<()> {
    let server = server_with_three()?;
    for words in [
        vec!["search", "host=web1"],
        vec!["count", "host=web1"],
        vec!["histogram", "host=web1"],
        vec!["stats", "host=web1", "--by", "host"],
        vec!["query", "host=web1 | count by host"],
    ] {
        let told = ask(&server, &words)?;
        assert_eq!(told.code, Some(1), "{words:?}: {}", told.errors);
        let below = "  host=web1";
        ensure!(
            told.errors.contains("warning: `host=web1`"),
            "{}",
            told.errors
        );
        ensure!(told.errors.contains(below), "{}", told.errors);
        ensure!(told.errors.contains("\n  ^^^^^^^^^"), "{}", told.errors);
        ensure!(told.errors.contains("write `host:web1`"), "{}", told.errors);
    }
    let meant = ask(&server, &["count", "host:web1"])?;
    assert_eq!((meant.output.as_str(), meant.errors.as_str()), ("1\n", ""));
    Ok(())
}

#[test]
fn nothing_found_is_said_with_the_time_of_the_newest_record() -> Result<()> {
    let server = server_with_three()?;
    let nothing = ask(&server, &["search", "nowhere", "--from", "now-1h", "--utc"])?;
    assert_eq!((nothing.code, nothing.output.as_str()), (Some(1), ""));
    assert_eq!(
        nothing.errors,
        "no records match from now-1h on; the newest record is of 2026-11-21T18:47:29.000Z\n"
    );
    let by = ask(&server, &["stats", "disk", "--by", "hots"])?;
    assert_eq!(by.code, Some(1));
    let said = "none of the 2 records that match has a field `hots`; did you mean `host`?";
    ensure!(by.errors.contains(said), "{}", by.errors);
    let empty = Server::start()?;
    let nothing = ask(&empty, &["search", "x"])?;
    ensure!(
        nothing.errors.contains("none are stored yet"),
        "{}",
        nothing.errors
    );
    Ok(())
}

#[test]
fn times_of_people_are_taken_and_empty_ranges_refused() -> Result<()> {
    let server = server_with_three()?;
    let of_then = [
        "--from",
        "2026-11-21 18:47:28",
        "--to",
        "2026-11-21 18:48",
        "--utc",
    ];
    let counted = ask(&server, &[&["count", ""], &of_then[..]].concat())?;
    assert_eq!(counted.output, "2\n", "{}", counted.errors);
    for time in [
        "yesterday",
        "10:00",
        "1h ago",
        "-1h",
        "now/d",
        "monday 9:15",
    ] {
        let told = ask(&server, &["count", "", "--to", time])?;
        ensure!(told.code != Some(2), "{time}: {}", told.errors);
    }
    let reversed = ask(&server, &["count", "", "--from", "now", "--to", "now-1h"])?;
    assert_eq!(reversed.code, Some(2));
    let hint = "hint: swap them: from now-1h to now";
    ensure!(reversed.errors.contains(hint), "{}", reversed.errors);
    let wrong = ask(&server, &["count", "", "--from", "noonish"])?;
    ensure!(
        wrong.errors.contains("--from: `noonish`"),
        "{}",
        wrong.errors
    );
    ensure!(wrong.errors.contains("yesterday 17:30"), "{}", wrong.errors);
    let none = ask(&server, &["search", "", "--limit", "0"])?;
    ensure!(none.code == Some(2), "{}", none.errors);
    Ok(())
}

#[test]
fn records_have_severity_time_and_colour() -> Result<()> {
    let server = server_with_three()?;
    let plain = ask(&server, &["search", "host:web1", "--utc"])?;
    let expected = "2026-11-21T18:47:27.000Z err     web1 nginx[7]: disk full\n";
    assert_eq!(plain.output, expected);
    let coloured = ask(&server, &["search", "full", "--utc", "--color", "always"])?;
    let escape = "\u{1b}[";
    let severity = format!("{escape}31merr    {escape}0m");
    ensure!(coloured.output.contains(&severity), "{}", coloured.output);
    let found = format!("disk {escape}1;31mfull{escape}0m");
    ensure!(coloured.output.contains(&found), "{}", coloured.output);
    Ok(())
}

#[test]
fn a_tail_begins_with_the_last_records_that_match() -> Result<()> {
    let server = server_with_three()?;
    let mut tail = Command::new(testkit::binary()?)
        .args(["tail", "-n", "1", "disk", "--utc", "--url", &server.url()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut lines = BufReader::new(tail.stdout.take().context("output")?).lines();
    let first = lines.next().context("a line")??;
    ensure!(first.ends_with("db1 postgres: disk empty"), "{first}");
    let more = b"<13>1 - h p - - - disk again\n";
    server.api().post("/api/v1/ingest", more)?.ok()?;
    let second = lines.next().context("a line")??;
    ensure!(second.ends_with("disk again"), "{second}");
    tail.kill()?;
    tail.wait()?;
    Ok(())
}

#[test]
fn what_is_no_logwood_is_told_apart() -> Result<()> {
    let server = server_with_three()?;
    let encrypted = run(&["count", "", "--url", "https://127.0.0.1:8514"])?;
    assert_eq!(encrypted.code, Some(2));
    ensure!(
        encrypted.errors.contains("without TLS"),
        "{}",
        encrypted.errors
    );
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let other = listener.local_addr()?.to_string();
    std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else {
                return;
            };
            let mut head = [0; 4096];
            _ = connection.read(&mut head);
            let page =
                b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>";
            _ = connection.write_all(page);
        }
    });
    for command in ["search", "count", "tail", "top", "import"] {
        let word = if command == "top" { "--once" } else { "-" };
        let told = run(&[command, word, "--url", &other])?;
        assert_eq!(told.code, Some(2), "{command}: {}", told.errors);
        ensure!(
            told.errors.contains("text/html"),
            "{command}: {}",
            told.errors
        );
        ensure!(
            told.errors.contains("hint: name the address"),
            "{}",
            told.errors
        );
    }
    let port = server.url();
    let port = port.rsplit(':').next().context("a port")?;
    let counted = run(&["count", "", "--url", port])?;
    assert_eq!(counted.output, "3\n", "{}", counted.errors);
    Ok(())
}

#[test]
fn an_import_that_is_refused_says_why() -> Result<()> {
    let server = server_with_three()?;
    let file = server.folder().join("good.log").display().to_string();
    // More than the buffers of a connection hold, so that writing fails before all is sent.
    fs::write(&file, "a line of a log\n".repeat(1_000_000))?;
    let nowhere = ask(&server, &["import", &file, "--logspace", "nope"])?;
    assert_eq!(nowhere.code, Some(2));
    for said in ["no logspace \"nope\"", "the logspaces are: main"] {
        ensure!(nowhere.errors.contains(said), "{}", nowhere.errors);
    }
    assert_eq!(server.api().count("")?, 3);
    Ok(())
}
