//! A syslog header inside of a text is read, as that of a message that a relay or a container has wrapped.

use std::sync::{Mutex, PoisonError};

use model::{Editor, Field, RecordParts, Span, TextPart};
use syslog::{Context, ParseOptions, Parser};

use crate::place::Origin;
use crate::step::{Action, Failure, Scratch};

/// Reads a text as a message; what it says of time, priority, host, program and so on is the record's then.
#[derive(Debug)]
pub struct Header {
    origin: (Origin, String),
    options: ParseOptions,
    /// Parsers that are not in use, with what they made last.
    idle: Mutex<Vec<(Parser, RecordParts)>>,
}

impl Header {
    /// `origin` is what is read, and what it is called.
    pub fn new(origin: (Origin, String), options: ParseOptions) -> Self {
        Self {
            origin,
            options,
            idle: Mutex::default(),
        }
    }
}

impl Action for Header {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        let (origin, name) = &self.origin;
        let Some(input) = origin.span(record) else {
            return Err(Failure::Nothing(name.clone()));
        };
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let new = || (Parser::new(self.options.clone()), RecordParts::default());
        let (mut parser, mut parts) = taken.unwrap_or_else(new);
        let read = record.record();
        scratch.input.clear();
        scratch.input.extend_from_slice(input.of(read.bytes()));
        let context = Context {
            received: read.received(),
            peer: None,
        };
        parser.parse(&scratch.input, &context, &mut parts);
        let written = write(&parts, (input, scratch.input.len()), record);
        idle().push((parser, parts));
        written
    }
}

/// Writes what a message says; parts that it does not have stay as they are.
fn write(
    parts: &RecordParts,
    (input, input_len): (Span, usize),
    record: &mut Editor<'_>,
) -> Result<(), Failure> {
    let missing = model::Tag::MissingPri.bit() | model::Tag::InvalidPri.bit();
    let is_bare = parts.tags & missing != 0 && parts.host.is_empty() && parts.program.is_empty();
    if is_bare {
        return Err(Failure::Malformed {
            reason: "there is no syslog header",
            at: 0,
        });
    }
    let extra = match parts.extra.as_slice() {
        [] => Span::default(),
        extra => record.append(extra)?,
    };
    let place = |span: Span| match span.start as usize {
        start if start >= input_len => Span {
            start: extra.start + span.start - input.len,
            len: span.len,
        },
        _ => Span {
            start: input.start + span.start,
            len: span.len,
        },
    };
    let texts = [
        (TextPart::Host, parts.host),
        (TextPart::Program, parts.program),
        (TextPart::Pid, parts.pid),
        (TextPart::Msgid, parts.msgid),
    ];
    for (part, span) in texts {
        if !span.is_empty() {
            record.set_part(part, place(span));
        }
    }
    record.set_part(TextPart::Message, place(parts.message));
    if parts.tags & missing == 0 {
        record.set_priority(parts.priority);
    }
    let untimed = model::Tag::MissingTimestamp.bit() | model::Tag::InvalidTimestamp.bit();
    if parts.tags & untimed == 0 {
        record.set_time(parts.time);
    }
    for field in &parts.fields {
        record.push_field(Field {
            group: place_or_none(field.group, place),
            name: place(field.name),
            value: place_or_none(field.value, place),
        })?;
    }
    Ok(())
}

/// An absent span stays absent.
fn place_or_none(span: Span, place: impl Fn(Span) -> Span) -> Span {
    match span.is_empty() {
        true => span,
        false => place(span),
    }
}
