//! What a logspace has at one moment, to be copied.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::LogspaceName;

use crate::error::Error;
use crate::inventory::Reach;
use crate::logspace::Logspace;
use crate::manifest::{Contents, Entry, fingerprint};
use crate::names;
use crate::segment_handle::SegmentHandle;
use crate::snapshot::TailChunk;
use crate::store::locked;

/// What a logspace has at one moment.
pub(crate) struct Captured {
    pub(crate) name: LogspaceName,
    pub(crate) sources: Vec<Source>,
    /// Records that are not in a segment.
    pub(crate) tail: Vec<Arc<TailChunk>>,
    /// What a manifest has to say of exactly these.
    pub(crate) contents: Contents,
}

impl Captured {
    /// How far it went.
    pub(crate) fn reach(&self) -> Reach {
        let tail_end = self.tail.last().map_or(0, |chunk| chunk.end());
        Reach {
            journaled: self.contents.sealed.max(tail_end),
            next: self.contents.next.max(tail_end),
            manifest: None,
        }
    }
}

/// A segment to be copied.
pub(crate) struct Source {
    pub(crate) entry: Entry,
    pub(crate) path: PathBuf,
    /// `None` where it could not be opened when the store was.
    pub(crate) handle: Option<Arc<SegmentHandle>>,
}

/// Captures a logspace. What readers see counts: the manifest can be a step ahead of it, since a
/// change is durable before it is visible.
pub(crate) fn capture(logspace: &Logspace) -> Result<Captured, Error> {
    let manifest = locked(&logspace.manifest);
    let Some(manifest) = manifest.as_ref() else {
        return Err(Error::ReadOnly);
    };
    let state = logspace.state();
    let handles = state.segments.clone();
    let tail = state.tail();
    drop(state);
    let said = manifest.contents();
    let by_number: BTreeMap<u64, &Entry> = said
        .entries
        .iter()
        .map(|entry| (entry.first.0, entry))
        .collect();
    let mut sources: Vec<Source> = handles
        .iter()
        .filter_map(|handle| of_handle(handle, &by_number))
        .collect();
    let tail_ranges = tail.iter().map(|chunk| (chunk.first.0, chunk.end()));
    let handle_ranges = handles.iter().map(|handle| {
        let first = handle.first_number().0;
        (first, first + u64::from(handle.rows()))
    });
    let mut taken: Vec<(u64, u64)> = handle_ranges.chain(tail_ranges).collect();
    taken.sort_unstable();
    let unopened = said.entries.iter().filter(|entry| !overlaps(&taken, entry));
    sources.extend(unopened.map(|entry| Source {
        entry: at_home(*entry),
        path: logspace.path(entry),
        handle: None,
    }));
    let tail_start = tail.first().map_or(u64::MAX, |chunk| chunk.first.0);
    let contents = Contents {
        owner: said.owner.clone(),
        entries: sources.iter().map(|source| source.entry).collect(),
        removed: Vec::new(),
        next: said.next,
        sealed: said.sealed.min(tail_start),
        gone: said.gone.clone(),
    };
    Ok(Captured {
        name: logspace.name.clone(),
        sources,
        tail,
        contents,
    })
}

/// The segment of a handle; `None` where the manifest has removed it and has no other in its place.
fn of_handle(handle: &Arc<SegmentHandle>, by_number: &BTreeMap<u64, &Entry>) -> Option<Source> {
    let first = handle.first_number();
    let (_, covering) = by_number.range(..=first.0).next_back()?;
    if covering.first.0 + u64::from(covering.rows) <= first.0 {
        return None;
    }
    let generation = generation(handle.path())?;
    let entry = Entry {
        first,
        rows: handle.rows(),
        is_imported: covering.is_imported,
        is_archived: false,
        is_compacted: covering.is_compacted && covering.generation == generation,
        day: handle.first_received().day(),
        file_bytes: handle.file_bytes(),
        first_received: handle.first_received(),
        last_received: handle.last_received(),
        raw_bytes: handle.footer().raw_bytes,
        generation,
        fingerprint: fingerprint(handle.file()).unwrap_or(0),
    };
    Some(Source {
        entry,
        path: handle.path().to_owned(),
        handle: Some(Arc::clone(handle)),
    })
}

fn generation(path: &Path) -> Option<u16> {
    let name = path.file_name()?.to_str()?;
    Some(names::segment_id(name)?.generation)
}

/// A copy lies with the others, wherever the original does.
fn at_home(entry: Entry) -> Entry {
    Entry {
        is_archived: false,
        ..entry
    }
}

/// Whether an entry has a number of one of the ranges, which are sorted and do not overlap.
fn overlaps(ranges: &[(u64, u64)], entry: &Entry) -> bool {
    let end = entry.first.0 + u64::from(entry.rows);
    let before = ranges.partition_point(|(start, _)| *start < end);
    let last = before.checked_sub(1).and_then(|index| ranges.get(index));
    last.is_some_and(|(_, range_end)| *range_end > entry.first.0)
}
