//! Writing batches to files.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::File;
use super::open_file::OpenFile;
use super::state::State;
use crate::render::Scene;
use crate::sink::{Batch, Failure, KeepState, Opening, Outcome, Promise, Sink};

/// The files of a destination.
pub(super) struct FileSink {
    options: File,
    /// The one path, where all records have the same.
    constant: Option<String>,
    scene: Scene,
    keeper: Arc<dyn KeepState>,
    open: HashMap<String, OpenFile>,
    /// What is kept.
    kept: State,
    /// What is to be kept, and not known to be.
    settling: Option<State>,
    wants_to_settle: bool,
}

/// Records of a batch for one file.
#[derive(Default)]
struct Group {
    path: String,
    places: Vec<usize>,
    bytes: Vec<u8>,
}

impl FileSink {
    pub(super) fn open(options: File, opening: Opening) -> Result<Self, Failure> {
        options.access.ids()?;
        Ok(Self {
            constant: options.path.constant(),
            options,
            scene: Scene::now(),
            keeper: opening.keeper,
            open: HashMap::new(),
            kept: State::restore(opening.state)?,
            settling: None,
            wants_to_settle: false,
        })
    }

    fn write(&mut self, batch: &Batch) -> Outcome {
        let mut outcome = Outcome::default();
        self.scene.refresh();
        let groups = self.group(batch, &mut outcome);
        let opened = self.open_all(groups, &mut outcome);
        if let Err(failure) = self.keep_lengths(&opened) {
            let places = opened.iter().flat_map(|group| group.places.iter().copied());
            outcome.left.extend(places);
            outcome.failure = Some(failure);
        } else {
            for group in &opened {
                self.append(group, &mut outcome);
            }
        }
        outcome.left.sort_unstable();
        outcome
    }

    /// The records by file. Those that would need more files than may be open are left for the next turn.
    fn group(&self, batch: &Batch, outcome: &mut Outcome) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut by_path: HashMap<String, usize> = HashMap::new();
        for (place, item) in batch.iter().enumerate() {
            let path = match &self.constant {
                Some(path) => Ok(path.clone()),
                None => self.options.path.render(item, &self.scene),
            };
            let path = match path {
                Ok(path) => path,
                Err(reason) => {
                    outcome.reject(place, reason);
                    continue;
                }
            };
            let known = by_path.get(&path).copied();
            if known.is_none() && groups.len() == self.options.open_max.max(1) {
                outcome.left.push(place);
                continue;
            }
            let index = known.unwrap_or_else(|| {
                by_path.insert(path.clone(), groups.len());
                groups.push(Group {
                    path,
                    ..Group::default()
                });
                groups.len() - 1
            });
            let Some(group) = groups.get_mut(index) else {
                continue;
            };
            let rendering = &self.options.rendering;
            match rendering.render(item, &self.scene, &mut group.bytes) {
                Ok(()) => {
                    if group.bytes.last() != Some(&b'\n') {
                        group.bytes.push(b'\n');
                    }
                    group.places.push(place);
                }
                Err(reason) => outcome.reject(place, reason),
            }
        }
        groups.retain(|group| !group.places.is_empty());
        groups
    }

    /// Opens what is needed; the groups whose files are open.
    fn open_all(&mut self, groups: Vec<Group>, outcome: &mut Outcome) -> Vec<Group> {
        let mut opened = Vec::with_capacity(groups.len());
        for group in &groups {
            if let Some(file) = self.open.get_mut(&group.path) {
                file.used = Instant::now();
            }
        }
        for group in groups {
            let result = self.rotate_when_due(&group.path);
            let result = result.and_then(|()| self.open_one(&group.path));
            match result {
                Ok(()) => opened.push(group),
                Err(error) if is_of_record(&error) => {
                    for place in group.places {
                        outcome.reject(place, format!("{}: {error}", group.path));
                    }
                }
                Err(error) => {
                    outcome.left.extend(&group.places);
                    outcome.failure = Some(failed("open", &group.path, &error));
                }
            }
        }
        opened
    }

    fn open_one(&mut self, path: &str) -> io::Result<()> {
        if self.open.contains_key(path) {
            return Ok(());
        }
        if self.open.len() >= self.options.open_max.max(1) {
            let oldest = self.open.iter().min_by_key(|(_, file)| file.used);
            let oldest = oldest.map(|(path, _)| path.clone());
            if let Some(mut file) = oldest.and_then(|path| self.open.remove(&path))
                && self.options.sync
            {
                file.sync()?;
            }
        }
        if let Some(kept_out) = &self.options.kept_out
            && is_inside(path.as_ref(), kept_out)
        {
            return Err(io::Error::new(
                ErrorKind::InvalidFilename,
                "this is in the data directory, which is the store's alone",
            ));
        }
        let file = OpenFile::open(path, &self.options)?;
        self.open.insert(path.to_owned(), file);
        Ok(())
    }

    /// Renames a file whose time has come before something is written to it, where all of it is settled; else as
    /// soon as that is.
    fn rotate_when_due(&mut self, path: &str) -> io::Result<()> {
        let Some(file) = self.open.get(path) else {
            return Ok(());
        };
        if !file.is_due(&self.options.rotation) {
            return Ok(());
        }
        let is_settled = file.known().map(|known| known.len) == self.kept.len_of(path);
        if !is_settled {
            self.wants_to_settle = true;
            return Ok(());
        }
        if let Some(file) = self.open.remove(path) {
            file.rotate(self.options.rotation.keep)?;
        }
        Ok(())
    }

    /// Keeps how long files are that are written to for the first time since the position was kept.
    fn keep_lengths(&mut self, groups: &[Group]) -> Result<(), Failure> {
        let mut state = self.kept.clone();
        let mut is_new = false;
        for group in groups {
            let known = self.open.get(&group.path).and_then(OpenFile::known);
            if let Some(known) = known
                && !self.kept.knows(&group.path, known)
            {
                is_new |= state.add(&group.path, known);
            }
        }
        if is_new {
            self.keeper.keep(state.to_value()?)?;
            self.kept = state;
        }
        Ok(())
    }

    fn append(&mut self, group: &Group, outcome: &mut Outcome) {
        let written = self
            .options
            .compression
            .packed(&group.bytes)
            .and_then(|compressed| {
                let bytes = compressed.as_deref().unwrap_or(&group.bytes);
                let file = self.open.get_mut(&group.path);
                let file = file.ok_or_else(|| io::Error::other("the file is not open"))?;
                file.append(bytes)?;
                Ok(bytes.len() as u64)
            });
        match written {
            Ok(bytes) => outcome.bytes += bytes,
            Err(error) => {
                outcome.left.extend(&group.places);
                outcome.failure = Some(failed("write", &group.path, &error));
            }
        }
        let file = self.open.get(&group.path);
        self.wants_to_settle |= file.is_some_and(|file| file.is_due(&self.options.rotation));
    }

    fn settle_now(&mut self) -> Result<Option<Value>, Failure> {
        let mut state = State::default();
        for (path, file) in &mut self.open {
            if self.options.sync {
                file.sync().map_err(|error| failed("sync", path, &error))?;
            }
            if let Some(known) = file.known() {
                state.add(path, known);
            }
        }
        let value = state.to_value()?;
        self.settling = Some(state);
        Ok(Some(value))
    }
}

