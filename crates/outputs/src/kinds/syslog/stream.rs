//! Records over a stream without answers: which of them the other side's kernel has.

use std::io;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use super::connection::Connection;
use crate::limits::WRITE_BYTES;

/// Records as bytes, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Encoded {
    pub(super) bytes: Vec<u8>,
    /// For each record its place in the batch and where it ends.
    pub(super) ends: Vec<(usize, usize)>,
}

impl Encoded {
    /// The places of records that are not within the first so many bytes.
    pub(super) fn behind(&self, bytes: usize) -> Vec<usize> {
        let open = self.ends.iter().filter(|(_, end)| *end > bytes);
        open.map(|(place, _)| *place).collect()
    }
}

/// Writes all, and waits until the other side has it. `arrived` is set to the bytes that it has for sure, also where
/// it fails.
pub(super) async fn write(
    connection: &mut Connection,
    bytes: &[u8],
    patience: Duration,
    arrived: &mut usize,
) -> io::Result<()> {
    let is_plain = connection.is_plain();
    let mut sent = 0;
    // What is written to a connection that the other side has closed is lost.
    connection.check_open().await?;
    for chunk in bytes.chunks(WRITE_BYTES) {
        let written = async {
            connection.write_all(chunk).await?;
            connection.flush().await
        };
        let written = timeout(patience, written).await;
        written.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
        sent += chunk.len();
        let unacked = connection.unacked_bytes()?;
        connection.check_open().await?;
        *arrived = match is_plain {
            true => sent.saturating_sub(unacked),
            // Of encrypted bytes only all or nothing can be told.
            false if unacked == 0 => sent,
            false => *arrived,
        };
    }
    let note = |unacked| {
        if is_plain || unacked == 0 {
            *arrived = sent.saturating_sub(unacked);
        }
    };
    connection.wait_until_acked(patience, note).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_has_arrived_in_part_is_open() {
        let encoded = Encoded {
            bytes: vec![0; 30],
            ends: vec![(0, 10), (2, 20), (3, 30)],
        };
        assert_eq!(encoded.behind(0), [0, 2, 3]);
        assert_eq!(encoded.behind(10), [2, 3]);
        assert_eq!(encoded.behind(19), [2, 3]);
        assert!(encoded.behind(30).is_empty());
    }
}
