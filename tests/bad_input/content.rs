//! Bytes that no text should hold are kept as they came.

use anyhow::Result;
use testkit::{Server, octet_counted, raw, send_datagrams, send_stream, text};

use super::{NEXT, assert_counted, tags};

/// Messages that are odd inside, without a line feed: every one must come back byte by byte.
const ODD: &[&[u8]] = &[
    b"<13>1 - - odd - - - nul \x00 inside",
    b"<13>1 - - odd - - - \xff\xfe invalid \xc3( \xed\xa0\x80",
    b"<13>1 - - odd - - - \x1b[31mred\x1b[0m \x07 \x85 \x7f",
    b"<13>1 - - odd - - - \xef\xbb\xbfwith a byte order mark",
    b"<13>1 - - odd - - - \xe2\x80\xae bidi \xf0\x9f\xaa\xb5 tree",
    b"<13>1 - - odd - - - carriage\rreturn",
];

/// Messages without a header that could be read: kept whole, with a tag that says why.
const BROKEN: &[(&[u8], &str)] = &[
    (b"no priority at all", "syslog.missing_pri"),
    (b"<999>Nov 21 22:00:00 h p: m", "syslog.invalid_pri"),
    (b"<192>Nov 21 22:00:00 h p: m", "syslog.invalid_pri"),
    (b"<100000000000000000000>m", "syslog.invalid_pri"),
    (b"<34", "syslog.invalid_pri"),
    (
        b"<13>1 - - - - - [x a=noquote] m",
        "syslog.invalid_structured_data",
    ),
    (
        b"<13>1 - - - - - [x a=\"open",
        "syslog.invalid_structured_data",
    ),
    (b"<13>2 - - - - - - m", "syslog.rfc5424_unknown_version"),
    (b"<13>Feb 30 10:00:00 h p: m", "syslog.invalid_timestamp"),
];

#[test]
fn odd_bytes_come_back_exactly_over_lines_counts_and_datagrams() -> Result<()> {
    let server = Server::start()?;
    let addresses = server.addresses();
    let lines: Vec<u8> = ODD.iter().flat_map(|odd| [*odd, b"\n"].concat()).collect();
    let counted: Vec<u8> = ODD.iter().flat_map(|odd| octet_counted(odd)).collect();
    send_stream(addresses.tcp, &lines)?;
    server
        .api()
        .wait_for_count("program:odd", ODD.len() as u64)?;
    send_stream(addresses.tcp, &counted)?;
    server
        .api()
        .wait_for_count("program:odd", 2 * ODD.len() as u64)?;
    for (index, odd) in ODD.iter().enumerate() {
        send_datagrams(addresses.udp, &[odd])?;
        let expected = (2 * ODD.len() + index + 1) as u64;
        server.api().wait_for_count("program:odd", expected)?;
    }
    let rows = server.api().export("program:odd", &[])?;
    for (row, odd) in rows.iter().zip(ODD.iter().cycle()) {
        assert_eq!(raw(row)?, *odd);
        let is_utf8 = std::str::from_utf8(odd).is_ok();
        assert_eq!(
            !tags(row).contains(&"syslog.invalid_utf8"),
            is_utf8,
            "{row}"
        );
    }
    assert_counted(&server, "tcp", 2 * ODD.len() as u64)?;
    assert_counted(&server, "udp", ODD.len() as u64)
}

#[test]
fn what_cannot_be_parsed_is_kept_whole_with_the_reason() -> Result<()> {
    let server = Server::start()?;
    for (index, (broken, tag)) in BROKEN.iter().enumerate() {
        send_datagrams(server.addresses().udp, &[broken])?;
        let rows = server.api().wait_for_rows("source:udp", index as u64 + 1)?;
        assert_eq!(raw(&rows[index])?, *broken);
        assert!(tags(&rows[index]).contains(tag), "{tag}: {}", rows[index]);
    }
    assert_counted(&server, "udp", BROKEN.len() as u64)
}

#[test]
fn empty_messages_are_counted_and_disturb_nothing() -> Result<()> {
    let server = Server::start()?;
    send_datagrams(server.addresses().udp, &[b"", b"\n", b"\0"])?;
    send_datagrams(server.addresses().udp, &[NEXT.as_bytes()])?;
    server.api().wait_for_count("source:udp program:next", 1)?;
    send_stream(
        server.addresses().tcp,
        format!("\n\n\r\n{NEXT}\n\n").as_bytes(),
    )?;
    server.api().wait_for_count("source:tcp program:next", 1)?;
    for source in ["udp", "tcp"] {
        let counts = server.api().conserved(source)?;
        // Whether nothing is a message may differ by transport; that it is counted may not.
        let rows = server.api().count(&format!("source:{source}"))?;
        assert_eq!(counts.stored, rows, "{source}: {counts:?}");
    }
    Ok(())
}

#[test]
fn an_export_keeps_one_message_on_one_line() -> Result<()> {
    let server = Server::start()?;
    let message = b"<13>1 - - odd - - - first\nsecond\r\nthird \"quoted\", \x00\xff";
    send_stream(server.addresses().tcp, &octet_counted(message))?;
    let rows = server.api().wait_for_rows("program:odd", 1)?;
    assert_eq!(raw(&rows[0])?, message);
    assert!(text(&rows[0], "message").contains("first\nsecond"));
    // `export` above reads a value a line: that it came back as one row is the test.
    let page = server.api().search("program:odd", &[])?;
    assert_eq!(page.len(), 1);
    Ok(())
}
