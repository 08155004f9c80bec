//! What a machine can do to the real binary: failing, full and slow disks, too few files, too
//! little memory, and a clock that jumps; and thousands of quiet connections. Nothing acknowledged is lost, and everything goes on by
//! itself.

mod clock; // A clock that is set back and forth.
mod errors; // Writes and syncs that fail.
mod files; // No file left to open.
mod full; // A disk that others fill, again and again.
mod idle; // Connections that are quiet, and what each of them takes.
mod memory; // A limit on memory, at full rate.
mod slow; // Syncs that take seconds.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};
use std::sync::Arc;
use testkit::{Api, RelpClient, peers::program, text, wait_until};

const LIMIT: Duration = Duration::from_secs(90);

/// A RELP sender in a thread of its own. Its messages are numbered.
#[derive(Debug)]
struct Flow {
    state: Arc<State>,
    thread: JoinHandle<Result<u64>>,
}

#[derive(Debug, Default)]
struct State {
    acknowledged: AtomicU64,
    stop: AtomicBool,
}

impl Flow {
    /// Sends messages of about this many bytes until told to stop.
    fn start(relp: SocketAddr, window: usize, bytes: usize) -> Self {
        let state = Arc::new(State::default());
        let theirs = Arc::clone(&state);
        let thread = thread::spawn(move || {
            let mut client = RelpClient::connect(relp, window)?;
            let mut sent = 0;
            while !theirs.stop.load(Ordering::Relaxed) {
                let message = format!("<13>1 - - flow - {sent} - {}", "x".repeat(bytes));
                client.send(message.as_bytes())?;
                sent += 1;
                let acknowledged = client.acknowledged().len() as u64;
                theirs.acknowledged.store(acknowledged, Ordering::Relaxed);
            }
            client.flush()?;
            Ok(sent)
        });
        Self { state, thread }
    }

    /// How many messages were acknowledged so far.
    fn acknowledged(&self) -> u64 {
        self.state.acknowledged.load(Ordering::Relaxed)
    }

    /// Waits until so many more are acknowledged.
    fn wait_for_more(&self, more: u64) -> Result<()> {
        let wanted = self.acknowledged() + more;
        wait_until("more was acknowledged", LIMIT, || {
            self.acknowledged() >= wanted || self.thread.is_finished()
        })
    }

    /// Takes the answers to everything and returns how many messages there were.
    fn stop(self) -> Result<u64> {
        self.state.stop.store(true, Ordering::Relaxed);
        self.thread
            .join()
            .map_err(|_| anyhow!("the sender panicked"))?
    }
}

/// Asserts that exactly the messages of a flow are there, in order.
fn check_flow(api: Api, sent: u64) -> Result<()> {
    let rows = api.export("program:flow", &[])?;
    ensure!(rows.len() as u64 == sent, "{} of {sent} found", rows.len());
    for (number, row) in rows.iter().enumerate() {
        let found = text(row, "msgid");
        ensure!(found == number.to_string(), "{number} expected: {found}");
    }
    ensure!(api.count("program:flow")? == sent);
    Ok(())
}

/// The words that run a program under strace with one fault; the process id is the program's own.
fn strace(fault: &str) -> Result<Vec<String>> {
    let strace: PathBuf = program("strace", "strace")?;
    let call = fault.split(':').next().unwrap_or_default();
    let words = ["-D", "-f", "--seccomp-bpf", "-qqq", "-o", "/dev/null", "-e"];
    let mut all = vec![strace.display().to_string()];
    all.extend(words.map(str::to_owned));
    all.extend([
        format!("trace={call}"),
        "-e".to_owned(),
        format!("inject={fault}"),
    ]);
    Ok(all)
}
