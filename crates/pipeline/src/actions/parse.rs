//! A text is taken apart into fields.

use std::sync::Arc;

use model::{Editor, Field, Span};
use parsers::{Parser, Piece};

use crate::place::Origin;
use crate::step::{Action, Failure, Scratch};

/// What a parser finds in a place becomes fields.
#[derive(Clone, Debug)]
pub struct Parse {
    origin: Origin,
    origin_name: String,
    parser: Arc<dyn Parser>,
    prefix: Box<str>,
}

impl Parse {
    /// `origin` is what is read, and what it is called; with a `prefix` of `fw` a field `action` is called
    /// `fw.action`.
    pub fn new((origin, name): (Origin, &str), parser: Arc<dyn Parser>, prefix: &str) -> Self {
        Self {
            origin,
            origin_name: name.to_owned(),
            parser,
            prefix: prefix.trim_end_matches('.').into(),
        }
    }
}

impl Action for Parse {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        let Some(input) = self.origin.span(record) else {
            return Err(Failure::Nothing(self.origin_name.clone()));
        };
        let pairs = &mut scratch.pairs;
        pairs.clear();
        self.parser
            .parse(input.of(record.record().bytes()), pairs)?;
        let group = match self.prefix.is_empty() {
            true => Span::default(),
            false => record.append(self.prefix.as_bytes())?,
        };
        let own = match pairs.own() {
            [] => Span::default(),
            own => record.append(own)?,
        };
        let place = |piece: Piece| match piece {
            Piece::Input { start, len } => Span {
                start: input.start + start,
                len,
            },
            Piece::Own { start, len } => Span {
                start: own.start + start,
                len,
            },
        };
        for pair in pairs.pairs() {
            record.push_field(Field {
                group,
                name: place(pair.name),
                value: place(pair.value),
            })?;
        }
        Ok(())
    }
}
