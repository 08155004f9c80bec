//! Programs that run to their end, and what they used.

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::measurement::figure;

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
    let stat = fs::read_to_string("/proc/self/stat").context("cannot read /proc/self/stat")?;
    Ok(figure(child_ticks(&stat)?) / figure(rustix::param::clock_ticks_per_second()))
}

/// User and system ticks of children that were waited for: fields 16 and 17, counted behind the
/// name in brackets, which may hold anything.
fn child_ticks(stat: &str) -> Result<u64> {
    let (_, rest) = stat.rsplit_once(')').context("a stat without a name")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let ticks_at = |index: usize| -> Result<u64> {
        let field = fields.get(index).context("a stat without times")?;
        Ok(field.parse()?)
    };
    Ok(ticks_at(13)? + ticks_at(14)?)
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
    fn times_of_children_are_found_behind_any_name() {
        let stat = "12 (a) b) S 1 2 3 4 5 6 7 8 9 10 700 35 20 3 20 0 3 0 1 2 3";
        assert_eq!(child_ticks(stat).unwrap(), 23);
    }
}
