//! Finding what was planted, or what a given log holds: every query of the manifest, its count checked.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use testkit::wait_for;

use super::questions::{Asked, ask};
use crate::child;
use crate::collectors::{Collector as _, Logwood, Setup, VictoriaLogs};
use crate::context::Context;
use crate::corpus::Corpus;
use crate::file::ScenarioFile;
use crate::logs;
use crate::manifest::Query;
use crate::measurement::{Measurement, figure};
use crate::peers::{OpenSearch, logsql, spelled};
use crate::process::Usage;
use crate::scenario::{Scenario, Step};
use crate::statistic::median;

/// Answers of each question that are timed, after a first one that is not.
const ANSWERS: usize = 3;

/// An answer that took longer than so many seconds is timed as it is and not asked for again.
const SLOW_SECONDS: f64 = 2.0;

/// 200 million messages take half an hour on two cores.
const COMPACTION_LIMIT: Duration = Duration::from_hours(2);

/// Compaction has to wait for whoever asks.
const COMPACTION_POLL: Duration = Duration::from_millis(500);

/// Where the system forgets what it has read of files.
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// The scenario.
#[derive(Debug)]
pub(super) struct Search {
    file: ScenarioFile,
}

impl Search {
    pub(super) fn new() -> Result<Self> {
        let file = ScenarioFile::parse(include_str!("../../scenarios/search.toml"))?;
        Ok(Self { file })
    }
}

impl Scenario for Search {
    fn file(&self) -> &ScenarioFile {
        &self.file
    }

    fn obstacle(&self, step: &Step, context: &Context) -> Option<String> {
        logs::obstacle(step, context).or_else(|| context.programs.obstacle(&step.subject))
    }

    fn run(&self, step: &Step, context: &Context) -> Result<Vec<Measurement>> {
        if step.parameters.is_on("given")? {
            let mut measurements = Vec::new();
            for log in logs::given(context)? {
                let corpus = Corpus::of_log(context, &log)?;
                let answers = answers(step, &corpus, context)?;
                measurements.extend(named(&log.name, summary(&answers)));
                measurements.extend(named(&log.name, answers));
            }
            return Ok(measurements);
        }
        let corpus = Corpus::of(context, step.parameters.count("messages")?)?;
        if step.table == "growth" {
            compact(&corpus, context)?;
            return growth(&corpus, context);
        }
        Ok(named(&step.case, answers(step, &corpus, context)?))
    }
}

/// Asks a subject every query about a log.
fn answers(step: &Step, corpus: &Corpus, context: &Context) -> Result<Vec<Measurement>> {
    match step.subject.as_str() {
        "logwood" => {
            compact(corpus, context)?;
            logwood(corpus, step.parameters.is_on("cold")?, context)
        }
        "opensearch" => opensearch(corpus, context),
        "victoria-logs" => victoria_logs(corpus, context),
        "zgrep" => text(
            corpus,
            &["zgrep", "-c", "-i", "-E"],
            &corpus.packed_text(context)?,
        ),
        // Bytes that are no text are part of some logs.
        _ => text(
            corpus,
            &["rg", "-c", "-i", "-a", "-e"],
            &corpus.text(context)?,
        ),
    }
}

/// Each query is a row of its own, below what it is asked of.
fn named(name: &str, measurements: Vec<Measurement>) -> Vec<Measurement> {
    let in_case = |one: Measurement| {
        let query = one.case.clone().unwrap_or_default();
        one.of_case(&format!("{name}: {query}"))
    };
    measurements.into_iter().map(in_case).collect()
}

/// The median and the worst of all queries, by metric.
fn summary(measurements: &[Measurement]) -> Vec<Measurement> {
    let mut metrics: Vec<&str> = Vec::new();
    for one in measurements {
        if one.metric != "off_by" && !metrics.contains(&one.metric.as_str()) {
            metrics.push(&one.metric);
        }
    }
    let mut summary = Vec::new();
    for metric in metrics {
        let own = measurements.iter().filter(|one| one.metric == metric);
        let times: Vec<f64> = own.map(|one| one.value).collect();
        let (median, worst) = (median(&times).unwrap_or_default(), worst(&times));
        summary.push(Measurement::new(metric, median, "ms").of_case("median"));
        summary.push(Measurement::new(metric, worst, "ms").of_case("worst"));
    }
    summary
}

fn worst(times: &[f64]) -> f64 {
    times.iter().copied().fold(0.0, f64::max)
}

/// A server on the data; nothing is sent to it.
pub(super) fn serve(data_dir: &Path, context: &Context) -> Result<Logwood> {
    Logwood::start_on(data_dir, context.folder()?, &Setup::plain(), context)
}

