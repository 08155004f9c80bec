//! `--demo`: a day of made-up history, then a stream as from a small company.

use std::sync::Arc;
use std::time::Duration;

use ingest::{ImportTime, Importer, Ingest, SubmitError};
use load::demo::{Backfill, Demo};
use model::{LogspaceName, RecordBatch};
use store::{Clock as _, Store, SystemClock};

use crate::check::default_parse_options;

/// Always the same company.
const SEED: u64 = 20_26;

/// Records of the history.
const HISTORY_RECORDS: u64 = 200_000;

/// How often the stream is fed; what is due by then goes together.
const TICK: Duration = Duration::from_millis(100);

/// Feeds until it is dropped.
pub(super) async fn feed(ingest: Arc<Ingest>, store: Arc<Store>) {
    let mut demo = Demo::new(SEED).with_utc_offset(jiff::Zoned::now().offset().seconds());
    let is_empty = store
        .status()
        .logspaces
        .iter()
        .all(|logspace| logspace.records == 0);
    if is_empty {
        match backfill(&ingest, demo).await {
            Some(filled) => demo = filled,
            None => return,
        }
    }
    let mut next = demo.next_time(SystemClock.now());
    let mut tick = tokio::time::interval(TICK);
    loop {
        tick.tick().await;
        let mut text = Vec::new();
        while next <= SystemClock.now() {
            demo.next_line(next, &mut text);
            text.push(b'\n');
            next = demo.next_time(next);
        }
        let lines = text.split(|byte| *byte == b'\n').collect::<Vec<_>>();
        if let Err(error) = ingest.submit_lines(lines, None, None).await {
            tracing::warn!(%error, "the demo stops");
            return;
        }
    }
}

/// Stores the history; the stream goes on where it ends.
async fn backfill(ingest: &Ingest, demo: Demo) -> Option<Demo> {
    let now = SystemClock.now();
    let making = tokio::task::spawn_blocking(move || {
        let mut history = Backfill::new(demo, now, HISTORY_RECORDS);
        let time = ImportTime::Message;
        let mut importer = Importer::new(default_parse_options(), time, now, "demo");
        let mut batches = Vec::new();
        let mut line = Vec::new();
        while history.next_line(&mut line).is_some() {
            batches.extend(importer.push(&line));
            line.clear();
        }
        batches.extend(importer.finish());
        (batches, history.into_demo())
    });
    let (batches, demo) = making.await.ok()?;
    if let Err(error) = store(ingest, batches).await {
        tracing::warn!(%error, "the demo has no history");
    }
    Some(demo)
}

async fn store(ingest: &Ingest, batches: Vec<RecordBatch>) -> Result<(), SubmitError> {
    let import = ingest.import(&LogspaceName::main())?;
    let mut pushed = Ok(());
    for batch in batches {
        pushed = import.push(batch).await;
        if pushed.is_err() {
            break;
        }
    }
    let (_, stored) = import.finish().await;
    stored.and(pushed)
}
