//! Requests of HTTP/1.1 with a length, as much of it as loaders of documents speak.

use std::io::{BufRead as _, BufReader, Read, Write};

use anyhow::{Context as _, Result, bail, ensure};
use flate2::read::MultiGzDecoder;

/// Bytes of a line of a head, and lines of a head, at most.
const LINE_BYTES_MAX: u64 = 16 * 1024;
const LINES_MAX: usize = 100;

/// Bytes of a body at most.
const BODY_BYTES_MAX: u64 = 256 << 20;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) path: String,
    /// Unpacked.
    pub(super) body: Vec<u8>,
}

/// Reads the requests of a connection, one behind the other.
pub(super) struct Reader<R> {
    reader: BufReader<R>,
}

impl<R: Read> Reader<R> {
    pub(super) fn new(connection: R) -> Self {
        Self {
            reader: BufReader::with_capacity(256 * 1024, connection),
        }
    }

    /// The next request; `None` where there is none. `writer` gets what a client waits for before it sends
    /// a large body.
    pub(super) fn next(&mut self, writer: &mut impl Write) -> Result<Option<Request>> {
        let Some(first) = self.line()? else {
            return Ok(None);
        };
        let path = first.split(' ').nth(1).context("no path is asked for")?;
        let (mut bytes, mut is_packed) = (0, false);
        for _ in 0..LINES_MAX {
            let line = self.line()?.context("a head has no end")?;
            if line.is_empty() {
                let body = self.body(bytes, is_packed)?;
                let path = path.to_owned();
                return Ok(Some(Request { path, body }));
            }
            let (name, value) = line.split_once(':').context("a header has no colon")?;
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => bytes = value.parse()?,
                "content-encoding" => is_packed = value == "gzip",
                "transfer-encoding" => bail!("bodies without a length are not read here"),
                "expect" => writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
                _ => {}
            }
        }
        bail!("a head has more than {LINES_MAX} lines")
    }

    fn line(&mut self) -> Result<Option<String>> {
        let mut line = Vec::new();
        let mut limited = (&mut self.reader).take(LINE_BYTES_MAX);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = line.strip_suffix(b"\n").context("a line has no end")?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Ok(Some(String::from_utf8_lossy(line).into_owned()))
    }

    fn body(&mut self, bytes: u64, is_packed: bool) -> Result<Vec<u8>> {
        ensure!(bytes <= BODY_BYTES_MAX, "a body has {bytes} bytes");
        let mut body = vec![0; usize::try_from(bytes)?];
        self.reader.read_exact(&mut body)?;
        if !is_packed {
            return Ok(body);
        }
        let mut unpacked = Vec::new();
        let mut limited = MultiGzDecoder::new(&body[..]).take(BODY_BYTES_MAX);
        limited.read_to_end(&mut unpacked)?;
        Ok(unpacked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_stand_behind_each_other() {
        let packed = {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(b"text").unwrap();
            encoder.finish().unwrap()
        };
        let mut bytes =
            b"POST /a HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc".to_vec();
        let head = format!(
            "POST /b HTTP/1.1\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
            packed.len()
        );
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(&packed);
        let mut told = Vec::new();
        let mut reader = Reader::new(&bytes[..]);
        let mut next = || reader.next(&mut told).unwrap();
        let request = |path: &str, body: &[u8]| Request {
            path: path.to_owned(),
            body: body.to_vec(),
        };
        assert_eq!(next(), Some(request("/a", b"abc")));
        assert_eq!(next(), Some(request("/b", b"text")));
        assert_eq!(next(), None);
        assert_eq!(told, b"HTTP/1.1 100 Continue\r\n\r\n");
    }

    #[test]
    fn a_body_that_is_too_long_or_has_no_length_is_refused() {
        for head in [
            "POST / HTTP/1.1\r\ncontent-length: 9999999999\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\n",
        ] {
            let mut reader = Reader::new(head.as_bytes());
            assert!(reader.next(&mut Vec::new()).is_err(), "{head}");
        }
    }
}
