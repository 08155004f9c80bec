//! Tags are put on and taken off.

use model::Editor;

use crate::step::{Action, Failure, Scratch};

/// Adds tags.
#[derive(Clone, Debug)]
pub struct Tag(pub Vec<String>);

/// Takes tags off.
#[derive(Clone, Debug)]
pub struct Untag(pub Vec<String>);

impl Action for Tag {
    fn apply(&self, record: &mut Editor<'_>, _: &mut Scratch) -> Result<(), Failure> {
        for tag in &self.0 {
            record.add_tag(tag)?;
        }
        Ok(())
    }
}

impl Action for Untag {
    fn apply(&self, record: &mut Editor<'_>, _: &mut Scratch) -> Result<(), Failure> {
        for tag in &self.0 {
            record.remove_tag(tag);
        }
        Ok(())
    }
}
