//! Functions that choose: `$(if)`, `$(grep)`, `$(or)`.

use super::{Built, Function, join, write_element};
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

/// `$(grep CONDITION A B)`: its arguments with commas between, of each record of the context of which the
/// condition holds.
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
        let mut is_first = true;
        for scene in scene.each() {
            if self.condition.holds(&scene, out) {
                if !is_first {
                    out.byte(b',');
                }
                is_first = false;
                join(&self.parts, b",", &scene, out);
            }
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

/// `$(context-length)`: how many records the context has.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the type of all that build a function"
)]
pub(super) fn context_length(arguments: Arguments, _: &mut Compiler<'_>) -> Built {
    arguments.expect(0..=0, "$(context-length)")?;
    Ok(Box::new(ContextLength))
}

#[derive(Debug)]
struct ContextLength;

impl Function for ContextLength {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        out.decimal(scene.views().count() as u64);
    }
}

/// `$(context-lookup CONDITION A B)`: a list of its arguments of each record of the context of which the
/// condition holds.
pub(super) fn context_lookup(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    arguments.expect(2..=usize::MAX, "$(context-lookup CONDITION TEXT)")?;
    let condition = condition(&mut arguments, compiler)?;
    Ok(Box::new(Elements {
        condition: Some(condition),
        parts: arguments.templates(compiler)?,
    }))
}

/// `$(context-values A B)`: a list of its arguments of each record of the context.
pub(super) fn context_values(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    arguments.expect(1..=usize::MAX, "$(context-values TEXT)")?;
    Ok(Box::new(Elements {
        condition: None,
        parts: arguments.templates(compiler)?,
    }))
}

#[derive(Debug)]
struct Elements {
    condition: Option<Condition>,
    parts: Box<[Template]>,
}

impl Function for Elements {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        let mut is_first = true;
        for scene in scene.each() {
            let condition = self.condition.as_ref();
            if !condition.is_none_or(|condition| condition.holds(&scene, out)) {
                continue;
            }
            for part in &self.parts {
                if !is_first {
                    out.byte(b',');
                }
                is_first = false;
                let start = out.len();
                part.write(&scene, out);
                let element = out.since(start).to_vec();
                out.truncate(start);
                write_element(&element, out);
            }
        }
    }
}
