//! Octet counts that lie: no byte is lost in silence, and nobody else is disturbed.

use anyhow::{Context, Result};
use testkit::{Server, raw, send_stream};

use super::{NEXT, tags};

/// Sends bytes, ends the connection, and returns what became of them: raw text and tags.
fn outcome(server: &Server, wire: &str, rows: u64) -> Result<Vec<(String, Vec<String>)>> {
    let before = server.api().count("source:tcp")?;
    send_stream(server.addresses().tcp, wire.as_bytes())?;
    server
        .api()
        .wait_for_count("source:tcp", before + rows)
        .with_context(|| format!("{wire:?}"))?;
    let all = server.api().export("source:tcp", &[])?;
    let new = all.iter().skip(usize::try_from(before)?);
    new.map(|row| {
        let raw = String::from_utf8(raw(row)?)?;
        Ok((raw, tags(row).into_iter().map(String::from).collect()))
    })
    .collect()
}

/// Asserts that the bytes become these records, each with the tag or with none of framing.
fn check(server: &Server, wire: &str, expected: &[(&str, Option<&str>)]) -> Result<()> {
    let found = outcome(server, wire, expected.len() as u64)?;
    for ((raw, tags), (expected, tag)) in found.iter().zip(expected) {
        assert_eq!(raw, expected, "of {wire:?}");
        let framing = ["syslog.invalid_octet_count", "syslog.incomplete_frame"];
        for known in framing {
            let has = tags.iter().any(|tag| tag == known);
            assert_eq!(
                has,
                *tag == Some(known),
                "{known} of {raw:?} in {wire:?}: {tags:?}"
            );
        }
    }
    server.api().conserved("tcp")?;
    Ok(())
}

const INVALID: Option<&str> = Some("syslog.invalid_octet_count");
const INCOMPLETE: Option<&str> = Some("syslog.incomplete_frame");

#[test]
fn counts_that_are_no_count_are_read_as_lines() -> Result<()> {
    let server = Server::start()?;
    for head in ["0 ", "9999999999 ", "1234567890123456789012 ", "99999999 "] {
        let bad = format!("{head}<13>1 - - bad - - - zero");
        let wire = format!("{bad}\n{NEXT}\n");
        check(&server, &wire, &[(&bad, INVALID), (NEXT, None)])?;
    }
    Ok(())
}

#[test]
fn digits_without_a_space_are_a_line() -> Result<()> {
    let server = Server::start()?;
    let bad = "12<13>1 - - bad - - - no space";
    let found = outcome(&server, &format!("{bad}\n{NEXT}\n"), 2)?;
    assert_eq!([found[0].0.as_str(), &found[1].0], [bad, NEXT]);
    Ok(())
}

#[test]
fn leading_zeros_are_counted_as_other_senders_write_them() -> Result<()> {
    let server = Server::start()?;
    let wire = format!("{:09} {NEXT}{} {NEXT}", NEXT.len(), NEXT.len());
    check(&server, &wire, &[(NEXT, None), (NEXT, None)])
}

#[test]
fn a_count_that_is_too_short_cuts_where_it_says() -> Result<()> {
    let server = Server::start()?;
    let wire = format!("25 <13>1 - - bad - - - abcdef\n{NEXT}\n");
    let found = outcome(&server, &wire, 3)?;
    assert_eq!(found[0].0, "<13>1 - - bad - - - abcde");
    assert_eq!(found[1].0, "f");
    assert_eq!(found[2].0, NEXT);
    Ok(())
}

#[test]
fn a_count_that_is_too_long_takes_what_follows_and_tells_an_early_end() -> Result<()> {
    let server = Server::start()?;
    let rest = format!("<13>1 - - bad - - - abc\n{NEXT}\n");
    let wire = format!("{} {rest}", rest.len() + 100);
    let found = outcome(&server, &wire, 1)?;
    // Line feeds at the end of a frame are no part of the message.
    assert_eq!(found[0].0.trim_end(), rest.trim_end());
    assert!(
        found[0]
            .1
            .iter()
            .any(|tag| Some(tag.as_str()) == INCOMPLETE),
        "{found:?}"
    );
    check(&server, &format!("{NEXT}\n"), &[(NEXT, None)])
}

#[test]
fn line_feeds_behind_a_counted_frame_are_no_messages() -> Result<()> {
    let server = Server::start()?;
    // rsyslog ends its RFC 5424 format with a line feed inside the count, others send one behind.
    let inside = format!("{} {NEXT}\n", NEXT.len() + 1);
    let behind = format!("{} {NEXT}\n", NEXT.len());
    let wire = format!("{inside}{behind}{inside}");
    check(&server, &wire, &[(NEXT, None), (NEXT, None), (NEXT, None)])
}
