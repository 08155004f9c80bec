//! A query made ready to be asked of many records.

use model::RecordRef;

use crate::ast::{Expr, Query};
use crate::naive;

/// A compiled query. Holds scratch memory, hence `&mut`: each thread has its own clone.
#[derive(Clone, Debug)]
pub struct Matcher {
    root: Expr,
}

impl Matcher {
    /// Compiles a query.
    pub fn new(query: &Query) -> Self {
        Self {
            root: query.root.clone(),
        }
    }

    /// Whether the record meets the query.
    pub fn matches(&mut self, record: RecordRef<'_>) -> bool {
        naive::matches(&self.root, record)
    }
}
