//! Records with times of their own: sealed at once, without a detour through the journal.

use model::{RecordBatch, RecordNumber};
use segment::{BuildOptions, Builder};

use crate::error::Error;
use crate::logspace::Logspace;
use crate::publish::{self, Origin};
use crate::room;
use crate::sealer;
use crate::store::Shared;

/// Seals a batch under the times of receipt it carries; durable and visible on return.
pub(crate) fn import(
    shared: &Shared,
    logspace: &Logspace,
    mut batch: RecordBatch,
) -> Result<(), Error> {
    if batch.is_empty() {
        return Ok(());
    }
    room::check(shared).map_err(Error::NoRoom)?;
    batch.sort_by_received();
    // Numbers that a failed import has taken are left unused: they were never shown to anyone.
    let first = {
        let mut state = logspace.state();
        let first = RecordNumber(state.next);
        state.next += batch.len() as u64;
        first
    };
    let mut builder = Builder::new(BuildOptions {
        zstd_level: shared.options.compression_level,
        ..BuildOptions::default()
    });
    let built = sealer::build(&mut builder, first, std::iter::once(&batch))?;
    let origin = Origin {
        is_imported: true,
        ..Origin::default()
    };
    let segments = publish::publish(shared, logspace, &built, &origin)?;
    logspace.state().add_segments(segments);
    shared.notify_listeners();
    Ok(())
}
