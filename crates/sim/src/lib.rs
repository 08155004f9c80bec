//! The real store on a simulated disk: seeds decide what is written, what fails and when the power
//! goes, and an oracle says whether the store kept its promises.
//!
//! A [`Machine`] keeps a disk in memory that forgets what was not flushed. A run ([`run_seed`])
//! drives a [`store::Store`] on it in lock step, stops it anywhere, starts it again, and asks the
//! oracle, which knows what was acknowledged. [`flips`] turns single bits of whole files.

mod clock;
mod disk;
pub mod flips;
mod keeper;
mod oracle;
mod random;
mod readers;
mod records;
mod run;
mod side_by_side;

pub use clock::SimClock;
pub use disk::{Call, Fault, Machine, Plan};
pub use random::Random;
pub use run::{Failure, Mishap, run_fixed, run_seed};
pub use side_by_side::side_by_side;
