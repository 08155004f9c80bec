//! The archive of a real server: searched in place, away, back.

use std::fs;

use anyhow::{Result, ensure};
use testkit::{RelpClient, Server, Setup, wait_until};

use super::{LIMIT, import, records, records_of, word};

#[test]
fn archived_days_are_found_and_their_absence_is_said() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (data, slow) = (folder.path().join("data"), folder.path().join("slow"));
    fs::create_dir(&slow)?;
    import(&data, 0, 40)?;
    let config = format!(
        "[logspace.main]\narchive_after = \"30d\"\narchive_dir = \"{}\"\n",
        word(&slow)?
    );
    let mut server = Server::start_with(Setup {
        data_dir: Some(data.clone()),
        config: Some(config),
        ..Setup::default()
    })?;
    let archived = |server: &Server| -> Result<u64> {
        let status = server.api().status()?;
        Ok(status["logspaces"][0]["archived_segments"]
            .as_u64()
            .unwrap_or(0))
    };
    wait_until("all days were archived", LIMIT, || {
        archived(&server).is_ok_and(|archived| archived == 40)
    })?;
    let mut client = RelpClient::connect(server.addresses().relp, 128)?;
    client.send(b"<134>1 - - new c1 - - of today")?;
    client.close()?;
    let before = records(&server.api().export("", &[])?)?;
    assert_eq!(before.len(), 41);
    assert_eq!(server.api().count("program:old")?, 40);
    let status = server.api().status()?;
    assert_eq!(status["logspaces"][0]["bytes"], 0);
    assert!(server.stop()?.success());
    // A directory knows where its archive is.
    ensure!(
        records_of(&data)? == before,
        "not the same without a server"
    );

    let away = folder.path().join("away");
    fs::rename(&slow, &away)?;
    server.start_again()?;
    let lines = server.api().ask("search", &[("q", "")])?.lines()?;
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["end"]["complete"], false, "{lines:?}");
    wait_until("the missing archive was noticed", LIMIT, || {
        let status = server.api().status().unwrap_or_default();
        let failure = status["logspaces"][0]["archive_failure"].as_str();
        failure.is_some_and(|failure| failure.contains("mounted"))
    })?;
    fs::rename(&away, &slow)?;
    wait_until("the archive came back", LIMIT, || {
        server.api().count("").is_ok_and(|count| count == 41)
    })?;
    let (rows, _) = server.api().search_page("", &[])?;
    assert_eq!(rows.len(), 41);
    let rows = server.api().export("", &[])?;
    assert_eq!(records(&rows)?, before);
    Ok(())
}
