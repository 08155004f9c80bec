//! Functions that choose: `$(if)`, `$(grep)`, `$(or)`.

use super::{Built, Function, join};
use crate::arguments::Arguments;
use crate::compile::Compiler;
use crate::condition::Condition;
use crate::context::Scene;
use crate::error::TemplateError;
use crate::output::Output;
use crate::template::Template;

/// `$(if CONDITION THEN ELSE)`.
pub(super) fn choose(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    arguments.expect(2..=3, "$(if (\"$HOST\" eq \"web1\") THEN ELSE)")?;
    let condition = condition(&mut arguments, compiler)?;
    Ok(Box::new(Choice {
        condition,
        then: arguments.template(compiler)?,
        otherwise: arguments.template(compiler)?,
    }))
}

#[derive(Debug)]
struct Choice {
    condition: Condition,
    then: Template,
    otherwise: Template,
}

impl Function for Choice {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        match self.condition.holds(scene, out) {
            true => self.then.write(scene, out),
            false => self.otherwise.write(scene, out),
        }
    }
}

/// `$(grep CONDITION A B)`: its arguments with commas between where the condition holds. A context has
/// one record here.
pub(super) fn grep(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    arguments.expect(2..=usize::MAX, "$(grep CONDITION TEXT)")?;
    let condition = condition(&mut arguments, compiler)?;
    Ok(Box::new(Grep {
        condition,
        parts: arguments.templates(compiler)?,
    }))
}

#[derive(Debug)]
struct Grep {
    condition: Condition,
    parts: Box<[Template]>,
}

impl Function for Grep {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        if self.condition.holds(scene, out) {
            join(&self.parts, b",", scene, out);
        }
    }
}

fn condition(
    arguments: &mut Arguments,
    compiler: &mut Compiler<'_>,
) -> Result<Condition, TemplateError> {
    let argument = arguments.next().unwrap_or_default();
    Condition::compile(&argument, compiler)
}

/// `$(or A B)`: the first that is not empty.
pub(super) fn or(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    Ok(Box::new(Or {
        parts: arguments.templates(compiler)?,
    }))
}

#[derive(Debug)]
struct Or {
    parts: Box<[Template]>,
}

impl Function for Or {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        let start = out.len();
        for part in &self.parts {
            part.write(scene, out);
            if out.len() > start {
                return;
            }
        }
    }
}

/// `$(context-length)`: a context has one record here.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the type of all that build a function"
)]
pub(super) fn context_length(arguments: Arguments, _: &mut Compiler<'_>) -> Built {
    arguments.expect(0..=0, "$(context-length)")?;
    Ok(Box::new(Template::literal("1")))
}