/// Lets a server write the days of a log anew, which are over: what it does in the background until then takes the
/// processor and memory of what is measured. Done once, as long as the log is there.
fn compact(corpus: &Corpus, context: &Context) -> Result<()> {
    let server = serve(&corpus.data_dir(), context)?;
    wait_for("all segments were compacted", COMPACTION_LIMIT, || {
        let logspaces = server.client().status()?.logspaces;
        if let Some(failure) = logspaces
            .iter()
            .find_map(|own| own.compaction_failure.as_ref())
        {
            bail!("a segment cannot be compacted: {failure}");
        }
        let mut logspaces = logspaces.iter();
        if logspaces.all(|own| own.compacted_segments == own.segments) {
            return Ok(Some(()));
        }
        thread::sleep(COMPACTION_POLL);
        Ok(None)
    })
}

fn logwood(corpus: &Corpus, with_cold: bool, context: &Context) -> Result<Vec<Measurement>> {
    let mut measurements = Vec::new();
    read_files(&corpus.data_dir())?;
    let server = serve(&corpus.data_dir(), context)?;
    for query in &corpus.manifest.queries {
        let kinds = [
            ("count_again", Asked::Count),
            ("bars", Asked::Bars),
            ("first_100", Asked::Rows(100)),
            ("first_200", Asked::Rows(200)),
        ];
        // What is asked again is remembered in part; this is not.
        let first = once(|| ask(server.client(), query, Asked::Count))?;
        measurements.push(milliseconds("count", query, first));
        for (metric, asked) in kinds {
            let seconds = timed(|| ask(server.client(), query, asked))?;
            measurements.push(milliseconds(metric, query, seconds));
        }
        measurements.push(off_by(query, query.count));
    }
    drop(server);
    if !with_cold || !can_drop_caches() {
        return Ok(measurements);
    }
    for query in &corpus.manifest.queries {
        drop_caches()?;
        let server = serve(&corpus.data_dir(), context)?;
        // What starting has read is forgotten as well.
        drop_caches()?;
        let seconds = once(|| ask(server.client(), query, Asked::Count))?;
        measurements.push(milliseconds("cold_count", query, seconds));
    }
    Ok(measurements)
}

fn opensearch(corpus: &Corpus, context: &Context) -> Result<Vec<Measurement>> {
    let server = OpenSearch::start(context)?;
    server.index(&corpus.text(context)?)?;
    let mut measurements = Vec::new();
    for query in &corpus.manifest.queries {
        let Some(text) = spelled(&query.name, &query.query) else {
            continue;
        };
        let mut count = 0;
        let seconds = timed(|| {
            count = server.count(&text)?;
            Ok(())
        })?;
        measurements.push(milliseconds("count", query, seconds));
        measurements.push(off_by(query, count));
        let seconds = timed(|| server.bars(&text))?;
        measurements.push(milliseconds("bars", query, seconds));
        for (metric, limit) in [("first_100", 100), ("first_200", 200)] {
            let seconds = timed(|| server.newest(&text, limit))?;
            measurements.push(milliseconds(metric, query, seconds));
        }
    }
    Ok(measurements)
}

fn victoria_logs(corpus: &Corpus, context: &Context) -> Result<Vec<Measurement>> {
    let server = VictoriaLogs::start(&Setup::plain(), context)?;
    let messages = server.index(&corpus.text(context)?)?;
    ensure!(
        messages == corpus.messages,
        "VictoriaLogs has {messages} of {} messages",
        corpus.messages
    );
    let times = server.times()?;
    let mut measurements = Vec::new();
    for query in &corpus.manifest.queries {
        let Some(text) = logsql(&query.name, &query.query) else {
            continue;
        };
        let mut count = 0;
        let seconds = timed(|| {
            count = server.count(&text)?;
            Ok(())
        })?;
        measurements.push(milliseconds("count", query, seconds));
        measurements.push(off_by(query, count));
        let seconds = timed(|| {
            let sum = server.bars(&text, times)?;
            ensure!(sum == count, "the bars of {text} have {sum}, not {count}");
            Ok(())
        })?;
        measurements.push(milliseconds("bars", query, seconds));
        for (metric, limit) in [("first_100", 100), ("first_200", 200)] {
            let seconds = timed(|| {
                let rows = server.newest(&text, limit)?;
                ensure!(rows == count.min(limit), "{rows} rows for {text}");
                Ok(())
            })?;
            measurements.push(milliseconds(metric, query, seconds));
        }
    }
    Ok(measurements)
}

