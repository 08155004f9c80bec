//! What scripts rely on in the command line: exit codes, output, reload.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use model::Timestamp;
use serde_json::Value;
use testkit::{Corpus, Line, Server, Setup, Signal, run, send_stream, text, wait_until};

const LINES: usize = 300;
const LIMIT: Duration = Duration::from_secs(30);

/// A server that holds a made-up log.
fn server_with_log() -> Result<(Server, Vec<Line>)> {
    let server = Server::start()?;
    let lines: Vec<Line> = Corpus::new(3, Timestamp::from_seconds(1_795_300_000))
        .take(LINES)
        .collect();
    let body: Vec<String> = lines.iter().map(|line| line.rfc5424() + "\n").collect();
    let answer = server
        .api()
        .post("/api/v1/import?time=message", body.concat().as_bytes())?;
    assert_eq!(answer.ok()?.json()?["imported"], LINES);
    Ok((server, lines))
}

fn count(lines: &[Line], program: &str) -> usize {
    lines.iter().filter(|line| line.program == program).count()
}

#[test]
fn exit_codes_tell_found_from_nothing_from_error() -> Result<()> {
    let (server, lines) = server_with_log()?;
    let url = server.url();
    let nginx = count(&lines, "nginx").to_string();
    let cases = [
        (vec!["count", "program:nginx"], 0, nginx.as_str()),
        (vec!["count", "nowhere_to_be_found"], 1, "0"),
        (vec!["search", "nowhere_to_be_found"], 1, ""),
        (vec!["stats", "nowhere_to_be_found", "--by", "host"], 1, ""),
        (vec!["count", "(program:nginx"], 2, ""),
        (
            vec!["search", "program:nginx", "--from", "yesterdayish"],
            2,
            "",
        ),
        (vec!["count", "x", "--no-such-flag"], 2, ""),
    ];
    for (words, code, output) in cases {
        let finished = run(&[&words[..], &["--url", &url]].concat())?;
        assert_eq!(finished.code, Some(code), "{words:?}: {}", finished.errors);
        assert_eq!(finished.output.trim_end(), output, "{words:?}");
        assert!(
            code != 2 || !finished.errors.is_empty(),
            "{words:?} says nothing"
        );
    }
    // Nobody listens on port 1.
    let nobody = run(&["count", "x", "--url", "http://127.0.0.1:1"])?;
    assert_eq!(nobody.code, Some(2));
    assert!(nobody.errors.contains("127.0.0.1:1"), "{}", nobody.errors);
    Ok(())
}

#[test]
fn an_error_in_a_query_points_at_its_place() -> Result<()> {
    let (server, _) = server_with_log()?;
    let finished = run(&["count", "error AND (nginx OR", "--url", &server.url()])?;
    assert_eq!(finished.code, Some(2));
    let marked = "  error AND (nginx OR\n            ^";
    assert!(finished.errors.contains(marked), "{}", finished.errors);
    assert!(finished.errors.contains("add `)`"), "{}", finished.errors);
    Ok(())
}

#[test]
fn json_is_one_object_a_line() -> Result<()> {
    let (server, lines) = server_with_log()?;
    let url = server.url();
    let finished = run(&[
        "search",
        "program:sshd",
        "--json",
        "--limit",
        "1000",
        "--url",
        &url,
    ])?;
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    let mut messages = Vec::new();
    for line in finished.output.lines() {
        let value: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
        ensure!(value.is_object(), "{line}");
        if let Some(row) = value.get("row") {
            messages.push(text(row, "message").to_owned());
        }
    }
    // Newest first.
    let mut expected: Vec<&Line> = lines.iter().filter(|line| line.program == "sshd").collect();
    expected.reverse();
    assert_eq!(messages.len(), expected.len());
    assert_eq!(messages.first(), expected.first().map(|line| &line.message));

    for command in ["histogram", "stats"] {
        let more: &[&str] = match command {
            "stats" => &["--by", "host"],
            _ => &["--bars", "5"],
        };
        let words = [&[command, "", "--json", "--url", &url], more].concat();
        let finished = run(&words)?;
        assert_eq!(finished.code, Some(0), "{}", finished.errors);
        for line in finished.output.lines() {
            let value: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
            ensure!(value["count"].is_u64(), "{line}");
        }
    }
    Ok(())
}

