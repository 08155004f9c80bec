//! What a peer can do wrong in RELP. Each of these ends the connection: behind a broken frame
//! there is no telling where the next one starts.

/// A violation of the RELP frame format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The frame does not start with one to nine digits and a space.
    #[error("relp frame does not start with a transaction number of one to nine digits")]
    InvalidTransaction,
    /// Number 0, which only a server's hints may have.
    #[error("relp transaction number 0 on a frame that is no hint of a server")]
    TransactionZero,
    /// The command is not one to 32 letters and a space.
    #[error("relp frame {transaction} has no command of one to 32 letters")]
    InvalidCommand {
        /// Number of the frame.
        transaction: u32,
    },
    /// The data length is not one to nine digits with a space or, if zero, a line feed behind.
    #[error("relp frame {transaction} has no data length of one to nine digits")]
    InvalidDataLength {
        /// Number of the frame.
        transaction: u32,
    },
    /// More data than any message may have, cut or not.
    #[error(
        "relp frame {transaction} announces {data_bytes} bytes of data, at most {data_bytes_max} are accepted"
    )]
    DataTooLong {
        /// Number of the frame.
        transaction: u32,
        /// What it announces.
        data_bytes: usize,
        /// What is accepted.
        data_bytes_max: usize,
    },
    /// No line feed where the data length says that the frame ends.
    #[error("relp frame {transaction} does not end with a line feed behind its data")]
    MissingTrailer {
        /// Number of the frame.
        transaction: u32,
    },
}
