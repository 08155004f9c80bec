//! Classifies messages by syslog-ng's pattern databases.
//!
//! A [`Database`] is loaded from the XML of versions 1 to 6 and classifies a message by its program and
//! text: [`Database::classify`] finds a [`Rule`] and the values that its pattern took of the message.
//! What the rule adds, and what follows from several messages, does the [`Correlator`].
//! [`tool`] has what syslog-ng's `pdbtool` does.
//!
//! What the caller does with a match, in this order:
//!
//! - `.classifier.class` is the class of the rule and `.classifier.rule_id` its id; where nothing matches,
//!   the class is `unknown` and the message gets the tag `.classifier.unknown`.
//! - The values of the match are set, those of the program first; of several of a name the last one stays.
//! - The tags of the rule are added, among them `.classifier.` with its class, and its values are set in
//!   their order, rendered with what is set already.
//!
//! What must stay true: no bytes of a file or message panic, and looking up takes bounded steps. No I/O, no
//! clock.
#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod addresses;
mod bytes;
mod correlation;
mod database;
mod error;
pub mod limits;
mod load;
mod parser;
mod pattern;
mod rule;
#[cfg(test)]
mod tests;
pub mod tool;
mod tree;
mod xml;

pub use correlation::{Bounds, Correlator, Losses, Message};
pub use database::{Database, Match, MatchedValue};
pub use error::{LoadError, PatternProblem, Problem, Warning};
pub use rule::{
    Action, CLASS_DEFAULT, Content, ContextRule, Example, ExpectedValue, Inherit, NewMessage, Rate,
    Rule, RuleValue, Scope, Trigger, ValueType,
};
