//! Backups of a server that receives, and what comes back of them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use anyhow::{Result, ensure};
use serde_json::Value;
use testkit::{RelpClient, Server, Setup, Tmpfs, is_root, run, skipped, wait_until};

use super::{LIMIT, json, records, records_of, word};

/// Small tails, so that there are segments, and merges while backups are made.
const CONFIG: &str = "[store]\njournal_file = \"4MiB\"\nsegment_rows_max = 1024\n";

fn server() -> Result<Server> {
    Server::start_with(Setup {
        config: Some(CONFIG.to_owned()),
        ..Setup::default()
    })
}

#[test]
fn backups_of_a_server_that_receives_have_all_that_was_acknowledged() -> Result<()> {
    let mut server = server()?;
    let address = server.addresses().relp;
    let (stop, total) = (AtomicBool::new(false), AtomicU64::new(0));
    // Each round has records that come while it copies, and a fast machine no millions of them.
    let allowed = AtomicU64::new(1_500);
    let backup = server.folder().join("backup");
    let (url, directory) = (server.url(), word(&backup)?);
    thread::scope(|scope| -> Result<()> {
        let sender = scope.spawn(|| -> Result<()> {
            let mut client = RelpClient::connect(address, 32)?;
            for number in 0_u64.. {
                while number >= allowed.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                client.send(format!("<134>1 - - backup c1 - - seq {number}").as_bytes())?;
                total.store(client.acknowledged().len() as u64, Ordering::Relaxed);
            }
            client.close()
        });
        let result = (|| -> Result<()> {
            for round in 1..=5 {
                wait_until("records were acknowledged", LIMIT, || {
                    total.load(Ordering::Relaxed) + 64 >= round * 1_500
                })?;
                allowed.fetch_add(10_000, Ordering::Relaxed);
                let before = total.load(Ordering::Relaxed);
                let made = json(&["backup", directory, "--url", &url, "--json"])?;
                check(&made, before, &backup)?;
            }
            Ok(())
        })();
        stop.store(true, Ordering::Relaxed);
        let sent = sender.join();
        result?;
        sent.map_err(|_| anyhow::anyhow!("the sender panicked"))?
    })?;

    let expected = records(&server.api().export("", &[])?)?;
    let made = json(&["backup", directory, "--url", &url, "--json"])?;
    assert_eq!(made["logspaces"][0]["records"], expected.len() as u64);
    assert_eq!(records_of(&backup)?, expected);
    assert!(server.stop()?.success());
    let restored = server.folder().join("restored");
    let said = json(&["restore", directory, word(&restored)?, "--json"])?;
    assert_eq!(said["complete"], true);
    assert_eq!(said["logspaces"][0]["records"], expected.len() as u64);
    assert_eq!(said["logspaces"][0]["last"], made["logspaces"][0]["last"]);
    let again = Server::start_with(Setup {
        data_dir: Some(restored.clone()),
        ..Setup::default()
    })?;
    let rows = again.api().export("", &[])?;
    assert_eq!(records(&rows)?, expected);
    let refused = run(&["restore", directory, word(&restored)?])?;
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.errors.contains("is not empty"),
        "{}",
        refused.errors
    );
    Ok(())
}

/// Asserts that a backup has at least so many records, and each up to the last that it names.
fn check(made: &Value, at_least: u64, backup: &std::path::Path) -> Result<()> {
    let main = &made["logspaces"][0];
    let records = records_of(backup)?;
    ensure!(made["complete"] == true, "{made}");
    ensure!(
        records.len() as u64 >= at_least,
        "{at_least} acknowledged before, {} there",
        records.len()
    );
    ensure!(main["records"] == records.len() as u64, "{made}");
    ensure!(main["last"] == records.len() as u64, "{made}");
    for number in 1..=records.len() {
        let id = format!("main:{number}");
        ensure!(records.contains_key(&id), "no {id}");
    }
    Ok(())
}

#[test]
fn a_backup_on_another_file_system_is_a_copy() -> Result<()> {
    if !is_root() {
        return skipped("only root can mount a file system");
    }
    let server = server()?;
    let mount = server.folder().join("mount");
    std::fs::create_dir(&mount)?;
    let disk = Tmpfs::mount(&mount, 64 << 20)?;
    let mut client = RelpClient::connect(server.addresses().relp, 128)?;
    for number in 0..1_700 {
        client.send(format!("<134>1 - - backup c1 - - seq {number}").as_bytes())?;
    }
    client.close()?;
    // An empty mount point of its own is enough.
    let directory = word(disk.path())?;
    let url = server.url();
    let made = json(&["backup", directory, "--url", &url, "--json"])?;
    assert_eq!(made["logspaces"][0]["linked"], 0);
    check(&made, 1_700, disk.path())?;
    let expected = records(&server.api().export("", &[])?)?;
    assert_eq!(records_of(disk.path())?, expected);
    Ok(())
}

#[test]
fn a_server_writes_no_backup_over_what_is_not_one() -> Result<()> {
    let server = server()?;
    let url = server.url();
    let thesis = server.folder().join("mine");
    std::fs::create_dir(&thesis)?;
    std::fs::write(thesis.join("thesis"), "years of work")?;
    for (directory, why) in [
        (thesis.as_path(), "is not empty"),
        (server.data_dir(), "inside of the data directory"),
    ] {
        let refused = run(&["backup", word(directory)?, "--url", &url])?;
        assert_eq!(refused.code, Some(2));
        assert!(refused.errors.contains(why), "{}", refused.errors);
    }
    assert_eq!(std::fs::read_dir(&thesis)?.count(), 1);
    // What a form of a page in a browser could send.
    let answer = server
        .api()
        .post("/api/v1/admin/backup", b"{\"directory\": \"/nowhere\"}")?;
    assert_eq!(answer.status, 400, "{answer:?}");
    Ok(())
}
