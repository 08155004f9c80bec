//! Users who search while messages arrive.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use client::Client;
use testkit::Random;

use super::questions::{bars, rows};
use super::search::serve;
use crate::collectors::{Collector, wait_for_messages};
use crate::context::Context;
use crate::corpus::Corpus;
use crate::file::ScenarioFile;
use crate::generator::{Load, Messages};
use crate::manifest::Query;
use crate::measurement::{Measurement, figure};
use crate::process::Usage;
use crate::scenario::{Scenario, Step};
use crate::statistic::median;

/// Numbers behind the planted words `opal` and `ruby`: 0 up to here, itself excluded.
const NUMBERS: u64 = 100;

/// Rows that a user wants to see.
const ROWS: u64 = 200;

/// The scenario.
#[derive(Debug)]
pub(super) struct Users {
    file: ScenarioFile,
}

impl Users {
    pub(super) fn new() -> Result<Self> {
        let file = ScenarioFile::parse(include_str!("../../scenarios/users.toml"))?;
        Ok(Self { file })
    }
}

impl Scenario for Users {
    fn file(&self) -> &ScenarioFile {
        &self.file
    }

    fn run(&self, step: &Step, context: &Context) -> Result<Vec<Measurement>> {
        let parameters = &step.parameters;
        let corpus = Corpus::of(context, parameters.count("messages")?)?;
        let query = corpus.manifest.query(parameters.text("query")?)?;
        let folder = context.folder()?;
        let data_dir = folder.path().join("data");
        corpus.copy_data(&data_dir)?;
        let mut server = serve(&data_dir, context)?;
        let (rate, seconds) = (parameters.count("rate")?, parameters.count("seconds")?);
        let load = Load {
            target: server.target(),
            messages: Messages::Made {
                format: "loggen".to_owned(),
                size: 300,
            },
            count: rate * seconds,
            connections: 10,
            rate: Some(rate),
            window: None,
        };
        let stored_before = server.stored()?;
        let before = Usage::of(server.process().id())?;
        let limit = Duration::from_secs(seconds);
        let client = server.client().clone();
        let started = Instant::now();
        let (report, searches) = std::thread::scope(|scope| {
            let users: Vec<_> = (0..parameters.count("users")?)
                .map(|user| {
                    let client = &client;
                    scope.spawn(move || search_on(client, query, user, started, limit))
                })
                .collect();
            let report = load.run(context, folder.path());
            let mut searches = Vec::new();
            for user in users {
                let ended = user.join().ok().context("a user has panicked")?;
                searches.extend(ended?);
            }
            Ok::<_, anyhow::Error>((report?, searches))
        })?;
        let arrived = wait_for_messages(&mut server, stored_before, report.sent)?;
        ensure!(
            arrived.messages == report.sent,
            "{} messages were sent and {} stored",
            report.sent,
            arrived.messages
        );
        let usage = Usage::of(server.process().id())?;
        let wall = (arrived.at - started).as_secs_f64();
        let arrival = figure(report.sent) / wall.max(report.seconds);
        let cores = (usage.cpu_seconds - before.cpu_seconds) / wall;
        Ok(score(
            &searches,
            arrival,
            rate,
            cores,
            usage.memory_peak_bytes,
        ))
    }
}

/// One user: asks, reads the answer, asks again, until time is over. Returns the milliseconds of
/// each search that was finished in time.
fn search_on(
    client: &Client,
    query: &Query,
    user: u64,
    started: Instant,
    limit: Duration,
) -> Result<Vec<f64>> {
    let mut random = Random::new(user + 1);
    let mut searches = Vec::new();
    loop {
        let text = with_numbers(&query.query, || random.below(NUMBERS));
        let asked = Instant::now();
        bars(client, &text)?;
        rows(client, &text, ROWS)?;
        if started.elapsed() > limit {
            return Ok(searches);
        }
        searches.push(asked.elapsed().as_secs_f64() * 1e3);
    }
}

/// The query with other numbers behind its words: no two searches are alike.
fn with_numbers(query: &str, mut number: impl FnMut() -> u64) -> String {
    let words: Vec<String> = query
        .split(' ')
        .map(|word| {
            let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
            match stem.len() == word.len() {
                true => word.to_owned(),
                false => format!("{stem}{}", number()),
            }
        })
        .collect();
    words.join(" ")
}

fn score(
    searches: &[f64],
    arrival: f64,
    rate: u64,
    cores: f64,
    memory_bytes: u64,
) -> Vec<Measurement> {
    let worst = searches.iter().copied().fold(0.0, f64::max);
    vec![
        Measurement::new("searches", searches.len() as f64, "finished"),
        Measurement::new("search_median", median(searches).unwrap_or_default(), "ms"),
        Measurement::new("search_worst", worst, "ms"),
        Measurement::new("held", 100.0 * arrival / figure(rate), "% of the rate"),
        Measurement::new("arrival", arrival, "messages/s"),
        Measurement::new("server_cpu", cores, "cores"),
        Measurement::new("memory", figure(memory_bytes) / f64::from(1 << 20), "MiB"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_change_and_words_stay() {
        let mut next = 7;
        let text = with_numbers("*jade OR opal17 OR ruby42", || {
            next += 1;
            next
        });
        assert_eq!(text, "*jade OR opal8 OR ruby9");
    }

    #[test]
    fn the_score_is_searches_and_the_share_of_the_rate() {
        let told = score(&[10.0, 30.0, 20.0], 6_900.0, 6_900, 1.5, 1 << 20);
        let values: Vec<_> = told
            .iter()
            .map(|one| (one.metric.as_str(), one.value))
            .collect();
        assert_eq!(
            values[..4],
            [
                ("searches", 3.0),
                ("search_median", 20.0),
                ("search_worst", 30.0),
                ("held", 100.0)
            ]
        );
    }
}
