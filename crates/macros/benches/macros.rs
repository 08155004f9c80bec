//! What writing a record costs: `cargo bench -p macros --bench macros -- [FILE]`.
//!
//! FILE holds syslog messages, a line each; without it two usual ones are taken. Prints nanoseconds and
//! bytes a record of each format and some templates, the fastest of seven runs.
#![expect(clippy::print_stdout, reason = "a bench prints its measurements")]
#![expect(clippy::unwrap_used, reason = "a bench builds its own input")]

use std::hint::black_box;
use std::net::IpAddr;
use std::time::Instant;

use macros::{Context, Format, Template, View, Zone, named_zone};
use model::{RecordBatch, RecordNumber, RecordParts, Timestamp};

const RUNS: usize = 7;
const RECORDS_MIN: usize = 20_000;

const TEMPLATES: [&str; 7] = [
    "$ISODATE $HOST $MSGHDR$MSG",
    "/var/log/$YEAR/$MONTH/$DAY/$(sanitize $HOST).log",
    "$(format-json --scope rfc5424)",
    "$(format-json time=$UNIXTIME host=$HOST event=$MSG fields.program=$PROGRAM fields.pid=int($PID))",
    "$(lowercase $HOST) $(if program('sshd') auth other)",
    "$(sha256 $MSG)",
    "$(replace a bb $MSG)",
];

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"));
    let text = args.next().and_then(|path| std::fs::read(path).ok());
    let batch = batch(&text.unwrap_or_else(usual));
    let bytes: usize = batch.iter().map(|record| record.raw().len()).sum();
    println!("{} records of {} bytes", batch.len(), bytes / batch.len());
    let kept = Context::default();
    let utc = Context {
        zone: Zone::Fixed(named_zone("UTC").unwrap()),
        ..Context::default()
    };
    for name in Format::names() {
        measure(name, &Format::parse(name).unwrap(), &batch, &kept);
    }
    measure("rfc5424, in UTC", &Format::Rfc5424, &batch, &utc);
    for text in TEMPLATES {
        measure(
            text,
            &Format::Template(Template::compile(text).unwrap()),
            &batch,
            &kept,
        );
    }
}

fn measure(what: &str, format: &Format, batch: &RecordBatch, context: &Context) {
    let mut best = f64::MAX;
    let mut bytes = 0;
    let mut out = Vec::with_capacity(1 << 20);
    for _ in 0..RUNS {
        bytes = 0;
        let start = Instant::now();
        for (number, record) in batch.iter().enumerate() {
            // A destination empties its buffer now and then.
            if out.len() > 1 << 19 {
                bytes += out.len();
                out.clear();
            }
            let view = View::from(record).with_id("main", RecordNumber(number as u64));
            format.render(black_box(&view), context, &mut out).unwrap();
        }
        bytes += out.len();
        black_box(&out);
        out.clear();
        best = best.min(start.elapsed().as_secs_f64());
    }
    let records = batch.len() as f64;
    let (nanos, bytes) = (best * 1e9 / records, bytes as f64 / records);
    println!("{nanos:7.0} ns {bytes:6.0} B  {what}");
}

fn batch(text: &[u8]) -> RecordBatch {
    let mut parser = syslog::Parser::new(syslog::ParseOptions::default());
    let peer = Some(IpAddr::from([192, 0, 2, 7]));
    let received = Timestamp::from_seconds(1_795_284_000);
    let context = syslog::Context { received, peer };
    let mut parts = RecordParts::default();
    let mut batch = RecordBatch::new();
    let source = batch.source_index("udp:0.0.0.0:514").unwrap();
    let lines: Vec<&[u8]> = text
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .collect();
    for line in lines.iter().cycle().take(RECORDS_MIN.max(lines.len())) {
        parts.clear();
        parser.parse(line, &context, &mut parts);
        if batch.push(line, &parts, received, peer, source).is_err() {
            break;
        }
    }
    batch
}

fn usual() -> Vec<u8> {
    let filler =
        "connection from 192.0.2.7 port 51234 accepted for user root by rule 42; ".repeat(4);
    format!(
        "<38>Nov 21 18:47:27 web1 sshd[4711]: Failed password for invalid user admin from 192.0.2.7 port 51234 ssh2 {filler}\n\
         <165>1 2026-11-21T18:47:27.120456+01:00 host.example.com evntslog 77 ID47 \
         [exampleSDID@32473 iut=\"3\" eventSource=\"Application\" eventID=\"1011\"] An application event {filler}\n"
    )
    .into_bytes()
}