#[test]
fn histogram_and_stats_are_lines_of_two_words() -> Result<()> {
    let (server, lines) = server_with_log()?;
    let url = server.url();
    let bars = run(&["histogram", "program:nginx", "--bars", "7", "--url", &url])?;
    assert_eq!(bars.code, Some(0), "{}", bars.errors);
    let mut total = 0;
    let mut last = Timestamp::MIN;
    for line in bars.output.lines() {
        let (start, bar) = line.split_once(' ').with_context(|| line.to_owned())?;
        let start = Timestamp::parse_rfc3339(start.as_bytes()).with_context(|| line.to_owned())?;
        ensure!(last < start, "bars are in order");
        last = start;
        total += bar.parse::<usize>()?;
    }
    assert_eq!(bars.output.lines().count(), 7);
    assert_eq!(total, count(&lines, "nginx"));

    let stats = run(&[
        "stats", "", "--by", "program", "--limit", "3", "--url", &url,
    ])?;
    assert_eq!(stats.code, Some(0), "{}", stats.errors);
    let mut counts = Vec::new();
    for line in stats.output.lines() {
        let (number, program) = line.trim_start().split_once(' ').context("two words")?;
        let number: usize = number.parse()?;
        assert_eq!(number, count(&lines, program), "{program}");
        counts.push(number);
    }
    assert_eq!(counts.len(), 3);
    assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
    Ok(())
}

#[test]
fn a_data_directory_is_read_without_a_server() -> Result<()> {
    let (mut server, lines) = server_with_log()?;
    ensure!(server.stop()?.success());
    let data_dir = server
        .data_dir()
        .to_str()
        .context("a path that is not UTF-8")?;
    let finished = run(&["count", "program:nginx", "--data-dir", data_dir])?;
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    assert_eq!(finished.output, format!("{}\n", count(&lines, "nginx")));
    Ok(())
}

#[test]
fn packed_files_are_imported_under_the_time_of_their_messages() -> Result<()> {
    let server = Server::start()?;
    let plain = server.folder().join("log");
    let lines: Vec<Line> = Corpus::new(4, Timestamp::from_seconds(1_700_000_000))
        .take(LINES)
        .collect();
    let body: Vec<String> = lines.iter().map(|line| line.rfc5424() + "\n").collect();
    fs::write(&plain, body.concat())?;
    let packed = Command::new("gzip").arg("--keep").arg(&plain).status()?;
    ensure!(packed.success());
    let path = plain.to_str().context("a path that is not UTF-8")?;
    let packed = format!("{path}.gz");
    let url = server.url();
    let finished = run(&["import", path, &packed, "--time", "message", "--url", &url])?;
    assert_eq!(finished.code, Some(0), "{}", finished.errors);

    let range = [
        ("from", "2023-11-14T00:00:00Z"),
        ("to", "2023-11-16T00:00:00Z"),
    ];
    let rows = server.api().export("", &range)?;
    assert_eq!(rows.len(), 2 * LINES);
    let missing = run(&["import", "no/such/file", "--url", &url])?;
    assert_eq!(missing.code, Some(2));
    assert!(
        missing.errors.contains("no/such/file"),
        "{}",
        missing.errors
    );
    Ok(())
}

#[test]
fn check_tells_every_error_at_once_with_its_place() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("logwood.toml");
    let path = file.to_str().context("a path that is not UTF-8")?;
    fs::write(
        &file,
        "[source.udp.office]\nlissten = \"127.0.0.1:0\"\nmessage_max = \"1XiB\"\n\n\
         [sorce.tcp.x]\n\n[route.r]\nmatch = \"(a\"\nlogspace = \"main\"\n",
    )?;
    let bad = run(&["check", path])?;
    assert_eq!(bad.code, Some(2), "{}", bad.errors);
    for place in [":2:1", ":3:15", ":5:", ":8:"] {
        assert!(
            bad.errors.contains(&format!("{path}{place}")),
            "{place}: {}",
            bad.errors
        );
    }
    assert!(
        bad.errors.contains("lissten = \"127.0.0.1:0\""),
        "{}",
        bad.errors
    );
    assert!(bad.errors.contains("| ^^^^^^^\n"), "{}", bad.errors);
    assert!(
        bad.errors.contains("listen"),
        "the nearest name: {}",
        bad.errors
    );

    fs::write(&file, "[source.udp.office]\nlisten = \"127.0.0.1:0\"\n")?;
    let good = run(&["check", path])?;
    assert_eq!(good.code, Some(0), "{}", good.errors);
    Ok(())
}

#[test]
fn a_configuration_file_that_cannot_be_read_comes_with_a_hint() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("latin.toml"), b"# caf\xe9\n")?;
    for (name, hint) in [
        ("absent.toml", "logwood check --effective"),
        ("latin.toml", "UTF-8"),
        ("", "name the file in it"),
    ] {
        for arguments in [vec!["check"], vec!["serve", "--config"]] {
            let told = run(&[arguments, vec![&path(name)]].concat())?;
            assert_eq!(told.code, Some(2), "{}", told.errors);
            assert!(told.errors.contains(&path(name)), "{}", told.errors);
            assert!(told.errors.contains(hint), "{}", told.errors);
        }
    }
    Ok(())
}

