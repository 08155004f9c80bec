//! Datagrams, a message each.

use std::io;
use std::sync::Arc;

use syslog::frame::trim_terminator;
use tokio::net::UdpSocket;

use crate::sink::account::{Account, Tally};
use crate::sink::limits::DATAGRAM_BYTES;
use crate::sink::trouble::Trouble;

/// Takes datagrams until the task is ended. A message that is to fail is lost.
pub(crate) async fn take(
    socket: UdpSocket,
    account: Arc<Account>,
    trouble: Trouble,
) -> io::Result<()> {
    let mut buffer = vec![0; DATAGRAM_BYTES];
    let mut tally = Tally::new(&account);
    loop {
        socket.readable().await?;
        let mut bytes = 0;
        loop {
            match socket.try_recv(&mut buffer) {
                Ok(read) => {
                    bytes += read;
                    let message = buffer.get(..read).unwrap_or_default();
                    if !trouble.refuses() {
                        tally.message(trim_terminator(message), true);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // What an earlier answer to somebody came to is told here, and is no matter.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => break,
                Err(error) => return Err(error),
            }
            // Counts should be seen while datagrams never stop.
            if bytes >= DATAGRAM_BYTES {
                break;
            }
        }
        tally.settle(bytes);
        trouble.hold_up(bytes).await;
    }
}
