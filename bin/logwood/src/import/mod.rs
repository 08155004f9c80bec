//! Files into the store.

mod gzip;
mod kind;
mod notes;
mod open;
#[cfg(test)]
mod tests;
mod utf16;

use std::io::{self, BufRead, IsTerminal as _, Read};
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use api::Imported;
use client::{Client, ImportTime, Parameters};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ingest::{Importer, LineFeed, YearScan, Years};
use model::{LogspaceName, RecordBatch, Timestamp};
use store::{Clock as _, Import, Store, SystemClock};

pub(crate) use self::open::{Opened, open};
use crate::Outcome;
use crate::arguments::{ImportArguments, ImportTimeArgument};
use crate::check::default_parse_options;
use crate::failure::Failure;
use crate::output;
use crate::target::{self, Target};

/// Longest part of a line in which its time stamp is looked for before it is imported, in bytes.
const SCAN_BYTES_MAX: u64 = 64 * 1024;

/// Stores the messages of all files. A file that cannot be read, or not to its end, does not keep the
/// others out.
pub(crate) fn import(arguments: &ImportArguments) -> Result<Outcome, Failure> {
    let destination = Destination::open(arguments)?;
    let bar = progress_bar(arguments);
    let mut total = Imported::default();
    let mut failures = Vec::new();
    let mut is_damaged = false;
    for path in &arguments.files {
        match import_file(&destination, path, arguments, &bar) {
            Ok((imported, has_damage)) => {
                total.imported += imported.imported;
                total.empty_lines += imported.empty_lines;
                total.skipped_bytes += imported.skipped_bytes;
                is_damaged |= has_damage;
            }
            Err(ImportError::File(failure)) => failures.push(failure),
            Err(ImportError::Destination(failure)) => {
                bar.abandon();
                output::words(&format!("while importing {}", path.display()));
                return Err(failure);
            }
        }
    }
    let seconds = bar.elapsed().as_secs_f64().max(1e-3);
    bar.finish_and_clear();
    let last = failures.pop();
    for failure in failures {
        output::words(&failure.to_string());
    }
    if let Some(last) = last {
        if total.imported > 0 {
            report(&total, seconds);
        }
        return Err(last);
    }
    report(&total, seconds);
    Ok(match total.imported {
        _ if is_damaged => Outcome::Incomplete,
        0 => Outcome::NothingFound,
        _ => Outcome::Done,
    })
}

fn report(total: &Imported, seconds: f64) {
    let records = total.imported;
    let rate = records as f64 / seconds;
    let mut text = format!("imported {records} records in {seconds:.1} s, {rate:.0} a second");
    if total.empty_lines > 0 {
        text += &format!("; left out {} empty lines", total.empty_lines);
    }
    if total.skipped_bytes > 0 {
        text += &format!("; skipped holes of {} NULs", total.skipped_bytes);
    }
    output::words(&text);
}

/// Why a file was not imported.
enum ImportError {
    /// It cannot be read, which others may.
    File(Failure),
    /// Nothing can be stored.
    Destination(Failure),
}

/// What was imported of a file, and whether a part of it could not be read.
fn import_file(
    destination: &Destination,
    path: &Path,
    arguments: &ImportArguments,
    bar: &ProgressBar,
) -> Result<(Imported, bool), ImportError> {
    let opened = open(path, bar).map_err(ImportError::File)?;
    bar.set_message(path.display().to_string());
    let now = SystemClock.now();
    let anchor = opened.time.map_or(now, |time| time.min(now));
    let first = match arguments.year {
        None if opened.is_regular => first_year(path, anchor).map_err(ImportError::File)?,
        year => year,
    };
    // The time of a file that somebody dates otherwise is not that of its lines.
    let anchor = if arguments.year.is_some() {
        now
    } else {
        anchor
    };
    let years = Years { anchor, first };
    let imported = destination
        .import(opened.reader, arguments, years)
        .map_err(ImportError::Destination)?;
    let is_damaged = bar.suspend(|| opened.notes.report(path));
    Ok((imported, is_damaged))
}

