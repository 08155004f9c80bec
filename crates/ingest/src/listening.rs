//! A listener as its tasks see it.

use std::sync::Arc;

use model::RecordBatch;
use syslog::{HostRule, ParseOptions, Parser};

use crate::assembler::{Assembler, template};
use crate::budget::Permit;
use crate::certificate::host_name;
use crate::connections::Connections;
use crate::log_limit::LogLimit;
use crate::opener::Opener;
use crate::options::ListenerOptions;
use crate::senders::Run;
use crate::sink::{Destination, Durable, Gathered, Sink};
use crate::source::Source;
use crate::tls::TlsSlot;

/// What all tasks of one listener share.
pub(crate) struct Listening {
    pub(crate) options: ListenerOptions,
    /// See [`parse_options`].
    parse: ParseOptions,
    pub(crate) source: Arc<Source>,
    pub(crate) sink: Arc<Sink>,
    template: RecordBatch,
    /// The certificates, where connections are encrypted.
    pub(crate) tls: Option<TlsSlot>,
    /// Those that are open.
    pub(crate) connections: Connections,
    /// Of log lines about what goes wrong.
    pub(crate) trouble: LogLimit,
    /// Of log lines about connections turned away.
    pub(crate) refusals: LogLimit,
}

impl Listening {
    pub(crate) fn new(
        options: ListenerOptions,
        source: Arc<Source>,
        sink: Arc<Sink>,
        tls: Option<TlsSlot>,
    ) -> Self {
        Self {
            template: template(source.name()),
            parse: parse_options(&options),
            options,
            source,
            sink,
            tls,
            connections: Connections::default(),
            trouble: LogLimit::default(),
            refusals: LogLimit::default(),
        }
    }

    /// An assembler of one's own; parsers keep a cache that threads should not share.
    pub(crate) fn assembler(&self) -> Assembler {
        let parser = Parser::new(self.parse.clone());
        let names = self.options.resolves.then(|| self.sink.names().clone());
        Assembler::new(parser, self.template.clone()).with_names(names)
    }

    /// An opener of one's own, for messages of at most so many bytes.
    pub(crate) fn opener(&self, bytes_max: usize) -> Opener {
        Opener::new(self.options.unpacks, self.options.encoding, bytes_max)
    }

    /// Says that messages are dropped for want of memory.
    pub(crate) fn tell_memory_full(&self) {
        if let Some(unsaid) = self.trouble.note() {
            let source = self.source.name();
            tracing::warn!(
                source,
                unsaid,
                "messages are dropped: receive.memory_max is used up and the source does not wait"
            );
        }
    }

    /// Hands over a batch that these senders sent.
    pub(crate) fn hand_over(&self, gathered: Gathered, runs: &[Run], permit: Permit) -> Durable {
        let Self {
            sink,
            source,
            options,
            ..
        } = self;
        source.count_senders(runs, &gathered.numbers, sink.now());
        let destination = Destination {
            logspace: &options.logspace,
            durability: options.durability,
        };
        sink.hand_over(source, destination, gathered, permit)
    }
}

/// How messages are read: as the options say, but that processes of this machine have its name.
pub(crate) fn parse_options(options: &ListenerOptions) -> ParseOptions {
    let mut parse = options.parse.clone();
    if options.transport.is_unix() {
        parse.host = of_this_machine(parse.host);
    }
    parse
}

/// Whose name the host is where the peer is a process of this machine.
fn of_this_machine(rule: HostRule) -> HostRule {
    let name = || host_name().unwrap_or_else(|| "localhost".to_owned());
    match rule {
        HostRule::Message => HostRule::MessageOr(name()),
        HostRule::Peer => HostRule::Fixed(name()),
        HostRule::MessageOr(_) | HostRule::Fixed(_) => rule,
    }
}
