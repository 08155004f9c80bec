//! A RELP session: every message is answered, in order, when it is durable and not before.
//!
//! One side reads and hands over, the other answers. They share a queue of what is to be
//! answered; when the peer does not take its answers the queue fills and reading stops, so a
//! window of any size is accepted and memory stays bounded. What cannot be stored is never
//! acknowledged: the session ends, and the client keeps the message for the next one.

use std::io;

use model::Tag;
use syslog::frame::trim_counted;
use syslog::relp::{self, Command, Decoder, DecoderOptions, Frame, Offers, Step, encode};
use tokio::select;
use tokio::sync::mpsc;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::time::timeout;

use crate::budget::Permit;
use crate::control::Control;
use crate::gatherer::Gatherer;
use crate::input::{End, Input};
use crate::limits::{CLOSE_TIMEOUT, RELP_ANSWER_TIMEOUT, RELP_OFFERS_BYTES, RELP_RESPONSES_MAX};
use crate::listening::Listening;
use crate::opener::Opener;
use crate::peer::Peer;
use crate::sink::Durable;
use crate::stream::Stream;

/// Bytes of answers that are gathered before they are written.
const ANSWER_BYTES: usize = 16 * 1024;

/// What a client may not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Violation {
    /// It broke the frame format.
    #[error("{0}")]
    Frame(#[from] relp::Error),
    /// A transaction number that is not the one behind the last.
    #[error("relp frame {found} came where {expected} was to come")]
    Order {
        /// The number it should have had.
        expected: u32,
        /// The number it had.
        found: u32,
    },
    /// A message before the session was opened.
    #[error("relp frame {transaction} carries a message before the session is open")]
    NotOpen {
        /// Number of the frame.
        transaction: u32,
    },
    /// A second opening.
    #[error("relp frame {transaction} opens a session that is open")]
    AlreadyOpen {
        /// Number of the frame.
        transaction: u32,
    },
    /// Offers that we cannot take up.
    #[error("relp frame {transaction} offers no syslog command, or a protocol version above 1")]
    Offers {
        /// Number of the frame.
        transaction: u32,
    },
    /// A command that only servers send.
    #[error("relp frame {transaction} is an answer, which only servers send")]
    ClientAnswer {
        /// Number of the frame.
        transaction: u32,
    },
}

/// Something to be answered, in its turn.
enum Answer {
    /// With these bytes.
    Bytes(Vec<u8>),
    /// With `200 OK` to `count` frames from `first` on, as soon as they are durable.
    Stored {
        first: u32,
        count: u32,
        durable: Durable,
    },
}

/// Why the answering side has ended.
enum AnswerEnd {
    /// Everything is answered.
    Done,
    /// A batch was not stored.
    NotStored,
    /// The connection is broken.
    Broken(io::Error),
}

/// Serves a session to its end.
pub(crate) async fn run(
    listening: &Listening,
    stream: &Stream,
    peer: Peer,
    control: Control,
) -> End {
    let (answers, queue) = mpsc::channel(RELP_RESPONSES_MAX);
    let answering = answer(stream, queue);
    tokio::pin!(answering);
    let reading = async {
        let mut reader = Reader::new(listening, peer, answers);
        reader.run(listening, stream, control).await
    };
    let end = select! {
        end = reading => match (end, (&mut answering).await) {
            (end, AnswerEnd::Done) => end,
            (_, AnswerEnd::NotStored) => End::NotStored,
            (_, AnswerEnd::Broken(error)) => End::Broken(error),
        },
        end = &mut answering => match end {
            AnswerEnd::Done => End::Closed,
            AnswerEnd::NotStored => End::NotStored,
            AnswerEnd::Broken(error) => End::Broken(error),
        },
    };
    if !matches!(end, End::Broken(_)) {
        let mut hint = Vec::new();
        encode::server_close(&mut hint);
        // A courtesy: who does not get it notices the end of the connection.
        _ = timeout(CLOSE_TIMEOUT, stream.write_all(&hint)).await;
    }
    end
}

