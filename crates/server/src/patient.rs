//! A connection whose reader may be slow, but not for ever.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use crate::limits::WRITE_TIME;

/// A stream that fails where what is written to it is not taken in time. The time ends when all
/// that was to be written was: whoever takes a byte now and then gains nothing by it.
pub(crate) struct Patient {
    stream: TcpStream,
    /// Runs while the peer has not taken all.
    patience: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            patience: None,
        }
    }

    /// The stream itself.
    pub(crate) fn into_inner(self) -> TcpStream {
        self.stream
    }

    /// Looks at the clock, after a write of so many bytes.
    fn judge(
        &mut self,
        context: &mut Context<'_>,
        bytes: usize,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if matches!(&written, Poll::Ready(Ok(taken)) if *taken >= bytes) {
            self.patience = None;
            return written;
        }
        let patience = self
            .patience
            .get_or_insert_with(|| Box::pin(sleep(WRITE_TIME)));
        let is_over = match &written {
            Poll::Pending => patience.as_mut().poll(context).is_ready(),
            Poll::Ready(_) => Instant::now() >= patience.deadline(),
        };
        if is_over {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        written
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, bytes.len(), written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let bytes = slices.iter().map(|slice| slice.len()).sum();
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.judge(context, bytes, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_nothing_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
        let address = listener.local_addr().expect("an address");
        let _reader = TcpStream::connect(address).await.expect("connects");
        let (stream, _) = listener.accept().await.expect("accepts");
        let mut patient = Patient::new(stream);
        let much = vec![b'x'; 1 << 20];
        let failure = loop {
            if let Err(error) = patient.write_all(&much).await {
                break error;
            }
        };
        assert_eq!(failure.kind(), io::ErrorKind::TimedOut);
    }
}
