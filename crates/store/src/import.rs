//! Records with times of their own: sealed at once, without a detour through the journal.

use std::sync::Arc;

use model::{RecordBatch, RecordNumber};

use crate::builders::{Building, For};
use crate::error::Error;
use crate::logspace::Logspace;
use crate::publish::{self, Origin};
use crate::room;
use crate::sealer;
use crate::store::Shared;

/// Records that have their numbers and are being built into a segment.
#[must_use = "what is not finished is not imported"]
pub struct Import {
    shared: Arc<Shared>,
    logspace: Arc<Logspace>,
    records: usize,
    /// `None` where there are no records.
    building: Option<Building>,
}

/// Gives records their numbers and has them built, under the times of receipt they carry.
pub(crate) fn start(
    shared: &Arc<Shared>,
    logspace: Arc<Logspace>,
    batch: RecordBatch,
) -> Result<Import, Error> {
    let records = batch.len();
    let mut import = Import {
        shared: Arc::clone(shared),
        logspace,
        records,
        building: None,
    };
    if records == 0 {
        return Ok(import);
    }
    room::check(shared).map_err(Error::NoRoom)?;
    // Numbers that a failed import has taken are left unused: they were never shown to anyone.
    let first = {
        let mut state = import.logspace.state();
        let first = RecordNumber(state.next);
        state.next += records as u64;
        first
    };
    let work = move |builder: &mut _| {
        let mut batch = batch;
        batch.sort_by_received();
        sealer::build(builder, first, std::iter::once(&batch))
    };
    import.building = Some(shared.builders.submit(For::Import, Box::new(work)));
    Ok(import)
}

impl Import {
    /// How many records there are.
    pub fn records(&self) -> usize {
        self.records
    }

    /// Waits until they are built and publishes them: durable and visible on return.
    ///
    /// # Errors
    /// As for [`Store::import`](crate::Store::import).
    pub fn finish(self) -> Result<(), Error> {
        let Some(building) = self.building else {
            return Ok(());
        };
        let built = building.wait()?;
        let origin = Origin {
            is_imported: true,
            ..Origin::default()
        };
        let segments = publish::publish(&self.shared, &self.logspace, &built, &origin)?;
        self.logspace.state().add_segments(segments);
        self.shared.notify_listeners();
        Ok(())
    }
}
