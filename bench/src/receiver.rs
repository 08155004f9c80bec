//! A destination that takes everything and counts lines, so that it is never what a relay waits
//! for.

use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use anyhow::{Context, Result};

const READ_BYTES: usize = 256 * 1024;

/// A listening receiver. Its threads end with the connections they read, and with the program.
#[derive(Debug)]
pub(crate) struct Receiver {
    address: SocketAddr,
    lines: Arc<AtomicU64>,
}

impl Receiver {
    pub(crate) fn start() -> Result<Self> {
        Self::start_at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    }

    /// Listens where it is told to.
    pub(crate) fn start_at(address: SocketAddr) -> Result<Self> {
        let listener =
            TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
        let address = listener.local_addr()?;
        let lines = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&lines);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let counted = Arc::clone(&counted);
                thread::spawn(move || count(connection, &counted));
            }
        });
        Ok(Self { address, lines })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lines that came so far.
    pub(crate) fn lines(&self) -> u64 {
        self.lines.load(Ordering::Relaxed)
    }
}

fn count(mut connection: TcpStream, lines: &AtomicU64) {
    let mut buffer = vec![0; READ_BYTES];
    while let Ok(length) = connection.read(&mut buffer) {
        if length == 0 {
            return;
        }
        let found = memchr::memchr_iter(b'\n', &buffer[..length]).count();
        lines.fetch_add(u64::try_from(found).unwrap_or_default(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use super::*;

    #[test]
    fn lines_of_all_connections_are_counted() {
        let receiver = Receiver::start().unwrap();
        for _ in 0..2 {
            let mut connection = TcpStream::connect(receiver.address()).unwrap();
            connection.write_all(b"a\nb\nc").unwrap();
        }
        testkit::wait_until("four lines came", Duration::from_secs(20), || {
            receiver.lines() == 4
        })
        .unwrap();
    }
}
