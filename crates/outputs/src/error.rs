//! What can go wrong with destinations as a whole.

/// Why something cannot be done with a destination.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is none of that name.
    #[error("there is no destination {name:?}")]
    Unknown {
        /// The name that was given.
        name: String,
    },
    /// Several have that name, with different kinds.
    #[error("{name:?} may be {all}: say which, with its kind in front")]
    Ambiguous {
        /// The name that was given.
        name: String,
        /// The full names.
        all: String,
    },
    /// It takes no records of that logspace.
    #[error("{destination} takes no records of the logspace {logspace}")]
    OtherLogspace {
        /// The destination.
        destination: String,
        /// The logspace.
        logspace: String,
    },
    /// The store refuses.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The position cannot be kept or read.
    #[error("{0}")]
    Position(String),
    /// A record was not delivered.
    #[error("{destination}: {reason}")]
    NotDelivered {
        /// The destination.
        destination: String,
        /// Why.
        reason: String,
    },
    /// A thread cannot be started.
    #[error("a thread for {destination} cannot be started: {source}")]
    Thread {
        /// The destination.
        destination: String,
        /// What the system says.
        source: std::io::Error,
    },
}
