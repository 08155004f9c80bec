//! Programs that run to their end, and what they used.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// What a program did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Finished {
    pub(crate) output: Vec<u8>,
    pub(crate) seconds: f64,
    /// User and system time of it and of those it waited for.
    pub(crate) cpu_seconds: f64,
}

/// Runs a program on some input, and waits. `codes` are the exit codes that are no failure.
///
/// Its CPU time is what the kernel adds to that of our children when it ends: nothing else may be
/// waited for meanwhile.
pub(crate) fn run(command: &mut Command, input: &[u8], codes: &[i32]) -> Result<Finished> {
    let name = command.get_program().to_string_lossy().into_owned();
    let cpu_before = cpu_of_ended_children()?;
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(mut stdout), Some(mut stderr)) = pipes else {
        bail!("{name} has no pipes");
    };
    let (mut output, mut errors) = (Vec::new(), String::new());
    std::thread::scope(|scope| {
        // A program that has seen enough closes its input; what it says decides.
        scope.spawn(move || _ = stdin.write_all(input));
        scope.spawn(|| _ = stderr.read_to_string(&mut errors));
        stdout.read_to_end(&mut output)
    })?;
    let status = child.wait()?;
    let seconds = started.elapsed().as_secs_f64();
    if !status.code().is_some_and(|code| codes.contains(&code)) {
        bail!("{name} ended with {status}: {}", errors.trim());
    }
    Ok(Finished {
        output,
        seconds,
        cpu_seconds: cpu_of_ended_children()? - cpu_before,
    })
}

fn cpu_of_ended_children() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read our children's times")?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8], codes: &[i32]) -> Result<Finished> {
        run(Command::new("sh").args(["-c", script]), input, codes)
    }

    #[test]
    fn input_goes_in_and_output_comes_out() {
        let large = vec![b'x'; 1 << 20];
        let finished = shell("cat; exit 1", &large, &[0, 1]).unwrap();
        assert!(finished.output == large);
        assert!(finished.seconds > 0.0);
        // Nobody reads, and that is fine.
        assert_eq!(shell("true", &large, &[0]).unwrap().output, b"");
    }

    #[test]
    fn another_exit_code_is_a_failure_with_its_words() {
        let error = shell("echo no >&2; exit 3", b"", &[0]).unwrap_err();
        assert_eq!(error.to_string(), "sh ended with exit status: 3: no");
    }

    #[test]
    fn work_of_a_child_takes_cpu_time() {
        let finished = shell(
            "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done",
            b"",
            &[0],
        );
        assert!(finished.unwrap().cpu_seconds > 0.0);
    }
}