/// Goes through a file for the year of its first stamp without one.
fn first_year(path: &Path, anchor: Timestamp) -> Result<Option<i16>, Failure> {
    let mut reader = open(path, &ProgressBar::hidden())?.reader;
    let mut scan = YearScan::new(default_parse_options(), anchor);
    let mut line = Vec::new();
    let unreadable =
        |error: io::Error| Failure::new(format!("cannot read {}", path.display())).because(error);
    while scan.is_open() {
        line.clear();
        let mut start = reader.by_ref().take(SCAN_BYTES_MAX);
        if start.read_until(b'\n', &mut line).map_err(unreadable)? == 0 {
            break;
        }
        if line.pop_if(|last| *last == b'\n').is_none() {
            reader.skip_until(b'\n').map_err(unreadable)?;
        }
        scan.see(&line);
    }
    Ok(scan.first_year())
}

/// Where the records go.
enum Destination {
    Server(Client),
    Directory(Store, LogspaceName),
}

impl Destination {
    fn open(arguments: &ImportArguments) -> Result<Self, Failure> {
        let is_named = arguments.target.url.is_some() || arguments.target.data_dir.is_some();
        let found = Target::find(&arguments.target).map_err(|failure| match is_named {
            true => failure,
            false => failure.hint(
                "start a server with `logwood serve`, or import into a directory with --data-dir DIR, \
                 which is made where it is missing",
            ),
        });
        match found? {
            Target::Server(client) => Ok(Self::Server(client)),
            Target::Directory(path) => {
                say_directory(&path, is_named);
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
        years: Years,
    ) -> Result<Imported, Failure> {
        match self {
            Self::Server(client) => {
                let time = match arguments.time {
                    ImportTimeArgument::Message => ImportTime::Message,
                    ImportTimeArgument::Now => ImportTime::Now,
                };
                let parameters = Parameters::default()
                    .with("logspace", &arguments.logspace)
                    .with("anchor", years.anchor.to_string())
                    .with_some("year", years.first.map(|year| year.to_string()))
                    .with_import_time(time);
                Ok(client.import(&parameters, reader)?)
            }
            Self::Directory(store, logspace) => {
                let time = match arguments.time {
                    ImportTimeArgument::Message => ingest::ImportTime::Message,
                    ImportTimeArgument::Now => ingest::ImportTime::Now,
                };
                let options = default_parse_options();
                let importer = Importer::new(options.clone(), time, SystemClock.now(), "import")
                    .with_years(years, &options);
                import_into(store, logspace, LineFeed::new(importer), reader)
            }
        }
    }
}

/// Says which directory the records go to, since no server tells of them.
fn say_directory(path: &Path, is_named: bool) {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let whole = whole.display();
    output::words(&match (is_named, path.is_dir()) {
        (false, _) => format!(
            "no server answers at {}: importing into {whole}",
            target::URL_DEFAULT
        ),
        (true, true) => format!("importing into {whole}"),
        (true, false) => format!("importing into {whole}, a new data directory"),
    });
}

/// Parses on this thread, has the builders of the store at work, and publishes on another thread what they
/// have built. Each builder has a batch, and one more waits for the first that is free.
fn import_into(
    store: &Store,
    logspace: &LogspaceName,
    mut lines: LineFeed,
    mut reader: Box<dyn BufRead + Send>,
) -> Result<Imported, Failure> {
    std::thread::scope(|scope| {
        // One is being waited for and one being handed over.
        let (sender, receiver) = sync_channel::<Import>(store.imports_max() - 1);
        let publisher = scope.spawn(move || receiver.iter().try_for_each(Import::finish));
        let start = |batch| Ok(sender.send(store.start_import(logspace, batch)?).is_ok());
        let read = read_lines(&mut reader, &mut lines, start);
        drop(sender);
        let published = publisher.join().unwrap_or(Ok(()));
        published?;
        read?;
        let progress = lines.importer().progress();
        Ok(Imported {
            imported: progress.records,
            bytes: progress.bytes,
            empty_lines: progress.empty_lines,
            skipped_bytes: progress.skipped_bytes,
        })
    })
}

/// Hands over the batches of a file, for as long as they are wanted.
fn read_lines(
    reader: &mut dyn BufRead,
    lines: &mut LineFeed,
    mut hand_over: impl FnMut(RecordBatch) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let mut full = Vec::new();
    loop {
        let piece = match reader.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::new("cannot read the file").because(error)),
        };
        let len = piece.len();
        match len {
            0 => lines.finish(&mut full),
            _ => lines.take(piece, &mut full),
        }
        reader.consume(len);
        for batch in full.drain(..) {
            // A publisher that has gone reports why itself.
            if !hand_over(batch)? {
                return Ok(());
            }
        }
        if len == 0 {
            return Ok(());
        }
    }
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
