//! What a destination costs beside receiving and storing, and how fast it catches up with what is stored.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use testkit::Signal;

use super::trial::{QUIET_LIMIT, Trial, load, replay, setup};
use crate::collectors::{self, Collector, Logwood, Output, Setup};
use crate::context::Context;
use crate::destinations::{Destination, Kind, Target, wait_for_delivery};
use crate::file::ScenarioFile;
use crate::generator::Load;
use crate::logs;
use crate::measurement::{Measurement, figure};
use crate::parameters::Parameters;
use crate::process::{Usage, wait_until_quiet};
use crate::programs;
use crate::scenario::{Scenario, Step};

/// How often it is looked what was delivered.
const POLL: Duration = Duration::from_millis(20);

/// A backlog that is not delivered by then hangs.
const CATCH_UP_LIMIT: Duration = Duration::from_secs(1_800);

/// The scenario.
#[derive(Debug)]
pub(super) struct Destinations {
    file: ScenarioFile,
}

impl Destinations {
    pub(super) fn new() -> Result<Self> {
        let file = ScenarioFile::parse(include_str!("../../scenarios/destinations.toml"))?;
        Ok(Self { file })
    }
}

impl Scenario for Destinations {
    fn file(&self) -> &ScenarioFile {
        &self.file
    }

    fn obstacle(&self, step: &Step, context: &Context) -> Option<String> {
        logs::obstacle(step, context)
            .or_else(|| context.programs.obstacle(&step.subject))
            .or_else(|| module_obstacle(&step.subject, kind(&step.parameters).ok()?))
    }

    fn run(&self, step: &Step, context: &Context) -> Result<Vec<Measurement>> {
        let parameters = &step.parameters;
        if step.table == "outage" {
            return outage(step, context);
        }
        if !parameters.is_on("given")? {
            return beside(step, context, |target| load(parameters, target));
        }
        let mut measurements = Vec::new();
        for log in logs::given(context)? {
            logs::ensure_syslog(&log)?;
            let measured = beside(step, context, |target| replay(parameters, &log, target))
                .with_context(|| format!("cannot send {}", log.name))?;
            let case = format!("{}: {}", log.name, step.case);
            measurements.extend(measured.into_iter().map(|one| one.of_case(&case)));
        }
        Ok(measurements)
    }
}

/// Why a peer cannot speak to a kind of destination.
fn module_obstacle(subject: &str, kind: Kind) -> Option<String> {
    let (is_there, why) = match (subject, kind) {
        ("rsyslog", Kind::Hec) => (false, "rsyslog of Debian has no omhttp"),
        ("rsyslog", Kind::Bulk) => (
            programs::has_rsyslog_module("omelasticsearch.so"),
            "needs Debian's rsyslog-elasticsearch, unpacked",
        ),
        ("syslog-ng", Kind::Hec | Kind::Bulk) => (
            programs::has_syslog_ng_module("libhttp.so"),
            "needs Debian's syslog-ng-mod-http",
        ),
        _ => return None,
    };
    (!is_there).then(|| why.to_owned())
}

fn kind(parameters: &Parameters) -> Result<Kind> {
    Kind::named(parameters.text("to")?)
}

fn delay(parameters: &Parameters) -> Result<Duration> {
    let millis = parameters.optional_count("delay_ms")?.unwrap_or(0);
    Ok(Duration::from_millis(millis))
}

/// Receiving and storing alone, then with a destination beside, each on a server of its own.
fn beside(
    step: &Step,
    context: &Context,
    load: impl Fn(String) -> Result<Load>,
) -> Result<Vec<Measurement>> {
    let setup = setup(&step.parameters, Output::File)?;
    let mut collector = collectors::start(&step.subject, &setup, context)?;
    let folder = context.folder()?;
    let own = load(collector.target())?;
    let alone = Trial::run(collector.as_mut(), &own, context, folder.path())?;
    alone.ensure_complete()?;
    drop(collector);

    let folder = context.folder()?;
    let mut target = Target::reserve(kind(&step.parameters)?, folder.path())?;
    if let Some(batch) = step.parameters.optional_count("batch")? {
        target.batch = batch;
    }
    let mut destination = Destination::open(&target, delay(&step.parameters)?, context)?;
    let setup = Setup {
        destination: Some(target),
        ..setup
    };
    let mut collector = collectors::start(&step.subject, &setup, context)?;
    let own = load(collector.target())?;
    let trial = Trial::run_beside(
        collector.as_mut(),
        &own,
        Some(&mut destination),
        context,
        folder.path(),
    )?;
    trial.ensure_complete()?;
    let (own_cpu, alone_cpu) = (trial.server_cpu().value, alone.server_cpu().value);
    let mut measurements = trial.measurements();
    measurements.extend([
        Measurement::new("alone_cpu", alone_cpu, "us/message"),
        Measurement::new("cost", own_cpu / alone_cpu.max(f64::MIN_POSITIVE), "x"),
    ]);
    Ok(measurements)
}

