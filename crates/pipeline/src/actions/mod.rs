//! What steps can do, one kind a file.

mod classify;
mod date;
mod fields;
mod header;
mod limit;
mod lookup;
mod map;
mod mask;
mod parse;
mod set;
mod subst;
mod tags;

pub use classify::Classify;
pub use date::Date;
pub use fields::{InvalidGlob, Rename, Unset};
pub use header::Header;
pub use limit::{Dedupe, RateLimit, Sample};
pub use lookup::{InList, Lookup};
pub use map::Map;
pub use mask::{Mask, Masking};
pub use parse::Parse;
pub use set::Set;
pub use subst::{InvalidRegex, Subst};
pub use tags::{Tag, Untag};
