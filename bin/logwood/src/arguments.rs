//! What can be typed.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::load::arguments::LoadArguments;
use crate::plan::PlanArguments;

/// A log server: receives syslog, keeps it, finds anything in it.
///
/// Without a command it serves, as `logwood serve` does.
#[derive(Debug, Parser)]
#[command(name = "logwood", version, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Receive, keep and answer until told to stop.
    Serve(ServeArguments),
    /// Print the records that match, the newest first.
    Search(SearchArguments),
    /// Print how many records match.
    Count(CountArguments),
    /// Print how many records match over time, one bar a line: start and count.
    Histogram(HistogramArguments),
    /// Print the most frequent values of a field, one a line: count and value.
    Stats(StatsArguments),
    /// Print a table: counts, sums, percentiles, patterns; the query has a pipe.
    #[command(after_help = crate::table::HELP)]
    Query(QueryArguments),
    /// Print records as they arrive.
    Tail(TailArguments),
    /// List, show, save and delete the searches that the page has under Searches.
    Searches {
        #[command(subcommand)]
        command: SearchesCommand,
    },
    /// Show what a server receives, loses and keeps, as it happens.
    Top(TopArguments),
    /// Store the messages of files, one a line; plain, .gz or .zst.
    Import(ImportArguments),
    /// Send messages, as fast as asked for or as fast as it goes, and count them; learn from logs;
    /// receive and count what others send.
    Load(Box<LoadArguments>),
    /// Copy a data directory, also while a server receives into it.
    Backup(BackupArguments),
    /// Copy a backup into a new data directory and read all of it back.
    Restore(RestoreArguments),
    /// Show how what arrives is framed, read part by part, and routed.
    Explain(ExplainArguments),
    /// Say how much disk a rate of messages takes, per day to year.
    Plan(PlanArguments),
    /// Report every problem of a configuration file, and of the files, users and addresses it names.
    Check(CheckArguments),
    /// Show the certificate that Logwood has made for itself, or make one for names of your choice.
    Certificate(CertificateArguments),
    /// Read every byte of a data directory and say what is damaged; with --repair, mend it.
    Verify(VerifyArguments),
    /// Write segments of older formats anew, with the index and columns of today.
    Reindex(ReindexArguments),
    /// Show what is in a data directory, a journal file, a manifest or a segment.
    Inspect(InspectArguments),
}

/// Flags replace what the configuration file says.
#[derive(Debug, Default, Args)]
pub(crate) struct ServeArguments {
    /// The configuration file (TOML); without one, the defaults.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where everything is kept [default: ./logwood-data].
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Where the page and the API are served [default: 127.0.0.1:8514].
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<SocketAddr>,
    /// Listen for syslog over UDP [default: 127.0.0.1:5514]; may be repeated.
    #[arg(long, value_name = "ADDR")]
    pub(crate) udp: Vec<SocketAddr>,
    /// Listen for syslog over TCP [default: 127.0.0.1:5514]; may be repeated.
    #[arg(long, value_name = "ADDR")]
    pub(crate) tcp: Vec<SocketAddr>,
    /// Listen for syslog over TLS [default: 127.0.0.1:6514]; may be repeated.
    #[arg(long, value_name = "ADDR")]
    pub(crate) tls: Vec<SocketAddr>,
    /// Listen for RELP [default: 127.0.0.1:2514]; may be repeated.
    #[arg(long, value_name = "ADDR")]
    pub(crate) relp: Vec<SocketAddr>,
    /// Also make up a day of history and a realistic stream, to have something to look at.
    #[arg(long)]
    pub(crate) demo: bool,
}

/// Whom to ask.
#[derive(Debug, Default, Args)]
pub(crate) struct TargetArguments {
    /// Ask the server at this URL [default: http://127.0.0.1:8514].
    #[arg(long, value_name = "URL", conflicts_with = "data_dir")]
    pub(crate) url: Option<String>,
    /// Read this data directory; no server is needed.
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

/// Which of its two times stands for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeArgument {
    /// When it was received.
    Received,
    /// When its sender says that it happened.
    Event,
}

