//! A place gets the text of a template.

use macros::{Template, View};
use model::Editor;

use crate::place::Target;
use crate::step::{Action, Failure, Scratch};

/// Sets a part or field. An empty text leaves nothing there.
#[derive(Clone, Debug)]
pub struct Set {
    /// What is set.
    pub target: Target,
    /// What it is set to.
    pub value: Template,
}

impl Action for Set {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        render(&self.value, record, scratch)?;
        self.target.write(record, &scratch.text)
    }
}

/// Puts what a template makes of a record into the scratch's text.
pub(super) fn render(
    template: &Template,
    record: &Editor<'_>,
    scratch: &mut Scratch,
) -> Result<(), Failure> {
    scratch.text.clear();
    let view = View::from(record.record());
    scratch.context.now = view.received;
    let rendered = template.render(&view, &scratch.context, &mut scratch.text);
    rendered.map_err(|error| Failure::Unfit(error.to_string()))
}
