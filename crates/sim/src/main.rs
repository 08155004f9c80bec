//! Runs many seeds, or every bit flip: what `cargo xtask sim` starts.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks"
)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["seeds", start, count] => match (start.parse(), count.parse()) {
            (Ok(start), Ok(count)) => seeds(start, count),
            _ => Err("sim: seeds START COUNT takes two numbers".to_owned()),
        },
        ["flips", every] => match every.parse() {
            Ok(every) if every > 0 => flips(every),
            _ => Err("sim: flips EVERY takes a number above 0".to_owned()),
        },
        _ => Err("sim: there is `seeds START COUNT` and `flips EVERY`".to_owned()),
    };
    match result {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

fn seeds(start: u64, count: u64) -> Result<String, String> {
    sim::side_by_side(count, |case| {
        let seed = start + case;
        sim::run_seed(seed).map_err(|failure| format!("seed {seed}: {failure}"))
    })?;
    let last = start + count.saturating_sub(1);
    Ok(format!("seeds {start} to {last}: no promise was broken"))
}

fn flips(every: u64) -> Result<String, String> {
    let tally = sim::flips::run(every, every.min(7))?;
    Ok(tally.to_string())
}
