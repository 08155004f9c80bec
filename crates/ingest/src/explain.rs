//! How a source would read what arrives, and where it would go. Nothing is kept.
//!
//! It goes the way of a message through the same parts: framer, opener, parser, routes.

use std::ops::Range;
use std::sync::Arc;

use model::{LogspaceName, RecordBatch, RecordParts, RecordRef, Tag};
use pipeline::{Pipeline, Trace};
use syslog::frame::{Framer, FramerOptions, Framing, Step, trim_counted};
use syslog::{Context, HostRule, Layout, ParseOptions, Parser};

use crate::assembler::template;
use crate::hosts::HostLists;
use crate::ingest::HTTP_SOURCE;
use crate::limits::DATAGRAM_BYTES_MAX;
use crate::listening::parse_options;
use crate::opener::Opener;
use crate::options::{HttpOptions, ListenerOptions, Options, Transport};

/// Reads as one source does.
pub struct Explainer {
    source: String,
    transport: &'static str,
    /// How a stream is cut; `None` where what arrives is one message.
    framer: Option<Framer>,
    message_bytes_max: usize,
    opener: Opener,
    parse: ParseOptions,
    parser: Parser,
    hosts: HostLists,
    logspace: LogspaceName,
    pipeline: Arc<Pipeline>,
    template: RecordBatch,
}

/// How a message was cut out of what arrived; ranges of bytes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The octet count and the space behind it; empty where there is none.
    pub count: Range<usize>,
    /// The message, as far as it is kept.
    pub message: Range<usize>,
    /// What ended it; empty where nothing did.
    pub terminator: Range<usize>,
}

/// Whose name the host of a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostOrigin {
    /// The message says it.
    Message,
    /// It is the address of the peer.
    Peer,
    /// The source says it.
    Source,
}

/// A message as it was read.
#[derive(Clone, Debug)]
pub struct Explained {
    /// How it was cut.
    pub cut: Cut,
    /// Whether it was compressed by itself.
    pub was_packed: bool,
    /// Where that stands of which the record keeps the meaning alone.
    pub layout: Layout,
    /// Whose name its host is; `None` where it has none.
    pub host: Option<HostOrigin>,
    /// Whether the source takes messages of its peer, where one is known.
    pub is_admitted: bool,
    batch: RecordBatch,
}

impl Explained {
    /// The record. `None` where it is too long to be one.
    pub fn record(&self) -> Option<RecordRef<'_>> {
        self.batch.get(0)
    }
}

impl Explainer {
    /// As a source of these options: `http`, or that of a listener. Without a name it is the first that
    /// takes connections over TCP, otherwise the first there is. `None` where no source is called so.
    pub fn new(options: &Options, source: Option<&str>, pipeline: Arc<Pipeline>) -> Option<Self> {
        Self::choose(&options.listeners, &options.http, source, pipeline)
    }

