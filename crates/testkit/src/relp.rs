//! A RELP sender that knows which of its messages were acknowledged.
//!
//! Written from the protocol's description and not with the `syslog` crate, so that both sides do
//! not share a mistake.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Context, Result, bail};

use crate::wire::connect;

const TRANSACTION_MAX: u32 = 999_999_999;
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// One session with a window of messages that are not acknowledged yet.
#[derive(Debug)]
pub struct RelpClient {
    stream: BufReader<TcpStream>,
    window: usize,
    next: u32,
    open: BTreeSet<u32>,
    acknowledged: Vec<u32>,
}

impl RelpClient {
    /// Connects and opens a session.
    pub fn connect(address: SocketAddr, window: usize) -> Result<Self> {
        let mut client = Self {
            stream: BufReader::new(connect(address)?),
            window,
            next: 1,
            open: BTreeSet::new(),
            acknowledged: Vec::new(),
        };
        let offers = b"relp_version=0\nrelp_software=testkit\ncommands=syslog";
        client.write_frame("open", offers)?;
        let (_, answer) = client.read_answer()?;
        if !answer.starts_with("200 ") {
            bail!("the session was refused: {answer}");
        }
        Ok(client)
    }

    /// Sends a message; first waits for acknowledgements while the window is full. Returns its
    /// transaction number.
    pub fn send(&mut self, message: &[u8]) -> Result<u32> {
        while self.open.len() >= self.window {
            self.read_acknowledgement()?;
        }
        let number = self.write_frame("syslog", message)?;
        self.open.insert(number);
        Ok(number)
    }

    /// Waits until every message is acknowledged.
    pub fn flush(&mut self) -> Result<()> {
        while !self.open.is_empty() {
            self.read_acknowledgement()?;
        }
        Ok(())
    }

    /// Transaction numbers of the messages that were acknowledged, in order of the answers.
    pub fn acknowledged(&self) -> &[u32] {
        &self.acknowledged
    }

    /// Reads whatever answers a dying server still sent, up to the end of the connection.
    pub fn drain(&mut self) {
        while !self.open.is_empty() && self.read_acknowledgement().is_ok() {}
    }

    /// Ends the session as the protocol asks.
    pub fn close(mut self) -> Result<()> {
        self.flush()?;
        self.write_frame("close", b"")?;
        // The answer to `close` may be followed by the hint `serverclose`.
        self.read_answer().map(|_| ())
    }

    fn write_frame(&mut self, command: &str, data: &[u8]) -> Result<u32> {
        let number = self.next;
        self.next = if number == TRANSACTION_MAX {
            1
        } else {
            number + 1
        };
        let mut frame = format!("{number} {command} {}", data.len()).into_bytes();
        if !data.is_empty() {
            frame.push(b' ');
            frame.extend_from_slice(data);
        }
        frame.push(b'\n');
        self.stream
            .get_mut()
            .write_all(&frame)
            .context("the server does not read")?;
        Ok(number)
    }

    fn read_acknowledgement(&mut self) -> Result<()> {
        let (number, answer) = self.read_answer()?;
        if !self.open.remove(&number) {
            bail!("an answer to {number}, which is not open");
        }
        if !answer.starts_with("200 ") {
            bail!("message {number} was refused: {answer}");
        }
        self.acknowledged.push(number);
        Ok(())
    }

    /// Reads `TXNR SP rsp SP DATALEN [SP DATA] LF`.
    fn read_answer(&mut self) -> Result<(u32, String)> {
        let number = self.read_word()?.parse().context("no transaction number")?;
        let command = self.read_word()?;
        if command != "rsp" {
            bail!("the server sent {command} and not rsp");
        }
        let length: usize = self.read_word()?.parse().context("no length")?;
        if length > ANSWER_BYTES_MAX {
            bail!("an answer of {length} bytes");
        }
        let mut data = vec![0; length];
        self.stream.read_exact(&mut data)?;
        if length > 0 {
            let mut end = [0];
            self.stream.read_exact(&mut end)?;
            if end != *b"\n" {
                bail!("an answer that does not end with its length");
            }
        }
        Ok((number, String::from_utf8(data).context("no UTF-8")?))
    }

    /// Reads up to a space, or up to the line feed behind a length of 0.
    fn read_word(&mut self) -> Result<String> {
        let mut word = Vec::new();
        loop {
            let buffer = self.stream.fill_buf().context("no answer")?;
            let Some(&byte) = buffer.first() else {
                bail!("the server closed the connection");
            };
            self.stream.consume(1);
            if matches!(byte, b' ' | b'\n') {
                return String::from_utf8(word).context("no UTF-8");
            }
            word.push(byte);
            if word.len() > 32 {
                bail!("a word of more than 32 bytes in an answer");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    #[test]
    fn answers_move_the_window() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream
                .write_all(b"1 rsp 6 200 OK\n2 rsp 6 200 OK\n3 rsp 6 200 OK\n")
                .unwrap();
            let mut got = Vec::new();
            stream.read_to_end(&mut got).unwrap();
            String::from_utf8(got).unwrap()
        });
        let mut client = RelpClient::connect(address, 1).unwrap();
        assert_eq!(client.send(b"one").unwrap(), 2);
        assert!(client.acknowledged().is_empty());
        assert_eq!(client.send(b"two").unwrap(), 3);
        assert_eq!(client.acknowledged(), [2]);
        client.flush().unwrap();
        assert_eq!(client.acknowledged(), [2, 3]);
        drop(client);
        let got = server.join().unwrap();
        assert!(got.starts_with("1 open 52 relp_version=0\n"), "{got}");
        assert!(got.ends_with("2 syslog 3 one\n3 syslog 3 two\n"), "{got}");
    }
}
