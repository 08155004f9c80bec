//! A RELP client, frame by frame.

use syslog::relp::{Decoder, DecoderOptions, Response, Step, encode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::{PATIENCE, Server};

/// A client's side of a session.
pub(crate) struct Client {
    stream: TcpStream,
    decoder: Decoder,
    buffer: Vec<u8>,
}

impl Client {
    /// Connects and says nothing yet.
    pub(crate) async fn connect(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address("relp"))
            .await
            .expect("connects");
        stream.set_nodelay(true).expect("sets");
        Self {
            stream,
            decoder: Decoder::new(DecoderOptions::default()),
            buffer: Vec::new(),
        }
    }

    /// Connects and opens a session with frame 1.
    pub(crate) async fn open(server: &Server) -> Self {
        let mut client = Self::connect(server).await;
        let mut bytes = Vec::new();
        encode::open(1, &mut bytes);
        client.write(&bytes).await;
        let answer = client.answer().await.expect("an answer");
        assert!(answer.starts_with("1 rsp 200"), "{answer}");
        client
    }

    /// Sends messages as frames from a number on.
    pub(crate) async fn send<'a>(
        &mut self,
        first: u32,
        messages: impl IntoIterator<Item = &'a [u8]>,
    ) {
        let mut bytes = Vec::new();
        for (transaction, message) in (first..).zip(messages) {
            encode::syslog(transaction, message, &mut bytes);
        }
        self.write(&bytes).await;
    }

    /// Sends bytes.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("writes");
    }

    /// The next frame of the server, as `TXNR rsp CODE TEXT`, or the name of its hint; `None` when
    /// the connection has ended.
    pub(crate) async fn answer(&mut self) -> Option<String> {
        loop {
            let step = self.decoder.next(&self.buffer).expect("in form");
            if let Step::Frame { frame, consumed } = step {
                let shown = match Response::parse(frame.data) {
                    Some(response) => {
                        let text = String::from_utf8_lossy(response.text);
                        format!("{} rsp {} {text}", frame.transaction, response.code)
                    }
                    None => format!("{} {:?}", frame.transaction, frame.command),
                };
                self.buffer.drain(..consumed);
                return Some(shown);
            }
            let read = timeout(PATIENCE, self.stream.read_buf(&mut self.buffer)).await;
            if matches!(read.expect("in time"), Ok(0) | Err(_)) {
                return None;
            }
        }
    }

    /// All frames of the server to the end of the connection.
    pub(crate) async fn answers_to_end(&mut self) -> Vec<String> {
        let mut answers = Vec::new();
        while let Some(answer) = self.answer().await {
            answers.push(answer);
        }
        answers
    }

    /// Whether the server has sent nothing that has not been taken.
    pub(crate) fn is_silent(&mut self) -> bool {
        self.buffer.is_empty() && self.stream.try_read_buf(&mut self.buffer).is_err()
    }
}