    pub(crate) fn choose<'a>(
        listeners: impl IntoIterator<Item = &'a ListenerOptions>,
        http: &HttpOptions,
        source: Option<&str>,
        pipeline: Arc<Pipeline>,
    ) -> Option<Self> {
        let listeners: Vec<_> = listeners.into_iter().collect();
        let over_tcp = |listener: &&&ListenerOptions| {
            matches!(listener.transport, Transport::Tcp | Transport::Tls)
        };
        let found = match source {
            Some(name) => listeners.iter().find(|listener| listener.name == name),
            None => listeners.iter().find(over_tcp).or(listeners.first()),
        };
        match (found, source) {
            (Some(listener), _) => Some(Self::of_listener(listener, pipeline)),
            (None, None | Some(HTTP_SOURCE)) => Some(Self::of_http(http, pipeline)),
            (None, Some(_)) => None,
        }
    }

    fn of_listener(options: &ListenerOptions, pipeline: Arc<Pipeline>) -> Self {
        let parse = parse_options(options);
        let is_stream = match options.transport {
            Transport::Tcp | Transport::Tls | Transport::UnixStream => true,
            Transport::Udp | Transport::Relp | Transport::UnixDatagram => false,
        };
        let message_bytes_max = match options.transport.is_datagram() {
            true => options.message_bytes_max.min(DATAGRAM_BYTES_MAX),
            false => options.message_bytes_max,
        };
        let framer = FramerOptions {
            framing: options.framing,
            message_bytes_max,
        };
        Self {
            source: options.name.clone(),
            transport: options.transport.name(),
            framer: is_stream.then(|| Framer::new(framer)),
            message_bytes_max,
            opener: Opener::new(options.unpacks, options.encoding, message_bytes_max),
            parser: Parser::new(parse.clone()),
            parse,
            hosts: options.hosts.clone(),
            logspace: options.logspace.clone(),
            template: template(&options.name),
            pipeline,
        }
    }

    fn of_http(options: &HttpOptions, pipeline: Arc<Pipeline>) -> Self {
        let message_bytes_max = options.message_bytes_max;
        Self {
            source: HTTP_SOURCE.to_owned(),
            transport: "http",
            framer: Some(Framer::new(FramerOptions {
                framing: Framing::Lines,
                message_bytes_max,
            })),
            message_bytes_max,
            opener: Opener::new(false, None, message_bytes_max),
            parser: Parser::new(options.parse.clone()),
            parse: options.parse.clone(),
            hosts: HostLists::default(),
            logspace: options.logspace.clone(),
            template: template(HTTP_SOURCE),
            pipeline,
        }
    }

    /// The name of the source.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// How bytes come to it: the name of its [`Transport`], or `http`.
    pub fn transport(&self) -> &'static str {
        self.transport
    }

    /// How it reads messages.
    pub fn parse_options(&self) -> &ParseOptions {
        &self.parse
    }

    /// Whether what arrives is a stream of messages, and not one.
    pub fn is_stream(&self) -> bool {
        self.framer.is_some()
    }

    /// Most bytes that must be there for a message to be found, if more are to come.
    pub fn buffer_bytes_min(&self) -> usize {
        let framer = self.framer.as_ref();
        framer.map_or(self.message_bytes_max, Framer::buffer_bytes_min)
    }

    /// Reads what has arrived, up to so many messages: what was read, and how many bytes are done with.
    /// Where the input does not end here, the next call gets the others and more behind them. Its end
    /// ends a line.
    pub fn read(
        &mut self,
        input: &[u8],
        is_end: bool,
        context: &Context,
        most: usize,
    ) -> (Vec<Explained>, usize) {
        let mut explained = Vec::new();
        let mut done = 0;
        while explained.len() < most {
            let (found, end) = self.next(input, done, is_end);
            done = end;
            let Some((cut, tags)) = found else {
                break;
            };
            explained.push(self.explain(input, cut, tags, context));
        }
        (explained, done)
    }

    /// The next message behind an offset with its tags, if there is one, and how far we are then.
    fn next(&mut self, input: &[u8], start: usize, is_end: bool) -> (Option<(Cut, u64)>, usize) {
        let rest = input.get(start..).unwrap_or_default();
        let Some(framer) = &mut self.framer else {
            return (self.whole(rest, start), input.len());
        };
        let (frame, is_counted, end) = match framer.next(rest) {
            Step::Frame { frame, consumed } => (frame, framer.was_counted(), start + consumed),
            Step::NeedMore { consumed } if !is_end => return (None, start + consumed),
            Step::NeedMore { consumed } => {
                match framer.finish(rest.get(consumed..).unwrap_or_default()) {
                    Some(frame) => (frame, true, input.len()),
                    None => return (None, input.len()),
                }
            }
        };
        let message = range_in(input, frame.raw);
        let count = match is_counted {
            true => count_before(input, start, message.start),
            false => message.start..message.start,
        };
        let mut tags = frame.tags;
        if count.is_empty() {
            // Nothing is missing of a line that the end of the input ends.
            tags &= !Tag::IncompleteFrame.bit();
        }
        let is_cut = tags & Tag::Truncated.bit() != 0;
        let terminator = if is_cut { end..end } else { message.end..end };
        let cut = Cut {
            count,
            message,
            terminator,
        };
        (Some((cut, tags)), end)
    }

    /// All of what has arrived as one message; empty ones are none.
    fn whole(&self, input: &[u8], start: usize) -> Option<(Cut, u64)> {
        let trimmed = trim_counted(input);
        let kept = trimmed.get(..self.message_bytes_max).unwrap_or(trimmed);
        let tags = match kept.len() < trimmed.len() {
            true => Tag::Truncated.bit(),
            false => 0,
        };
        let cut = Cut {
            count: start..start,
            message: start..start + kept.len(),
            terminator: start + trimmed.len()..start + input.len(),
        };
        (!kept.is_empty()).then_some((cut, tags))
    }

    fn explain(&mut self, input: &[u8], cut: Cut, tags: u64, context: &Context) -> Explained {
        let framed = input.get(cut.message.clone()).unwrap_or_default();
        let (raw, more_tags) = self.opener.open(framed);
        let mut parts = RecordParts::default();
        self.parser.parse(raw, context, &mut parts);
        parts.tags |= tags | more_tags;
        let mut batch = self.template.clone();
        // One message that is too long for a batch leaves it empty.
        _ = batch.push(raw, &parts, context.received, context.peer, 0);
        let is_packed = syslog::packing::of_message(framed).is_some();
        Explained {
            // What cannot be unpacked stays as it is, without its terminator.
            was_packed: is_packed && !framed.starts_with(raw),
            host: host_origin(&self.parse.host, &parts, raw.len()),
            is_admitted: context.peer.is_none_or(|peer| self.hosts.admits(peer)),
            cut,
            layout: self.parser.layout(),
            batch,
        }
    }

    /// What each route and step makes of a record, and where it goes as what.
    pub fn trace(&self, record: RecordRef<'_>) -> Trace<'_> {
        self.pipeline.trace(record, &self.logspace)
    }
}

/// Whose name the host of these parts is, by the rule that chose it.
fn host_origin(rule: &HostRule, parts: &RecordParts, raw_len: usize) -> Option<HostOrigin> {
    let is_in_message = (parts.host.start as usize) < raw_len;
    match rule {
        _ if parts.host.is_empty() => None,
        _ if is_in_message => Some(HostOrigin::Message),
        HostRule::Message | HostRule::Peer => Some(HostOrigin::Peer),
        HostRule::MessageOr(_) | HostRule::Fixed(_) => Some(HostOrigin::Source),
    }
}

/// Where a part of the input stands in it.
fn range_in(input: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr() - input.as_ptr().addr();
    start..start + part.len()
}

/// The octet count and the space that end before a message, no further in front than `from`.
fn count_before(input: &[u8], from: usize, message: usize) -> Range<usize> {
    let before = input.get(from..message).unwrap_or_default();
    let Some(before) = before.strip_suffix(b" ") else {
        return message..message;
    };
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let digits = digits.count();
    match digits {
        0 => message..message,
        _ => message - 1 - digits..message,
    }
}

#[cfg(test)]
mod tests;
