//! What can be typed.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::address::listen_address;
use crate::load::arguments::LoadArguments;
use crate::plan::PlanArguments;
use crate::record_line::ColorArgument;

/// A log server: receives syslog, keeps it, finds anything in it.
///
/// Without a command it serves, as `logwood serve` does.
#[derive(Debug, Parser)]
#[command(name = "logwood", version)]
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
    /// List, show, save and delete saved searches; the page has them under Searches.
    Searches {
        #[command(subcommand)]
        command: SearchesCommand,
    },
    /// Show where records are sent and how far each destination is; pause, resume, move and test one.
    Destinations {
        #[command(subcommand)]
        command: DestinationsCommand,
    },
    /// Show the messages that a server receives, drops and stores, as it happens.
    Top(TopArguments),
    /// Store the messages of files, one a line; plain, .gz or .zst.
    Import(ImportArguments),
    /// Send messages at a given rate or at full speed, and count them; learn from logs; receive and
    /// count messages of other senders.
    Load(Box<LoadArguments>),
    /// Copy a data directory, even while a server writes to it.
    Backup(BackupArguments),
    /// Copy a backup into a new data directory and read it back in full.
    Restore(RestoreArguments),
    /// Show how a message is framed, parsed and routed.
    Explain(ExplainArguments),
    /// Test, try, merge and show pattern databases, as syslog-ng's pdbtool does.
    Patterndb {
        #[command(subcommand)]
        command: PatterndbCommand,
    },
    /// Estimate the disk space that a rate of messages takes, per day and per year.
    Plan(PlanArguments),
    /// Report every problem of a configuration file, and of the files, users and addresses it names.
    Check(CheckArguments),
    /// Show the certificate that Logwood has made for itself, or make one for names of your choice.
    Certificate(CertificateArguments),
    /// Read every byte of a data directory and report damage; with --repair, mend it.
    Verify(VerifyArguments),
    /// Show the contents of a data directory, a journal file, a manifest or a segment.
    Inspect(InspectArguments),
}

/// Flags take precedence over the configuration file.
#[derive(Debug, Default, Args)]
pub(crate) struct ServeArguments {
    /// The configuration file (TOML); without one, the defaults apply.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The data directory [default: ./logwood-data].
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// The address of the page and the API [default: 127.0.0.1:8514]; a port alone is one of
    /// 127.0.0.1.
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    pub(crate) http: Option<SocketAddr>,
    /// Listen for syslog over UDP [default: 127.0.0.1:5514]; may be repeated.
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    pub(crate) udp: Vec<SocketAddr>,
    /// Listen for syslog over TCP [default: 127.0.0.1:5514]; may be repeated.
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    pub(crate) tcp: Vec<SocketAddr>,
    /// Listen for syslog over TLS [default: 127.0.0.1:6514]; may be repeated.
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    pub(crate) tls: Vec<SocketAddr>,
    /// Listen for RELP [default: 127.0.0.1:2514]; may be repeated.
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    pub(crate) relp: Vec<SocketAddr>,
    /// Also generate a day of history and a realistic stream, for trying things out.
    #[arg(long)]
    pub(crate) demo: bool,
}

/// Whom to ask.
#[derive(Debug, Default, Args)]
pub(crate) struct TargetArguments {
    /// Ask the server at this URL, such as http://127.0.0.1:8514 (the default), localhost:8514 or
    /// 8514.
    #[arg(long, value_name = "URL", conflicts_with = "data_dir")]
    pub(crate) url: Option<String>,
    /// Read this data directory, without a server.
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

/// Which of its two times stands for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeArgument {
    /// The time of receipt.
    Received,
    /// The time stamp of its sender.
    Event,
}

/// What to ask for.
#[derive(Debug, Args)]
pub(crate) struct QuestionArguments {
    /// The query, in quotes, such as 'program:sshd AND failed'; all records without one. The
    /// language is described in docs/reference/query.md.
    #[arg(default_value = "")]
    pub(crate) query: String,
    /// A saved search, in place of a query; flags override its range, logspaces and time.
    #[arg(long, value_name = "NAME", conflicts_with = "query")]
    pub(crate) saved: Option<String>,
    /// Only these logspaces, separated by commas [default: all].
    #[arg(long, value_name = "NAME")]
    pub(crate) logspace: Option<String>,
    /// Start of the range, inclusive: now-1h, yesterday, 17:30, '2026-11-21 17:30', RFC 3339, UNIX
    /// seconds.
    #[arg(long, value_name = "T", allow_hyphen_values = true, alias = "since")]
    pub(crate) from: Option<String>,
    /// End of the range, exclusive; in the same forms.
    #[arg(long, value_name = "T", allow_hyphen_values = true, alias = "until")]
    pub(crate) to: Option<String>,
    /// Read and print times in UTC instead of the local time zone.
    #[arg(long)]
    pub(crate) utc: bool,
    /// The boundaries of a term: words, ssb, or a list of delimiters such as ':=,;' [default: as
    /// configured for the logspaces, else words].
    #[arg(long, value_name = "TOKENS")]
    pub(crate) tokens: Option<String>,
    /// The time of a record that ranges, order and bars use [default: received].
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
    /// The maximum number of records.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 200, value_parser = at_least_one)]
    pub(crate) limit: usize,
    /// Print the bytes of each record as they arrived; with --json, add them.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Colour severities and matches.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: ColorArgument,
}

