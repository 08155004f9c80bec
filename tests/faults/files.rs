//! No file left to open: connections that are there go on, and so does the store; and more segments than there are
//! files to open.

use std::net::TcpStream;

use anyhow::{Result, ensure};
use testkit::{Connection, Server, Setup, connect, need, peers::program, wait_until};

use super::{Flow, LIMIT, check_flow};

/// Enough for the server and a few connections.
const FILES: usize = 64;
/// More than are left.
const CONNECTIONS: usize = 100;

/// One a day.
const SEGMENTS: u64 = 300;

/// Files are changed often, which needs new ones.
const CONFIG: &str =
    "[store]\njournal_file = \"4MiB\"\nmemory_max = \"8MiB\"\nsegment_rows_max = 1024\n";

#[test]
fn too_few_files_hold_up_and_lose_nothing() -> Result<()> {
    let Some(prlimit) = need(program("prlimit", "util-linux"))? else {
        return Ok(());
    };
    let server = Server::start_with(Setup {
        config: Some(CONFIG.to_owned()),
        launcher: vec![
            prlimit.display().to_string(),
            format!("--nofile={FILES}:{FILES}"),
        ],
        ..Setup::default()
    })?;
    let (api, addresses) = (server.api(), server.addresses());
    let flow = Flow::start(addresses.relp, 64, 300);
    flow.wait_for_more(100)?;
    let mut asked = Connection::open(addresses.http)?;
    ensure!(asked.get("/healthz")?.status == 200);
    // The kernel completes these; the server has no file for most of them.
    let idle: Vec<TcpStream> = (0..CONNECTIONS)
        .map(|_| connect(addresses.tcp))
        .collect::<Result<_>>()?;
    let mut asks = 0;
    let before = flow.acknowledged();
    wait_until(
        "some more was sent, or writing waited for a file",
        LIMIT,
        || {
            asks += 1;
            let status = asked.get("/readyz").map_or(0, |answer| answer.status);
            status == 503 || flow.acknowledged() > before + 5_000
        },
    )?;
    ensure!(asked.get("/api/v1/count?q=program:flow")?.status == 200);
    drop(idle);
    flow.wait_for_more(2_000)?;
    let sent = flow.stop()?;
    wait_until("new connections were accepted", LIMIT, || {
        api.get("/readyz").is_ok_and(|answer| answer.status == 200)
    })?;
    check_flow(api, sent)?;
    let counts = api.conserved("relp")?;
    ensure!((counts.stored, counts.dropped) == (sent, 0), "{counts:?}");
    Ok(())
}

#[test]
fn more_segments_than_files_are_started_with_and_searched() -> Result<()> {
    let Some(prlimit) = need(program("prlimit", "util-linux"))? else {
        return Ok(());
    };
    let mut server = Server::start_with(Setup {
        launcher: vec![
            prlimit.display().to_string(),
            format!("--nofile={FILES}:{FILES}"),
        ],
        ..Setup::default()
    })?;
    let day = |number: u64| {
        let (month, day) = (1 + number / 28, 1 + number % 28);
        format!("<14>1 2025-{month:02}-{day:02}T10:00:00Z web app - - - day {number} came\n")
    };
    let body: String = (0..SEGMENTS).map(day).collect();
    let api = server.api();
    api.post("/api/v1/import?time=message", body.as_bytes())?
        .ok()?;
    for round in 0..2 {
        let api = server.api();
        ensure!(api.count("came")? == SEGMENTS, "round {round}");
        let rows = api.search("host:web came", &[("limit", "1000")])?;
        ensure!(
            rows.len() as u64 == SEGMENTS,
            "{} in round {round}",
            rows.len()
        );
        // Looks at each record.
        ensure!(
            api.count("/d.y [0-9]*7 c/")? == SEGMENTS / 10,
            "round {round}"
        );
        let status = api.status()?;
        let segments = status["logspaces"][0]["segments"].as_u64();
        ensure!(segments > Some(FILES as u64), "{segments:?} segments");
        server.stop()?;
        server.start_again()?;
    }
    Ok(())
}
