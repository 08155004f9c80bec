//! Kill -9 at random moments of backups and of archiving.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use testkit::{Process, Random, Server, Setup, binary, run, wait_until};

use super::{LIMIT, import, json, records_of, wait_a_moment, word};

const KILLS: u64 = 20;
const DAYS: u64 = 30;

#[test]
fn a_backup_that_is_killed_keeps_the_older_one_and_can_be_made_again() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (data, backup) = (folder.path().join("data"), folder.path().join("backup"));
    let mut random = Random::new(20_261_122);
    let words = [
        "backup",
        word(&backup)?,
        "--data-dir",
        word(&data)?,
        "--json",
    ];
    let mut older = 0;
    let mut unfinished = 0;
    for kill in 0..KILLS {
        import(&data, kill, DAYS)?;
        let mut process = Process::start(Command::new(binary()?).args(words))?;
        wait_a_moment(&mut random, 150)?;
        process.kill()?;
        match found(&backup)? {
            Some(found) => {
                ensure!(
                    found >= older,
                    "kill {kill}: {found} records, {older} before"
                );
                older = found;
            }
            None => {
                ensure!(older == 0, "kill {kill}: the older backup is gone");
                unfinished += 1;
            }
        }
        // Every other one is not made good, so that kills meet what kills have left.
        if kill % 2 == 1 {
            json(&words)?;
            let records = records_of(&backup)?;
            older = (kill + 1) * DAYS;
            ensure!(records.len() as u64 == older, "kill {kill}: not all of it");
            ensure!(records == records_of(&data)?, "kill {kill}: not the same");
        }
    }
    let restored = folder.path().join("restored");
    for kill in 0..KILLS / 4 {
        let words = ["restore", word(&backup)?, word(&restored)?];
        let mut process = Process::start(Command::new(binary()?).args(words))?;
        wait_a_moment(&mut random, 400)?;
        process.kill()?;
        if let Some(found) = found(&restored)? {
            ensure!(found == KILLS * DAYS, "kill {kill}: {found} records");
            std::fs::remove_dir_all(&restored)?;
        }
    }
    if !restored.exists() || found(&restored)?.is_none() {
        json(&["restore", word(&backup)?, word(&restored)?, "--json"])?;
    }
    ensure!(records_of(&restored)? == records_of(&data)?, "not the same");
    println!("{KILLS} kills, {unfinished} of them in a first backup");
    Ok(())
}

/// How many records there are; `None` where the directory says that it is not to be used yet.
fn found(directory: &Path) -> Result<Option<u64>> {
    let finished = run(&["count", "", "--data-dir", word(directory)?])?;
    let is_nothing = ["not finished", "not a Logwood data directory"]
        .iter()
        .any(|words| finished.errors.contains(words));
    if finished.code == Some(2) && is_nothing {
        return Ok(None);
    }
    ensure!(
        finished.code != Some(2) && finished.errors.is_empty(),
        "{:?}: {}",
        finished.code,
        finished.errors
    );
    Ok(Some(finished.output.trim().parse()?))
}

#[test]
fn archiving_that_is_killed_loses_nothing_and_leaves_nothing_behind() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (data, slow) = (folder.path().join("data"), folder.path().join("slow"));
    std::fs::create_dir(&slow)?;
    import(&data, 0, DAYS)?;
    let config = format!(
        "[logspace.main]\narchive_after = \"1d\"\narchive_dir = \"{}\"\n",
        word(&slow)?
    );
    let mut server = Server::start_with(Setup {
        data_dir: Some(data.clone()),
        config: Some(config),
        ..Setup::default()
    })?;
    let mut random = Random::new(20_261_123);
    for kill in 0..KILLS {
        server.kill()?;
        let found = records_of(&data)?.len() as u64;
        ensure!(found == (kill + 1) * DAYS, "kill {kill}: {found} records");
        import(&data, kill + 1, DAYS)?;
        server.start_again_without_waiting()?;
        wait_a_moment(&mut random, 400)?;
    }
    server.kill()?;
    server.start_again()?;
    let all = (KILLS + 1) * DAYS;
    wait_until("everything was archived", LIMIT, || {
        let main = |status: serde_json::Value| status["logspaces"][0].clone();
        server.api().status().map(main).is_ok_and(|main| {
            main["archived_segments"] == main["segments"] && main["archive_failure"].is_null()
        })
    })?;
    ensure!(server.api().count("")? == all, "not all is there");
    wait_until("the originals were deleted", LIMIT, || {
        segments(&data.join("logspaces/main")) == 0
    })?;
    let status = server.api().status()?;
    ensure!(
        status["logspaces"][0]["archived_segments"] == segments(&slow),
        "files that nobody knows: {status}"
    );
    Ok(())
}

/// Files below a directory that are segments, or were.
fn segments(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return 0;
    };
    let count = |entry: std::fs::DirEntry| match entry.path() {
        path if path.is_dir() => segments(&path),
        path => u64::from(path.to_string_lossy().contains(".segment")),
    };
    entries.flatten().map(count).sum()
}
