//! Which rows of a batch go to which logspaces.

use model::{LogspaceName, RecordBatch};

use crate::pipeline::Part;

/// Rows and where they go.
#[derive(Debug, Default)]
pub(crate) struct Deliveries {
    all: Vec<Delivery>,
    /// Where those of the record begin that is being looked at.
    record_start: usize,
}

/// A row that goes to a logspace.
#[derive(Clone, Copy, Debug)]
struct Delivery {
    row: usize,
    /// Index among the logspaces of the plan; one more for that of the source.
    logspace: usize,
    tags: u64,
    /// Whether the record goes nowhere before this.
    is_first: bool,
}

impl Deliveries {
    /// The record goes to a logspace as it is in a row now, in place of what went there before.
    pub(crate) fn send(&mut self, row: usize, logspace: usize, tags: u64) {
        let of_record = self.all.get_mut(self.record_start..).unwrap_or_default();
        let is_first = of_record.is_empty();
        let known = of_record.iter_mut().find(|one| one.logspace == logspace);
        if let Some(known) = known {
            known.row = row;
            known.tags |= tags;
            return;
        }
        self.all.push(Delivery {
            row,
            logspace,
            tags,
            is_first,
        });
    }

    /// Whether the record goes anywhere.
    pub(crate) fn is_sent(&self) -> bool {
        self.all.len() > self.record_start
    }

    /// Whether the row goes anywhere.
    pub(crate) fn has(&self, row: usize) -> bool {
        let of_record = self.all.get(self.record_start..).unwrap_or_default();
        of_record.iter().any(|one| one.row == row)
    }

    /// The next record is looked at.
    pub(crate) fn next_record(&mut self) {
        self.record_start = self.all.len();
    }

    /// The parts of a batch, in order of first appearance, and nothing is left.
    pub(crate) fn take<'a>(
        &mut self,
        mut batch: RecordBatch,
        logspace_of: impl Fn(usize) -> &'a LogspaceName,
    ) -> Vec<Part<'a>> {
        let all = std::mem::take(&mut self.all);
        self.record_start = 0;
        let Some(first) = all.first() else {
            return Vec::new();
        };
        let is_whole = all.len() == batch.len()
            && all
                .iter()
                .enumerate()
                .all(|(row, one)| (one.row, one.logspace) == (row, first.logspace));
        if is_whole {
            for one in &all {
                batch.add_tags(one.row, one.tags);
            }
            return vec![Part {
                logspace: logspace_of(first.logspace),
                firsts: batch.len(),
                batch,
            }];
        }
        let mut parts: Vec<(usize, Part<'a>)> = Vec::new();
        for one in all {
            let known = parts.iter().position(|(at, _)| *at == one.logspace);
            let at = known.unwrap_or_else(|| {
                let part = Part {
                    logspace: logspace_of(one.logspace),
                    batch: batch.names_only(),
                    firsts: 0,
                };
                parts.push((one.logspace, part));
                parts.len() - 1
            });
            if let (Some((_, part)), Some(record)) = (parts.get_mut(at), batch.get(one.row)) {
                // A selection of a batch fits an empty one: its limits are the same.
                let pushed = part.batch.push_record(record);
                debug_assert!(pushed.is_ok(), "a selection fits");
                let last = part.batch.len().saturating_sub(1);
                part.batch.add_tags(last, one.tags);
                part.firsts += usize::from(one.is_first);
            }
        }
        parts.into_iter().map(|(_, part)| part).collect()
    }
}
