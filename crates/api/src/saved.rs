//! Searches that people saved under a name, for everybody who uses the server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a search shows, by the parameters of the page's address. Empty stands for absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SavedView {
    /// The question, which may have a pipe.
    pub q: String,
    /// Start of the range, as it was asked for: `now-1h` stays the last hour.
    pub from: String,
    /// End of the range.
    pub to: String,
    /// `event` where records are taken by the time that their senders gave.
    pub time: String,
    /// Logspaces, separated by commas.
    pub logspace: String,
    /// Columns, separated by commas.
    pub cols: String,
    /// The field by which the histogram is split.
    pub split: String,
}

/// A search under its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavedSearch {
    /// What it is called.
    pub name: String,
    /// When it was saved.
    pub saved: String,
    /// What it shows.
    pub view: SavedView,
}

/// Answer of `searches`: all of them, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavedSearches {
    /// The searches.
    pub searches: Vec<SavedSearch>,
}
