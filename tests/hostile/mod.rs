//! Hostile clients, many of each kind at once: each is served or refused in words, memory stays
//! bounded, receiving goes on, and the server still ends when it is told to.
//!
//! With `LOGWOOD_HOSTILE_CLIENTS=1000`, as `cargo xtask test hostile` sets it, there are a thousand
//! of each kind, and the rate of receiving beside them is measured and printed.

mod kinds; // What they do.

use std::env;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use model::Timestamp;
use testkit::{Corpus, Server, Setup, raise_open_files, resident_bytes_max, wait_for, wait_until};

use kinds::{KINDS, Kind};

/// Records that are asked about.
const RECORDS: usize = 6_000;

/// The memory that the server may take, all kinds together.
const MEMORY_BYTES_MAX: u64 = 512 << 20;

/// How long something may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// How long the server may take to end, where that is measured.
const END_TIME_MAX: Duration = Duration::from_secs(10);

/// How long the rate of receiving is measured beside one kind.
const RATE_TIME: Duration = Duration::from_secs(2);

/// How many clients of each kind there are, and whether rates are measured.
fn clients() -> Result<(usize, bool)> {
    match env::var("LOGWOOD_HOSTILE_CLIENTS") {
        Ok(text) => Ok((text.parse().context("LOGWOOD_HOSTILE_CLIENTS")?, true)),
        Err(_) => Ok((48, false)),
    }
}

/// A server with less room than there are clients.
fn start(clients: usize) -> Result<Server> {
    raise_open_files(4 * clients as u64 + 1_024)?;
    let connections = (clients / 2).max(24);
    let server = Server::start_with(Setup {
        config: Some(format!(
            "[store]\nmemory_max = \"192MiB\"\n[http]\nconnections_max = {connections}\n"
        )),
        environment: vec![("MALLOC_ARENA_MAX".to_owned(), "2".to_owned())],
        ..Setup::default()
    })?;
    let start = Timestamp::from_seconds(1_795_300_000);
    let lines: String = Corpus::new(7, start)
        .take(RECORDS)
        .map(|line| line.rfc5424() + "\n")
        .collect();
    server
        .api()
        .post("/api/v1/import", lines.as_bytes())?
        .ok()?;
    Ok(server)
}

/// Clients of a kind, as long as they are held.
fn open(kind: &Kind, address: SocketAddr, count: usize) -> Result<Vec<TcpStream>> {
    let request = (kind.request)();
    let start = |_| {
        let mut stream = TcpStream::connect_timeout(&address, LIMIT)?;
        stream.set_nonblocking(true)?;
        let mut sent = 0;
        // A server that refuses reads no further; what it takes at once is enough.
        while let Some(rest) = request.get(sent..).filter(|rest| !rest.is_empty()) {
            match stream.write(rest) {
                Ok(written) => sent += written,
                Err(_) => break,
            }
        }
        Ok(stream)
    };
    let streams: std::io::Result<Vec<_>> = (0..count).map(start).collect();
    streams.with_context(|| format!("{} cannot connect", kind.name))
}

/// What has become of clients: how many were refused. Whatever was answered was answered as its
/// kind may be.
fn refused(kind: &Kind, clients: &mut [TcpStream]) -> Result<usize> {
    let mut refused = 0;
    for client in clients {
        let mut head = vec![0; 2_048];
        // An error: it is open still, or closed to make room for another.
        let read = client.read(&mut head).unwrap_or_default();
        let head = String::from_utf8_lossy(head.get(..read).unwrap_or_default()).into_owned();
        let Some(status) = head.split(' ').nth(1) else {
            continue;
        };
        ensure!(
            kind.statuses.contains(&status) || status == "503",
            "{}: {head}",
            kind.name
        );
        if status == "503" {
            ensure!(head.contains("retry-after: "), "{}: {head}", kind.name);
            ensure!(head.contains("\"busy\""), "{}: {head}", kind.name);
            refused += 1;
        }
    }
    Ok(refused)
}

