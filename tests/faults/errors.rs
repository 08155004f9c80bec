//! Writes and syncs that fail now and then, by `strace -e inject`.
//!
//! A file whose sync failed may hold anything; its records are written again, elsewhere, before
//! they are acknowledged. After a kill they must be there once, not twice.

use anyhow::{Context, Result, ensure};
use testkit::{Server, Setup, need, wait_until};

use super::{Flow, LIMIT, check_flow, strace};

/// What has to be acknowledged under faults; each fault holds up everything for half a second.
const MESSAGES: u64 = 3_000;

const CONFIG: &str =
    "[store]\njournal_file = \"4MiB\"\nmemory_max = \"8MiB\"\nsegment_rows_max = 1024\n";

#[test]
fn syncs_that_fail_lose_nothing_acknowledged() -> Result<()> {
    survives("fdatasync:error=EIO:when=9+31")
}

#[test]
fn writes_that_fail_lose_nothing_acknowledged() -> Result<()> {
    survives("pwrite64:error=EIO:when=13+37")
}

#[test]
fn a_disk_without_room_for_writes_loses_nothing_acknowledged() -> Result<()> {
    survives("pwrite64:error=ENOSPC:when=11+41")
}

#[test]
fn a_quota_that_is_used_up_loses_nothing_acknowledged() -> Result<()> {
    survives("pwrite64:error=EDQUOT:when=11+41")
}

#[test]
fn a_file_system_that_turns_read_only_loses_nothing_acknowledged() -> Result<()> {
    survives("pwrite64:error=EROFS:when=17+43")
}

fn survives(fault: &str) -> Result<()> {
    let Some(launcher) = need(strace(fault))? else {
        return Ok(());
    };
    let mut server = Server::start_with(Setup {
        config: Some(CONFIG.to_owned()),
        launcher,
        ..Setup::default()
    })?;
    let api = server.api();
    let flow = Flow::start(server.addresses().relp, 64, 300);
    flow.wait_for_more(MESSAGES)?;
    let sent = flow.stop()?;
    let told = server.process().errors();
    let failures = told.iter().filter(|line| line.contains("ERROR")).count();
    ensure!(failures > 0, "{fault} hit nothing: {}", told.join("\n"));
    check_flow(api, sent).context("in the server that saw the faults")?;
    let counts = api.conserved("relp")?;
    ensure!((counts.stored, counts.dropped) == (sent, 0), "{counts:?}");
    wait_until("writing went on", LIMIT, || {
        api.get("/readyz").is_ok_and(|answer| answer.status == 200)
    })?;
    server.kill()?;
    server.setup().launcher.clear();
    server.start_again()?;
    check_flow(server.api(), sent).context("after a kill")
}
