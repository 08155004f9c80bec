//! How much a run measures.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Minutes or hours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Size {
    /// Enough to see a regression, in minutes.
    #[default]
    Quick,
    /// What docs/benchmarks.md shows, in hours.
    Full,
}

impl Size {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