impl Sink for FileSink {
    fn deliver<'a>(&'a mut self, batch: &'a Batch) -> Promise<'a, Outcome> {
        Box::pin(async move { self.write(batch) })
    }

    fn settle(&mut self) -> Promise<'_, Result<Option<Value>, Failure>> {
        Box::pin(async move { self.settle_now() })
    }

    /// All that is written is settled now: files can be renamed, and left to others.
    fn settled(&mut self) {
        let Some(state) = self.settling.take() else {
            return;
        };
        self.kept = state;
        self.wants_to_settle = false;
        let (due, replaced): (Vec<_>, Vec<_>) = {
            let rotation = &self.options.rotation;
            let done = |file: &OpenFile| file.is_due(rotation) || file.is_replaced();
            let done = self.open.iter().filter(|(_, file)| done(file));
            done.map(|(path, _)| path.clone())
                .partition(|path| !self.open.get(path).is_some_and(OpenFile::is_replaced))
        };
        for path in replaced {
            // Somebody has renamed or removed it, as logrotate does: the next record begins another one.
            self.open.remove(&path);
        }
        for path in due {
            if let Err(error) = self.rotate_when_due(&path) {
                tracing::error!(path, %error, "file cannot be renamed");
            }
        }
    }

    fn wants_to_settle(&self) -> bool {
        self.wants_to_settle
    }

    fn idle(&mut self) -> Promise<'_, ()> {
        Box::pin(async move {
            let idle = self.options.idle;
            self.open.retain(|_, file| file.used.elapsed() < idle);
        })
    }
}

/// Whether an error lies in what the record made of the path, and would come again.
/// Whether a file would be made in a directory, by way of symbolic links too.
fn is_inside(path: &Path, directory: &Path) -> bool {
    let Ok(directory) = directory.canonicalize() else {
        return false;
    };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut above = path.ancestors();
    let nearest = above.find_map(|above| above.canonicalize().ok());
    nearest.is_some_and(|nearest| nearest.starts_with(directory))
}

fn is_of_record(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InvalidFilename
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::InvalidInput
    )
}

fn failed(what: &str, path: &str, error: &io::Error) -> Failure {
    Failure::new(format!("cannot {what} {path}: {error}"))
}
