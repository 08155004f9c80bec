//! One configured route, and what can be wrong with it.

use model::limits::{BATCH_TAGS_MAX, NAME_BYTES_MAX};
use model::{LogspaceName, SYSLOG_TAG_NAMES};
use query::Query;

/// Most distinct tags over all routes: what a record's tag set holds beside the parser's own.
pub const ROUTE_TAGS_MAX: usize = BATCH_TAGS_MAX - SYSLOG_TAG_NAMES.len();

/// Where some records go.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// What it is called in the configuration.
    pub name: String,
    /// Names of the sources it takes records of; empty for all.
    pub from: Vec<String>,
    /// What a record must be; `None` for anything.
    pub matching: Option<Query>,
    /// Where its records go.
    pub logspace: LogspaceName,
    /// Tags that its records get; at most [`ROUTE_TAGS_MAX`] different ones over all routes.
    pub tags: Vec<String>,
    /// Whether later routes do not see its records.
    pub is_final: bool,
}

/// A route that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRoute {
    /// More tags than a record can hold.
    #[error(
        "route {route} adds tag {tag:?}, which is one too many: all routes together may add {ROUTE_TAGS_MAX} different tags"
    )]
    TooManyTags {
        /// The route.
        route: String,
        /// The first tag beyond the limit.
        tag: String,
    },
    /// A tag without a letter, or too long to be stored.
    #[error("route {route} adds tag {tag:?}: a tag has 1 to {NAME_BYTES_MAX} bytes")]
    TagLength {
        /// The route.
        route: String,
        /// The tag.
        tag: String,
    },
}
