//! kill -9 of ours and of theirs: nothing is lost, and a file has every record once.

use std::collections::BTreeSet;
use std::fs;

use anyhow::Result;
use testkit::{Server, Signal, wait_until};

use super::files::lines;
use super::{LIMIT, messages, send, server, wait_until_idle};

const CYCLES: usize = 4;
const EACH: usize = 3_000;

#[test]
fn a_file_has_every_record_once_after_kills() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("all.log");
    let mut server = server(format!(
        "[destination.file.all]\npath = \"{}\"\nbatch_records = 100\nbatch_wait = \"0ms\"\n",
        path.display()
    ))?;
    let sent = messages(0..CYCLES * EACH);
    for (cycle, part) in sent.chunks(EACH).enumerate() {
        send(&server, part, (cycle + 1) * EACH)?;
        // At a moment when some of them are in the file, kept or not.
        let some = cycle * EACH + (cycle + 1) * EACH / 10;
        wait_until("some are in the file", LIMIT, || lines(&path).len() >= some)?;
        server.kill()?;
        server.start_again()?;
    }
    wait_until_idle(&server)?;
    assert_eq!(lines(&path), sent);
    Ok(())
}

/// A server that sends to another one over RELP.
fn forwarding(to: &Server) -> String {
    format!(
        "[destination.syslog.next]\ntarget = \"{}\"\ntransport = \"relp\"\nformat = \"raw\"\n\
         batch_records = 200\nretry_max = \"1s\"\n",
        to.addresses().relp
    )
}

#[test]
fn nothing_is_lost_on_the_way_to_another_server_whoever_is_killed() -> Result<()> {
    let mut next = Server::start()?;
    let mut own = server(forwarding(&next))?;
    let sent = messages(0..CYCLES * EACH);
    for (cycle, part) in sent.chunks(EACH).enumerate() {
        send(&own, part, (cycle + 1) * EACH)?;
        let before = cycle * EACH + EACH / 10;
        wait_until("some have arrived", LIMIT, || {
            next.api()
                .count("")
                .is_ok_and(|count| count >= before as u64)
        })?;
        if cycle % 2 == 0 {
            own.kill()?;
            own.start_again()?;
        } else {
            next.kill()?;
            next.start_again()?;
            // It listens somewhere else now.
            fs::write(own.config_file(), forwarding(&next))?;
            own.setup().config = Some(forwarding(&next));
            own.process().signal(Signal::HUP)?;
        }
    }
    let status = wait_until_idle(&own)?;
    let rows = next.api().export("", &[("raw", "true")])?;
    let arrived: Vec<Vec<u8>> = rows.iter().map(testkit::raw).collect::<Result<_>>()?;
    let distinct: BTreeSet<Vec<u8>> = arrived.iter().cloned().collect();
    let expected: BTreeSet<Vec<u8>> = sent.into_iter().map(String::into_bytes).collect();
    assert!(
        distinct == expected,
        "{} of {}",
        distinct.len(),
        expected.len()
    );
    // What came twice was under way in a crash.
    assert!(
        arrived.len() <= expected.len() + CYCLES * 1_000,
        "{}",
        arrived.len()
    );
    assert_eq!(status["dropped"]["rejected"], 0);
    Ok(())
}
