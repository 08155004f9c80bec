//! How many instructions the innermost work takes, held against a checked-in baseline.
//!
//! Times differ from run to run and from machine to machine; instructions do not, so that three
//! per cent more of them is a fact about a change. `bench/kernels` has the work and its input.

mod baseline;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{peers, shell};
use baseline::{Baseline, Change, Counted};

/// The function that callgrind counts in.
const MEASURED: &str = "kernels::measured*";

/// Counts and compares; more than the baseline allows is an error.
pub(crate) fn check() -> Result<()> {
    if !is_countable()? {
        return Ok(());
    }
    let path = baseline_path()?;
    let text = fs::read_to_string(&path)
        .with_context(|| format!("cannot read the baseline {}", path.display()))?;
    let baseline = Baseline::parse(&text).with_context(|| path.display().to_string())?;
    let counts = count()?;
    let changes = baseline.compare(&counts);
    for (counted, change) in counts.iter().zip(&changes) {
        println!("instructions: {counted}: {change}");
    }
    let gone = baseline.gone(&counts);
    if !gone.is_empty() {
        bail!("the baseline names {}; {RECORD}", gone.join(", "));
    }
    let failed = changes.iter().filter(|change| change.is_failure()).count();
    if failed > 0 {
        let rustc = rustc_version()?;
        let hint = baseline.compiler_hint(&rustc);
        bail!("{failed} kernels are not as in the baseline; where that is meant, {RECORD}{hint}");
    }
    if changes
        .iter()
        .any(|change| matches!(change, Change::Less(..)))
    {
        println!("instructions: to keep what was gained, {RECORD}");
    }
    Ok(())
}

/// Counts and writes the baseline.
pub(crate) fn record() -> Result<()> {
    if !is_countable()? {
        bail!("nothing is recorded");
    }
    let (path, counts) = (baseline_path()?, count()?);
    fs::write(&path, baseline::write(&counts, &rustc_version()?))
        .with_context(|| format!("cannot write {}", path.display()))?;
    for counted in &counts {
        println!("instructions: {counted}");
    }
    println!(
        "instructions: {} is written; commit it with the change",
        path.display()
    );
    Ok(())
}

const RECORD: &str = "run `cargo xtask instructions --record` and commit the baseline";

/// Whether there is a valgrind and a processor that the baseline is for. Where a missing one must
/// not be passed over it is an error.
fn is_countable() -> Result<bool> {
    if std::env::consts::ARCH != "x86_64" {
        println!("instructions: skipped, the baseline is of x86_64");
        return Ok(false);
    }
    if peers::install_valgrind() {
        return Ok(true);
    }
    let what = "instructions: skipped, there is no valgrind";
    if peers::must_be_there() {
        bail!("{what}; install Debian's package valgrind");
    }
    println!("{what}");
    Ok(false)
}

fn baseline_path() -> Result<PathBuf> {
    Ok(shell::root()?.join("bench/kernels/baseline.toml"))
}

/// Counts the instructions of every kernel, for each unit of its work.
fn count() -> Result<Vec<Counted>> {
    let build = ["build", "--release", "--quiet", "--package", "kernels"];
    shell::run(&mut shell::cargo(&build)?)?;
    let program = shell::target()?.join("release/kernels");
    let list = shell::output(&mut Command::new(&program))?;
    let kernels = list.lines().filter_map(|line| line.split_once(' '));
    kernels
        .map(|(name, unit)| count_one(&program, name, unit))
        .collect()
}

fn count_one(program: &PathBuf, name: &str, unit: &str) -> Result<Counted> {
    let counts = shell::target()?.join(format!("callgrind.{name}.out"));
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--quiet", "--tool=callgrind"])
        .arg(format!("--toggle-collect={MEASURED}"))
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(program)
        .arg(name)
        // The C library chooses its copies by these; what a developer has set must not count.
        .env_remove("GLIBC_TUNABLES");
    let units = shell::output(&mut valgrind)?;
    let units: u64 = units
        .trim()
        .parse()
        .with_context(|| format!("units of {name}"))?;
    let text =
        fs::read_to_string(&counts).with_context(|| format!("cannot read {}", counts.display()))?;
    let total = baseline::total(&text).with_context(|| counts.display().to_string())?;
    if total == 0 || units == 0 {
        bail!("nothing of {name} was counted: `{MEASURED}` does not name a function of it");
    }
    Ok(Counted {
        kernel: name.to_owned(),
        unit: unit.to_owned(),
        instructions: total as f64 / units as f64,
    })
}

fn rustc_version() -> Result<String> {
    let version = shell::output(Command::new("rustc").arg("--version"))?;
    Ok(version.trim().to_owned())
}
