//! A condition by itself, as actions of pattern databases have them.

use std::fmt;
use std::sync::Arc;

use crate::compile::{Compiler, Options, Source};
use crate::condition;
use crate::context::{Context, Scene};
use crate::error::{Problem, TemplateError};
use crate::limits::TEMPLATE_BYTES_MAX;
use crate::template::bounded;
use crate::view::View;

/// A condition in the words of `$(if)`, compiled once and asked for each record. Cheap to clone.
#[derive(Clone)]
pub struct Condition {
    text: Arc<str>,
    condition: Arc<condition::Condition>,
}

impl Condition {
    /// Compiles a condition.
    pub fn compile_with(text: &str, options: &Options<'_>) -> Result<Self, TemplateError> {
        if text.len() > TEMPLATE_BYTES_MAX {
            let problem = Problem::TooLong(text.len());
            return Err(TemplateError::new(0..text.len(), problem));
        }
        let source = Source::whole(text);
        let condition = condition::Condition::read(&source, &mut Compiler::new(options))?;
        Ok(Self {
            text: text.into(),
            condition: Arc::new(condition),
        })
    }

    /// The condition as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it holds for a record with others before it, the oldest first.
    pub fn holds_behind(&self, earlier: &[View<'_>], view: &View<'_>, context: &Context) -> bool {
        let scene = Scene {
            view,
            context,
            earlier,
        };
        let mut holds = false;
        // What is too long to be compared is not equal to anything.
        let compared = bounded(&mut Vec::new(), |out| {
            holds = self.condition.holds(&scene, out);
        });
        compared.is_ok() && holds
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Condition").field(&self.text).finish()
    }
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Condition {}