/// The reading side.
struct Reader<'a> {
    message_bytes_max: usize,
    gatherer: Gatherer<'a>,
    answers: mpsc::Sender<Answer>,
    is_open: bool,
    /// The number that the next frame must have; any, at the start.
    expected: Option<u32>,
    /// Number of the first message gathered, and how many there are.
    first: u32,
    count: u32,
}

impl<'a> Reader<'a> {
    fn new(listening: &'a Listening, peer: Peer, answers: mpsc::Sender<Answer>) -> Self {
        Self {
            message_bytes_max: listening.options.message_bytes_max,
            gatherer: Gatherer::new(listening, peer.address()),
            answers,
            is_open: false,
            expected: None,
            first: 0,
            count: 0,
        }
    }

    async fn run(&mut self, listening: &Listening, stream: &Stream, control: Control) -> End {
        let mut decoder = Decoder::new(DecoderOptions {
            message_bytes_max: self.message_bytes_max.max(RELP_OFFERS_BYTES),
        });
        let mut opener = listening.opener(self.message_bytes_max);
        let buffer_bytes_min = decoder.buffer_bytes_min();
        let idle_timeout = listening.options.idle_timeout;
        let mut input = Input::new(
            stream,
            &listening.sink,
            control,
            idle_timeout,
            buffer_bytes_min,
        );
        loop {
            match input.read_more::<Permit>().await {
                Ok(permit) => self.gatherer.begin(permit, input.buffer().len()),
                Err(end) => return end,
            }
            let result = self
                .take_frames(&mut decoder, &mut opener, input.buffer())
                .await;
            // What came before a violation is stored and answered all the same.
            let handed_over = self.hand_over().await;
            match result.and_then(|consumed| handed_over.map(|()| consumed)) {
                Ok(consumed) => {
                    input.consume(consumed);
                    opener.relax();
                }
                Err(end) => return end,
            }
        }
    }

    /// Deals with the complete frames of the buffer, and returns how much of it is done with.
    async fn take_frames(
        &mut self,
        decoder: &mut Decoder,
        opener: &mut Opener,
        buffer: &[u8],
    ) -> Result<usize, End> {
        let mut start = 0;
        loop {
            let rest = buffer.get(start..).unwrap_or(&[]);
            match decoder
                .next(rest)
                .map_err(|error| End::Violation(error.into()))?
            {
                Step::Frame { frame, consumed } => {
                    self.take_frame(frame, opener).await?;
                    start += consumed;
                }
                Step::NeedMore { consumed } => return Ok(start + consumed),
            }
        }
    }

    async fn take_frame(&mut self, frame: Frame<'_>, opener: &mut Opener) -> Result<(), End> {
        let transaction = frame.transaction;
        if transaction == 0 {
            // A hint, which wants no answer and has no place in the order.
            return Ok(());
        }
        if let Some(expected) = self.expected
            && expected != transaction
        {
            let found = transaction;
            return Err(End::Violation(Violation::Order { expected, found }));
        }
        self.expected = Some(relp::next_transaction(transaction));
        match frame.command {
            Command::Syslog if self.is_open => self.message(frame, opener).await,
            Command::Syslog => {
                self.refuse(Violation::NotOpen { transaction }, transaction)
                    .await
            }
            Command::Open => self.open(frame).await,
            Command::Close => {
                let mut bytes = Vec::new();
                encode::ok(transaction, &mut bytes);
                self.answer(bytes).await?;
                Err(End::Closed)
            }
            Command::Response | Command::ServerClose => {
                Err(End::Violation(Violation::ClientAnswer { transaction }))
            }
            Command::Unknown => {
                let mut bytes = Vec::new();
                encode::refused(transaction, "unknown command", &mut bytes);
                self.answer(bytes).await
            }
        }
    }

    async fn open(&mut self, frame: Frame<'_>) -> Result<(), End> {
        let transaction = frame.transaction;
        if self.is_open {
            return self
                .refuse(Violation::AlreadyOpen { transaction }, transaction)
                .await;
        }
        if !Offers::parse(frame.data).is_acceptable() {
            return self
                .refuse(Violation::Offers { transaction }, transaction)
                .await;
        }
        self.is_open = true;
        let mut bytes = Vec::new();
        encode::open_accepted(transaction, &mut bytes);
        self.answer(bytes).await
    }