#[test]
fn a_reload_takes_a_good_file_and_keeps_the_old_one_on_an_error() -> Result<()> {
    let source =
        |parse: &str| format!("[source.tcp.tcp]\nlisten = \"127.0.0.1:0\"\nparse = \"{parse}\"\n");
    let mut server = Server::start_with(Setup {
        config: Some(source("syslog")),
        ..Setup::default()
    })?;
    let line = "<13>1 - - parsed - - - m\n";
    send_stream(server.addresses().tcp, line.as_bytes())?;
    server.api().wait_for_count("program:parsed", 1)?;

    fs::write(server.config_file(), source("sylog"))?;
    server.process().signal(Signal::HUP)?;
    wait_until("the error was told", LIMIT, || {
        server.process().errors().join("\n").contains("sylog")
    })?;
    send_stream(server.addresses().tcp, line.as_bytes())?;
    server.api().wait_for_count("program:parsed", 2)?;

    fs::write(server.config_file(), source("none"))?;
    server.process().signal(Signal::HUP)?;
    // The reload is noticed by its effect: from some message on, nothing is parsed.
    wait_until("the new file was in force", LIMIT, || {
        let tcp = server.addresses().tcp;
        send_stream(tcp, line.as_bytes()).is_ok()
            && server
                .api()
                .count("source:tcp NOT program:parsed")
                .is_ok_and(|n| n > 0)
    })?;
    server.api().conserved("tcp")?;
    ensure!(server.process().ended()?.is_none());
    Ok(())
}

#[test]
fn tables_are_printed_as_text_csv_and_json() -> Result<()> {
    let (server, lines) = server_with_log()?;
    let url = server.url();
    let nginx = count(&lines, "nginx");
    let question = "program:(nginx OR sshd) | count by program | sort program";
    let ask = |more: &[&str]| run(&[&["query", question, "--url", &url], more].concat());

    let text = ask(&[])?;
    assert_eq!(text.code, Some(0), "{}", text.errors);
    let words: Vec<&str> = text.output.split_whitespace().collect();
    let (sshd, nginx) = (count(&lines, "sshd").to_string(), nginx.to_string());
    assert_eq!(words, ["program", "count", "nginx", &nginx, "sshd", &sshd]);

    let csv = ask(&["--csv"])?;
    let expected = format!("program,count\r\nnginx,{nginx}\r\nsshd,{sshd}\r\n");
    assert_eq!(csv.output, expected);

    let json = ask(&["--json"])?;
    let expected = format!("{{\"program\":\"nginx\",\"count\":{nginx}}}");
    assert_eq!(json.output.lines().next(), Some(expected.as_str()));

    let nothing = run(&["query", "nowhere_to_be_found | count", "--url", &url])?;
    assert_eq!(
        (nothing.code, nothing.output.as_str()),
        (Some(1), "count\n    0\n")
    );
    let cut = run(&["query", "| count by host", "--limit", "1", "--url", &url])?;
    assert!(cut.errors.contains("--limit"), "{}", cut.errors);
    let wrong = run(&["query", "a | tpo host", "--url", &url])?;
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.errors.contains("      ^^^"), "{}", wrong.errors);
    Ok(())
}

