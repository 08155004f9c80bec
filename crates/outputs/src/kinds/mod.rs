//! The kinds of destinations, each in a folder or file of its own.

mod file;
mod program;

pub use file::{Compression, File, FileAccess, PathTemplate, Rotation};
pub use program::Program;
