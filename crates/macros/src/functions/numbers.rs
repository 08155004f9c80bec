//! Arithmetic, on whole numbers where all are whole, else with fractions. What is no number makes `NaN`,
//! as syslog-ng has it.

use super::{Built, Function, number};
use crate::arguments::Arguments;
use crate::compile::Compiler;
use crate::context::Scene;
use crate::error::TemplateError;
use crate::output::Output;
use crate::template::Template;

/// A number of a record.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Whole(i64),
    Fraction(f64),
}

impl Number {
    fn read(text: &[u8]) -> Option<Self> {
        let text = str::from_utf8(text).ok()?.trim_ascii();
        // `inf` and `nan` are words here.
        if !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        if let Ok(whole) = text.parse() {
            return Some(Self::Whole(whole));
        }
        text.parse().ok().map(Self::Fraction)
    }

    #[expect(clippy::cast_precision_loss, reason = "a fraction has 53 bits")]
    fn fraction(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Fraction(fraction) => fraction,
        }
    }

    fn write(self, out: &mut Output<'_>) {
        match self {
            Self::Whole(whole) => out.signed(whole),
            Self::Fraction(fraction) if fraction.is_finite() => {
                out.push(fraction.to_string().as_bytes());
            }
            Self::Fraction(_) => out.push(b"NaN"),
        }
    }
}

/// What two numbers become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Min,
    Max,
    Average,
}

impl Operation {
    fn of(self, left: Number, right: Number) -> Option<Number> {
        if let (Number::Whole(left), Number::Whole(right)) = (left, right) {
            let whole = match self {
                Self::Add | Self::Average => left.wrapping_add(right),
                Self::Subtract => left.wrapping_sub(right),
                Self::Multiply => left.wrapping_mul(right),
                Self::Divide => left.checked_div(right)?,
                Self::Remainder => left.checked_rem(right)?,
                Self::Min => left.min(right),
                Self::Max => left.max(right),
            };
            return Some(Number::Whole(whole));
        }
        let (left, right) = (left.fraction(), right.fraction());
        Some(Number::Fraction(match self {
            Self::Add | Self::Average => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / right,
            Self::Remainder => left % right,
            Self::Min => left.min(right),
            Self::Max => left.max(right),
        }))
    }
}

pub(super) fn add(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Operation::Add, 2, arguments, compiler)
}

pub(super) fn subtract(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Operation::Subtract, 2, arguments, compiler)
}

pub(super) fn multiply(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Operation::Multiply, 2, arguments, compiler)
}

pub(super) fn divide(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Operation::Divide, 2, arguments, compiler)
}

pub(super) fn remainder(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Operation::Remainder, 2, arguments, compiler)
}

pub(super) fn min(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Operation::Min, 1, arguments, compiler)
}

pub(super) fn max(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Operation::Max, 1, arguments, compiler)
}

pub(super) fn sum(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Operation::Add, 1, arguments, compiler)
}

pub(super) fn average(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Operation::Average, 1, arguments, compiler)
}

fn build(
    operation: Operation,
    least: usize,
    mut arguments: Arguments,
    compiler: &mut Compiler<'_>,
) -> Built {
    if arguments.len() < least {
        let what = format!("arithmetic needs at least {least} numbers");
        let error = TemplateError::argument(arguments.span.clone(), what);
        return Err(error.with_hint("write `$(+ $PID 1)`, with spaces between"));
    }
    Ok(Box::new(Arithmetic {
        operation,
        is_aggregate: least == 1,
        numbers: arguments.templates(compiler)?,
    }))
}

/// A number that a template makes; what it makes is taken back.
fn evaluate(template: &Template, scene: &Scene<'_>, out: &mut Output<'_>) -> Option<Number> {
    let start = out.len();
    template.write(scene, out);
    let number = Number::read(out.since(start));
    out.truncate(start);
    number
}

#[derive(Debug)]
struct Arithmetic {
    operation: Operation,
    /// Whether it takes the numbers of each record of a context.
    is_aggregate: bool,
    numbers: Box<[Template]>,
}

impl Arithmetic {
    fn value(&self, scene: &Scene<'_>, out: &mut Output<'_>) -> Option<Number> {
        if self.is_aggregate && !scene.earlier.is_empty() {
            return self.value_of_context(scene, out);
        }
        let mut numbers = self.numbers.iter();
        let mut value = evaluate(numbers.next()?, scene, out)?;
        for number in numbers {
            value = self.operation.of(value, evaluate(number, scene, out)?)?;
        }
        self.divided(value, self.numbers.len())
    }

    /// Of the numbers of all records of a context; what is none is left out.
    fn value_of_context(&self, scene: &Scene<'_>, out: &mut Output<'_>) -> Option<Number> {
        let mut value = None;
        let mut count = 0;
        for scene in scene.each() {
            for number in &self.numbers {
                let Some(number) = evaluate(number, &scene, out) else {
                    continue;
                };
                count += 1;
                value = Some(match value {
                    Some(value) => self.operation.of(value, number)?,
                    None => number,
                });
            }
        }
        self.divided(value?, count)
    }

    fn divided(&self, sum: Number, count: usize) -> Option<Number> {
        if self.operation != Operation::Average {
            return Some(sum);
        }
        let count = i64::try_from(count).ok()?;
        Operation::Divide.of(sum, Number::Whole(count))
    }
}

impl Function for Arithmetic {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        match self.value(scene, out) {
            Some(value) => value.write(out),
            None => out.push(b"NaN"),
        }
    }
}

/// `$(round N [DIGITS])`.
pub(super) fn round(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    rounding(f64::round, arguments, compiler)
}

/// `$(ceil N [DIGITS])`.
pub(super) fn ceil(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    rounding(f64::ceil, arguments, compiler)
}

/// `$(floor N [DIGITS])`.
pub(super) fn floor(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    rounding(f64::floor, arguments, compiler)
}

fn rounding(to: fn(f64) -> f64, mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    arguments.expect(1..=2, "$(round NUMBER DIGITS)")?;
    let number_template = arguments.template(compiler)?;
    let digits = match arguments.next() {
        Some(argument) => {
            let digits = number(Some(&argument), &arguments.span)?;
            let digits = i32::try_from(digits)
                .ok()
                .filter(|digits| (0..=15).contains(digits));
            digits.ok_or_else(|| {
                let what = "a number is rounded to 0 to 15 digits";
                TemplateError::argument(argument.span.clone(), what)
            })?
        }
        None => 0,
    };
    Ok(Box::new(Rounding {
        number: number_template,
        scale: 10_f64.powi(digits),
        to,
    }))
}

#[derive(Debug)]
struct Rounding {
    number: Template,
    scale: f64,
    to: fn(f64) -> f64,
}

impl Function for Rounding {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        match evaluate(&self.number, scene, out) {
            Some(Number::Whole(whole)) => out.signed(whole),
            Some(Number::Fraction(fraction)) => {
                let rounded = (self.to)(fraction * self.scale) / self.scale;
                Number::Fraction(rounded).write(out);
            }
            None => out.push(b"NaN"),
        }
    }
}
