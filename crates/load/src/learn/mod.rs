//! Messages like those of a given log, with needles that are counted exactly.
//!
//! A [`Learner`] reads a log and makes a [`Profile`] of it: templates with their frequencies, and
//! how the values in them are distributed. [`Tables`] are a profile compiled for speed, and a
//! [`Realistic`] is a [`crate::Source`] that writes with them. A [`Plan`] says which messages hold
//! which needles, and a [`Manifest`] how often a search must find what.
//!
//! What must stay true: the same profile, plan and connection give the same messages for the same
//! times; no message allocates; no needle's text occurs where it was not planted.

mod column;
mod error;
mod learner;
pub mod limits;
mod manifest;
mod plan;
mod profile;
mod realistic;
mod reserved;
mod stamp;
mod tables;
mod token;
mod weighted;

pub use error::Error;
pub use learner::Learner;
pub use manifest::{MANIFEST_VERSION, Manifest, Query};
pub use plan::Plan;
pub use profile::{PROFILE_VERSION, Profile};
pub use realistic::Realistic;
pub use tables::{Style, Tables};
