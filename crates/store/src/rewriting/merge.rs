//! Several segments into one.

use segment::Rewrite;

use super::{Input, Stop, write};
use crate::error::Error;
use crate::logspace::Logspace;
use crate::manifest::Entry;
use crate::publish::{self, Origin};
use crate::segment_handle::SegmentHandle;
use crate::store::Shared;

/// Merges segments of a logspace that follow each other.
pub(super) fn merge(shared: &Shared, logspace: &Logspace, entries: &[Entry]) -> Result<(), Error> {
    let paths: Vec<_> = entries.iter().map(|entry| logspace.path(entry)).collect();
    let handles = logspace.state().handles(&paths);
    let segments: Vec<&SegmentHandle> = handles.iter().map(AsRef::as_ref).collect();
    let Some(first) = entries.first() else {
        return Ok(());
    };
    let generation = entries.iter().map(|entry| entry.generation).max();
    let origin = Origin {
        is_imported: first.is_imported,
        generation: generation.unwrap_or(0).saturating_add(1),
        replaced: entries.iter().map(Entry::id).collect(),
    };
    let place = (first.day, first.first);
    let written = publish::write(shared, logspace, place, &origin, |file| {
        let wait = || match shared.housekeeper.is_closed() {
            true => Err(Stop::Over),
            false => Ok(()),
        };
        let inputs = segments.iter().map(|segment| Input::new(segment, &wait));
        let inputs: Vec<_> = inputs.collect();
        let merged = write(shared, &inputs, Rewrite::Merged, file);
        merged.map_err(|error| super::failure(shared, logspace, &segments, error))
    })?;
    let merged = publish::name(shared, logspace, &[written], &origin)?;
    logspace.state().replace(&paths, merged);
    tracing::debug!(logspace = %logspace.name, segments = entries.len(), "merged");
    for path in &paths {
        shared.remove_segment(path);
    }
    Ok(())
}
