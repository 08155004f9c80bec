//! What was typed, as what `load` takes.

use std::time::Duration;

use jiff::tz::TimeZone;
use load::demo::Demo;
use load::message::{Fixed, Format, LOGGEN_SIZE_DEFAULT, Recipe, Replay, SIZE_DEFAULT};
use load::send::{Framing, Options, Pace, Packing, ProxyHeader, Target, Times, TlsOptions};
use load::{Error, Source};
use model::Timestamp;
use store::{Clock as _, SystemClock};

use super::arguments::{
    AmountArguments, CompressArgument, FormatArgument, FramingArgument, MessageArguments,
    ProxyArgument, SendArguments, TransportArguments,
};
use super::realistic::{self, RealisticPlan};
use crate::failure::Failure;

/// A run that was asked for.
pub(super) struct Plan {
    pub(super) options: Options,
    /// The file to send, where there is one.
    pub(super) replay: Option<Replay>,
    /// What realistic messages are made of, where they are asked for.
    pub(super) realistic: Option<RealisticPlan>,
    recipe: Option<Recipe>,
    text: Option<Fixed>,
    seed: u64,
    zone: TimeZone,
}

impl Plan {
    pub(super) fn new(arguments: &SendArguments) -> Result<Self, Failure> {
        let now = SystemClock.now();
        let zone = TimeZone::system();
        let message = &arguments.message;
        let style = realistic::style(message.format).filter(|_| message.replay.is_none());
        if style.is_none() {
            realistic::refuse_without(message)?;
        }
        let is_made = message.replay.is_none() && message.text.is_none();
        let format = format(message.format).filter(|_| is_made);
        let options = options(arguments, format, now)?;
        if arguments.json && options.target == Target::StandardOutput {
            return Err(Failure::new(
                "the messages and the report cannot both go to standard output",
            )
            .hint("leave --json out, or write the messages to a file"));
        }
        let restamp = message.restamp.then(|| zone.clone());
        let replay = message.replay.as_ref();
        let replay = replay.map(|path| Replay::open(path, message.is_endless, restamp));
        let recipe = match format {
            Some(format) => Some(recipe(message, format, &options, &zone, now)?),
            None => None,
        };
        let realistic = style.map(|style| RealisticPlan::new(message, style, &options));
        Ok(Self {
            realistic: realistic.transpose()?,
            options,
            replay: replay.transpose()?,
            recipe,
            text: message.text.as_deref().map(Fixed::new).transpose()?,
            seed: message.seed,
            zone,
        })
    }

    /// The source of one connection.
    pub(super) fn source(&self, connection: u32) -> Result<Box<dyn Source>, Error> {
        if let Some(text) = &self.text {
            return Ok(Box::new(text.clone()));
        }
        match (&self.replay, &self.recipe, &self.realistic) {
            (Some(replay), ..) => Ok(replay.source()),
            (None, Some(recipe), _) => recipe.source(connection),
            (None, None, Some(realistic)) => Ok(realistic.source(connection)),
            (None, None, None) => {
                let now = jiff::Timestamp::now();
                let offset = self.zone.to_offset(now).seconds();
                let demo = Demo::new(self.seed.wrapping_add(connection.into()));
                Ok(Box::new(demo.with_utc_offset(offset)))
            }
        }
    }
}

fn options(
    arguments: &SendArguments,
    format: Option<Format>,
    now: Timestamp,
) -> Result<Options, Failure> {
    let target: Target = arguments.target.as_deref().unwrap_or_default().parse()?;
    let (message, amount) = (&arguments.message, &arguments.amount);
    let transport = &arguments.transport;
    let packing = match transport.compress {
        CompressArgument::None => Packing::None,
        CompressArgument::Message => Packing::Message,
        CompressArgument::Stream => Packing::Stream,
    };
    let usual = Framing::usual(format, &target, packing);
    let duration = amount.duration.as_deref().map(duration).transpose()?;
    let time = |text: &String| time(text, now);
    let start_at = amount.start_at.as_ref().map(time).transpose()?;
    let times = match (&message.from, &message.to) {
        (Some(from), Some(to)) => Times::Range {
            start: time(from)?,
            end: time(to)?,
        },
        _ => Times::Clock,
    };
    Ok(Options {
        framing: transport.framing.map_or(usual, framing),
        packing,
        pace: pace(amount)?,
        count: amount.count,
        duration,
        connections: transport.connections,
        idle_connections: transport.idle_connections,
        threads: transport.threads,
        is_reconnecting: transport.reconnect,
        window: transport.window,
        proxy: transport.proxy.map(|version| match version {
            ProxyArgument::V1 => ProxyHeader::V1,
            ProxyArgument::V2 => ProxyHeader::V2,
        }),
        tls: tls(transport),
        times,
        start_at,
        ..Options::new(target)
    })
}

