//! Every chore of the project, in Rust, so that people and CI run the same command.
//!
//! `cargo xtask` without a word prints what there is.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks"
)]

mod bench;
mod ci;
mod crash;
mod instructions;
mod ledger;
mod mutants;
mod peers;
mod shell;
mod sim;
mod tally;
mod test;
mod tidy;
mod web;

use std::env;
use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask ci               everything a change must pass; what .ci/run calls
cargo xtask test [FILTER]    every test, with the peers it needs from Debian's packages
cargo xtask bench [WORDS]    the tables of docs/benchmarks.md, beside the peers; --help says more
cargo xtask crash OPTIONS    long runs: --kills N, --images N, --peer rsyslog; see docs/durability.md
cargo xtask tidy             rules of the house that no compiler checks
cargo xtask instructions [--record]
                             count the instructions of the innermost work and compare them
cargo xtask sim [--seeds N] [--start S]   seeds that crash the store on a simulated disk
cargo xtask sim --flips      every bit of a journal, a manifest and a segment, flipped
cargo xtask mutants [NAME]   break the store on purpose and demand that the simulator notices
cargo xtask web [--check]    build the page into web/dist, or prove that web/dist is fresh";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[String]) -> Result<()> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ci"] => ci::run(),
        ["test", rest @ ..] => test::run(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["crash", rest @ ..] => crash::run(rest),
        ["tidy"] => tidy::run(),
        ["instructions"] => instructions::check(),
        ["instructions", "--record"] => instructions::record(),
        ["sim", rest @ ..] => sim::run(rest),
        ["mutants"] => mutants::run(None),
        ["mutants", name] => mutants::run(Some(name)),
        ["web"] => web::build(),
        ["web", "--check"] => web::check(),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => bail!("cannot do `{}`; there is:\n{USAGE}", words.join(" ")),
    }
}
