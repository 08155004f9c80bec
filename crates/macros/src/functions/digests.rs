//! Digests, in hexadecimal digits.

use md5::Digest as _;
use ring::digest;

use super::{Built, Function, join, number};
use crate::arguments::Arguments;
use crate::compile::Compiler;
use crate::context::Scene;
use crate::error::TemplateError;
use crate::output::Output;
use crate::template::Template;
use crate::values::hex_digit;

/// `$(sha1 [--length N] A)`.
pub(super) fn sha1(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(
        Algorithm::Ring(&digest::SHA1_FOR_LEGACY_USE_ONLY),
        arguments,
        compiler,
    )
}

/// `$(sha256 [--length N] A)`, and `$(hash)`.
pub(super) fn sha256(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Algorithm::Ring(&digest::SHA256), arguments, compiler)
}

/// `$(sha384 [--length N] A)`.
pub(super) fn sha384(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Algorithm::Ring(&digest::SHA384), arguments, compiler)
}

/// `$(sha512 [--length N] A)`.
pub(super) fn sha512(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Algorithm::Ring(&digest::SHA512), arguments, compiler)
}

/// `$(md5 [--length N] A)`.
pub(super) fn md5(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Algorithm::Md5, arguments, compiler)
}

fn build(algorithm: Algorithm, mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    let mut digits = usize::MAX;
    while let Some(option) = arguments.next_option() {
        if !matches!(option.text.as_str(), "--length" | "-l") {
            let error = TemplateError::argument(option.span, "no such option of a digest");
            return Err(error.with_hint("the option is `--length N`: its first N digits"));
        }
        let argument = arguments.next();
        let wanted = number(argument.as_ref(), &arguments.span)?;
        digits = usize::try_from(wanted).unwrap_or(usize::MAX);
    }
    Ok(Box::new(Digest {
        algorithm,
        digits,
        parts: arguments.templates(compiler)?,
    }))
}

#[derive(Debug)]
enum Algorithm {
    Ring(&'static digest::Algorithm),
    Md5,
}

#[derive(Debug)]
struct Digest {
    algorithm: Algorithm,
    digits: usize,
    parts: Box<[Template]>,
}

impl Function for Digest {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        let start = out.len();
        join(&self.parts, b"", scene, out);
        match self.algorithm {
            Algorithm::Ring(algorithm) => {
                let found = digest::digest(algorithm, out.since(start));
                self.write_digits(found.as_ref(), start, out);
            }
            Algorithm::Md5 => {
                let found = md5::Md5::digest(out.since(start));
                self.write_digits(&found, start, out);
            }
        }
    }
}

impl Digest {
    fn write_digits(&self, digest: &[u8], start: usize, out: &mut Output<'_>) {
        out.truncate(start);
        for byte in digest {
            out.push(&[hex_digit(byte >> 4), hex_digit(byte & 15)]);
        }
        out.truncate(out.len().min(start.saturating_add(self.digits)));
    }
}