/// What to ask for.
#[derive(Debug, Args)]
pub(crate) struct QuestionArguments {
    /// What to look for; everything without it. See docs/reference/query.md.
    #[arg(default_value = "")]
    pub(crate) query: String,
    /// The search that was saved under this name, in place of a query; flags replace its range,
    /// logspaces and time.
    #[arg(long, value_name = "NAME", conflicts_with = "query")]
    pub(crate) saved: Option<String>,
    /// Only these logspaces, separated by commas; all without it.
    #[arg(long, value_name = "NAME")]
    pub(crate) logspace: Option<String>,
    /// From this time on: RFC 3339, UNIX seconds, or relative such as now-1h.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// Up to this time, itself excluded.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) to: Option<String>,
    /// What bounds a term: words, ssb, or a list of delimiters such as ':=,;' [default: what the
    /// logspaces say, else words].
    #[arg(long, value_name = "TOKENS")]
    pub(crate) tokens: Option<String>,
    /// Which time of a record counts for ranges, order and bars [default: received].
    #[arg(long, value_name = "TIME")]
    pub(crate) time: Option<TimeArgument>,
    /// Print NDJSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    /// Print at most so many.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) limit: usize,
    /// With the bytes as they arrived (with --json), or nothing but them.
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CountArguments {
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    /// Taken for the likeness to search; a count has no limit.
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct HistogramArguments {
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    /// How many bars.
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(crate) bars: usize,
}

#[derive(Debug, Args)]
pub(crate) struct StatsArguments {
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    /// The field: host, program, severity, ... or any parsed one.
    #[arg(long, value_name = "FIELD")]
    pub(crate) by: String,
    /// Print at most so many values.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct QueryArguments {
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    /// Print at most so many rows [default: 10000].
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print CSV, safe to be opened as a spreadsheet.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}

/// What to do with saved searches.
#[derive(Debug, Subcommand)]
pub(crate) enum SearchesCommand {
    /// Print all of them, one a line: name, query and range.
    List(ListSearchesArguments),
    /// Print one of them, a line for each of its parameters.
    Show(ShowSearchArguments),
    /// Save a search under a name, in place of the one that has it.
    Save(SaveSearchArguments),
    /// Delete the search of a name.
    Delete(DeleteSearchArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ListSearchesArguments {
    /// Print NDJSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ShowSearchArguments {
    /// What it is called.
    pub(crate) name: String,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
}

#[derive(Debug, Args)]
pub(crate) struct SaveSearchArguments {
    /// What it is to be called.
    pub(crate) name: String,
    /// What to look for, also with a pipe; everything without it.
    #[arg(default_value = "")]
    pub(crate) query: String,
    /// Only these logspaces, separated by commas; all without it.
    #[arg(long, value_name = "NAME")]
    pub(crate) logspace: Option<String>,
    /// From this time on, kept as written: now-1h stays the last hour.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// Up to this time, itself excluded.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) to: Option<String>,
    /// Which time of a record counts [default: received].
    #[arg(long, value_name = "TIME")]
    pub(crate) time: Option<TimeArgument>,
    /// The columns that the page shows, separated by commas.
    #[arg(long, value_name = "FIELDS")]
    pub(crate) cols: Option<String>,
    /// The field by which the page splits the histogram.
    #[arg(long, value_name = "FIELD")]
    pub(crate) split: Option<String>,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
}

#[derive(Debug, Args)]
pub(crate) struct DeleteSearchArguments {
    /// What it is called.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
}

#[derive(Debug, Args)]
pub(crate) struct TailArguments {
    /// What to look for; everything without it.
    #[arg(default_value = "")]
    pub(crate) query: String,
    /// The search that was saved under this name, in place of a query; its range is left out.
    #[arg(long, value_name = "NAME", conflicts_with = "query")]
    pub(crate) saved: Option<String>,
    /// Only these logspaces, separated by commas; all without it.
    #[arg(long, value_name = "NAME")]
    pub(crate) logspace: Option<String>,
    /// What bounds a term: words, ssb, or a list of delimiters such as ':=,;' [default: what the
    /// logspaces say, else words].
    #[arg(long, value_name = "TOKENS")]
    pub(crate) tokens: Option<String>,
    /// Start behind this record, such as main:42, instead of at the end.
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<String>,
    /// Print NDJSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Ask the server at this URL [default: http://127.0.0.1:8514].
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}

/// Which time imported records are filed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportTimeArgument {
    /// The time stamp of each message; lines without one take that of the line before.
    Message,
    /// The time of the import.
    Now,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The files; - for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The logspace to store into.
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub(crate) logspace: String,
    /// Which time to file records under.
    #[arg(long, value_enum, default_value_t = ImportTimeArgument::Message)]
    pub(crate) time: ImportTimeArgument,
    /// The year of the first time stamp without one [default: by the time of the file].
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(i16).range(1970..2200))]
    pub(crate) year: Option<i16>,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
}

#[derive(Debug, Args)]
pub(crate) struct BackupArguments {
    /// Where to: a new or empty directory, or an older backup, which is brought up to date.
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArguments {
    /// The backup, or another data directory that no server has open.
    #[arg(value_name = "BACKUP")]
    pub(crate) backup: PathBuf,
    /// Where to: a new or empty directory.
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// What arrives; standard input without it.
    pub(crate) message: Option<String>,
    /// The configuration file [default: the embedded defaults].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Read as this source does [default: the first that takes connections over TCP].
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// The address that sends [default: not known].
    #[arg(long, value_name = "ADDR")]
    pub(crate) peer: Option<IpAddr>,
    /// When it arrives [default: now].
    #[arg(long, value_name = "T")]
    pub(crate) received: Option<String>,
    /// Print each message as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The configuration file [default: the embedded defaults].
    pub(crate) file: Option<PathBuf>,
    /// The configuration file.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub(crate) config: Option<PathBuf>,
    /// The data directory that `serve --data-dir` will be given.
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Look at the file alone, and at no file, address or user that it names: for another machine.
    #[arg(long)]
    pub(crate) file_only: bool,
    /// Print the running value of every key and where it comes from; implies --file-only.
    #[arg(long)]
    pub(crate) effective: bool,
    /// Take warnings for errors.
    #[arg(long)]
    pub(crate) deny_warnings: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CertificateArguments {
    /// The data directory of the server.
    #[arg(long, value_name = "DIR", default_value = "logwood-data")]
    pub(crate) data_dir: PathBuf,
    /// A DNS name or IP address by which senders know the server, beside those of this machine; may
    /// be repeated.
    #[arg(long = "name", value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Make another one where one is there. Every sender that trusts the old one needs the new one.
    #[arg(long)]
    pub(crate) replace: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TopArguments {
    /// Ask the server at this URL [default: http://127.0.0.1:8514].
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Seconds from one picture to the next, over which rates are taken.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = interval)]
    pub(crate) interval: f64,
    /// Print one picture and end.
    #[arg(long)]
    pub(crate) once: bool,
    /// Print each picture as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Seconds between two pictures.
fn interval(text: &str) -> Result<f64, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "write a number of seconds".to_owned())?;
    match (0.1..=3_600.0).contains(&seconds) {
        true => Ok(seconds),
        false => Err("between 0.1 and 3600 are possible".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The data directory; a server may be working in it.
    #[arg(long, value_name = "DIR", default_value = "logwood-data")]
    pub(crate) data_dir: PathBuf,
    /// Only this logspace, and the journal.
    #[arg(long, value_name = "NAME")]
    pub(crate) logspace: Option<String>,
    /// Also decode every record, make every index anew and compare.
    #[arg(long)]
    pub(crate) deep: bool,
    /// Mend what can be mended; the server must be stopped.
    #[arg(long)]
    pub(crate) repair: bool,
    /// How many threads read at the same time [default: one for each processor].
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReindexArguments {
    /// The data directory; the server must be stopped.
    #[arg(long, value_name = "DIR", default_value = "logwood-data")]
    pub(crate) data_dir: PathBuf,
    /// Only this logspace.
    #[arg(long, value_name = "NAME")]
    pub(crate) logspace: Option<String>,
    /// Also segments that have all that today's have.
    #[arg(long)]
    pub(crate) all: bool,
    /// Only say what would be written anew.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// Files: journal files, manifests, segments; the data directory without any.
    pub(crate) files: Vec<PathBuf>,
    /// The data directory.
    #[arg(
        long,
        value_name = "DIR",
        default_value = "logwood-data",
        conflicts_with = "files"
    )]
    pub(crate) data_dir: PathBuf,
    /// List every page of segments, every block of journal files, every record of manifests.
    #[arg(long)]
    pub(crate) pages: bool,
    /// List the terms of segments whose keys start so: a letter for the part, such as `m` for the
    /// message, and the start of a word; all of them where it is empty.
    #[arg(long, value_name = "PREFIX")]
    pub(crate) terms: Option<String>,
    /// Tell the messages of segments apart by kind, and list the N most frequent kinds.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) templates: usize,
    /// Print so many records of segments and journal files.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) rows: usize,
    /// Print one JSON object for each file.
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_flags_fit_together() {
        Arguments::command().debug_assert();
    }
}