#[derive(Debug, Args)]
pub(crate) struct CountArguments {
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    /// Accepted because search has it; a count has no limit.
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct HistogramArguments {
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    /// The number of bars.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = at_least_one)]
    pub(crate) bars: usize,
}

#[derive(Debug, Args)]
pub(crate) struct StatsArguments {
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    /// The field: host, program, severity or any other.
    #[arg(long, value_name = "FIELD")]
    pub(crate) by: String,
    /// The maximum number of values.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10, value_parser = at_least_one)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct QueryArguments {
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    /// The maximum number of rows [default: 10000].
    #[arg(long, short = 'n', value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: Option<usize>,
    /// Print CSV that is safe to open in a spreadsheet.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}

/// Destinations of a running server.
#[derive(Debug, Subcommand)]
pub(crate) enum DestinationsCommand {
    /// List the destinations, one per line: state, figures and what does not work.
    List {
        /// Print NDJSON.
        #[arg(long)]
        json: bool,
        /// The server to ask [default: http://127.0.0.1:8514].
        #[arg(long)]
        url: Option<String>,
    },
    /// Show one destination, one line per figure.
    Show {
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        destination: DestinationArguments,
    },
    /// Have a destination rest, over restarts too; what comes meanwhile waits in the store.
    Pause(DestinationArguments),
    /// Have a destination go on.
    Resume(DestinationArguments),
    /// Have a destination deliver records again: from the beginning, or from --to on.
    Rewind(MoveArguments),
    /// Have a destination pass over records: up to now, or up to --to; they are counted as skipped.
    Skip(MoveArguments),
    /// Deliver one message beside what goes on, and say whether it was taken.
    Test {
        #[command(flatten)]
        destination: DestinationArguments,
        /// The message [default: a test of Logwood].
        message: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DestinationArguments {
    /// The name of the destination, with its kind in front where there are several: syslog.central.
    pub(crate) name: String,
    /// The server to ask [default: http://127.0.0.1:8514].
    #[arg(long)]
    pub(crate) url: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct MoveArguments {
    #[command(flatten)]
    pub(crate) destination: DestinationArguments,
    /// Where to go on: beginning, now, a time, or the number of a record such as #12345.
    #[arg(long, value_name = "PLACE")]
    pub(crate) to: Option<String>,
    /// Only in this logspace [default: all that it reads].
    #[arg(long, value_name = "NAME")]
    pub(crate) logspace: Option<String>,
}

/// Saved searches.
#[derive(Debug, Subcommand)]
pub(crate) enum SearchesCommand {
    /// List the saved searches, one per line: name, query and range.
    List(ListSearchesArguments),
    /// Show one saved search, one line per parameter.
    Show(ShowSearchArguments),
    /// Save a search under a name; an existing search of that name is replaced.
    Save(SaveSearchArguments),
    /// Delete a saved search.
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
    /// The name of the search.
    pub(crate) name: String,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
}

#[derive(Debug, Args)]
pub(crate) struct SaveSearchArguments {
    /// The name of the search.
    pub(crate) name: String,
    /// The query, which may have a pipe; all records without one.
    #[arg(default_value = "")]
    pub(crate) query: String,
    /// Only these logspaces, separated by commas [default: all].
    #[arg(long, value_name = "NAME")]
    pub(crate) logspace: Option<String>,
    /// Start of the range, inclusive; saved as written, so that now-1h is always the last hour.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// End of the range, exclusive; saved as written.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) to: Option<String>,
    /// The time of a record that the range uses [default: received].
    #[arg(long, value_name = "TIME")]
    pub(crate) time: Option<TimeArgument>,
    /// The columns of the page, separated by commas.
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
    /// The name of the search.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
}

#[derive(Debug, Args)]
pub(crate) struct TailArguments {
    /// The query, in quotes; all records without one.
    #[arg(default_value = "")]
    pub(crate) query: String,
    /// A saved search, in place of a query; its range is ignored.
    #[arg(long, value_name = "NAME", conflicts_with = "query")]
    pub(crate) saved: Option<String>,
    /// Only these logspaces, separated by commas [default: all].
    #[arg(long, value_name = "NAME")]
    pub(crate) logspace: Option<String>,
    /// The boundaries of a term: words, ssb, or a list of delimiters such as ':=,;' [default: as
    /// configured for the logspaces, else words].
    #[arg(long, value_name = "TOKENS")]
    pub(crate) tokens: Option<String>,
    /// Start after this record, such as main:42, instead of at the end.
    #[arg(long, value_name = "ID", conflicts_with = "last")]
    pub(crate) after: Option<String>,
    /// Print the last N matching records first.
    #[arg(short = 'n', long = "last", value_name = "N")]
    pub(crate) last: Option<usize>,
    /// Print times in UTC instead of the local time zone.
    #[arg(long)]
    pub(crate) utc: bool,
    /// Colour severities and matches.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: ColorArgument,
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
    /// The time stamp of each message; a line without one takes that of the previous line.
    Message,
    /// The time of the import.
    Now,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The files to import; - is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The logspace to import into.
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub(crate) logspace: String,
    /// The time under which records are stored.
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
    /// The target: a new or empty directory, or an older backup, which is updated. Its parent
    /// directory must exist.
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
    /// The backup, or any data directory that no server has open.
    #[arg(value_name = "BACKUP")]
    pub(crate) backup: PathBuf,
    /// The target: a new or empty directory.
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The message as it arrives; standard input without one.
    pub(crate) message: Option<String>,
    /// The configuration file [default: the embedded defaults].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The source whose settings apply [default: the first TCP source].
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// The address of the sender [default: unknown].
    #[arg(long, value_name = "ADDR")]
    pub(crate) peer: Option<IpAddr>,
    /// The time of receipt [default: now].
    #[arg(long, value_name = "T")]
    pub(crate) received: Option<String>,
    /// Print each message as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PatterndbCommand {
    /// Classify the examples of each file, and compare what is found with what they say.
    Test {
        /// The pattern databases (XML).
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Only examples of rules of this id.
        #[arg(long, value_name = "ID")]
        rule_id: Option<String>,
    },
    /// Print what a database makes of messages: their values and tags, and the messages of actions.
    Match {
        /// The pattern database (XML).
        database: PathBuf,
        /// The message; without one, those of --file.
        #[arg(long, value_name = "TEXT", required_unless_present = "file")]
        message: Option<String>,
        /// The program of the message.
        #[arg(long, value_name = "NAME", requires = "message")]
        program: Option<String>,
        /// Syslog messages, one a line; - is standard input.
        #[arg(long, value_name = "FILE", conflicts_with = "message")]
        file: Option<PathBuf>,
        /// Print what this template makes of each message, such as '${.classifier.rule_id}', a line each.
        #[arg(long, value_name = "TEMPLATE")]
        template: Option<String>,
    },
    /// Print one database of version 6 with the rules of all files.
    Merge {
        /// The pattern databases (XML), of any version.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Print the tree of patterns in the order in which they are tried.
    Dump {
        /// The pattern database (XML).
        database: PathBuf,
        /// The program whose patterns of messages are shown; without one, those of programs are.
        #[arg(long, value_name = "NAME")]
        program: Option<String>,
    },
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
    /// Print the running configuration: every value, and where it comes from; implies --file-only.
    #[arg(long)]
    pub(crate) effective: bool,
    /// Treat warnings as errors.
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// Try the messages of `[test.NAME]`, and show what becomes of them otherwise than it should.
    #[arg(long)]
    pub(crate) test: bool,
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
    /// Seconds between two refreshes; rates are averages over this time.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = interval)]
    pub(crate) interval: f64,
    /// Print once and exit.
    #[arg(long)]
    pub(crate) once: bool,
    /// Print each refresh as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A number of things to print; none is no question.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("nothing would be printed: write a number from 1 on".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("write a number from 1 on".to_owned()),
    }
}

/// Seconds between two refreshes.
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
    /// The data directory; a server may be using it.
    #[arg(long, value_name = "DIR", default_value = "logwood-data")]
    pub(crate) data_dir: PathBuf,
    /// Only this logspace, and the journal.
    #[arg(long, value_name = "NAME")]
    pub(crate) logspace: Option<String>,
    /// Also decode every record, rebuild every index and compare.
    #[arg(long)]
    pub(crate) deep: bool,
    /// Repair damage where possible; the server must be stopped.
    #[arg(long)]
    pub(crate) repair: bool,
    /// Repair damage where possible, and go on without lost records: answers count as complete again;
    /// the server must be stopped.
    #[arg(long)]
    pub(crate) accept_loss: bool,
    /// The number of reading threads [default: one per processor].
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// Journal files, manifests or segments; without any, the data directory.
    pub(crate) files: Vec<PathBuf>,
    /// The data directory.
    #[arg(
        long,
        value_name = "DIR",
        default_value = "logwood-data",
        conflicts_with = "files"
    )]
    pub(crate) data_dir: PathBuf,
    /// List the pages of segments, the blocks of journal files and the records of manifests.
    #[arg(long)]
    pub(crate) pages: bool,
    /// List the terms of segments by the prefix of their keys: a letter for the part, such as `m` for
    /// the message, and the start of a word; an empty prefix lists all of them.
    #[arg(long, value_name = "PREFIX")]
    pub(crate) terms: Option<String>,
    /// Group the messages of segments by kind, and list the N most frequent kinds.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) templates: usize,
    /// Print the first N records of segments and journal files.
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
