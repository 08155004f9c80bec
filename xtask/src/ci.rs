//! Everything a change must pass, cheapest first, so that a typo is told in seconds.
//!
//! All steps run even when one fails: one run shows all that is wrong. The last line is always
//! `N passed, M failed`; a check that fails counts as one failure.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::shell;
use crate::tally::Tally;
use crate::{instructions, test, tidy, web};

/// Runs every step and prints the summary.
pub(crate) fn run() -> Result<()> {
    let started = Instant::now();
    let mut broken = Vec::new();
    for (name, check) in CHECKS {
        println!("ci: {name}");
        let step = Instant::now();
        if let Err(error) = check() {
            eprintln!("ci: {name}: {error:#}");
            broken.push(*name);
        }
        println!("ci: {name}: {} s", step.elapsed().as_secs());
    }
    let mut tally = Tally::default();
    if !broken.contains(&"build") {
        println!("ci: test");
        tally = test::run_all(&[])?;
        if tally.failed > 0 {
            broken.push("test");
        }
    }
    let checks = broken.iter().filter(|name| **name != "test").count();
    tally.failed += checks as u64;
    println!("{}", summary(&broken, started.elapsed().as_secs()));
    println!("{tally}");
    if !broken.is_empty() {
        bail!("{} failed", broken.join(", "));
    }
    Ok(())
}

type Check = fn() -> Result<()>;

// The page comes before the build, which embeds it.
const CHECKS: &[(&str, Check)] = &[
    ("fmt", fmt),
    ("tidy", tidy::run),
    ("web", web::check),
    ("clippy", clippy),
    ("doc", doc),
    ("build", test::build),
    ("instructions", instructions::check),
];

fn fmt() -> Result<()> {
    shell::run(&mut shell::cargo(&["fmt", "--all", "--check"])?)
}

fn clippy() -> Result<()> {
    shell::run(&mut shell::cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ])?)
}

fn doc() -> Result<()> {
    let mut command = shell::cargo(&["doc", "--workspace", "--no-deps", "--quiet"])?;
    shell::run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

fn summary(broken: &[&str], seconds: u64) -> String {
    if broken.is_empty() {
        format!("ci: ok in {seconds} s")
    } else {
        format!("ci: failed in {seconds} s: {}", broken.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_what_is_broken() {
        assert_eq!(summary(&[], 812), "ci: ok in 812 s");
        assert_eq!(summary(&["fmt", "test"], 7), "ci: failed in 7 s: fmt, test");
    }
}
