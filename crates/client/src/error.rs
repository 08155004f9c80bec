//! What can go wrong between client and server.

use api::Problem;

/// A question was not answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing answers, or the connection broke.
    #[error("cannot reach {url}: {source}")]
    Unreachable {
        /// The server.
        url: String,
        /// Why.
        source: Box<ureq::Error>,
    },
    /// The server says why it does not answer.
    #[error("{0}")]
    Refused(Box<Problem>),
    /// The answer is not what this version of the API says.
    #[error("the server's answer is not understood: {what}")]
    Unexpected {
        /// What is wrong with it.
        what: String,
    },
    /// The answer ended before its last line.
    #[error("the answer broke off before its end")]
    BrokeOff,
}
