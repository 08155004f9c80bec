//! The searches that are being answered, for whoever wants to know what keeps the machine busy.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use api::RunningSearch;

use crate::limits::RUNNING_TEXT_BYTES;

/// Searches that are being answered.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    next: u64,
    searches: BTreeMap<u64, Search>,
}

struct Search {
    query: String,
    start: Instant,
    mark: String,
    records: Arc<AtomicU64>,
}

/// A search that is being answered until this is dropped.
pub(crate) struct Answering {
    running: Running,
    number: u64,
    records: Arc<AtomicU64>,
}

impl Running {
    /// Notes a search that begins now; of a long one its first bytes.
    pub(crate) fn start(&self, query: &str) -> Answering {
        self.start_marked(query, "")
    }

    /// The same, of an export that called itself by a mark.
    pub(crate) fn start_marked(&self, query: &str, mark: &str) -> Answering {
        let end = query.floor_char_boundary(RUNNING_TEXT_BYTES);
        let query = query.get(..end).unwrap_or_default().to_owned();
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        let records = Arc::<AtomicU64>::default();
        let search = Search {
            query,
            start: Instant::now(),
            mark: mark.to_owned(),
            records: Arc::clone(&records),
        };
        state.searches.insert(number, search);
        Answering {
            running: self.clone(),
            number,
            records,
        }
    }

    /// What is being answered now, the oldest first.
    pub(crate) fn list(&self) -> Vec<RunningSearch> {
        let state = self.state();
        let searches = state.searches.values().map(|search| RunningSearch {
            query: search.query.clone(),
            seconds: search.start.elapsed().as_secs_f64(),
            records: search.records.load(Ordering::Relaxed),
            mark: search.mark.clone(),
        });
        searches.collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answering {
    /// Notes that a record was written.
    pub(crate) fn wrote_record(&self) {
        self.records.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.running.state().searches.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_listed_while_they_are_answered() {
        let running = Running::default();
        let long = format!("a{}", "\u{e9}".repeat(RUNNING_TEXT_BYTES));
        let first = running.start("host:web");
        let second = running.start(&long);
        let queries = |running: &Running| {
            let listed = running.list().into_iter();
            listed.map(|search| search.query).collect::<Vec<_>>()
        };
        assert_eq!(queries(&running).len(), 2);
        assert!(long.starts_with(&queries(&running)[1]));
        assert!(queries(&running)[1].len() <= RUNNING_TEXT_BYTES);
        drop(second);
        assert_eq!(queries(&running), ["host:web"]);
        drop(first);
        assert!(running.list().is_empty());
    }

    #[test]
    fn an_export_is_known_by_its_mark_and_counts_its_records() {
        let running = Running::default();
        let export = running.start_marked("host:web", "m7");
        export.wrote_record();
        export.wrote_record();
        let listed = running.list();
        assert_eq!((listed[0].mark.as_str(), listed[0].records), ("m7", 2));
    }
}
