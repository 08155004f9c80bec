//! What the server does while its disk is recorded, and what was acknowledged at which place.
//!
//! First old days are imported; they are merged and compacted while the streams run.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};
use serde_json::Value;
use testkit::{Addresses, Api, Random, RelpClient, Server, Setup, raw, text, wait_until};

use super::device::Device;
use super::trace::Trace;
use crate::crash::import::{Import, compaction};
use crate::crash::stream::{Kind, Stream, Transport};

const DISK_BYTES: u64 = 128 << 20;
const LIMIT: Duration = Duration::from_secs(60);

/// Small files: journals change, segments are sealed and merged, all within one recording.
pub(super) const CONFIG: &str = "[store]\njournal_file = \"4MiB\"\nmemory_max = \"8MiB\"\n\
     segment_rows_max = 1024\nfree_min = \"4MiB\"\nfree_warn = \"4MiB\"\n[logspace.old]\n";

const STREAMS: &[Kind] = &[
    Kind {
        name: "relp0",
        transport: Transport::Relp,
        logspace: "main",
        padding_max: 300,
        window_max: 16,
        session_max: 1_000,
    },
    Kind {
        name: "relp1",
        transport: Transport::Relp,
        logspace: "main",
        padding_max: 300,
        window_max: 128,
        session_max: 1_000,
    },
    Kind {
        name: "http0",
        transport: Transport::Http,
        logspace: "main",
        padding_max: 3_000,
        window_max: 60,
        session_max: 1_000,
    },
];

/// One run of a server on a recorded disk.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) device: Device,
    pub(super) trace: Trace,
    /// And the length of the trace at which it was acknowledged.
    import: (u64, Import),
    streams: Vec<Marked>,
}

/// A stream, and how many of its messages were acknowledged at which length of the trace.
#[derive(Debug)]
struct Marked {
    stream: Stream,
    sent: u64,
    marks: Vec<(u64, u64)>,
}

/// Runs a server, with these variables in its environment, until every stream is sent.
pub(super) fn record(environment: &[(String, String)]) -> Result<Recording> {
    let mut device = Device::start(DISK_BYTES)?;
    let mut server = Server::start_with(Setup {
        data_dir: Some(device.path().join("data")),
        config: Some(CONFIG.to_owned()),
        environment: environment.to_vec(),
        ..Setup::default()
    })?;
    let (addresses, path) = (server.addresses(), device.trace());
    let import = Import::run(server.api(), "import".to_owned());
    ensure!(import.is_acknowledged, "the import was refused");
    let imported = fs::metadata(&path)?.len();
    let all = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let senders: Vec<_> = STREAMS
            .iter()
            .map(|kind| {
                scope.spawn(|| -> Result<()> {
                    let marked = send(*kind, addresses, &path)?;
                    all.lock()
                        .map_err(|_| anyhow!("a sender panicked"))?
                        .push(marked);
                    Ok(())
                })
            })
            .collect();
        for sender in senders {
            sender.join().map_err(|_| anyhow!("a sender panicked"))??;
        }
        Ok::<_, anyhow::Error>(())
    })?;
    wait_for_compaction(server.api())?;
    let length = fs::metadata(&path)?.len();
    server.kill()?;
    drop(server);
    device.stop()?;
    Ok(Recording {
        // Without syncs nothing need have reached the disk before the kernel was asked to unmount.
        trace: Trace::read(
            &path,
            if environment.is_empty() {
                length
            } else {
                u64::MAX
            },
        )?,
        device,
        import: (imported, import),
        streams: all.into_inner().map_err(|_| anyhow!("a sender panicked"))?,
    })
}

/// Waits until the days that were imported are smaller than they were.
fn wait_for_compaction(api: Api) -> Result<()> {
    wait_until("old days were compacted", LIMIT, || {
        let status = api.status().and_then(|status| compaction(&status));
        status.is_ok_and(|(segments, compacted, saved)| compacted == segments && saved > 0)
    })
}

/// Sends a whole stream in one session and notes each progress of its acknowledgements.
fn send(kind: Kind, addresses: Addresses, trace: &Path) -> Result<Marked> {
    let stream = Stream::new(kind);
    let mut marks = Vec::new();
    // Read after the answer, so that what made it durable stands before the mark.
    let mut mark = |acknowledged: u64| -> Result<()> {
        if marks.last().is_none_or(|(_, last)| *last != acknowledged) {
            marks.push((fs::metadata(trace)?.len(), acknowledged));
        }
        Ok(())
    };
    let mut sent = 0;
    if kind.transport == Transport::Relp {
        let mut client = RelpClient::connect(addresses.relp, usize::try_from(kind.window_max)?)?;
        while sent < kind.session_max {
            client.send(stream.message(0, sent).as_bytes())?;
            sent += 1;
            mark(client.acknowledged().len() as u64)?;
        }
        client.flush()?;
        mark(client.acknowledged().len() as u64)?;
    } else {
        let mut random = Random::new(3);
        while sent < kind.session_max {
            let batch = 1 + random.below(kind.window_max);
            let lines: Vec<String> = (sent..sent + batch)
                .map(|number| stream.message(0, number))
                .collect();
            let api = Api::new(addresses.http);
            api.post("/api/v1/ingest", lines.join("\n").as_bytes())?
                .ok()?;
            sent += batch;
            mark(sent)?;
        }
    }
    Ok(Marked {
        stream,
        sent,
        marks,
    })
}

impl Recording {
    /// How many messages were acknowledged.
    pub(super) fn acknowledged(&self) -> u64 {
        let last = self.streams.iter().filter_map(|marked| marked.marks.last());
        let (_, import) = &self.import;
        import.acknowledged() + last.map(|(_, acknowledged)| acknowledged).sum::<u64>()
    }

    /// Asserts that the rows, in order, are a prefix of each stream with all that was acknowledged
    /// when the trace had this length.
    pub(super) fn check(&self, position: u64, rows: &[Value]) -> Result<()> {
        let (imported, import) = &self.import;
        let acknowledged = match position >= *imported {
            true => import.acknowledged(),
            false => 0,
        };
        let mine = rows.iter().filter(|row| text(row, "pid") == import.name);
        let mut all = import.check_rows(acknowledged, mine)?;
        for marked in &self.streams {
            let Marked {
                stream,
                sent,
                marks,
            } = marked;
            let name = stream.kind.name;
            let before = marks.partition_point(|(length, _)| *length <= position);
            let acknowledged = marks[..before]
                .last()
                .map_or(0, |(_, acknowledged)| *acknowledged);
            let mine = rows.iter().filter(|row| text(row, "pid") == name);
            let mut found = 0;
            for row in mine {
                let expected = stream.message(0, found);
                ensure!(
                    raw(row)? == expected.as_bytes(),
                    "expected {expected}, found {row}"
                );
                found += 1;
            }
            ensure!(
                acknowledged <= found && found <= *sent,
                "{name}: {sent} sent, {acknowledged} acknowledged, {found} found"
            );
            all += found;
        }
        ensure!(all == rows.len() as u64, "{} rows, {all} ours", rows.len());
        Ok(())
    }
}
