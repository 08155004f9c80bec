//! The kinds of destinations, each in a folder or file of its own.

mod file;
mod hec;
mod program;

pub use file::{Compression, File, FileAccess, PathTemplate, Rotation};
pub use hec::{Acknowledgement, Endpoint, Event, Hec, Metadata};
pub use program::Program;
