//! Programs that lines are given to in bulk, to see how they keep and find them.

mod logsql;
mod opensearch;
pub(crate) mod python;

pub(crate) use logsql::logsql;
pub(crate) use opensearch::{OpenSearch, spelled};
