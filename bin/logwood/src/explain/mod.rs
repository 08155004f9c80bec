//! How what arrives is framed, read and routed.

mod text;

use std::io::{self, ErrorKind, Read, Write as _};
use std::sync::Arc;

use api::ExplainAnswer;
use config::Overrides;
use ingest::Explainer;
use model::limits::MESSAGE_BYTES_MAX;
use store::{Clock as _, SystemClock};
use syslog::Context;
use syslog::frame::{Framer, FramerOptions, Framing, Step};

use crate::Outcome;
use crate::arguments::ExplainArguments;
use crate::check::{print_problems, read};
use crate::failure::Failure;
use crate::output;
use crate::routes::pipeline_of;

/// Bytes that are read from standard input at once.
const READ_BYTES: usize = 64 * 1024;

/// Prints what a source makes of a message, or of standard input.
pub(crate) fn explain(arguments: &ExplainArguments) -> Result<Outcome, Failure> {
    let now = SystemClock.now();
    let received = arguments.received.as_deref().map(|text| {
        let time = query::parse_time(text, now);
        time.map_err(|error| Failure::new(format!("--received {text}: {error}")))
    });
    let (explainer, destinations) = explainer(arguments)?;
    let mut explaining = Explaining {
        explainer,
        destinations,
        context: Context {
            received: received.transpose()?.unwrap_or(now),
            peer: arguments.peer,
        },
        is_json: arguments.json,
        messages: 0,
    };
    match &arguments.message {
        Some(message) => _ = explaining.explain(message.as_bytes(), true, 0)?,
        None if explaining.explainer.is_stream() => explaining.stream(io::stdin().lock())?,
        None => explaining.lines(io::stdin().lock())?,
    }
    if explaining.messages == 0 {
        output::words("there is no message in that: it is empty, or only line ends and NULs");
        return Ok(Outcome::NothingFound);
    }
    Ok(Outcome::Done)
}

/// Who reads as the source does that was asked for, and where it would be sent.
fn explainer(arguments: &ExplainArguments) -> Result<(Explainer, Vec<outputs::Options>), Failure> {
    let checked = read(arguments.config.as_deref(), &Overrides::default())?;
    let Some(config) = checked.config else {
        print_problems(&checked);
        return Err(Failure::new("the configuration cannot be used"));
    };
    let pipeline = pipeline_of(&config)?;
    let source = arguments.source.as_deref();
    let explainer =
        Explainer::new(&config.ingest, source, Arc::new(pipeline)).ok_or_else(|| {
            let listeners = config.ingest.listeners.iter();
            let known: Vec<_> = listeners.map(|listener| listener.name.as_str()).collect();
            let name = source.unwrap_or_default();
            Failure::new(format!("there is no source {name:?}"))
                .hint(format!("the sources are: {}, http", known.join(", ")))
        })?;
    Ok((explainer, config.destinations))
}

struct Explaining {
    explainer: Explainer,
    destinations: Vec<outputs::Options>,
    context: Context,
    is_json: bool,
    /// How many messages there were so far.
    messages: usize,
}

impl Explaining {
    /// Explains the messages of a part of the input, which begins at this offset, and says how much of
    /// it is done with.
    fn explain(&mut self, input: &[u8], is_end: bool, offset: usize) -> Result<usize, Failure> {
        let destinations = &self.destinations;
        let sending = |item: outputs::Item<'_>| {
            let all = destinations.iter();
            all.map(|options| outputs::Explained::of(options, item))
                .collect()
        };
        let explaining = server::Explaining {
            explainer: &mut self.explainer,
            sending: &sending,
            most: usize::MAX,
        };
        let (answer, consumed) = server::explain(explaining, input, is_end, &self.context);
        self.print(answer, offset)?;
        Ok(consumed)
    }

    fn print(&mut self, answer: ExplainAnswer, offset: usize) -> io::Result<()> {
        let mut out = output::data();
        let (source, transport) = (answer.source, answer.transport);
        self.messages += answer.messages.len();
        for mut message in answer.messages {
            message.framing.start += offset;
            message.framing.end += offset;
            if self.is_json {
                output::json_line(&mut out, &message)?;
            } else {
                text::print(&mut out, &source, &transport, &message)?;
                writeln!(out)?;
            }
        }
        out.flush()
    }

    /// Explains the messages of a stream, each as soon as it is there.
    fn stream(&mut self, mut input: impl Read) -> Result<(), Failure> {
        let (mut buffer, mut offset) = (Vec::new(), 0);
        loop {
            let is_end = read_more(&mut input, &mut buffer)?;
            let consumed = self.explain(&buffer, is_end, offset)?;
            buffer.drain(..consumed);
            offset += consumed;
            if is_end {
                return Ok(());
            }
        }
    }

    /// Explains each line as a message of its own: as a datagram, or a frame of RELP.
    fn lines(&mut self, mut input: impl Read) -> Result<(), Failure> {
        let mut framer = Framer::new(FramerOptions {
            framing: Framing::Lines,
            message_bytes_max: MESSAGE_BYTES_MAX,
        });
        let mut buffer = Vec::new();
        loop {
            let is_end = read_more(&mut input, &mut buffer)?;
            let mut done = 0;
            loop {
                match framer.next(buffer.get(done..).unwrap_or_default()) {
                    Step::Frame { frame, consumed } => {
                        done += consumed;
                        self.explain(frame.raw, true, 0)?;
                    }
                    Step::NeedMore { consumed } => {
                        done += consumed;
                        break;
                    }
                }
            }
            buffer.drain(..done);
            if is_end {
                if let Some(frame) = framer.finish(&buffer) {
                    self.explain(frame.raw, true, 0)?;
                }
                return Ok(());
            }
        }
    }
}

/// Appends what can be read now, up to a bound, and says whether the input has ended.
fn read_more(input: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<bool> {
    let before = buffer.len();
    buffer.resize(before + READ_BYTES, 0);
    let read = input.read(buffer.get_mut(before..).unwrap_or_default());
    buffer.truncate(before + read.as_ref().map_or(0, |count| *count));
    match read {
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(false),
        read => read.map(|count| count == 0),
    }
}
