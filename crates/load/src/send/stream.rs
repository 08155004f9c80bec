//! Messages over a stream: TCP, TLS, a unix socket, a file.

use std::io;

use flate2::{Compress, Compression, FlushCompress};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::connect::Stream;
use super::feed::{Batch, Feed};
use super::framing::Packing;
use crate::limits::{BATCH_BYTES, CLOSE_TIMEOUT};

/// Sends until there is nothing left or the connection is lost.
pub(super) async fn send(stream: &mut Stream, feed: &mut Feed, packing: Packing) -> io::Result<()> {
    let mut batch = Batch::default();
    let mut zlib = (packing == Packing::Stream).then(ZlibStream::new);
    while feed.next_batch(&mut batch, stream.batch_bytes).await {
        let bytes = match &mut zlib {
            Some(zlib) => zlib.push(&batch.bytes, FlushCompress::Sync)?,
            None => &batch.bytes,
        };
        let mut written = 0;
        let outcome = tokio::select! {
            biased;
            outcome = write(stream, bytes, &mut written) => outcome,
            () = feed.overdue() => Err(io::ErrorKind::TimedOut.into()),
        };
        // Of compressed or encrypted bytes nobody can say which messages they hold.
        let is_exact = zlib.is_none() && !stream.is_buffered;
        let (messages, bytes) = match &outcome {
            Ok(()) => (batch.ends.len(), batch.bytes.len()),
            Err(_) if is_exact => batch.whole_in(written),
            Err(_) => (0, 0),
        };
        feed.account.sent(messages, bytes);
        outcome?;
    }
    if let Some(mut zlib) = zlib {
        let end = zlib.push(&[], FlushCompress::Finish)?;
        stream.bytes.write_all(end).await?;
    }
    stream.bytes.flush().await
}

/// Writes all bytes; `written` says how far it came.
async fn write(stream: &mut Stream, bytes: &[u8], written: &mut usize) -> io::Result<()> {
    while let Some(rest) = bytes.get(*written..)
        && !rest.is_empty()
    {
        match stream.bytes.write(rest).await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            more => *written += more,
        }
    }
    if stream.is_buffered {
        stream.bytes.flush().await?;
    }
    Ok(())
}

/// Says goodbye. What a peer has sent and nobody read would make the kernel throw away what the
/// peer has not read yet, so it is read.
pub(super) async fn close(mut stream: Stream) {
    let is_talkative = stream.is_talkative;
    let goodbye = async {
        stream.bytes.shutdown().await?;
        let mut rest = [0; 4_096];
        while is_talkative && stream.bytes.read(&mut rest).await? > 0 {}
        io::Result::Ok(())
    };
    // The messages are sent; a peer that has gone meanwhile is no failure.
    _ = tokio::time::timeout(CLOSE_TIMEOUT, goodbye).await;
}

/// One zlib stream for a whole connection.
struct ZlibStream {
    state: Compress,
    out: Vec<u8>,
}

impl ZlibStream {
    fn new() -> Self {
        Self {
            state: Compress::new(Compression::default(), true),
            out: Vec::new(),
        }
    }

    /// The compressed bytes, complete up to here.
    fn push(&mut self, bytes: &[u8], flush: FlushCompress) -> io::Result<&[u8]> {
        self.out.clear();
        let before = self.state.total_in();
        loop {
            self.out.reserve(BATCH_BYTES / 4);
            let taken = usize::try_from(self.state.total_in() - before).unwrap_or(usize::MAX);
            let rest = bytes.get(taken..).unwrap_or_default();
            self.state
                .compress_vec(rest, &mut self.out, flush)
                .map_err(io::Error::other)?;
            // With room left over there was nothing more to say.
            if self.out.len() < self.out.capacity() {
                return Ok(&self.out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn each_flush_lets_the_reader_have_everything() {
        let mut zlib = ZlibStream::new();
        let mut wire = Vec::new();
        let mut random = crate::random::Random::new(1);
        // Hexadecimal digits shrink by half only, so that the room runs out.
        let text = random.hex(200_000).into_bytes();
        wire.extend_from_slice(zlib.push(&text, FlushCompress::Sync).expect("zlib"));
        let mut plain = vec![0; text.len()];
        let mut reader = flate2::read::ZlibDecoder::new(&wire[..]);
        reader.read_exact(&mut plain).expect("all of it");
        assert_eq!(plain, text);
        wire.extend_from_slice(zlib.push(b"end", FlushCompress::Sync).expect("zlib"));
        wire.extend_from_slice(zlib.push(b"", FlushCompress::Finish).expect("zlib"));
        let mut all = Vec::new();
        let mut reader = flate2::read::ZlibDecoder::new(&wire[..]);
        reader.read_to_end(&mut all).expect("ends well");
        assert!(all.ends_with(b"end"));
    }
}
