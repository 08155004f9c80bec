//! One server that is killed again and again on the same data, and everything that is true of it.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;
use testkit::{Api, Random, Server, Setup, Signal, wait_until};

use super::import::{self, Import};
use super::oracle::{self, Tally};
use super::stream::{Kind, Stream, Transport};

const LIMIT: Duration = Duration::from_secs(60);
/// The moment of the kill, in milliseconds behind the first connection.
const MOMENT_MS: (u64, u64) = (5, 1_000);
/// Every so many kills everything is read again, not only what is new.
const WHOLE_EVERY: u64 = 20;
/// The streams whose records go to the logspace that forgets.
const RING: &str = "ring";

const STREAMS: &[Kind] = &[
    relp("relp0"),
    relp("relp1"),
    Kind {
        name: "http0",
        transport: Transport::Http,
        logspace: "main",
        padding_max: 300,
        window_max: 100,
        session_max: 700,
    },
    Kind {
        name: "tcp0",
        transport: Transport::Tcp,
        logspace: "main",
        padding_max: 300,
        window_max: 0,
        session_max: 700,
    },
    Kind {
        name: "big0",
        transport: Transport::Http,
        logspace: RING,
        padding_max: 24_000,
        window_max: 40,
        session_max: 120,
    },
];

const fn relp(name: &'static str) -> Kind {
    Kind {
        name,
        transport: Transport::Relp,
        logspace: "main",
        padding_max: 300,
        window_max: 128,
        session_max: 1_000,
    }
}

/// Small files, so that many kills meet a journal that is changed, a segment that is sealed or
/// merged, and one that is deleted.
fn config(reloads: u64) -> String {
    format!(
        "[store]\njournal_file = \"4MiB\"\nmemory_max = \"8MiB\"\nsegment_rows_max = 1024\n\
         [logspace.ring]\nkeep_size = \"{}MiB\"\n[logspace.old]\n\
         [route.big]\nmatch = \"pid:big0\"\nlogspace = \"ring\"\ntags = [\"reloaded-{reloads}\"]\n",
        16 + reloads % 2
    )
}

pub(super) struct Lane {
    server: Server,
    random: Random,
    streams: Vec<Stream>,
    imports: Vec<Import>,
    reloads: u64,
    expired: u64,
    tally: Tally,
}

impl Lane {
    /// A new server on an empty data directory.
    pub(super) fn start(seed: u64) -> Result<Self> {
        let server = Server::start_with(Setup {
            config: Some(config(0)),
            ..Setup::default()
        })?;
        Ok(Self {
            server,
            random: Random::new(seed),
            streams: STREAMS.iter().map(|kind| Stream::new(*kind)).collect(),
            imports: Vec::new(),
            reloads: 0,
            expired: 0,
            tally: Tally::default(),
        })
    }

    /// Loads the server, kills it, starts it again and asserts all that must hold.
    pub(super) fn cycle(&mut self, kill: u64) -> Result<()> {
        let is_quiet = self.random.below(10) == 0;
        self.load_and_kill(kill, is_quiet)?;
        if self.random.below(5) == 0 {
            self.kill_while_starting()?;
        }
        self.server.start_again()?;
        self.check(kill % WHOLE_EVERY == WHOLE_EVERY - 1)
    }

    /// Ends in good order and asserts everything once more.
    pub(super) fn finish(mut self) -> Result<Tally> {
        ensure!(self.server.stop()?.success());
        self.server.start_again()?;
        for stream in &self.streams {
            let may_expire = stream.kind.logspace == RING;
            oracle::check_all(self.server.api(), stream, may_expire)?;
        }
        Ok(self.tally)
    }

    /// How many records retention has deleted.
    pub(super) fn expired(&self) -> u64 {
        self.expired
    }

