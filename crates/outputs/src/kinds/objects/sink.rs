//! Uploads, a few at a time, and what is kept of them.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use tokio::task::JoinSet;

use super::group::{Group, groups};
use super::state::State;
use super::{ObjectStore, Objects};
use crate::http::Client;
use crate::limits::REQUESTS_IN_FLIGHT;
use crate::render::Scene;
use crate::sink::{Batch, Failure, KeepState, Opening, Outcome, Promise, Sink};

pub(super) struct ObjectSink {
    options: Arc<Objects>,
    client: Arc<Client>,
    scene: Scene,
    store: String,
    keeper: Arc<dyn KeepState>,
    /// What was uploaded before a crash, until records come again.
    before: State,
    /// Up to which number records of a logspace are passed over, since they are there.
    passed: HashMap<String, u64>,
    /// What is uploaded behind the position.
    uploaded: State,
    /// The first number of the piece that is delivered, by logspace; what is left of it comes alone.
    begun: Option<Piece>,
}

/// Records that are delivered together, in several tries.
#[derive(Clone, Copy, Debug)]
struct Piece {
    first: u64,
    last: u64,
}

impl ObjectSink {
    pub(super) fn new(options: &Objects, client: Arc<Client>, opening: Opening) -> Self {
        Self {
            options: Arc::new(options.clone()),
            client,
            scene: Scene::now(),
            store: opening.store,
            keeper: opening.keeper,
            before: State::restore(opening.state),
            passed: HashMap::new(),
            uploaded: State::default(),
            begun: None,
        }
    }

    async fn upload(&mut self, batch: &Batch) -> Outcome {
        self.scene.refresh();
        if let Some(last) = self.before.take(batch) {
            self.passed.insert(batch.logspace.to_string(), last);
        }
        let passed = self.passed.get(batch.logspace.as_str()).copied();
        let rows = batch.rows.iter().enumerate();
        let wanted = rows.filter(|(_, row)| passed.is_none_or(|passed| row.number.0 > passed));
        let places: Vec<_> = wanted.map(|(place, _)| place).collect();
        let mut outcome = Outcome::default();
        let source = (batch, self.store.as_str());
        let places = places.into_iter();
        let groups = groups(&self.options, source, places, &mut self.scene, &mut outcome);
        let carried = self.carry(groups, &mut outcome).await;
        if let Err(failure) = carried.and_then(|()| self.note(batch, &outcome)) {
            // All are uploaded once more, under the same names.
            let refused = |place: &usize| outcome.rejected.iter().any(|one| one.place == *place);
            outcome.left = (0..batch.len()).filter(|place| !refused(place)).collect();
            outcome.failure = Some(failure);
        }
        outcome
    }

    async fn carry(&self, groups: Vec<Group>, outcome: &mut Outcome) -> Result<(), Failure> {
        let mut waiting = groups.into_iter();
        let mut tasks = JoinSet::new();
        loop {
            while tasks.len() < REQUESTS_IN_FLIGHT && outcome.failure.is_none() {
                let Some(group) = waiting.next() else { break };
                let (options, client) = (Arc::clone(&self.options), Arc::clone(&self.client));
                tasks.spawn(async move {
                    let Group {
                        path,
                        bytes,
                        places,
                    } = group;
                    (put(&options, &client, &path, bytes).await, places)
                });
            }
            let Some(joined) = tasks.join_next().await else {
                break;
            };
            match joined {
                Ok((Ok(bytes), _)) => outcome.bytes += bytes,
                Ok((Err(failure), places)) => {
                    outcome.left.extend(places);
                    outcome.failure = Some(failure);
                }
                // Which it was is not known.
                Err(error) => return Err(Failure::new(format!("an upload broke off: {error}"))),
            }
        }
        outcome.left.extend(waiting.flat_map(|group| group.places));
        outcome.left.sort_unstable();
        Ok(())
    }

    /// Keeps that all of a piece is uploaded, before anything behind it is.
    fn note(&mut self, batch: &Batch, outcome: &Outcome) -> Result<(), Failure> {
        let (Some(first), Some(last)) = (batch.rows.first(), batch.rows.last()) else {
            return Ok(());
        };
        let (first, last) = (first.number.0, last.number.0);
        let piece = match self.begun {
            // What is left of it.
            Some(piece) if (piece.first..=piece.last).contains(&first) => piece,
            _ => Piece { first, last },
        };
        self.begun = Some(piece);
        if !outcome.left.is_empty() {
            return Ok(());
        }
        let logspace = batch.logspace.as_str();
        self.uploaded.add(logspace, piece.first, piece.last);
        self.keeper.keep(self.uploaded.to_value()?)?;
        self.begun = None;
        Ok(())
    }
}

/// Compresses and uploads an object; the bytes that went out.
async fn put(
    options: &Objects,
    client: &Client,
    path: &str,
    bytes: Vec<u8>,
) -> Result<u64, Failure> {
    let compression = options.compression;
    // It takes seconds, in which other uploads should go on.
    let packed = tokio::task::spawn_blocking(move || {
        let packed = compression.packed(&bytes)?;
        Ok::<_, std::io::Error>(packed.unwrap_or(bytes))
    });
    let packed = packed.await.map_err(|error| error.to_string());
    let packed = packed.and_then(|packed| packed.map_err(|error| error.to_string()));
    let body = packed.map_err(|error| Failure::new(format!("cannot compress: {error}")))?;
    let body = Bytes::from(body);
    let len = body.len() as u64;
    match &options.store {
        ObjectStore::S3(s3) => s3.put(client, path, body).await?,
        ObjectStore::Hdfs(hdfs) => hdfs.put(client, path, body).await?,
    }
    Ok(len)
}

impl Sink for ObjectSink {
    fn deliver<'a>(&'a mut self, batch: &'a Batch) -> Promise<'a, Outcome> {
        Box::pin(self.upload(batch))
    }

    fn settle(&mut self) -> Promise<'_, Result<Option<Value>, Failure>> {
        // What is kept with the position itself: nothing is uploaded behind it.
        Box::pin(std::future::ready(Ok(None)))
    }

    fn settled(&mut self) {
        self.uploaded.clear();
    }

    fn wants_to_settle(&self) -> bool {
        // Objects are few, and a position that is kept needs no state.
        true
    }
}
