//! What is made of a configuration before it is used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Answer of `config`: what is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigAnswer {
    /// A configuration file that says all of it, with the origin of each value as a comment.
    pub effective: String,
}

/// Answer of `config/check`: what is wrong with a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckAnswer {
    /// Whether it can be used.
    pub valid: bool,
    /// What is wrong or doubtful, in the order of the file.
    pub problems: Vec<ConfigProblem>,
    /// What would be in force; null where it cannot be used.
    pub effective: Option<String>,
}

/// Something wrong or doubtful in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigProblem {
    /// `error` or `warning`.
    pub severity: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// How many characters of the line are meant, at least one.
    pub width: usize,
    /// The text of the line.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}
