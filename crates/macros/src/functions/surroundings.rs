//! What comes from around a template: the environment, and other templates.

use super::{Built, Function};
use crate::arguments::Arguments;
use crate::compile::Compiler;
use crate::context::Scene;
use crate::error::TemplateError;
use crate::nearest::nearest;
use crate::output::Output;
use crate::template::Template;

impl Function for Template {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        Self::write(self, scene, out);
    }
}

/// `$(env NAME)`, read when the template is compiled.
pub(super) fn environment(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    arguments.expect(1..=1, "$(env NAME)")?;
    let argument = arguments.next().unwrap_or_default();
    let Some(read) = compiler.options().environment else {
        let what = "the environment cannot be read here";
        return Err(TemplateError::argument(arguments.span, what));
    };
    let value = read(&argument.text).unwrap_or_default();
    Ok(Box::new(Template::literal(&value)))
}

/// `$(template NAME)`: another template, compiled before.
pub(super) fn template(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    arguments.expect(1..=1, "$(template NAME)")?;
    let argument = arguments.next().unwrap_or_default();
    let known = compiler.options().templates;
    let found = known.iter().find(|(name, _)| *name == argument.text);
    if let Some((_, template)) = found {
        return Ok(Box::new(template.clone()));
    }
    let what = format!("there is no template `{}`", argument.text);
    let error = TemplateError::argument(argument.span, what);
    let near = nearest(&argument.text, known.iter().map(|(name, _)| name.as_str()));
    Err(match (near, known.is_empty()) {
        (Some(near), _) => error.with_hint(format!("did you mean `{near}`?")),
        (None, true) => error.with_hint("no templates are named here"),
        (None, false) => error,
    })
}
