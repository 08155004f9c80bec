//! The most frequent values of a part of the records that match.

mod bars;
mod counting;
mod tally;

use std::fmt;
use std::sync::Mutex;

use model::LogspaceName;
use query::Query;
use store::Part;

use crate::answer::{Completeness, Cost};
use crate::cancel::Cancel;
use crate::limits::{STATS_BYTES_MAX, STATS_SHARED_BYTES_MAX};
use crate::parallel::{each_part, unlocked};
use crate::resolve::resolve_within;
use crate::run::Run;
use crate::scope::Scope;

pub(crate) use bars::bars_by;
use counting::Counting;
use tally::Tally;

/// What records are counted by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StatsField {
    /// The host.
    Host,
    /// The program.
    Program,
    /// The process id.
    Pid,
    /// The message id.
    Msgid,
    /// The facility, by name.
    Facility,
    /// The severity, by name.
    Severity,
    /// The source.
    Source,
    /// The address of the sender; IPv4 that arrived on an IPv6 socket counts as IPv4.
    Peer,
    /// The tags; a record counts for each of its own.
    Tag,
    /// The logspace.
    Logspace,
    /// The fields of this name, as [`query::Target::Named`] has them; a record counts for each distinct
    /// value of its own.
    Named(String),
}

/// A text that names nothing to count by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidStatsField;

/// The most frequent values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// The values, the most frequent first; equally frequent ones in the order of their bytes.
    pub values: Vec<ValueCount>,
    /// How many distinct values there are.
    pub distinct: u64,
    /// How many records match, with a value or without.
    pub total: u64,
    /// What it cost.
    pub cost: Cost,
    /// Whether all were counted. Not so when there are too many distinct values (see
    /// [`STATS_BYTES_MAX`]).
    pub completeness: Completeness,
}

/// A value and how many records have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueCount {
    /// The value as it stands in the records. Bytes that are not UTF-8 are replaced.
    pub value: String,
    /// How many records have it.
    pub count: u64,
}

impl StatsField {
    /// Reads a name as the query language has it: `host`, `severity`, `priority`, or the name of
    /// a field such as `meta.sequenceId`, also as `nvpair:NAME`.
    ///
    /// # Errors
    /// When the name is empty.
    pub fn parse(name: &str) -> Result<Self, InvalidStatsField> {
        let name = name.trim();
        if let Some(field) = name
            .strip_prefix("nvpair:")
            .filter(|field| !field.is_empty())
        {
            return Ok(Self::Named(field.to_owned()));
        }
        Ok(match name.to_ascii_lowercase().as_str() {
            "" => return Err(InvalidStatsField),
            "host" => Self::Host,
            "program" => Self::Program,
            "pid" => Self::Pid,
            "msgid" => Self::Msgid,
            "facility" => Self::Facility,
            "severity" | "priority" => Self::Severity,
            "source" => Self::Source,
            "peer" | "ip" => Self::Peer,
            "tag" | "tags" => Self::Tag,
            "logspace" => Self::Logspace,
            _ => Self::Named(name.to_owned()),
        })
    }
}

/// Counts the records that match by a part of them, and lists the `limit` most frequent values.
/// Empty values do not count.
pub fn stats(scope: Scope, query: &Query, by: &StatsField, limit: usize, cancel: &Cancel) -> Stats {
    let mut run = Run::new(&scope.snapshots, query, cancel);
    let tally = Mutex::new(Tally::new(cancel, STATS_SHARED_BYTES_MAX));
    let when = scope.when();
    let parts: Vec<_> = scope.into_parts().collect();
    let start = || (0, Counting::new(&tally, by));
    let add = |run: &mut Run<'_>, own: &mut (u64, Counting<'_>), part: (LogspaceName, Part)| {
        let (total, counting) = own;
        let (logspace, part) = part;
        let set = resolve_within(run, &part, when);
        *total += set.len(part.rows());
        counting.add_part(run, (&logspace, &part), &set, when.covers(&part));
    };
    let accounts = each_part(&mut run, query, parts, start, add);
    let total = accounts.iter().map(|(total, _)| total).sum();
    drop(accounts);
    let tally = unlocked(tally);
    if tally.is_full() {
        run.left_out(format!(
            "more distinct values than fit into {STATS_BYTES_MAX} bytes"
        ));
    }
    let values = tally.top(limit, cancel);
    let (cost, completeness) = run.finish();
    let distinct = tally.len() as u64;
    Stats {
        values,
        distinct,
        total,
        cost,
        completeness,
    }
}

impl fmt::Display for InvalidStatsField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing to count by: name a field such as host, program or severity")
    }
}

impl std::error::Error for InvalidStatsField {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_query_language() {
        for (name, field) in [
            ("host", StatsField::Host),
            ("Priority", StatsField::Severity),
            (" ip ", StatsField::Peer),
            ("nvpair:host", StatsField::Named("host".to_owned())),
            ("meta.Seq", StatsField::Named("meta.Seq".to_owned())),
        ] {
            assert_eq!(StatsField::parse(name), Ok(field), "{name}");
        }
        assert_eq!(StatsField::parse(" "), Err(InvalidStatsField));
    }
}
