//! Files by templates, and programs.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::{messages, send, server, wait_until_idle};

pub(super) fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn records_are_in_files_by_host_and_template() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("${HOST}/${PROGRAM}.log");
    let server = server(format!(
        "[destination.file.hosts]\npath = \"{}\"\ntemplate = \"${{HOST}} ${{MSG}}\"\n",
        path.display()
    ))?;
    send(&server, &messages(0..300), 300)?;
    wait_until_idle(&server)?;
    for host in 0..3 {
        let expected = (host..300)
            .step_by(3)
            .map(|n| format!("host{host} message {n}"));
        let path = folder.path().join(format!("host{host}/app.log"));
        assert_eq!(lines(&path), expected.collect::<Vec<_>>());
    }
    Ok(())
}

#[test]
fn a_program_gets_lines_and_is_started_again() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("got");
    // It ends behind a hundred lines, and has read what it was given by then.
    let script = format!("head -n 100 >> '{}'", path.display());
    let server = server(format!(
        "[destination.program.head]\ncommand = [\"/bin/sh\", \"-c\", \"{script}\"]\n"
    ))?;
    let sent = messages(0..300);
    for (index, part) in sent.chunks(100).enumerate() {
        send(&server, part, (index + 1) * 100)?;
        let end = (index + 1) * 100;
        testkit::wait_until("the program has written", super::LIMIT, || {
            lines(&path).len() == end
        })?;
    }
    assert_eq!(lines(&path), sent);
    Ok(())
}