fn recipe(
    message: &MessageArguments,
    format: Format,
    options: &Options,
    zone: &TimeZone,
    now: Timestamp,
) -> Result<Recipe, Failure> {
    let default = match format {
        Format::Rfc3164 | Format::Rfc5424 => Some(SIZE_DEFAULT),
        Format::Loggen | Format::LoggenIetf => Some(LOGGEN_SIZE_DEFAULT),
        Format::Tcpflood | Format::TcpfloodIetf => None,
    };
    let without_end = |size: usize| size.saturating_sub(options.framing.line_end_bytes());
    let structured_data = message.sdata.clone().unwrap_or_default();
    let is_element = structured_data.starts_with('[') && structured_data.ends_with(']');
    if !(structured_data.is_empty() || is_element) || structured_data.contains('\n') {
        return Err(
            Failure::new(format!("{structured_data:?} is no structured data"))
                .hint("write elements in brackets, such as '[test name=\"value\"]'"),
        );
    }
    Ok(Recipe {
        format,
        bytes: message.size.or(default).map(without_end),
        bytes_max: message.size_max.map(without_end),
        connections: options.connections,
        run: now.nanos().div_euclid(1_000_000_000),
        seed: message.seed,
        dynamic_ids: message.dynamic_ids,
        json_cookie: message.json_cookie.clone(),
        structured_data,
        zone: zone.clone(),
    })
}

/// The numbered format; `None` for the others.
fn format(format: FormatArgument) -> Option<Format> {
    match format {
        FormatArgument::Rfc3164 => Some(Format::Rfc3164),
        FormatArgument::Rfc5424 => Some(Format::Rfc5424),
        FormatArgument::Loggen => Some(Format::Loggen),
        FormatArgument::LoggenIetf => Some(Format::LoggenIetf),
        FormatArgument::Tcpflood => Some(Format::Tcpflood),
        FormatArgument::TcpfloodIetf => Some(Format::TcpfloodIetf),
        FormatArgument::Demo
        | FormatArgument::Realistic
        | FormatArgument::RealisticRfc3164
        | FormatArgument::RealisticBare => None,
    }
}

fn framing(framing: FramingArgument) -> Framing {
    match framing {
        FramingArgument::Lf => Framing::Lf,
        FramingArgument::Octet => Framing::Octet,
        FramingArgument::OctetLf => Framing::OctetLf,
        FramingArgument::Nul => Framing::Nul,
        FramingArgument::None => Framing::None,
    }
}

fn pace(amount: &AmountArguments) -> Result<Pace, Failure> {
    if let Some(burst) = &amount.burst {
        return parse_burst(burst).ok_or_else(|| {
            Failure::new(format!("{burst:?} is no burst"))
                .hint("write messages and milliseconds, such as 1000/50")
        });
    }
    Ok(match (amount.rate, amount.rate_per_connection) {
        (_, Some(rate)) => Pace::PerConnection(rate),
        (0, None) => Pace::Unbounded,
        (rate, None) => Pace::Total(rate),
    })
}

fn parse_burst(text: &str) -> Option<Pace> {
    let (messages, millis) = text.split_once('/')?;
    let millis = millis.parse().ok().filter(|millis| *millis > 0)?;
    Some(Pace::Burst {
        messages: messages.parse().ok()?,
        every: Duration::from_millis(millis),
    })
}

fn tls(transport: &TransportArguments) -> TlsOptions {
    TlsOptions {
        authorities: transport.ca.clone(),
        identity: transport.cert.clone().zip(transport.key.clone()),
        is_insecure: transport.insecure,
    }
}

/// A length of time in the words of relative times: `10s`, `1h30m`.
fn duration(text: &str) -> Result<Duration, Failure> {
    let start = Timestamp::from_seconds(0);
    let end = query::parse_time(&format!("now+{text}"), start).ok();
    end.and_then(|end| u64::try_from(end.nanos()).ok())
        .filter(|nanos| *nanos > 0)
        .map(Duration::from_nanos)
        .ok_or_else(|| {
            Failure::new(format!("{text:?} is no length of time"))
                .hint("write numbers with units, such as 10s or 1h30m; units are ms, s, m, h, d, w")
        })
}

fn time(text: &str, now: Timestamp) -> Result<Timestamp, Failure> {
    query::parse_time(text, now).map_err(|error| Failure::new(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_have_units() {
        assert_eq!(duration("90s").ok(), Some(Duration::from_secs(90)));
        assert_eq!(duration("1m30s").ok(), Some(Duration::from_secs(90)));
        for text in ["", "10", "-1s", "0s", "s", "now"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bursts_are_messages_and_milliseconds() {
        let every = Duration::from_millis(50);
        let burst = Pace::Burst {
            messages: 1_000,
            every,
        };
        assert_eq!(parse_burst("1000/50"), Some(burst));
        for text in ["", "10", "10/0", "/5", "x/5"] {
            assert_eq!(parse_burst(text), None, "{text}");
        }
    }
}
