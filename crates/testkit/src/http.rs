//! The least HTTP/1.1 that our API needs, over a plain socket.
//!
//! Reads bodies with a length, in chunks, or up to the end of the connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

const TIMEOUT: Duration = Duration::from_secs(60);
const HEAD_LINES_MAX: usize = 100;

/// A connection that is kept open between requests.
#[derive(Debug)]
pub struct Connection {
    stream: BufReader<TcpStream>,
}

/// What the server answered.
#[derive(Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as text, bytes that are not UTF-8 replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as one JSON value.
    pub fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body)
            .with_context(|| format!("no JSON, status {}: {}", self.status, self.text()))
    }

    /// The body as one JSON value a line.
    pub fn lines(&self) -> Result<Vec<Value>> {
        self.body
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| {
                serde_json::from_slice(line)
                    .with_context(|| format!("no JSON: {}", String::from_utf8_lossy(line)))
            })
            .collect()
    }

    /// The answer itself if it is a success, otherwise an error with the body.
    pub fn ok(self) -> Result<Self> {
        if self.status != 200 {
            bail!("HTTP {}: {}", self.status, self.text());
        }
        Ok(self)
    }
}

/// How the end of a body is known.
enum Length {
    Bytes(u64),
    Chunks,
    ToTheEnd,
}

impl Connection {
    /// Connects to a server.
    pub fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&address, TIMEOUT)
            .with_context(|| format!("cannot connect to {address}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// `GET` of a path with its query.
    pub fn get(&mut self, path: &str) -> Result<Answer> {
        self.send("GET", path, &[])?;
        self.read_answer()
    }

    /// `POST` of a body.
    pub fn post(&mut self, path: &str, body: &[u8]) -> Result<Answer> {
        self.send("POST", path, body)?;
        self.read_answer()
    }

    /// `GET` of a path whose answer never ends: its lines as they come.
    pub fn stream(
        mut self,
        path: &str,
    ) -> Result<impl Iterator<Item = io::Result<String>> + use<>> {
        self.send("GET", path, &[])?;
        let (status, headers) = self.read_head()?;
        if status != 200 {
            bail!("HTTP {status} for {path}");
        }
        if !matches!(length_of(&headers), Length::Chunks) {
            bail!("{path} does not answer in chunks");
        }
        Ok(BufReader::new(Chunks::new(self.stream)).lines())
    }

    fn send(&mut self, method: &str, path: &str, body: &[u8]) -> Result<()> {
        let address = self.stream.get_ref().peer_addr()?;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let socket = self.stream.get_mut();
        socket.write_all(&[head.as_bytes(), body].concat())?;
        Ok(())
    }

    fn read_answer(&mut self) -> Result<Answer> {
        let (status, headers) = self.read_head()?;
        let mut body = Vec::new();
        match length_of(&headers) {
            Length::Bytes(bytes) => {
                (&mut self.stream).take(bytes).read_to_end(&mut body)?;
                if body.len() as u64 != bytes {
                    bail!("the body broke off at {} of {bytes} bytes", body.len());
                }
            }
            Length::Chunks => {
                Chunks::new(&mut self.stream).read_to_end(&mut body)?;
            }
            Length::ToTheEnd => {
                self.stream.read_to_end(&mut body)?;
            }
        }
        Ok(Answer {
            status,
            headers,
            body,
        })
    }

    fn read_head(&mut self) -> Result<(u16, Vec<(String, String)>)> {
        let first = read_line(&mut self.stream)?;
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.with_context(|| format!("no HTTP status: {first:?}"))?;
        let mut headers = Vec::new();
        for _ in 0..HEAD_LINES_MAX {
            let line = read_line(&mut self.stream)?;
            if line.is_empty() {
                return Ok((status, headers));
            }
            let (name, value) = line.split_once(':').context("a header without a colon")?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        bail!("more than {HEAD_LINES_MAX} headers");
    }
}

fn length_of(headers: &[(String, String)]) -> Length {
    for (name, value) in headers {
        if name == "transfer-encoding" && value == "chunked" {
            return Length::Chunks;
        }
        if name == "content-length"
            && let Ok(bytes) = value.parse()
        {
            return Length::Bytes(bytes);
        }
    }
    Length::ToTheEnd
}

fn read_line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}

/// A body in chunks (RFC 9112 section 7.1) as one run of bytes.
struct Chunks<R> {
    stream: R,
    left: u64,
    ended: bool,
}

impl<R: BufRead> Chunks<R> {
    fn new(stream: R) -> Self {
        Self {
            stream,
            left: 0,
            ended: false,
        }
    }
}

impl<R: BufRead> Read for Chunks<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        if self.left == 0 {
            let line = read_line(&mut self.stream)?;
            let size = u64::from_str_radix(line.split(';').next().unwrap_or_default(), 16);
            self.left = size.map_err(|_| io::Error::other(format!("no chunk size: {line:?}")))?;
            if self.left == 0 {
                self.ended = true;
                read_line(&mut self.stream)?;
                return Ok(0);
            }
        }
        let read = (&mut self.stream).take(self.left).read(into)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= read as u64;
        if self.left == 0 {
            read_line(&mut self.stream)?;
        }
        Ok(read)
    }
}

/// Percent-encodes a text for the query of a URL.
pub fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    /// Answers two requests on one connection with canned bytes.
    fn serve(answers: [&'static str; 2]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut stream = BufReader::new(stream);
            for answer in answers {
                while !read_line(&mut stream).unwrap().is_empty() {}
                stream.get_mut().write_all(answer.as_bytes()).unwrap();
            }
        });
        address
    }

    #[test]
    fn bodies_with_a_length_and_in_chunks_follow_each_other() {
        let address = serve([
            "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nX-A: b\r\n\r\nno\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\
             5\r\n{\"a\":\r\n3;x=y\r\n1}\n\r\n0\r\n\r\n",
        ]);
        let mut connection = Connection::open(address).unwrap();
        let answer = connection.get("/a").unwrap();
        assert_eq!((answer.status, answer.text().as_str()), (404, "no\n"));
        assert_eq!(answer.header("x-a"), Some("b"));
        let answer = connection.get("/b").unwrap().ok().unwrap();
        assert_eq!(answer.lines().unwrap(), [serde_json::json!({"a": 1})]);
    }

    #[test]
    fn a_stream_gives_its_lines() {
        let address = serve([
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\na\nb\n\r\n2\r\nc\n\r\n0\r\n\r\n",
            "",
        ]);
        let stream = Connection::open(address).unwrap().stream("/s").unwrap();
        let lines: Vec<String> = stream.map(Result::unwrap).collect();
        assert_eq!(lines, ["a", "b", "c"]);
    }

    #[test]
    fn texts_are_percent_encoded() {
        assert_eq!(encode("a b&c=\u{e9}~"), "a%20b%26c%3D%C3%A9~");
    }
}
