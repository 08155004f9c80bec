//! Unix sockets: the senders that `/dev/log` has, and sockets that systemd passes on.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use testkit::peers::{Logger, Rsyslog, SyslogNg, program};
use testkit::{Line, Server, Setup, need, text, wait_for};

use super::{assert_row, recent_lines};

const LINES: usize = 300;

const LIMIT: Duration = Duration::from_secs(60);

/// A server with a socket of each type, in a folder of its own.
fn start() -> Result<(Server, TempDir)> {
    let folder = tempfile::tempdir()?;
    let config = format!(
        "[source.unix.datagrams]\nlisten = \"{0}/datagrams\"\nzone = \"UTC\"\n\
         [source.unix.streams]\nlisten = \"{0}/streams\"\ntype = \"stream\"\nzone = \"UTC\"\n",
        folder.path().display()
    );
    let server = Server::start_with(Setup {
        config: Some(config),
        ..Setup::default()
    })?;
    Ok((server, folder))
}

#[test]
fn logger_as_to_dev_log() -> Result<()> {
    let Some(logger) = need(Logger::find())? else {
        return Ok(());
    };
    let (server, folder) = start()?;
    for source in ["datagrams", "streams"] {
        let path = folder.path().join(source);
        for (index, options) in [["--id=7"].as_slice(), &["--id=7", "--rfc5424"]]
            .iter()
            .enumerate()
        {
            let program = format!("{source}{index}");
            let own = ["--tag", &program, "--priority", "authpriv.err"];
            logger.send_to_path(&path, &[options, own.as_slice()].concat(), "hello  there")?;
            let rows = server
                .api()
                .wait_for_rows(&format!("program:{program}"), 1)?;
            let host = std::fs::read_to_string("/proc/sys/kernel/hostname")?;
            ensure!(text(&rows[0], "host") == host.trim(), "{}", rows[0]);
            for (member, value) in [
                ("pid", "7"),
                ("facility", "authpriv"),
                ("severity", "err"),
                ("message", "hello  there"),
                ("source", source),
            ] {
                ensure!(text(&rows[0], member) == value, "{member}: {}", rows[0]);
            }
            ensure!(rows[0]["tags"] == serde_json::json!([]), "{}", rows[0]);
        }
    }
    Ok(())
}

fn arrived(server: &Server, source: &str, lines: &[Line]) -> Result<()> {
    let rows = server
        .api()
        .wait_for_rows(&format!("source:{source}"), lines.len() as u64)?;
    for (line, row) in lines.iter().zip(&rows) {
        assert_row(row, line).with_context(|| format!("sent {line:?}, found {row}"))?;
    }
    Ok(())
}

fn wire(lines: &[Line]) -> Vec<String> {
    lines.iter().map(|line| line.rfc3164()).collect()
}

#[test]
fn omuxsock() -> Result<()> {
    if need(Rsyslog::find())?.is_none() {
        return Ok(());
    }
    let (server, folder) = start()?;
    let path = folder.path().join("datagrams");
    let mut rsyslog = Rsyslog::start(&format!(
        "module(load=\"omuxsock\")\n\
         template(name=\"wire\" type=\"string\" string=\"%rawmsg%\")\n\
         $OMUxSockSocket {}\n*.* :omuxsock:;wire",
        path.display()
    ))?;
    let lines = recent_lines(21, LINES)?;
    rsyslog.feed(&wire(&lines))?;
    arrived(&server, "datagrams", &lines)
        .with_context(|| format!("rsyslog said: {}", rsyslog.errors().join("\n")))
}

#[test]
fn syslog_ng_over_unix_sockets() -> Result<()> {
    if need(SyslogNg::find())?.is_none() {
        return Ok(());
    }
    let (server, folder) = start()?;
    for (source, driver) in [("datagrams", "unix-dgram"), ("streams", "unix-stream")] {
        let path = folder.path().join(source);
        let mut syslog_ng = SyslogNg::start(&format!("{driver}(\"{}\");", path.display()))?;
        let lines = recent_lines(22, LINES)?;
        syslog_ng.feed(&wire(&lines))?;
        arrived(&server, source, &lines)
            .with_context(|| format!("syslog-ng said: {}", syslog_ng.errors().join("\n")))?;
    }
    Ok(())
}

/// Connects and sends as soon as somebody listens.
fn send_when_there(path: PathBuf) -> thread::JoinHandle<Result<()>> {
    thread::spawn(move || {
        let connect = || Ok(UnixStream::connect(&path).ok());
        let mut stream = wait_for("somebody listened", LIMIT, connect)?;
        Ok(stream.write_all(b"<13>before the start\n")?)
    })
}

#[test]
fn systemd_passes_sockets_on() -> Result<()> {
    if need(program("systemd-socket-activate", "systemd"))?.is_none() {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("passed");
    let words = [
        "systemd-socket-activate",
        "--listen",
        path.to_str().context("UTF-8")?,
        "--fdname=log",
    ];
    // Its path is not the one that systemd listens on: nothing is bound there.
    let unused = folder.path().join("unused");
    let setup = Setup {
        config: Some(format!(
            "[source.unix.log]\nlisten = \"{}\"\ntype = \"stream\"\n",
            unused.display()
        )),
        launcher: words.map(str::to_owned).to_vec(),
        ..Setup::default()
    };
    // It starts the server when somebody comes.
    let sender = send_when_there(path.clone());
    let mut server = Server::start_with(setup)?;
    ensure!(sender.join().is_ok_and(|sent| sent.is_ok()), "not sent");
    server.api().wait_for_rows("source:log", 1)?;
    ensure!(!unused.exists(), "it listens where it was not to");
    let status = server.api().status()?;
    ensure!(
        status["listeners"].to_string().contains("/passed"),
        "{status}"
    );
    server.stop()?;
    ensure!(path.exists(), "the file of systemd's socket is gone");
    Ok(())
}

#[test]
fn a_passed_socket_that_fits_no_source_is_told() -> Result<()> {
    if need(program("systemd-socket-activate", "systemd"))?.is_none() {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    for (name, expected) in [
        ("other", "no source is called so"),
        (
            "log",
            "a source of unix-datagram needs one from ListenDatagram= with a path",
        ),
    ] {
        let path = folder.path().join(name);
        let config = format!(
            "[source.unix.log]\nlisten = \"{}/x\"\n",
            folder.path().display()
        );
        let fdname = format!("--fdname={name}");
        let words = [
            "systemd-socket-activate",
            "--listen",
            path.to_str().context("UTF-8")?,
            &fdname,
        ];
        let sender = send_when_there(path.clone());
        let started = Server::start_with(Setup {
            config: Some(config),
            launcher: words.map(str::to_owned).to_vec(),
            ..Setup::default()
        });
        let error = started.err().context("it started")?;
        _ = sender.join();
        ensure!(format!("{error:#}").contains(expected), "{error:#}");
    }
    Ok(())
}
