//! Programs that lines are given to in bulk, to see how they keep and find them.

mod opensearch;

pub(crate) use opensearch::{OpenSearch, spelled};
