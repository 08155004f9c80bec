//! The JSON of the HTTP API, version 1, as types for both ends of the wire.
//!
//! Members are only ever added. Streams are NDJSON: lines of [`StreamLine`], the last one
//! [`StreamLine::End`]; a stream without it broke off. Times are RFC 3339 in UTC with nanoseconds.

mod answer;
mod backup;
mod check;
pub mod csv;
mod destination;
mod explain;
mod problem;
mod row;
mod saved;
mod status;
mod table;

pub use answer::{
    Accepted, Bar, Cost, CountAnswer, Dropped, End, FieldCount, FieldsAnswer, Heartbeat,
    HistogramAnswer, Imported, ParseAnswer, ParseDiagnostic, ParseToken, Segments, StatsAnswer,
    StreamLine, ValueCount,
};
pub use backup::{BackupAnswer, BackupRequest, LogspaceBackup};
pub use check::{CheckAnswer, ConfigAnswer, ConfigProblem};
pub use destination::{
    DestinationPosition, DestinationRequest, DestinationStatus, DestinationsAnswer,
    ExplainedSending,
};
pub use explain::{
    ExplainAnswer, ExplainedChange, ExplainedDecision, ExplainedDestination, ExplainedFraming,
    ExplainedMessage, ExplainedRoute, ExplainedStep, ExplainedTime,
};
pub use problem::{Problem, ProblemSpan};
pub use row::{FieldValue, PartPlace, Row};
pub use saved::{SavedSearch, SavedSearches, SavedView};
pub use status::{
    ListenerStatus, LogspaceStatus, RunningSearch, SealedStatus, SenderStatus, SendersAnswer,
    SourceStatus, StatusAnswer, StepStatus, StorageStatus,
};
pub use table::{
    Cell, ColumnKind, CompleteAnswer, Completion, CompletionKind, PatternCount, PatternsAnswer,
    QueryAnswer, QueryColumn,
};
