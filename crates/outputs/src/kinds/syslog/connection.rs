//! A connection to a server, encrypted or not.

use std::io;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::unacked::unacked_bytes;
use super::{Syslog, Target};
use crate::limits::ARRIVED_POLL;
use crate::sink::Failure;

/// A connection.
#[derive(Debug)]
pub(super) enum Connection {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

impl Connection {
    /// Connects to a target.
    pub(super) async fn open(options: &Syslog, target: &Target) -> Result<Self, Failure> {
        let patience = options.connect_timeout;
        let opened = timeout(patience, Self::try_open(options, target)).await;
        opened.unwrap_or_else(|_| {
            let seconds = patience.as_secs_f64();
            Err(Failure::new(format!(
                "{target}: no connection within {seconds} seconds"
            )))
        })
    }

    async fn try_open(options: &Syslog, target: &Target) -> Result<Self, Failure> {
        let failed =
            |error: io::Error| Failure::new(format!("cannot connect to {target}: {error}"));
        let stream = TcpStream::connect((target.host.as_str(), target.port));
        let stream = stream.await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let Some(tls) = &options.tls else {
            return Ok(Self::Plain(stream));
        };
        let connector = TlsConnector::from(tls.config()?);
        let name = tls.name_for(&target.host)?;
        let stream = connector
            .connect(name, stream)
            .await
            .map_err(|error| Failure::new(format!("no TLS with {target}: {error}")))?;
        Ok(Self::Encrypted(Box::new(stream)))
    }

    /// Whether what was written and what is unacknowledged are counted in the same bytes.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Encrypted(stream) => stream.get_ref().0,
        }
    }

    /// Bytes on the wire that the other side has not acknowledged.
    pub(super) fn unacked_bytes(&self) -> io::Result<usize> {
        unacked_bytes(self.socket().as_fd())
    }

    /// Fails where the other side has closed; what it says is thrown away.
    pub(super) async fn check_open(&mut self) -> io::Result<()> {
        let mut scratch = [0; 1_024];
        loop {
            let read = tokio::select! {
                biased;
                read = self.read(&mut scratch) => read?,
                () = std::future::ready(()) => return Ok(()),
            };
            if read == 0 {
                return Err(io::Error::new(
                    io::ErrorKind::ConnectionAborted,
                    "the other side has closed the connection",
                ));
            }
        }
    }

    /// Waits until the other side has everything; fails where it takes nothing for some time.
    pub(super) async fn wait_until_acked(
        &mut self,
        patience: Duration,
        mut on_progress: impl FnMut(usize),
    ) -> io::Result<()> {
        let mut last = usize::MAX;
        let mut since = tokio::time::Instant::now();
        loop {
            let unacked = self.unacked_bytes()?;
            // A connection that was reset has nothing unacknowledged either: that shows here.
            self.check_open().await?;
            if unacked < last {
                on_progress(unacked);
                (last, since) = (unacked, tokio::time::Instant::now());
            }
            if unacked == 0 {
                return Ok(());
            }
            if since.elapsed() >= patience {
                return Err(io::ErrorKind::TimedOut.into());
            }
            tokio::time::sleep(ARRIVED_POLL).await;
        }
    }

    /// Closes it in order.
    pub(super) async fn close(&mut self, patience: Duration) {
        _ = timeout(patience, self.shutdown()).await;
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Encrypted(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Encrypted(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Encrypted(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Encrypted(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
