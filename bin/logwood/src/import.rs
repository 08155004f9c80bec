//! Files into the store.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Read};
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use client::{Client, ImportTime, Parameters};
use flate2::read::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::{LogspaceName, RecordBatch};
use store::{Clock as _, Store, SystemClock};

use crate::Outcome;
use crate::arguments::{ImportArguments, ImportTimeArgument};
use crate::check::default_parse_options;
use crate::failure::Failure;
use crate::output;
use crate::target::{self, Target};

/// Bytes read from a file at once.
const READ_BYTES: usize = 256 * 1024;

/// What compressed files start with.
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Stores the messages of all files.
pub(crate) fn import(arguments: &ImportArguments) -> Result<Outcome, Failure> {
    let destination = Destination::open(arguments)?;
    let bar = progress_bar(arguments);
    let mut records = 0;
    for path in &arguments.files {
        let reader = open(path, &bar)?;
        bar.set_message(path.display().to_string());
        let imported = destination.import(reader, arguments).inspect_err(|_| {
            bar.abandon();
            output::words(&format!("while importing {}", path.display()));
        })?;
        records += imported;
    }
    let seconds = bar.elapsed().as_secs_f64().max(1e-3);
    bar.finish_and_clear();
    let rate = records as f64 / seconds;
    output::words(&format!(
        "imported {records} records in {seconds:.1} s, {rate:.0} a second"
    ));
    Ok(if records == 0 {
        Outcome::NothingFound
    } else {
        Outcome::Done
    })
}

/// Where the records go.
enum Destination {
    Server(Client),
    Directory(Store, LogspaceName),
}

impl Destination {
    fn open(arguments: &ImportArguments) -> Result<Self, Failure> {
        let target = match Target::find(&arguments.target)? {
            Target::Server(client) if client.is_alive() || arguments.target.url.is_some() => {
                Target::Server(client)
            }
            // Nobody serves and nothing is there yet: the import makes the directory.
            Target::Server(_) => Target::Directory("logwood-data".into()),
            directory @ Target::Directory(_) => directory,
        };
        match target {
            Target::Server(client) => Ok(Self::Server(client)),
            Target::Directory(path) => {
                let name = LogspaceName::parse(&arguments.logspace)
                    .map_err(|error| Failure::new(error.to_string()))?;
                let store = target::open(&path)?;
                store.create_logspace(&name)?;
                Ok(Self::Directory(store, name))
            }
        }
    }

    fn import(
        &self,
        reader: Box<dyn BufRead + Send>,
        arguments: &ImportArguments,
    ) -> Result<u64, Failure> {
        match self {
            Self::Server(client) => {
                let time = match arguments.time {
                    ImportTimeArgument::Message => ImportTime::Message,
                    ImportTimeArgument::Now => ImportTime::Now,
                };
                let parameters = Parameters::default()
                    .with("logspace", &arguments.logspace)
                    .with_import_time(time);
                Ok(client.import(&parameters, reader)?.imported)
            }
            Self::Directory(store, logspace) => {
                let time = match arguments.time {
                    ImportTimeArgument::Message => ingest::ImportTime::Message,
                    ImportTimeArgument::Now => ingest::ImportTime::Now,
                };
                import_into(store, logspace, time, reader)
            }
        }
    }
}

/// Parses on this thread and seals on another.
fn import_into(
    store: &Store,
    logspace: &LogspaceName,
    time: ingest::ImportTime,
    mut reader: Box<dyn BufRead + Send>,
) -> Result<u64, Failure> {
    let now = SystemClock.now();
    let mut importer = ingest::Importer::new(default_parse_options(), time, now, "import");
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<RecordBatch>(0);
        let sealer = scope.spawn(move || {
            receiver
                .iter()
                .try_for_each(|batch| store.import(logspace, batch))
        });
        let read = read_lines(&mut reader, &mut importer, &sender);
        drop(sender);
        let sealed = sealer.join().unwrap_or(Ok(()));
        sealed?;
        read?;
        Ok(importer.progress().0)
    })
}

fn read_lines(
    reader: &mut dyn BufRead,
    importer: &mut ingest::Importer,
    sealer: &SyncSender<RecordBatch>,
) -> Result<(), Failure> {
    let unreadable = |error: io::Error| Failure::new("cannot read the file").because(error);
    let mut line = Vec::new();
    loop {
        line.clear();
        // One byte more than the longest message shows that it was cut.
        let limit = model::limits::MESSAGE_BYTES_MAX as u64 + 1;
        let mut limited = reader.take(limit);
        if limited.read_until(b'\n', &mut line).map_err(unreadable)? == 0 {
            break;
        }
        let is_whole = line.pop_if(|last| *last == b'\n').is_some();
        if !is_whole && line.len() as u64 == limit {
            reader.skip_until(b'\n').map_err(unreadable)?;
        }
        // A sealer that has gone reports why itself.
        if let Some(full) = importer.push(&line)
            && sealer.send(full).is_err()
        {
            return Ok(());
        }
    }
    if let Some(rest) = importer.finish() {
        _ = sealer.send(rest);
    }
    Ok(())
}

/// Opens a file, decompressed by what it starts with, whatever its name.
pub(crate) fn open(path: &Path, bar: &ProgressBar) -> Result<Box<dyn BufRead + Send>, Failure> {
    let failure =
        |error: io::Error| Failure::new(format!("cannot read {}", path.display())).because(error);
    let input: Box<dyn Read + Send> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(failure)?)
    };
    let mut input = BufReader::with_capacity(READ_BYTES, bar.wrap_read(input));
    let start = input.fill_buf().map_err(failure)?;
    let decoded: Box<dyn Read + Send> = if start.starts_with(GZIP_MAGIC) {
        Box::new(MultiGzDecoder::new(input))
    } else if start.starts_with(ZSTD_MAGIC) {
        Box::new(zstd::Decoder::with_buffer(input).map_err(failure)?)
    } else {
        return Ok(Box::new(input));
    };
    Ok(Box::new(BufReader::with_capacity(READ_BYTES, decoded)))
}

/// A bar over the bytes of all files, shown on a terminal only.
fn progress_bar(arguments: &ImportArguments) -> ProgressBar {
    let size = |path: &std::path::PathBuf| std::fs::metadata(path).map_or(0, |file| file.len());
    let bar = ProgressBar::new(arguments.files.iter().map(size).sum());
    if !io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let template = "{bar:30} {percent}% {bytes_per_sec} {eta} {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