#[test]
fn saved_searches_are_kept_shown_asked_and_deleted_by_name() -> Result<()> {
    let (mut server, lines) = server_with_log()?;
    let url = server.url();
    let at_server = |words: &[&str]| run(&[words, &["--url", &url]].concat());
    let nothing = at_server(&["searches", "list"])?;
    assert_eq!((nothing.code, nothing.output.as_str()), (Some(1), ""));

    let name = "Web / errors of 50 %";
    let range = ["--from", "now-9999d", "--cols", "host,pid"];
    let save = [&["searches", "save", name, "program:nginx"], &range[..]].concat();
    let saved = at_server(&save)?;
    assert_eq!(saved.code, Some(0), "{}", saved.errors);
    at_server(&["searches", "save", "by program", "| count by program"])?;
    let list = at_server(&["searches", "list"])?;
    let expected = "Web / errors of 50 %  program:nginx --from now-9999d\n\
                    by program            | count by program\n";
    assert_eq!(list.output, expected);
    let json = at_server(&["searches", "list", "--json"])?;
    let first = json.output.lines().next().context("a line")?;
    let first: Value = serde_json::from_str(first)?;
    assert_eq!(
        (&first["name"], &first["view"]["cols"]),
        (&name.into(), &"host,pid".into())
    );
    let shown = at_server(&["searches", "show", name])?.output;
    assert!(shown.contains("query     program:nginx\n"), "{shown}");
    assert!(shown.contains("columns   host,pid\n"), "{shown}");

    let nginx = count(&lines, "nginx").to_string();
    let counted = at_server(&["count", "--saved", name])?;
    assert_eq!(counted.output.trim_end(), nginx, "{}", counted.errors);
    let bounded = at_server(&["count", "--saved", name, "--to", "now-9000d"])?;
    assert_eq!((bounded.code, bounded.output.trim_end()), (Some(1), "0"));
    let table = at_server(&["query", "--saved", "by program"])?;
    assert!(table.output.contains("nginx"), "{}", table.output);

    let unknown = at_server(&["search", "--saved", "web"])?;
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.errors.contains("did you mean \"Web /"),
        "{}",
        unknown.errors
    );
    let wrong = at_server(&["searches", "save", "x", "(a"])?;
    assert!(wrong.errors.contains("  (a\n"), "{}", wrong.errors);
    let deleted = at_server(&["searches", "delete", name])?;
    assert_eq!(deleted.code, Some(0), "{}", deleted.errors);
    assert_eq!(at_server(&["searches", "show", name])?.code, Some(2));

    // Without its server they are read and not changed.
    ensure!(server.stop()?.success());
    let data_dir = server.data_dir().to_str().context("a path in UTF-8")?;
    let directory = ["--data-dir", data_dir];
    let list = run(&[&["searches", "list"], &directory[..]].concat())?;
    assert_eq!(list.output, "by program  | count by program\n");
    let refused = run(&[&["searches", "delete", "by program"], &directory[..]].concat())?;
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.errors.contains("logwood serve"),
        "{}",
        refused.errors
    );
    Ok(())
}

#[test]
fn top_shows_rates_once_or_as_json() -> Result<()> {
    let server = Server::start()?;
    let url = server.url();
    let words = ["top", "--url", &url, "--interval", "0.5", "--once"];
    // Something comes while it looks; not as fast as it can, which would take all ports.
    let (text, json) = std::thread::scope(|scope| {
        let (looked, until) = std::sync::mpsc::channel::<()>();
        let address = server.addresses().tcp;
        scope.spawn(move || {
            let pause = Duration::from_millis(5);
            while until.recv_timeout(pause) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                // What is not sent is missed below.
                _ = send_stream(address, b"<13>1 - h p - - - m\n");
            }
        });
        let text = run(&words);
        let json = run(&[&words[..], &["--json"]].concat());
        drop(looked);
        (text, json)
    });
    let text = text?;
    ensure!(text.code == Some(0), "{}", text.errors);
    let words = [
        "SOURCE",
        "tcp",
        "udp",
        "SENDER",
        "127.0.0.1",
        "LOGSPACE",
        "main",
        "storage ok",
    ];
    for word in words {
        ensure!(text.output.contains(word), "{word}: {}", text.output);
    }
    ensure!(!text.output.contains('\u{1b}'), "no terminal, no escapes");
    let picture: Value = serde_json::from_str(&json?.output)?;
    let sources = picture["sources"].as_array().context("sources")?;
    let tcp = sources.iter().find(|source| source["name"] == "tcp");
    let tcp = tcp.context("tcp")?;
    ensure!(tcp["received_per_second"].as_f64() > Some(0.0), "{tcp}");
    let sender = &picture["senders"][0];
    ensure!(
        sender["peer"] == "127.0.0.1" && sender["source"] == "tcp",
        "{sender}"
    );
    ensure!(
        sender["received_per_second"].as_f64() > Some(0.0),
        "{sender}"
    );
    ensure!(picture["searches"].is_array(), "{picture}");
    ensure!(
        tcp["dropped"] == 0 && tcp["lag_seconds"].is_number(),
        "{tcp}"
    );
    Ok(())
}

#[test]
fn a_signal_during_the_start_ends_it_in_good_order() -> Result<()> {
    let sections: String = (0..100)
        .map(|number| format!("[logspace.l{number}]\n"))
        .collect();
    let mut server = Server::start_with(Setup {
        config: Some(sections),
        ..Setup::default()
    })?;
    ensure!(server.stop()?.success());
    // Its lock is what a start takes first, so it has begun and is not over.
    let lock = server.data_dir().join("lock");
    fs::remove_file(&lock)?;
    for signal in [Signal::TERM, Signal::INT] {
        server.start_again_without_waiting()?;
        wait_until("the start began", LIMIT, || lock.exists())?;
        server.process().signal(signal)?;
        let status = server.process().wait(LIMIT)?;
        ensure!(status.code() == Some(0), "{signal:?}: {status}");
        fs::remove_file(&lock)?;
    }
    server.start_again()?;
    ensure!(server.stop()?.success());
    Ok(())
}
