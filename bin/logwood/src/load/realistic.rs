//! `--format realistic`: messages like those of a profile, with needles whose counts are known.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;

use load::Source;
use load::learn::{Manifest, Plan, Profile, Realistic, Style, Tables};
use load::send::{Options, Report};

use super::arguments::{FormatArgument, MessageArguments};
use crate::failure::Failure;

/// What the messages of all connections are made of.
pub(super) struct RealisticPlan {
    tables: Arc<Tables>,
    needles: Plan,
}

/// The look of realistic messages; `None` for other formats.
pub(super) fn style(format: FormatArgument) -> Option<Style> {
    match format {
        FormatArgument::Realistic => Some(Style::Rfc5424),
        FormatArgument::RealisticRfc3164 => Some(Style::Rfc3164),
        FormatArgument::RealisticBare => Some(Style::Bare),
        _ => None,
    }
}

/// Needles can only be planted in messages that are made for it.
pub(super) fn refuse_without(message: &MessageArguments) -> Result<(), Failure> {
    if message.profile.is_none() && message.needle.is_empty() && message.manifest.is_none() {
        return Ok(());
    }
    Err(
        Failure::new("--profile, --needle and --manifest are for realistic messages")
            .hint("leave them out, or take --format realistic"),
    )
}

impl RealisticPlan {
    pub(super) fn new(
        message: &MessageArguments,
        style: Style,
        options: &Options,
    ) -> Result<Self, Failure> {
        let profile = match &message.profile {
            Some(path) => {
                let file = File::open(path).map_err(|error| cannot("read", path, error))?;
                Profile::read(BufReader::new(file)).map_err(|error| cannot("read", path, error))?
            }
            None => Profile::builtin().map_err(|error| Failure::new(error.to_string()))?,
        };
        let tables = Tables::new(&profile, style, message.hosts);
        let mut needles = match message.manifest {
            Some(_) => Plan::standard(message.seed, style),
            None => Plan::empty(message.seed),
        };
        for needle in &message.needle {
            let (text, count) = parse_needle(needle)?;
            let shares: Option<Vec<u64>> = (0..options.connections)
                .map(|connection| options.share_of_count(connection))
                .collect();
            let shares = shares.ok_or_else(|| {
                Failure::new("--needle needs to know how many messages there will be")
                    .hint("say so with --count")
            })?;
            needles
                .plant(text, count, &shares, &tables)
                .map_err(|error| Failure::new(error.to_string()))?;
        }
        Ok(Self {
            tables: Arc::new(tables),
            needles,
        })
    }

    /// The source of one connection.
    pub(super) fn source(&self, connection: u32) -> Box<dyn Source> {
        let connection = usize::try_from(connection).unwrap_or(usize::MAX);
        Box::new(Realistic::new(&self.tables, &self.needles, connection))
    }

    /// Writes what can be found in the messages that were sent.
    pub(super) fn write_manifest(
        &self,
        report: &Report,
        message: &MessageArguments,
        path: &Path,
    ) -> Result<(), Failure> {
        let sent: Vec<u64> = report
            .connections
            .iter()
            .map(|connection| connection.sent)
            .collect();
        let (from, to) = (message.from.clone(), message.to.clone());
        let manifest = Manifest::new(&self.needles, &sent, from, to);
        let write = || -> std::io::Result<()> {
            let mut file = BufWriter::new(File::create(path)?);
            serde_json::to_writer_pretty(&mut file, &manifest)?;
            file.write_all(b"\n")?;
            file.flush()
        };
        write().map_err(|error| cannot("write", path, error))
    }
}

fn cannot(action: &str, path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::new(format!("cannot {action} {}", path.display())).because(error)
}

fn parse_needle(text: &str) -> Result<(&str, u64), Failure> {
    text.rsplit_once('=')
        .and_then(|(text, count)| Some((text, count.parse().ok()?)))
        .ok_or_else(|| {
            Failure::new(format!("{text:?} is no needle"))
                .hint("write a text and how many messages hold it, such as --needle 'quartz=17'")
        })
}
