//! One configured route, and what can be wrong with it.

use model::limits::{BATCH_TAGS_MAX, NAME_BYTES_MAX};
use model::{LogspaceName, SYSLOG_TAG_NAMES};
use query::Query;

use crate::limits::{FAILED_TAG, STEP_DEPTH_MAX, STEPS_MAX};
use crate::step::Step;

/// Most distinct tags over all routes: what a record's tag set holds beside the parser's own and
/// [`FAILED_TAG`].
pub const ROUTE_TAGS_MAX: usize = BATCH_TAGS_MAX - SYSLOG_TAG_NAMES.len() - 1;

/// Where some records go, and what is made of them.
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// What it is called in the configuration.
    pub name: String,
    /// Names of the sources it takes records of; empty for all.
    pub from: Vec<String>,
    /// What a record must be; `None` for anything.
    pub matching: Option<Query>,
    /// What is done with its records, in order.
    pub steps: Vec<Step>,
    /// Where its records go; `None` for a route that changes them for the routes behind it.
    pub logspace: Option<LogspaceName>,
    /// Tags that its records get; at most [`ROUTE_TAGS_MAX`] different ones over all routes.
    pub tags: Vec<String>,
    /// Whether later routes do not see its records.
    pub is_final: bool,
    /// Whether it is asked behind all others, and only of records that go nowhere yet.
    pub is_fallback: bool,
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
    /// More steps than are possible.
    #[error("route {0} has one step too many: all routes together may have {STEPS_MAX}")]
    TooManySteps(String),
    /// Steps in steps in steps.
    #[error("the steps of route {0} are nested too deep: {STEP_DEPTH_MAX} levels are possible")]
    TooDeep(String),
}

/// Says what is wrong with the tags of routes.
pub(crate) fn check(routes: &[Route]) -> Result<(), InvalidRoute> {
    let mut known: Vec<&str> = Vec::new();
    for route in routes {
        for tag in &route.tags {
            let (route, tag_name) = (route.name.clone(), tag.clone());
            if tag.is_empty() || tag.len() > NAME_BYTES_MAX {
                return Err(InvalidRoute::TagLength {
                    route,
                    tag: tag_name,
                });
            }
            let is_known = known.contains(&tag.as_str())
                || SYSLOG_TAG_NAMES.contains(&tag.as_str())
                || tag == FAILED_TAG;
            if is_known {
                continue;
            }
            if known.len() == ROUTE_TAGS_MAX {
                return Err(InvalidRoute::TooManyTags {
                    route,
                    tag: tag_name,
                });
            }
            known.push(tag);
        }
    }
    Ok(())
}
