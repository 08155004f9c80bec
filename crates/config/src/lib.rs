//! The configuration file into the other crates' plain options, with spans.
//!
//! [`check`] is the way in. It reads TOML, compares every section and key with one table of what
//! is known (`schema`), understands the values, checks what depends on each other, and says all
//! that is wrong at once, each with line, column, caret and a suggestion. The same table makes the
//! reference ([`reference()`]) and the listing of what is in force ([`Config::effective`]).
//!
//! No I/O but for the time zone database: the caller reads the file.

mod build;
mod check;
mod cross;
mod document;
mod effective;
mod finding;
pub mod limits;
mod nearest;
mod overrides;
mod problem;
mod reference;
mod schema;
mod string;
#[cfg(test)]
mod testing;
mod unit;
mod value;

pub use build::{
    ClientLimits, Config, LogFormat, LogLevel, LogOptions, LogspaceOptions, Part, TestCase,
};
pub use check::{Checked, check};
pub use document::Origin;
pub use effective::{Effective, EffectiveSection, Setting};
pub use overrides::Overrides;
pub use problem::{Place, Problem, Severity};
pub use reference::reference;