    fn load_and_kill(&mut self, kill: u64, is_quiet: bool) -> Result<()> {
        let (addresses, api) = (self.server.addresses(), self.server.api());
        let stop = AtomicBool::new(false);
        let moment = MOMENT_MS.0 + self.random.below(MOMENT_MS.1 - MOMENT_MS.0);
        let moment = Duration::from_millis(moment);
        let reload_at = (self.random.below(3) == 0).then(|| moment / 2);
        let import = (self.random.below(4) == 0).then(|| format!("i{kill}"));
        let mut seeds: Vec<Random> = self
            .streams
            .iter()
            .map(|_| Random::new(self.random.bits()))
            .collect();
        let Self {
            server,
            streams,
            imports,
            reloads,
            ..
        } = self;
        thread::scope(|scope| {
            let senders: Vec<_> = streams
                .iter_mut()
                .zip(&mut seeds)
                .map(|(stream, random)| {
                    let stop = &stop;
                    scope.spawn(move || stream.run(addresses, stop, random))
                })
                .collect();
            let import = import.map(|name| scope.spawn(move || Import::run(api, name)));
            let started = Instant::now();
            if let Some(at) = reload_at {
                reach(started, at)?;
                *reloads += 1;
                reload(server, *reloads)?;
            }
            reach(started, moment)?;
            check_accounts(api)?;
            if is_quiet {
                // The senders take their answers and leave in good order.
                stop.store(true, Ordering::Relaxed);
                wait_until("the senders were done", LIMIT, || {
                    senders.iter().all(ScopedJoinHandle::is_finished)
                })?;
                settle(api)?;
            }
            server.kill()?;
            for sender in senders {
                sender.join().map_err(|_| anyhow!("a sender panicked"))??;
            }
            if let Some(import) = import {
                imports.push(import.join().map_err(|_| anyhow!("an import panicked"))?);
            }
            Ok(())
        })
    }

    /// Kills a server that recovers, at a random moment; recovery must survive that too.
    fn kill_while_starting(&mut self) -> Result<()> {
        self.server.start_again_without_waiting()?;
        let moment = Duration::from_millis(self.random.below(60));
        reach(Instant::now(), moment)?;
        self.server.kill()
    }

    /// Asserts what must hold after a start.
    fn check(&mut self, whole: bool) -> Result<()> {
        let api = self.server.api();
        for stream in &mut self.streams {
            let tally = oracle::check_session(api, stream)?;
            self.tally.add(tally);
        }
        let stored = self
            .streams
            .iter()
            .filter(|stream| stream.kind.logspace == "main");
        let stored: u64 = stored
            .flat_map(|stream| stream.sessions.iter().map(|session| session.stored))
            .sum();
        let count = |query: &str, logspace: &str| -> Result<u64> {
            let answer = api
                .ask("count", &[("q", query), ("logspace", logspace)])?
                .json()?;
            ensure!(answer["complete"] == true, "{answer}");
            answer["count"].as_u64().context("no count")
        };
        let counted = count("program:crash", "main")?;
        ensure!(counted == stored, "{counted} counted, {stored} before");
        for import in &mut self.imports {
            let found = count(&format!("pid:{}", import.name), import::LOGSPACE)?;
            import.check_count(found)?;
        }
        if let Some(last) = self.imports.last() {
            let query = format!("pid:{}", last.name);
            let rows = api.export(&query, &[("logspace", import::LOGSPACE)])?;
            let found = last.check_rows(last.stored(), rows.iter())?;
            ensure!(
                found == last.stored(),
                "import {}: {found} found",
                last.name
            );
        }
        if whole {
            for stream in &self.streams {
                let may_expire = stream.kind.logspace == RING;
                let expired = oracle::check_all(api, stream, may_expire)?;
                if may_expire {
                    ensure!(
                        expired >= self.expired,
                        "{} records came back",
                        self.expired - expired
                    );
                    self.expired = expired;
                }
            }
        }
        let status = api.status()?;
        let (_, compacted, _) = import::compaction(&status)?;
        self.tally.compacted += u64::from(compacted > 0);
        check_status(&status)
    }
}

/// Waits until so much time has passed.
fn reach(started: Instant, moment: Duration) -> Result<()> {
    wait_until("the moment came", LIMIT, || started.elapsed() >= moment)
}

fn reload(server: &mut Server, reloads: u64) -> Result<()> {
    let text = config(reloads);
    fs::write(server.config_file(), &text)?;
    server.setup().config = Some(text);
    server.process().signal(Signal::HUP)
}

/// received = stored + dropped + in flight, in the middle of everything.
fn check_accounts(api: Api) -> Result<()> {
    for source in ["relp", "http", "tcp"] {
        let counts = api.source(source)?;
        ensure!(
            counts.received == counts.stored + counts.dropped + counts.in_flight,
            "{source}: {counts:?}"
        );
        ensure!(counts.dropped == 0, "{source}: {counts:?}");
    }
    Ok(())
}

/// Waits until nothing is on its way.
fn settle(api: Api) -> Result<()> {
    for source in ["relp", "http", "tcp"] {
        api.conserved(source)?;
    }
    Ok(())
}

/// No kill damages a file, and writing goes on.
fn check_status(status: &Value) -> Result<()> {
    ensure!(status["storage"]["state"] == "ok", "{status}");
    let logspaces = status["logspaces"].as_array().context("no logspaces")?;
    for logspace in logspaces {
        let is_whole = logspace["damages"].as_array().is_some_and(Vec::is_empty);
        ensure!(is_whole, "{logspace}");
    }
    Ok(())
}
