//! Output templates: what a destination, or a step that sets a value, makes of a record.
//!
//! A [`Template`] is compiled once, where every name and function is looked up and every mistake is
//! reported with its place and a remedy, and then rendered for each record into the caller's vector. The
//! macros and functions are those of syslog-ng; [`Format`] has whole lines and documents that need no
//! template. A record is seen through a [`View`], which copies nothing, and what is known beside it stands
//! in a [`Context`].
//!
//! What must stay true: no bytes of a record make rendering fail but by their number, and JSON is valid.
//! No I/O, no clock, no environment: the caller hands those in.
#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod arguments;
mod compile;
mod condition;
mod context;
mod dates;
mod embed;
mod error;
mod formats;
mod functions;
mod json;
pub mod limits;
mod macro_name;
mod nearest;
mod output;
mod pairs;
#[cfg(test)]
mod samples;
mod standalone;
mod template;
mod values;
mod view;
mod zone;

pub use compile::{Environment, Options};
pub use context::Context;
pub use embed::{append_json_fields, append_json_string};
pub use error::{OutputTooLong, Problem, TemplateError};
pub use formats::{Format, UnknownFormat};
pub use standalone::Condition;
pub use template::Template;
pub use view::View;
pub use zone::{Zone, named_zone};
