//! Records with times of their own: sealed at once, without a detour through the journal.
//!
//! An import that fails leaves its numbers unused. They count as settled when it is certain that no start will
//! find its segments: the manifest on the disk does not name them, and their files are gone.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{RecordBatch, RecordNumber};

use crate::builders::{Building, For};
use crate::error::Error;
use crate::logspace::Logspace;
use crate::manifest::SegmentId;
use crate::names;
use crate::publish::{self, DaySegment, Origin};
use crate::room;
use crate::sealer;
use crate::store::{Shared, locked};

/// Records that have their numbers and are being built into a segment.
#[must_use = "what is not finished is not imported"]
pub struct Import {
    shared: Arc<Shared>,
    logspace: Arc<Logspace>,
    records: usize,
    /// `None` where there are no records.
    building: Option<(Reserved, Building)>,
}

/// Numbers of an import that is under way. They are settled when it is dropped.
struct Reserved {
    logspace: Arc<Logspace>,
    numbers: Range<u64>,
}

/// What a failed import has left.
#[derive(Debug)]
pub(crate) struct FailedImport {
    numbers: Range<u64>,
    /// Segments that may lie there.
    paths: Vec<PathBuf>,
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
    let numbers = import.logspace.state().reserve(records);
    let first = RecordNumber(numbers.start);
    let reserved = Reserved {
        logspace: Arc::clone(&import.logspace),
        numbers,
    };
    let work = move |builder: &mut _| {
        let mut batch = batch;
        batch.sort_by_received();
        sealer::build(builder, first, std::iter::once(&batch))
    };
    let building = shared.builders.submit(For::Import, Box::new(work));
    import.building = Some((reserved, building));
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
        let Some((reserved, building)) = self.building else {
            return Ok(());
        };
        let built = building.wait()?;
        let origin = Origin {
            is_imported: true,
            ..Origin::default()
        };
        let published = publish::publish(&self.shared, &self.logspace, &built, &origin);
        let segments = match published {
            Ok(segments) => segments,
            Err(error) => {
                reserved.fail(&self.shared, &built);
                return Err(error);
            }
        };
        self.logspace.state().add_segments(segments);
        drop(reserved);
        self.shared.notify_listeners();
        Ok(())
    }
}

impl Reserved {
    /// Takes back what may lie on the disk, now or, where the disk refuses, later.
    fn fail(mut self, shared: &Shared, built: &[DaySegment]) {
        let paths = built.iter().map(|DaySegment { day, built }| {
            let first = built.footer.first_number;
            let id = SegmentId {
                first,
                generation: 0,
            };
            names::segment(&self.logspace.dir, *day, id)
        });
        let failed = FailedImport {
            numbers: std::mem::take(&mut self.numbers),
            paths: paths.collect(),
        };
        self.logspace.state().failed_imports.push(failed);
        tidy(shared, &self.logspace);
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.logspace.state().settle_numbers(&self.numbers);
        self.logspace.news.notify_all();
    }
}

/// Takes back what failed imports have left.
pub(crate) fn tidy(shared: &Shared, logspace: &Logspace) {
    let failed = std::mem::take(&mut logspace.state().failed_imports);
    for import in failed {
        match remove(shared, logspace, &import) {
            Ok(()) => {
                logspace.state().settle_numbers(&import.numbers);
                logspace.news.notify_all();
            }
            Err(error) => {
                tracing::warn!(logspace = %logspace.name, %error, "cannot take back a failed import");
                logspace.state().failed_imports.push(import);
            }
        }
    }
}

fn remove(shared: &Shared, logspace: &Logspace, import: &FailedImport) -> Result<(), Error> {
    if let Some(manifest) = locked(&logspace.manifest).as_mut() {
        manifest.settle()?;
    }
    for path in &import.paths {
        match shared.disk.remove(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            result => result.map_err(Error::io("remove", path.as_path()))?,
        }
        // Also where it is not there: somebody may have removed it a moment ago.
        let dir = path.parent().unwrap_or(Path::new("."));
        match shared.disk.sync_dir(dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            result => result.map_err(Error::io("sync", dir))?,
        }
    }
    Ok(())
}
