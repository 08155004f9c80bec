//! The formats of others, byte for byte, against the real programs and against their captures.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use testkit::need;
use testkit::peers::Loggen;

use super::load;

const MESSAGES: usize = 3;

/// Everything that one connection brings.
fn capture() -> Result<(SocketAddr, JoinHandle<Result<Vec<u8>>>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let reader = spawn(move || {
        let (mut stream, _) = listener.accept()?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    Ok((address, reader))
}

fn captured(reader: JoinHandle<Result<Vec<u8>>>) -> Result<String> {
    let bytes = reader
        .join()
        .map_err(|_| anyhow!("the reader panicked"))??;
    Ok(String::from_utf8(bytes)?)
}

/// Writes fixed text of the same length over stamps and the number of the run.
fn normalised(text: &str) -> Result<String> {
    let mut bytes = text.as_bytes().to_vec();
    let stamps = text
        .match_indices("2026-")
        .chain(text.match_indices("2027-"));
    for (at, _) in stamps {
        bytes
            .get_mut(at..at + 19)
            .context("a stamp is cut")?
            .copy_from_slice(b"YYYY-MM-DDThh:mm:ss");
    }
    for (at, found) in text.match_indices("runid: ") {
        let start = at + found.len();
        let run = bytes.get_mut(start..start + 10).context("a run is cut")?;
        ensure!(run.iter().all(u8::is_ascii_digit), "no run in {text}");
        run.fill(b'0');
    }
    Ok(String::from_utf8(bytes)?)
}

#[test]
fn loggen_sends_the_same_bytes() -> Result<()> {
    let Some(loggen) = need(Loggen::find())? else {
        return Ok(());
    };
    let sdata = "[test name=\"value\"]";
    let cases: [(&[&str], &[&str]); 6] = [
        (&[], &["--format=loggen"]),
        (&["--size=127"], &["--format=loggen", "--size=127"]),
        (&["--size=1000"], &["--format=loggen", "--size=1000"]),
        (&["--syslog-proto"], &["--format=loggen-ietf"]),
        (
            &["--syslog-proto", "--no-framing"],
            &["--format=loggen-ietf", "--framing=lf"],
        ),
        (
            &["--syslog-proto", "--size=200", "--sdata", sdata],
            &["--format=loggen-ietf", "--size=200", "--sdata", sdata],
        ),
    ];
    for (theirs, ours) in cases {
        let (address, reader) = capture()?;
        let number = format!("--number={MESSAGES}");
        let run = ["--inet", "--stream", "--rate=100000", &number];
        loggen.run(address, &[&run, theirs].concat())?;
        let expected = normalised(&captured(reader)?)?;
        let (address, reader) = capture()?;
        let count = format!("--count={MESSAGES}");
        load(
            &format!("tcp://{address}"),
            &[&[count.as_str()], ours].concat(),
        )?;
        assert_eq!(normalised(&captured(reader)?)?, expected, "{theirs:?}");
    }
    Ok(())
}

#[test]
fn datagrams_of_loggen_have_their_line_ends_and_counts() -> Result<()> {
    let Some(loggen) = need(Loggen::find())? else {
        return Ok(());
    };
    for (theirs, ours) in [
        (&[][..], "--format=loggen"),
        (&["--syslog-proto"], "--format=loggen-ietf"),
    ] {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.set_read_timeout(Some(Duration::from_secs(30)))?;
        let receive = || -> Result<String> {
            let mut buffer = [0; 2_048];
            let length = socket.recv(&mut buffer)?;
            normalised(std::str::from_utf8(&buffer[..length])?)
        };
        let address = socket.local_addr()?;
        loggen.run(
            address,
            &[&["--inet", "--dgram", "--number=1"], theirs].concat(),
        )?;
        let expected = receive()?;
        load(&format!("udp://{address}"), &["--count=1", ours])?;
        assert_eq!(receive()?, expected);
    }
    Ok(())
}

/// Captured from tcpflood of rsyslog 8.2302 with `-m3` and these options.
#[test]
fn tcpflood_sends_the_same_bytes() -> Result<()> {
    let legacy = "<167>Mar  1 01:00:00 172.20.245.8 tag msgnum:";
    let ietf = "<167>1 2003-03-01T01:00:00.000Z mymachine.example.com tcpflood - tag \
                [tcpflood@32473 MSGNUM=\"";
    let cases: [(&[&str], [String; 3]); 5] = [
        // no options
        (
            &["--format=tcpflood"],
            [0, 1, 2].map(|n| format!("{legacy}0000000{n}:\n")),
        ),
        // -d200
        (
            &["--format=tcpflood", "--size=259"],
            [0, 1, 2].map(|n| format!("{legacy}0000000{n}:200:{}\n", "X".repeat(200))),
        ),
        // -y
        (
            &["--format=tcpflood-ietf"],
            [0, 1, 2].map(|n| format!("{ietf}0000000{n}\"] msgnum:0000000{n}:\n")),
        ),
        // -j@cee:
        (
            &["--format=tcpflood", "--json-cookie=@cee:"],
            [0, 1, 2].map(|n| {
                format!("<167>Mar  1 01:00:00 172.20.245.8 tag @cee:{{\"msgnum\":{n}}}\n")
            }),
        ),
        // -O
        (
            &["--format=tcpflood", "--framing=octet-lf"],
            [0, 1, 2].map(|n| format!("55 {legacy}0000000{n}:\n")),
        ),
    ];
    for (words, expected) in cases {
        let (address, reader) = capture()?;
        let words = [&["--count=3"], words].concat();
        load(&format!("tcp://{address}"), &words)?;
        assert_eq!(captured(reader)?, expected.concat(), "{words:?}");
    }
    Ok(())
}

#[test]
fn the_same_seed_and_times_give_the_same_bytes() -> Result<()> {
    let bytes = |seed: &str| -> Result<String> {
        let (address, reader) = capture()?;
        let words = [
            "--count=100",
            "--format=demo",
            "--from=2026-01-01T00:00:00Z",
            "--to=2026-01-01T01:00:00Z",
            seed,
        ];
        load(&format!("tcp://{address}"), &words)?;
        captured(reader)
    };
    assert_eq!(bytes("--seed=1")?, bytes("--seed=1")?);
    assert_ne!(bytes("--seed=1")?, bytes("--seed=2")?);
    Ok(())
}
