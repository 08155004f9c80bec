//! Runs a query on snapshots of a store: rows, counts, bars, statistics, tables, and what is new
//! since.
//!
//! Start with [`Scope`], what is asked, and [`search()`]. Every question goes the same way: parts
//! outside the time range are left out; for each segment that is left, the index gives two sets of
//! rows, those that match for sure and those that may (`evaluate`); only rows between the two are
//! decoded and looked at. Rows of the tail are all looked at. So an answer is exact whatever the
//! index knows, and costs little where it knows much.
//!
//! Everything here is synchronous and runs on the thread of the caller. A segment is evaluated
//! without regard to any other, which is where several threads can share a question one day.
//!
//! An answer says what it cost, and whether something was missing: damaged pages are skipped and
//! reported, a cancelled question returns what it had.

mod among;
mod answer;
mod bounds;
mod budget;
mod by_kind;
mod cancel;
mod check;
mod chunks;
mod count;
mod count_by_index;
mod cursor;
mod evaluate;
mod event;
mod event_merge;
mod field_check;
mod field_reader;
mod field_values;
mod fields;
mod gathered;
mod histogram;
mod in_data;
mod in_text;
mod kind_names;
pub mod limits;
mod memory;
mod merge;
mod named;
mod ordered;
mod parallel;
mod part;
mod part_values;
mod plan;
mod question;
mod recent;
mod resolve;
mod rest_bars;
mod row_set;
mod rows;
mod run;
mod scope;
mod search;
mod settle;
mod stats;
mod time_kind;
mod value_marks;
mod value_table;
mod walk;
mod word_bars;
mod word_rows;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use answer::{Completeness, Cost};
pub use budget::Budget;
pub use cancel::{Cancel, Stop};
pub use count::{Count, count};
pub use cursor::{Cursor, InvalidCursor};
pub use fields::{FieldCount, Fields, fields};
pub use histogram::{Bar, Counted, Histogram, histogram, histogram_watched};
pub use question::{Tabulated, tabulate};
pub use recent::{Recent, recent_fields, recent_values};
pub use rows::{FoundRow, RowRef};
pub use scope::Scope;
pub use search::{
    Each, Order, RowsAfter, Search, SearchOptions, record, rows_after, search, search_each,
};
pub use stats::{InvalidStatsField, Stats, StatsField, ValueCount, stats};
pub use time_kind::TimeKind;