    async fn message(&mut self, frame: Frame<'_>, opener: &mut Opener) -> Result<(), End> {
        let whole = trim_counted(frame.data);
        let raw = whole.get(..self.message_bytes_max).unwrap_or(whole);
        let raw_len = raw.len();
        let (raw, mut tags) = opener.open(raw);
        if frame.is_truncated || raw_len < whole.len() {
            tags |= Tag::Truncated.bit();
        }
        if self.gatherer.add(raw, tags).is_err() {
            self.hand_over().await?;
            self.gatherer.refill(raw.len()).await;
            let added = self.gatherer.add_first(raw, tags);
            added.map_err(|_| End::NotStored)?;
        }
        if self.count == 0 {
            self.first = frame.transaction;
        }
        self.count += 1;
        Ok(())
    }

    /// Hands over what is gathered and has it answered when it is durable.
    async fn hand_over(&mut self) -> Result<(), End> {
        let Some(durable) = self.gatherer.hand_over() else {
            return Ok(());
        };
        let answer = Answer::Stored {
            first: self.first,
            count: std::mem::take(&mut self.count),
            durable,
        };
        self.send(answer).await
    }

    /// Answers with bytes, behind the answers to all messages before.
    async fn answer(&mut self, bytes: Vec<u8>) -> Result<(), End> {
        self.hand_over().await?;
        self.send(Answer::Bytes(bytes)).await
    }

    async fn refuse(&mut self, violation: Violation, transaction: u32) -> Result<(), End> {
        let mut bytes = Vec::new();
        encode::refused(transaction, &violation.to_string(), &mut bytes);
        self.answer(bytes).await?;
        Err(End::Violation(violation))
    }

    async fn send(&mut self, answer: Answer) -> Result<(), End> {
        let gone = |_| End::Broken(io::ErrorKind::BrokenPipe.into());
        self.answers.send(answer).await.map_err(gone)
    }
}

/// The answering side: writes answers in their order, as many at a time as are ready.
async fn answer(stream: &Stream, mut queue: mpsc::Receiver<Answer>) -> AnswerEnd {
    let mut bytes = Vec::new();
    while let Some(first) = queue.recv().await {
        let mut next = Some(first);
        while let Some(answer) = next {
            match ready(stream, &mut bytes, answer).await {
                AnswerEnd::Done => {}
                end => return end,
            }
            next = (bytes.len() < ANSWER_BYTES)
                .then(|| queue.try_recv().ok())
                .flatten();
        }
        if let Err(error) = write(stream, &mut bytes).await {
            return AnswerEnd::Broken(error);
        }
    }
    AnswerEnd::Done
}

/// Appends an answer as soon as it can be given; writes what is there before it waits for that.
async fn ready(stream: &Stream, bytes: &mut Vec<u8>, answer: Answer) -> AnswerEnd {
    let (first, count, mut durable) = match answer {
        Answer::Bytes(more) => {
            bytes.extend_from_slice(&more);
            return AnswerEnd::Done;
        }
        Answer::Stored {
            first,
            count,
            durable,
        } => (first, count, durable),
    };
    let is_stored = match durable.try_recv() {
        Ok(()) => true,
        Err(TryRecvError::Closed) => false,
        Err(TryRecvError::Empty) => {
            if let Err(error) = write(stream, bytes).await {
                return AnswerEnd::Broken(error);
            }
            durable.await.is_ok()
        }
    };
    if !is_stored {
        // What is answered is true and wanted, whatever comes after it.
        return match write(stream, bytes).await {
            Ok(()) => AnswerEnd::NotStored,
            Err(error) => AnswerEnd::Broken(error),
        };
    }
    let mut transaction = first;
    for _ in 0..count {
        encode::ok(transaction, bytes);
        transaction = relp::next_transaction(transaction);
    }
    AnswerEnd::Done
}

/// Writes what there is and forgets it, unless the client takes too long.
async fn write(stream: &Stream, bytes: &mut Vec<u8>) -> io::Result<()> {
    let written = timeout(RELP_ANSWER_TIMEOUT, stream.write_all(bytes)).await;
    bytes.clear();
    written.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
