//! A program that reads records from its standard input.
//!
//! Nothing tells whether a program has read what a pipe holds, so a record counts as delivered when the pipe has
//! it. Where a program ends, what was written to it a moment ago may be lost in the pipe; the batch in which that
//! is noticed is written to the next one from its begin.

use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::pipe;
use tokio::time::{Instant, sleep, timeout};

use crate::render::{Rendering, Scene};
use crate::sink::{Batch, Failure, Item, Kind, Opening, Outcome, Preview, Promise, Sink, Trouble};

/// How often it is asked whether a program has ended whose input is closed.
const ENDED_POLL: Duration = Duration::from_millis(20);

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What is run, and its arguments. No shell is in between.
    pub command: Vec<String>,
    /// What is written of each record, before a line feed.
    pub rendering: Rendering,
    /// How long it may take to end when its input is closed, before it is ended.
    pub patience: Duration,
    /// How long it may leave its input unread.
    pub timeout: Duration,
}

struct ProgramSink {
    options: Program,
    scene: Scene,
    running: Option<Running>,
}

struct Running {
    child: Child,
    input: pipe::Sender,
}

impl Drop for Running {
    /// One that is left is ended, and waited for so that nothing of it stays.
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            _ = self.child.kill();
            _ = self.child.wait();
        }
    }
}

impl Kind for Program {
    fn name(&self) -> &'static str {
        "program"
    }

    fn open(&self, _: Opening) -> Result<Box<dyn Sink>, Failure> {
        Ok(Box::new(ProgramSink {
            options: self.clone(),
            scene: Scene::now(),
            running: None,
        }))
    }

    fn preview(&self, record: Item<'_>) -> Preview {
        let mut bytes = Vec::new();
        if let Err(reason) = self.rendering.render(record, &Scene::now(), &mut bytes) {
            bytes = reason.into_bytes();
        }
        Preview {
            to: self.command.join(" "),
            bytes,
        }
    }

    fn examine(&self) -> Vec<Trouble> {
        let name = self.command.first().map_or("", String::as_str);
        let is_there = match name.contains('/') {
            true => is_executable(name.as_ref()),
            false => {
                let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
                let mut directories = path.split(':').map(std::path::Path::new);
                directories.any(|directory| is_executable(&directory.join(name)))
            }
        };
        let trouble = Trouble {
            key: "command",
            message: format!("there is no program {name:?} that can be run"),
            remedy: Some("name it with its whole path, and see that it can be executed".to_owned()),
            is_error: false,
        };
        (!is_there).then_some(trouble).into_iter().collect()
    }
}

fn is_executable(path: &std::path::Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

impl ProgramSink {
    /// The program that runs, or a new one in the place of one that has ended.
    fn running(&mut self) -> Result<&mut Running, Failure> {
        if let Some(running) = &mut self.running
            && let Ok(Some(status)) = running.child.try_wait()
        {
            self.running = None;
            let name = self.name();
            tracing::warn!(program = name, %status, "program has ended, started again");
        }
        if self.running.is_none() {
            self.running = Some(self.start()?);
        }
        self.running
            .as_mut()
            .ok_or_else(|| Failure::new("the program does not run"))
    }

    fn start(&self) -> Result<Running, Failure> {
        let name = self.name();
        let failed = |error| Failure::new(format!("cannot run {name}: {error}"));
        let mut child = Command::new(name)
            .args(self.options.command.get(1..).unwrap_or_default())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            // A signal from the terminal is for the server, which closes the input in its time.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let input = child.stdin.take();
        let input = input.ok_or_else(|| Failure::new(format!("{name} has no standard input")))?;
        let input = pipe::Sender::from_owned_fd(OwnedFd::from(input)).map_err(failed)?;
        Ok(Running { child, input })
    }

    fn name(&self) -> &str {
        self.options.command.first().map_or("", String::as_str)
    }

    async fn write(&mut self, batch: &Batch) -> Outcome {
        let mut outcome = Outcome::default();
        let mut bytes = Vec::new();
        self.scene.refresh();
        for (place, item) in batch.iter().enumerate() {
            match self.options.rendering.render(item, &self.scene, &mut bytes) {
                Ok(()) if bytes.last() == Some(&b'\n') => {}
                Ok(()) => bytes.push(b'\n'),
                Err(reason) => outcome.reject(place, reason),
            }
        }
        match self.write_bytes(&bytes).await {
            Ok(()) => outcome.bytes = bytes.len() as u64,
            Err(failure) => return Outcome::left_from(0, batch, failure),
        }
        outcome
    }

    async fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let patience = self.options.timeout;
        let running = self.running()?;
        let written = async {
            running.input.write_all(bytes).await?;
            running.input.flush().await
        };
        let what = match timeout(patience, written).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("it has read nothing for {} seconds", patience.as_secs()),
        };
        let failure = Failure::new(format!("{} does not take records: {what}", self.name()));
        self.running = None;
        Err(failure)
    }

    /// Closes its input, and gives it time to end.
    async fn end(&mut self) {
        let Some(mut running) = self.running.take() else {
            return;
        };
        if running.input.shutdown().await.is_err() {
            return;
        }
        // Only closing the pipe tells the program that nothing more comes.
        if let Ok(nothing) = pipe::pipe() {
            running.input = nothing.0;
        }
        if running.has_ended_within(self.options.patience).await {
            return;
        }
        let id = i32::try_from(running.child.id()).ok();
        if let Some(pid) = id.and_then(Pid::from_raw) {
            _ = kill_process(pid, Signal::TERM);
        }
        // Where that does not help either, it is killed.
        _ = running.has_ended_within(self.options.patience).await;
    }
}

impl Running {
    async fn has_ended_within(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        loop {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            sleep(ENDED_POLL).await;
        }
    }
}

impl Sink for ProgramSink {
    fn deliver<'a>(&'a mut self, batch: &'a Batch) -> Promise<'a, Outcome> {
        Box::pin(self.write(batch))
    }

    fn close(&mut self) -> Promise<'_, ()> {
        Box::pin(self.end())
    }
}
