//! A connection, encrypted or not, read without waiting and written by one other task at most.
//!
//! Waiting for bytes is apart from reading them, so that nothing of the budget is held while a
//! peer is silent.

use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use rustix::io::ioctl_fionread;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use crate::limits::CLOSE_TIMEOUT;

/// A connection.
pub(crate) enum Stream {
    /// As it is.
    Plain(TcpStream),
    /// Of this machine.
    Unix(UnixStream),
    /// Encrypted. The lock is held between waits only.
    Tls(Box<Mutex<TlsStream<TcpStream>>>),
}

impl Stream {
    /// Wraps an encrypted connection whose handshake is done.
    pub(crate) fn tls(stream: TlsStream<TcpStream>) -> Self {
        Self::Tls(Box::new(Mutex::new(stream)))
    }

    /// Waits until there is something to read, or the end. One task at a time.
    pub(crate) async fn readable(&self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.readable().await,
            Self::Unix(stream) => stream.readable().await,
            Self::Tls(stream) => poll_fn(|context| poll_readable(stream, context)).await,
        }
    }

    /// Appends what has arrived to the buffer, up to its capacity, and returns how much that was:
    /// 0 at the end of the stream, `WouldBlock` where there is nothing yet.
    pub(crate) fn try_read(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.try_read_buf(buffer),
            Self::Unix(stream) => stream.try_read_buf(buffer),
            Self::Tls(stream) => {
                let mut stream = locked(stream);
                let start = buffer.len();
                while buffer.len() < buffer.capacity() {
                    match read_some(&mut stream, buffer) {
                        Ok(0) => break,
                        Ok(_) => {}
                        // What came before is handed on; the error will come again.
                        Err(_) if buffer.len() > start => break,
                        Err(error) => return Err(error),
                    }
                }
                Ok(buffer.len() - start)
            }
        }
    }

    /// Writes all of the data. One task at a time.
    pub(crate) async fn write_all(&self, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            let written = match self {
                Self::Plain(stream) => {
                    stream.writable().await?;
                    match stream.try_write(data) {
                        Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                        result => result?,
                    }
                }
                Self::Unix(stream) => {
                    stream.writable().await?;
                    match stream.try_write(data) {
                        Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                        result => result?,
                    }
                }
                Self::Tls(stream) => {
                    let write = |context: &mut Context<'_>| {
                        let mut stream = locked(stream);
                        let written = ready!(Pin::new(&mut *stream).poll_write(context, data))?;
                        ready!(Pin::new(&mut *stream).poll_flush(context))?;
                        Poll::Ready(io::Result::Ok(written))
                    };
                    poll_fn(write).await?
                }
            };
            if written == 0 {
                return Err(ErrorKind::WriteZero.into());
            }
            data = data.get(written..).unwrap_or(&[]);
        }
        Ok(())
    }

    /// Bytes that have arrived and wait in the kernel to be read; those of TLS as they are
    /// encrypted.
    pub(crate) fn kernel_queue_bytes(&self) -> io::Result<u64> {
        let waiting = match self {
            Self::Plain(stream) => ioctl_fionread(stream),
            Self::Unix(stream) => ioctl_fionread(stream),
            Self::Tls(stream) => ioctl_fionread(locked(stream).get_ref().0),
        };
        Ok(waiting?)
    }

    /// Says good-bye, for a while at most. The connection is closed when it is dropped.
    pub(crate) async fn close(&self) {
        let closing = async {
            match self {
                Self::Plain(stream) => SockRef::from(stream).shutdown(Shutdown::Write),
                Self::Unix(stream) => SockRef::from(stream).shutdown(Shutdown::Write),
                Self::Tls(stream) => {
                    poll_fn(|context| Pin::new(&mut *locked(stream)).poll_shutdown(context)).await
                }
            }
        };
        // Whether the peer still listens makes no difference.
        _ = timeout(CLOSE_TIMEOUT, closing).await;
    }
}

fn poll_readable(
    stream: &Mutex<TlsStream<TcpStream>>,
    context: &mut Context<'_>,
) -> Poll<io::Result<()>> {
    let stream = locked(stream);
    let (socket, session) = stream.get_ref();
    // Decrypted bytes, or the end, may wait in the session while the socket is silent.
    if !session.wants_read() {
        return Poll::Ready(Ok(()));
    }
    socket.poll_read_ready(context)
}

/// Reads at most one piece of what has been decrypted.
fn read_some(stream: &mut TlsStream<TcpStream>, buffer: &mut Vec<u8>) -> io::Result<usize> {
    // The size of a TLS record; the copy costs little beside the decryption.
    let mut piece = [0; 16 * 1024];
    let room = (buffer.capacity() - buffer.len()).min(piece.len());
    let mut piece = ReadBuf::new(piece.get_mut(..room).unwrap_or_default());
    // Nobody is woken by this: whoever reads waits in `readable` afterwards.
    let mut context = Context::from_waker(Waker::noop());
    match Pin::new(stream).poll_read(&mut context, &mut piece) {
        Poll::Ready(Ok(())) => {
            buffer.extend_from_slice(piece.filled());
            Ok(piece.filled().len())
        }
        Poll::Ready(Err(error)) => Err(error),
        Poll::Pending => Err(ErrorKind::WouldBlock.into()),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
