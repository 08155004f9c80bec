//! Files that steps work by, read again when they have changed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ingest::Ingest;

use crate::routes;

/// How often they are looked at. People change them now and then, and want to see it soon.
const PERIOD: Duration = Duration::from_secs(5);

/// What tells one state of a file from another.
type State = Option<(SystemTime, u64)>;

/// Looks at the files for as long as the server runs. A file that is seen for the first time is read again: it may
/// have changed since the configuration was read.
pub(super) async fn keep(ingest: Arc<Ingest>) {
    let mut known: HashMap<PathBuf, State> = HashMap::new();
    let mut timer = tokio::time::interval(PERIOD);
    loop {
        timer.tick().await;
        let ingest = Arc::clone(&ingest);
        let mut seen = std::mem::take(&mut known);
        let looked = tokio::task::spawn_blocking(move || {
            look(&ingest, &mut seen);
            seen
        });
        known = looked.await.unwrap_or_default();
    }
}

fn look(ingest: &Ingest, known: &mut HashMap<PathBuf, State>) {
    let pipeline = ingest.pipeline();
    let mut changed = Vec::new();
    for file in pipeline.files() {
        let path = file.path();
        let now = state(path);
        let before = known.insert(path.to_owned(), now);
        let is_changed = before.is_some_and(|before| before != now);
        if is_changed || before.is_none() || changed.iter().any(|other| other == path) {
            changed.push(path.to_owned());
            reload(file, is_changed);
        }
    }
}

fn reload(file: &dyn pipeline::FileUser, is_changed: bool) {
    let path = file.path().display();
    match routes::load(file) {
        Ok(()) if is_changed => tracing::info!(%path, "read again, as it has changed"),
        Ok(()) => {}
        Err(reason) => {
            tracing::warn!(%path, reason, "changed, and cannot be used: what it said before is still in force");
        }
    }
}

fn state(path: &Path) -> State {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
