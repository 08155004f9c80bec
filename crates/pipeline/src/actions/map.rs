//! Values are looked up in a table.

use std::collections::HashMap;
use std::sync::Arc;

use model::Editor;

use crate::place::{Origin, Target};
use crate::step::{Action, Failure, Scratch};

/// Sets places to what a table says of the value of another.
#[derive(Clone, Debug)]
pub struct Map {
    /// What is looked up.
    pub origin: Origin,
    /// What is set: one place for each value of a row of the table.
    pub targets: Vec<Target>,
    /// The rows by what is looked up.
    pub table: Arc<HashMap<Vec<u8>, Vec<String>>>,
    /// What the first place is set to where the table has no such row.
    pub default: Option<String>,
    /// Whether case makes no difference; the table has small letters then.
    pub ignores_case: bool,
}

impl Action for Map {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        scratch.input.clear();
        self.origin.read(record.record(), &mut scratch.input);
        if self.ignores_case {
            scratch.input.make_ascii_lowercase();
        }
        match self.table.get(&scratch.input) {
            Some(row) => {
                for (target, value) in self.targets.iter().zip(row) {
                    target.write(record, value.as_bytes())?;
                }
            }
            None => {
                if let (Some(target), Some(default)) = (self.targets.first(), &self.default) {
                    target.write(record, default.as_bytes())?;
                }
            }
        }
        Ok(())
    }
}