/// Sends a burst and waits until all of it is stored.
fn receive(server: &Server, before: u64) -> Result<u64> {
    let burst = 200;
    let line = "<13>1 2026-11-21T18:00:00Z beside app - - - received beside hostile clients\n";
    let mut stream = TcpStream::connect(server.addresses().tcp)?;
    stream.write_all(line.repeat(burst).as_bytes())?;
    drop(stream);
    let all = before + burst as u64;
    // Figures are read by a client of its own, which may have to try again.
    wait_until("the burst was stored", LIMIT, || {
        let counts = server.api().source("tcp");
        counts.is_ok_and(|counts| counts.stored == all)
    })?;
    Ok(all)
}

/// Messages a second that are stored meanwhile, sent as fast as they are taken, and how many were sent.
fn rate(server: &Server) -> Result<(f64, u64)> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let sender = scope.spawn(|| -> Result<u64> {
            let line = "<13>1 2026-11-21T18:00:00Z flood app - - - one of many: 0123456789\n";
            let (at_once, mut sent) = (500, 0);
            let lines = line.repeat(at_once);
            let mut stream = TcpStream::connect(server.addresses().tcp)?;
            while !stop.load(Ordering::Relaxed) {
                stream.write_all(lines.as_bytes())?;
                sent += at_once as u64;
            }
            Ok(sent)
        });
        let stored = || {
            wait_for("the figures were told", LIMIT, || {
                Ok(server.api().source("tcp").ok().map(|counts| counts.stored))
            })
        };
        let measured: Result<f64> = (|| {
            let (from, start) = (stored()?, Instant::now());
            thread::sleep(RATE_TIME);
            Ok((stored()? - from) as f64 / start.elapsed().as_secs_f64())
        })();
        stop.store(true, Ordering::Relaxed);
        let sent = sender.join().ok().context("the sender panicked")??;
        Ok((measured?, sent))
    })
}

#[test]
fn hostile_clients_are_bounded_and_receiving_goes_on() -> Result<()> {
    let (count, is_measured) = clients()?;
    let mut server = start(count)?;
    let measure = |server: &Server| match is_measured {
        true => rate(server),
        false => Ok((0.0, 0)),
    };
    let (alone, mut received) = measure(&server)?;
    for kind in KINDS {
        let mut clients = open(kind, server.addresses().http, count)?;
        let (beside, sent) = measure(&server)?;
        received = receive(&server, received + sent).context(kind.name)?;
        let refused = refused(kind, &mut clients)?;
        let memory = resident_bytes_max(server.process().id())?;
        println!(
            "{:18} {refused} of {count} refused, {} MiB, receiving {beside:.0} of {alone:.0}/s",
            kind.name,
            memory >> 20,
        );
        ensure!(memory < MEMORY_BYTES_MAX, "{}: {memory} bytes", kind.name);
        drop(clients);
        wait_until("the server had time again", LIMIT, || {
            server.api().count("program:nothing").is_ok()
        })?;
    }
    let start = Instant::now();
    ensure!(server.stop()?.code() == Some(0), "it did not end well");
    ensure!(!is_measured || start.elapsed() < END_TIME_MAX);
    Ok(())
}

#[test]
fn the_server_ends_beside_hostile_clients_of_every_kind() -> Result<()> {
    let (count, is_measured) = clients()?;
    let mut server = start(count)?;
    let mut held = Vec::new();
    for kind in KINDS {
        held.extend(open(kind, server.addresses().http, count / 8)?);
    }
    let start = Instant::now();
    ensure!(server.stop()?.code() == Some(0), "it did not end well");
    println!(
        "ended in {:?} beside {} clients",
        start.elapsed(),
        held.len()
    );
    ensure!(!is_measured || start.elapsed() < END_TIME_MAX);
    Ok(())
}

#[test]
fn an_export_ends_when_its_client_goes_even_while_it_finds_nothing() -> Result<()> {
    let server = start(8)?;
    let searches = || -> Result<usize> {
        let status = server.api().get("/api/v1/status")?.ok()?.json()?;
        Ok(status["searches"].as_array().map_or(0, Vec::len))
    };
    for _ in 0..2 {
        let client = open(&kinds::ABANDONED, server.addresses().http, 1)?;
        wait_until("the export had begun", LIMIT, || {
            searches().is_ok_and(|running| running == 1)
        })?;
        drop(client);
        // It would go on for minutes.
        wait_until("the export had ended", Duration::from_secs(20), || {
            searches().is_ok_and(|running| running == 0)
        })?;
    }
    if searches()? > 0 {
        bail!("an export goes on");
    }
    Ok(())
}
