//! Delivers batches over one connection, and finds the rows that the database does not take.

use std::ops::Range;

use super::Sql;
use super::connection::{Connection, NotInserted};
use super::rows::{Rows, rows};
use crate::render::Scene;
use crate::sink::{Batch, Failure, Opening, Outcome, Promise, Sink};

/// The hands of one worker.
pub(super) struct SqlSink {
    options: Sql,
    /// Which store the records are of, as in the ids of rows.
    store: String,
    scene: Scene,
    connection: Option<Connection>,
}

impl SqlSink {
    pub(super) fn new(options: Sql, opening: &Opening) -> Self {
        let store = &opening.store;
        Self {
            options,
            // Half of it is enough to tell stores apart, and the index of ids is smaller.
            store: store.get(..16).unwrap_or(store).to_owned(),
            scene: Scene::now(),
            connection: None,
        }
    }

    async fn insert_all(&mut self, batch: &Batch) -> Outcome {
        self.scene.refresh();
        let mut outcome = Outcome::default();
        let tables = rows(&self.options, &self.store, batch, &self.scene, &mut outcome);
        for rows in &tables {
            // One that has failed would fail again.
            if outcome.failure.is_some() {
                outcome.left.extend_from_slice(&rows.places);
                continue;
            }
            if let Err(failure) = self.insert(rows, &mut outcome).await {
                self.connection = None;
                outcome.failure = Some(failure);
            }
        }
        outcome.left.sort_unstable();
        outcome
    }

    /// Inserts rows; where some are refused, halves of them, down to those that are.
    async fn insert(&mut self, rows: &Rows, outcome: &mut Outcome) -> Result<(), Failure> {
        let mut open: Vec<Range<usize>> = std::iter::once(0..rows.len()).collect();
        while let Some(range) = open.pop() {
            match self.try_to_insert(rows, range.clone()).await {
                Ok(()) => {
                    let bytes: usize = range.map(|row| rows.row_bytes(row)).sum();
                    outcome.bytes += bytes as u64;
                }
                Err(NotInserted::Refused(reason) | NotInserted::TooLarge(reason)) => {
                    let (first, second) = halves(range.clone());
                    match rows.places.get(range.start) {
                        Some(place) if first.is_empty() => outcome.reject(*place, reason),
                        _ => open.extend([second, first]),
                    }
                }
                Err(NotInserted::Failed(failure)) => {
                    open.push(range);
                    let left = open.into_iter().filter_map(|range| rows.places.get(range));
                    outcome.left.extend(left.flatten());
                    return Err(failure);
                }
            }
        }
        Ok(())
    }

    async fn try_to_insert(&mut self, rows: &Rows, range: Range<usize>) -> Result<(), NotInserted> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => {
                let opened = Connection::open(&self.options).await;
                none.insert(opened.map_err(NotInserted::Failed)?)
            }
        };
        connection.insert(&self.options, rows, range).await
    }
}

/// Two halves of a range; the first is empty where there is only one.
fn halves(range: Range<usize>) -> (Range<usize>, Range<usize>) {
    let middle = range.start + range.len() / 2;
    (range.start..middle, middle..range.end)
}

impl Sink for SqlSink {
    fn deliver<'a>(&'a mut self, batch: &'a Batch) -> Promise<'a, Outcome> {
        Box::pin(self.insert_all(batch))
    }

    fn close(&mut self) -> Promise<'_, ()> {
        Box::pin(async {
            if let Some(connection) = self.connection.take() {
                connection.close().await;
            }
        })
    }
}