/// Messages come while nothing takes them; then something does, while more come.
fn outage(step: &Step, context: &Context) -> Result<Vec<Measurement>> {
    let folder = context.folder()?;
    let parameters = &step.parameters;
    let mut target = Target::reserve(kind(parameters)?, folder.path())?;
    target.is_down = true;
    let mut setup = setup(parameters, Output::File)?;
    setup.destination = Some(target.clone());
    let (mut collector, backlog, began) = match target.kind {
        Kind::File => stored_before(&setup, parameters, context, folder.path())?,
        _ => {
            let mut collector = collectors::start(&step.subject, &setup, context)?;
            let backlog = store(collector.as_mut(), parameters, context, folder.path())?;
            (collector, backlog, None)
        }
    };
    let before = Usage::of(collector.process().id())?;
    let mut destination = Destination::open(&target, Duration::ZERO, context)?;
    let arriving = Load {
        count: parameters.count("arriving")?,
        rate: Some(parameters.count("rate")?),
        ..load(parameters, collector.target())?
    };
    let (rate, sent) = thread::scope(|scope| {
        let sending = scope.spawn(|| arriving.run(context, folder.path()));
        let rate = catch_up(&mut destination, backlog, began);
        let report = sending.join().ok().context("sending has panicked")?;
        Ok::<_, anyhow::Error>((rate?, backlog + report?.sent))
    })?;
    let delivered = wait_for_delivery(&mut destination, sent)?.messages;
    let usage = wait_until_quiet(collector.process().id(), QUIET_LIMIT)?;
    let cpu = (usage.cpu_seconds - before.cpu_seconds) * 1e6 / figure(delivered.max(1));
    let memory = figure(usage.memory_peak_bytes) / f64::from(1 << 20);
    Ok(vec![
        Measurement::new("catch_up", rate, "messages/s"),
        Measurement::new("server_cpu", cpu, "us/message"),
        Measurement::new("memory", memory, "MiB"),
        Measurement::new("lost", figure(sent) - figure(delivered), "messages"),
    ])
}

/// A file is never down: Logwood stores without a destination, and is started again with one that begins
/// with the oldest message; returns when.
fn stored_before(
    setup: &Setup,
    parameters: &Parameters,
    context: &Context,
    folder: &Path,
) -> Result<(Box<dyn Collector>, u64, Option<Instant>)> {
    let without = Setup {
        destination: None,
        ..setup.clone()
    };
    let data = folder.join("data");
    let mut first = Logwood::start_on(&data, context.folder()?, &without, context)?;
    let backlog = store(&mut first, parameters, context, folder)?;
    first.process().signal(Signal::TERM)?;
    first.process().wait(QUIET_LIMIT)?;
    let began = Instant::now();
    let again = Logwood::start_on(&data, context.folder()?, setup, context)?;
    Ok((Box::new(again), backlog, Some(began)))
}

/// Sends what is to wait; returns how many messages.
fn store(
    collector: &mut dyn Collector,
    parameters: &Parameters,
    context: &Context,
    folder: &Path,
) -> Result<u64> {
    let backlog = load(parameters, collector.target())?;
    let trial = Trial::run(collector, &backlog, context, folder)?;
    trial.ensure_complete()?;
    Ok(trial.arrived)
}

/// How many messages a second come from the first one on, or a time, until a backlog has.
fn catch_up(destination: &mut Destination, backlog: u64, began: Option<Instant>) -> Result<f64> {
    let opened = Instant::now();
    let mut first = began.map(|began| (0, began));
    loop {
        let delivered = destination.delivered()?;
        if delivered > 0 {
            let (before, started) = *first.get_or_insert((delivered, Instant::now()));
            if delivered >= backlog {
                let seconds = started.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
                return Ok(figure(delivered - before) / seconds);
            }
        }
        ensure!(
            opened.elapsed() < CATCH_UP_LIMIT,
            "{delivered} of {backlog} messages came in {} s",
            CATCH_UP_LIMIT.as_secs()
        );
        thread::sleep(POLL);
    }
}
