//! `logwood load sink`: a receiver that counts.

use std::future::Future;
use std::io::Write as _;

use load::sink::{Mode, Sink, SinkAddresses, SinkOptions, SinkReport};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};

use crate::Outcome;
use crate::failure::Failure;
use crate::load::sink_arguments::SinkArguments;
use crate::output;

/// Receives until told to stop, and reports.
pub(crate) fn sink(arguments: &SinkArguments) -> Result<Outcome, Failure> {
    raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new("cannot start threads").because(error))?;
    let report = runtime.block_on(receive(options(arguments)))?;
    if arguments.json {
        let mut out = output::data();
        output::json_line(&mut out, &report)?;
        out.flush()?;
    } else {
        output::words(&line(&report));
    }
    Ok(Outcome::Done)
}

async fn receive(options: SinkOptions) -> Result<SinkReport, Failure> {
    let no_signals = |error| Failure::new("cannot wait for signals").because(error);
    let stop = stopped().map_err(no_signals)?;
    let failure = |error: load::sink::Error| {
        let is_unasked = matches!(error, load::sink::Error::NoAddress);
        let failure = Failure::new(error.to_string());
        match is_unasked {
            true => failure
                .hint("say where to listen: --tcp 127.0.0.1:5514, or --udp, --tls, --relp, --http"),
            false => failure,
        }
    };
    let sink = Sink::open(options).await.map_err(failure)?;
    output::words(&ready(&sink.addresses()));
    sink.run(stop).await.map_err(failure)
}

/// Ends on SIGINT or SIGTERM; they are caught from here on.
fn stopped() -> std::io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

fn options(arguments: &SinkArguments) -> SinkOptions {
    SinkOptions {
        udp: arguments.udp,
        tcp: arguments.tcp,
        tls: arguments.tls,
        relp: arguments.relp,
        http: arguments.http,
        identity: arguments.cert.clone().zip(arguments.key.clone()),
        mode: match (arguments.check, arguments.discard) {
            (true, _) => Mode::Check,
            (_, true) => Mode::Discard,
            _ => Mode::Count,
        },
        write: arguments.write.clone(),
        count: arguments.count,
        duration: arguments.duration,
        delay: arguments.delay.unwrap_or_default(),
        bytes_per_second: arguments.bytes_per_second,
        fail_every: arguments.fail_every,
        refuse_for: arguments.refuse_for.unwrap_or_default(),
        tokens: arguments.tokens.clone(),
        has_acks: arguments.acks,
    }
}

/// The line that programs wait for.
fn ready(addresses: &SinkAddresses) -> String {
    let all = [
        ("udp", addresses.udp),
        ("tcp", addresses.tcp),
        ("tls", addresses.tls),
        ("relp", addresses.relp),
        ("http", addresses.http),
    ];
    let mut line = "ready".to_owned();
    for (name, address) in all {
        if let Some(address) = address {
            line += &format!(" {name}={address}");
        }
    }
    line
}

fn line(report: &SinkReport) -> String {
    format!(
        "received {} messages, {} bytes over {} connections in {:.3} s, {:.0} a second; \
         {} missing, {} twice, {} out of order, {} malformed",
        report.received,
        report.bytes,
        report.connections,
        report.seconds,
        report.rate,
        report.gaps,
        report.duplicates,
        report.out_of_order,
        report.malformed
    )
}

/// Takes all the open files that the system allows: a connection is one. With fewer, connections
/// wait to be accepted.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            ..limit
        },
    );
}
