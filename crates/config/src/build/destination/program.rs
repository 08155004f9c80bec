//! Programs.

use outputs::kinds::Program;

use super::rendering;
use crate::build::Values;

pub(super) fn program(values: &Values<'_>) -> Option<Program> {
    Some(Program {
        command: values.texts("command"),
        rendering: rendering(values)?,
        patience: values.duration("stop_timeout").unwrap_or_default(),
        timeout: values.duration("timeout").unwrap_or_default(),
    })
}
