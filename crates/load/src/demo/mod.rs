//! Traffic that looks like a real company's: for `serve --demo` and for tests.
//!
//! [`Demo`] makes lines of some twenty-five programs on thirty hosts: firewalls, web servers, an
//! application that logs JSON, databases, mail, switches. Sessions keep their numbers over several
//! lines, days and nights have their rhythm ([`Rate`]), and now and then something goes wrong and
//! shows. [`Backfill`] makes the day before. The same seed and times give the same lines.
//!
//! Nothing here does I/O or reads a clock: the caller asks for lines and sends them.

mod backfill;
mod cast;
mod incident;
mod program;
mod rate;
mod scene;
mod stream;

pub use backfill::Backfill;
pub use rate::Rate;
pub use stream::{Demo, MESSAGES_PER_SECOND};
