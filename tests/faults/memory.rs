//! Half a gibibyte of memory, senders at full rate, and questions beside them: nothing is killed.
//! The environment is that of the packaged service.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use testkit::{Api, Server, Setup, connect, skipped};

const MEMORY_BYTES: u64 = 512 << 20;
const LOAD: Duration = Duration::from_secs(10);
const SENDERS: usize = 4;
/// So that there is room for messages on their way and for questions.
const SMALL: &str = "[store]\nmemory_max = \"192MiB\"\n";
const LINES_PER_BLOCK: usize = 256;

#[test]
fn half_a_gibibyte_is_enough_at_full_rate() -> Result<()> {
    let group = match Group::make() {
        Ok(group) => group,
        Err(error) => return skipped(&format!("a limit on memory: {error:#}")),
    };
    let script = format!(
        "echo $$ > {}/cgroup.procs && MALLOC_ARENA_MAX=2 exec \"$0\" \"$@\"",
        group.path.display()
    );
    let mut server = Server::start_with(Setup {
        launcher: vec!["sh".to_owned(), "-c".to_owned(), script],
        config: Some(SMALL.to_owned()),
        ..Setup::default()
    })?;
    let (api, tcp) = (server.api(), server.addresses().tcp);
    let stop = AtomicBool::new(false);
    let sent = thread::scope(|scope| {
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let stop = &stop;
                scope.spawn(move || -> Result<u64> {
                    let mut stream = connect(tcp)?;
                    let mut sent = 0;
                    while !stop.load(Ordering::Relaxed) {
                        stream.write_all(block(sender, sent).as_bytes())?;
                        sent += LINES_PER_BLOCK as u64;
                    }
                    Ok(sent)
                })
            })
            .collect();
        let outcome = ask_meanwhile(api);
        stop.store(true, Ordering::Relaxed);
        let mut sent = 0;
        for sender in senders {
            sent += sender.join().map_err(|_| anyhow!("a sender panicked"))??;
        }
        outcome.map(|()| sent)
    })?;
    api.wait_for_count("program:memory", sent)?;
    ensure!(api.conserved("tcp")?.stored == sent);
    ensure!(server.process().ended()?.is_none(), "it was killed");
    println!("{sent} records, {} bytes at most", group.most()?);
    drop(server);
    Ok(())
}

/// Lines with words of their own, so that the index has something to hold.
fn block(sender: usize, first: u64) -> String {
    (first..first + LINES_PER_BLOCK as u64)
        .map(|number| {
            format!(
                "<13>1 - host{sender} memory {number} - - request {number:x} took {} ms\n",
                number % 977
            )
        })
        .collect()
}

fn ask_meanwhile(api: Api) -> Result<()> {
    let started = Instant::now();
    while started.elapsed() < LOAD {
        api.count("program:memory request")?;
        api.search("took 97*", &[("limit", "1000")])?;
        api.ask("stats", &[("by", "pid"), ("limit", "1000")])?;
        api.ask("histogram", &[("q", "host:host1")])?;
    }
    Ok(())
}

/// A control group with a limit on memory. Dropping it removes it.
#[derive(Debug)]
struct Group {
    path: PathBuf,
}

impl Group {
    fn make() -> Result<Self> {
        let root = Path::new("/sys/fs/cgroup/memory");
        ensure!(
            root.join("memory.limit_in_bytes").exists(),
            "no control groups of version 1 here"
        );
        let group = Self {
            path: root.join(format!("logwood-{}", std::process::id())),
        };
        fs::create_dir(&group.path).context("cannot make a control group")?;
        fs::write(
            group.path.join("memory.limit_in_bytes"),
            MEMORY_BYTES.to_string(),
        )
        .context("cannot limit memory")?;
        Ok(group)
    }

    fn most(&self) -> Result<u64> {
        let text = fs::read_to_string(self.path.join("memory.max_usage_in_bytes"))?;
        Ok(text.trim().parse()?)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // It goes when the last process in it has; one that is left behind limits nobody.
        let _ = fs::remove_dir(&self.path);
    }
}
