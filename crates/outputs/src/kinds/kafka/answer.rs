//! What an error means for a record.

use std::error::Error as _;

use krafka::error::{ErrorCode, KrafkaError};

/// What became of a record that was not taken.
pub(super) enum NotTaken {
    /// It is refused for good.
    Refused(String),
    /// It may be taken later.
    Later(String),
}

/// What an error says of its record. Only what finds fault with the record itself refuses it: a topic that is not
/// there, or that we may not write to, can be made right.
pub(super) fn of_record(error: &KrafkaError) -> NotTaken {
    match error {
        KrafkaError::Broker {
            code:
                ErrorCode::MessageTooLarge | ErrorCode::RecordListTooLarge | ErrorCode::InvalidRecord,
            ..
        }
        | KrafkaError::Protocol { .. }
        | KrafkaError::Serialization { .. } => NotTaken::Refused(words(error)),
        _ => NotTaken::Later(words(error)),
    }
}

/// An error with what caused it, and what to do where that is known.
pub(super) fn words(error: &KrafkaError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    let remedy = match error {
        KrafkaError::Auth { .. } => ": see `sasl`, `user`, the password, and the certificates",
        KrafkaError::UnknownTopic { .. } => ": make the topic, or let the cluster make it",
        _ => "",
    };
    format!("{text}{remedy}")
}
