//! What can go wrong between client and server.

use std::io;

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
    /// Something answers, but no Logwood.
    #[error("{url} is no HTTP address of a Logwood server: {what}")]
    NotLogwood {
        /// The address.
        url: String,
        /// What is there in place of it.
        what: String,
    },
    /// The URL asks for encryption, which neither this client nor a server speaks by itself.
    #[error("{url} cannot be asked: Logwood speaks HTTP without TLS")]
    Encrypted {
        /// The URL.
        url: String,
    },
    /// The server says why it does not answer.
    #[error("{0}")]
    Refused(Box<Problem>),
    /// What was to be sent cannot be read.
    #[error("cannot read what is to be sent: {source}")]
    Input {
        /// Why.
        source: io::Error,
    },
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
