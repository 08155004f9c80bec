//! From tree to text.

use crate::ast::Query;

impl Query {
    /// The query as text, in one form however it was written: operators and parentheses spelt out.
    /// Reading it gives the same query.
    pub fn canonical(&self) -> String {
        format!("{:?}", self.root)
    }
}
