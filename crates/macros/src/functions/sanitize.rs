//! `$(sanitize)`: values that are to be a part of a path.

use super::{Built, Function};
use crate::arguments::Arguments;
use crate::compile::Compiler;
use crate::context::Scene;
use crate::error::TemplateError;
use crate::output::Output;
use crate::template::Template;

/// `$(sanitize [-c|-C] [-i CHARACTERS] [-r CHARACTER] A B)`: control characters and slashes, or other
/// characters, become `_` or another one. Arguments are joined by slashes.
pub(super) fn sanitize(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    let mut invalid = b"/".to_vec();
    let mut replacement = b'_';
    let mut has_control = true;
    while let Some(option) = arguments.next_option() {
        match option.text.as_str() {
            "-c" | "--ctrl-chars" => has_control = true,
            "-C" | "--no-ctrl-chars" => has_control = false,
            "-i" | "--invalid-chars" => {
                invalid = arguments.next().unwrap_or_default().text.into_bytes();
            }
            "-r" | "--replacement" => {
                let argument = arguments.next().unwrap_or_default();
                let [byte] = argument.text.as_bytes() else {
                    let what = "a replacement is one ASCII character";
                    return Err(TemplateError::argument(argument.span, what));
                };
                replacement = *byte;
            }
            _ => {
                let error = TemplateError::argument(option.span, "no such option of `sanitize`");
                return Err(error.with_hint("options are -c, -C, -i CHARACTERS and -r CHARACTER"));
            }
        }
    }
    let mut is_replaced = Box::new([false; 256]);
    for (byte, flag) in (0_u8..=255).zip(is_replaced.iter_mut()) {
        *flag = invalid.contains(&byte) || (has_control && byte < b' ');
    }
    Ok(Box::new(Sanitize {
        is_replaced,
        replacement,
        parts: arguments.templates(compiler)?,
    }))
}

#[derive(Debug)]
struct Sanitize {
    is_replaced: Box<[bool; 256]>,
    replacement: u8,
    parts: Box<[Template]>,
}

impl Function for Sanitize {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                out.byte(b'/');
            }
            let start = out.len();
            part.write(scene, out);
            for byte in out.since_mut(start) {
                if self.is_replaced.get(usize::from(*byte)) == Some(&true) {
                    *byte = self.replacement;
                }
            }
        }
    }
}