/// Programs that read the whole text for a count; without a pattern for a query they pass.
fn text(corpus: &Corpus, words: &[&str], path: &Path) -> Result<Vec<Measurement>> {
    let (program, flags) = words.split_first().context("no program")?;
    let mut measurements = Vec::new();
    for query in &corpus.manifest.queries {
        let Some(pattern) = &query.pattern else {
            continue;
        };
        let mut count = 0;
        let seconds = timed(|| {
            let mut command = Command::new(program);
            command.args(flags).arg(pattern).arg(path);
            // 1 means that nothing was found.
            let output = child::run(&mut command, b"", &[0, 1])?.output;
            let told = String::from_utf8_lossy(&output);
            count = match told.trim() {
                "" => 0,
                told => told
                    .parse()
                    .with_context(|| format!("{program} said {told}"))?,
            };
            Ok(())
        })?;
        query.check(program, count)?;
        measurements.push(milliseconds("count", query, seconds));
        measurements.push(off_by(query, count));
    }
    Ok(measurements)
}

/// The median of some answers after the first one, or the first one where that was slow.
fn timed(mut question: impl FnMut() -> Result<()>) -> Result<f64> {
    let first = once(&mut question)?;
    if first > SLOW_SECONDS {
        return Ok(first);
    }
    let seconds: Vec<f64> = (0..ANSWERS)
        .map(|_| once(&mut question))
        .collect::<Result<_>>()?;
    median(&seconds).context("nothing was timed")
}

/// Seconds that a question takes.
fn once(question: impl FnOnce() -> Result<()>) -> Result<f64> {
    let started = Instant::now();
    question()?;
    Ok(started.elapsed().as_secs_f64())
}

fn milliseconds(metric: &str, query: &Query, seconds: f64) -> Measurement {
    Measurement::new(metric, seconds * 1e3, "ms").of_case(&query.name)
}

/// How far a count is from the right one. Logwood's and those of text tools are checked and
/// never off; words of others are not always ours.
fn off_by(query: &Query, count: u64) -> Measurement {
    let distance = figure(count.abs_diff(query.count));
    Measurement::new("off_by", distance, "messages").of_case(&query.name)
}

/// Median and worst of all queries, and what the server takes for them.
fn growth(corpus: &Corpus, context: &Context) -> Result<Vec<Measurement>> {
    read_files(&corpus.data_dir())?;
    let mut server = serve(&corpus.data_dir(), context)?;
    let (mut counts, mut pages) = (Vec::new(), Vec::new());
    for query in &corpus.manifest.queries {
        counts.push(1e3 * once(|| ask(server.client(), query, Asked::Count))?);
        // What the page of a search asks for, again and again.
        pages.push(
            1e3 * timed(|| {
                ask(server.client(), query, Asked::Bars)?;
                ask(server.client(), query, Asked::Rows(200))
            })?,
        );
    }
    let memory = Usage::of(server.process().id())?.memory_peak_bytes;
    let disk = figure(logspaces_bytes(&server)?) / figure(corpus.messages.max(1));
    let middle = |times: &[f64]| median(times).unwrap_or_default();
    Ok(vec![
        Measurement::new("count_median", middle(&counts), "ms"),
        Measurement::new("count_worst", worst(&counts), "ms"),
        Measurement::new("page_median", middle(&pages), "ms"),
        Measurement::new("page_worst", worst(&pages), "ms"),
        Measurement::new("memory", figure(memory) / f64::from(1 << 20), "MiB"),
        Measurement::new("disk", disk, "B/message"),
        Measurement::new("import", corpus.import_rate()?, "messages/s"),
    ])
}

fn logspaces_bytes(server: &Logwood) -> Result<u64> {
    let status = server.client().status()?;
    Ok(status.logspaces.iter().map(|logspace| logspace.bytes).sum())
}

/// Reads all files once, so that the file cache has what fits: import and compaction push much of it out, and
/// a first answer that waits for the disk is another figure.
fn read_files(folder: &Path) -> Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        if kind.is_dir() {
            read_files(&path)?;
        } else if kind.is_file() {
            io::copy(&mut File::open(path)?, &mut io::sink())?;
        }
    }
    Ok(())
}

/// Only root may; figures of a cold cache are left out for others.
fn can_drop_caches() -> bool {
    std::fs::OpenOptions::new()
        .write(true)
        .open(DROP_CACHES)
        .is_ok()
}

fn drop_caches() -> Result<()> {
    std::fs::write(DROP_CACHES, "1").with_context(|| format!("cannot write {DROP_CACHES}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_of_all_queries_of_a_metric() {
        let one = |metric, value, case| Measurement::new(metric, value, "ms").of_case(case);
        let all = [
            one("count", 1.0, "rare"),
            one("off_by", 0.0, "rare"),
            one("count", 9.0, "frequent"),
            one("count", 2.0, "not"),
        ];
        let told = summary(&all);
        assert_eq!(
            told,
            [one("count", 2.0, "median"), one("count", 9.0, "worst")]
        );
        let named = named("mix", told);
        assert_eq!(named[0].case.as_deref(), Some("mix: median"));
    }
}
