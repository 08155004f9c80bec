//! The tables of the field, reproduced beside the peers: scenarios, their runs, tables and report.
//!
//! `cargo xtask bench` builds and starts this; docs/benchmarks.md says how to read what it writes.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks"
)]

mod arguments;
mod certificate;
mod child;
mod collectors;
mod context;
mod corpus;
mod derive;
mod destinations;
mod file;
mod generator;
mod hold;
mod jsonl;
mod kernel;
mod lines;
mod logs;
mod machine;
mod manifest;
mod markdown;
mod measurement;
mod names;
mod page;
mod parameters;
mod peers;
mod plot;
mod process;
mod programs;
mod receiver;
mod report;
mod run;
mod scenario;
mod scenarios;
mod segments;
mod size;
mod statistic;
mod summary;
mod syncs;
mod table;
mod template;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;

use arguments::Arguments;
use context::Context;
use file::ScenarioFile;
use jsonl::{Line, Writer};
use machine::Machine;
use names::Names;
use programs::Programs;
use run::Plan;
use scenario::Scenario;
use size::Size;
use summary::summarise;

/// Ten thousand connections of one process, and the files of a store.
const OPEN_FILES: u64 = 16_000;

fn main() -> ExitCode {
    match bench(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn bench(arguments: &Arguments) -> Result<()> {
    let all = scenarios::all()?;
    let chosen = choose(&all, &arguments.scenarios)?;
    if arguments.list {
        list(&chosen);
        return Ok(());
    }
    let size = arguments.size();
    let names = names(arguments, &chosen, size)?;
    testkit::raise_open_files(OPEN_FILES)?;
    if let Some(path) = &arguments.markdown {
        let files: Vec<&ScenarioFile> = all.iter().map(|scenario| scenario.file()).collect();
        markdown::check(path, &files)?;
    }
    let programs = programs(arguments)?;
    let out = out(arguments)?.join(size.name());
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let results = out.join("results.jsonl");
    if !arguments.resume && results.exists() {
        fs::rename(&results, out.join("results.old.jsonl"))?;
    }
    let mut writer = Writer::open(&results)?;
    let mut lines = jsonl::read(&results)?;
    let machine = Machine::look(&out, &programs)?;
    let plan = Plan {
        commit: machine.commit.clone(),
        rounds: arguments.rounds,
        names,
    };
    let line = Line::Machine(machine);
    writer.push(&line)?;
    lines.push(line);
    let folders = (arguments.logs.clone(), arguments.corpora.clone());
    let context = Context::new(size, programs, folders, &out)?;
    let mut failed = 0;
    for scenario in &chosen {
        let tell = |told: &str| eprintln!("{told}");
        failed += run::run(*scenario, &plan, &context, &mut lines, &mut writer, tell)?;
        print_tables(scenario.file(), &lines);
    }
    // Every scenario that has results, those of a run that this one went on with included.
    let files: Vec<&ScenarioFile> = all.iter().map(|scenario| scenario.file()).collect();
    let report = out.join("report.html");
    fs::write(&report, report::html(&files, &lines))?;
    if let Some(path) = &arguments.markdown {
        markdown::update(path, &files, &lines)?;
    }
    eprintln!(
        "results in {}, report in {}",
        results.display(),
        report.display()
    );
    ensure!(
        failed == 0,
        "{failed} runs gave no result; the tables say which"
    );
    Ok(())
}

fn choose<'a>(all: &'a [Box<dyn Scenario>], names: &[String]) -> Result<Vec<&'a dyn Scenario>> {
    if names.is_empty() {
        return Ok(all.iter().map(AsRef::as_ref).collect());
    }
    let known: Vec<&str> = all.iter().map(|one| one.file().name.as_str()).collect();
    names
        .iter()
        .map(|name| {
            let found = all.iter().find(|one| one.file().name == *name);
            found.map(AsRef::as_ref).with_context(|| {
                format!(
                    "there is no scenario {name}; there is: {}",
                    known.join(", ")
                )
            })
        })
        .collect()
}

/// What of some scenarios is asked for.
fn names(arguments: &Arguments, scenarios: &[&dyn Scenario], size: Size) -> Result<Names> {
    let names = Names {
        subjects: arguments.subjects.clone(),
        tables: arguments.tables.clone(),
        cases: arguments.cases.clone(),
    };
    let steps = scenarios.iter().map(|scenario| scenario.steps(size));
    names.check(&steps.collect::<Result<Vec<_>>>()?.concat())?;
    Ok(names)
}

fn list(scenarios: &[&dyn Scenario]) {
    for scenario in scenarios {
        let file = scenario.file();
        println!("{}: {}", file.name, file.about);
        for table in &file.tables {
            let planned = if table.planned { " (no code yet)" } else { "" };
            println!(
                "  {}{planned}: {}; {}",
                table.name, table.title, table.reproduces
            );
        }
    }
}

fn print_tables(file: &ScenarioFile, lines: &[Line]) {
    println!("\n# {}: {}", file.name, file.about);
    for table in &file.tables {
        let summary = summarise(&file.name, table, lines);
        if !summary.rows.is_empty() || !summary.failed.is_empty() {
            println!("\n{}", table::text(table, &summary));
        }
    }
}

fn programs(arguments: &Arguments) -> Result<Programs> {
    let logwood = testkit::binary()?.to_owned();
    let generator = arguments.generator.clone();
    Ok(Programs {
        generator: generator.unwrap_or_else(|| logwood.clone()),
        logwood,
        victoria_logs: arguments.victoria_logs.clone(),
        opensearch: arguments.opensearch,
        python: arguments.python.clone(),
    })
}

/// Below cargo's target folder, found from where this program lies, unless told otherwise.
fn out(arguments: &Arguments) -> Result<PathBuf> {
    if let Some(out) = &arguments.out {
        return Ok(out.clone());
    }
    let own = env::current_exe().context("cannot tell where this program lies")?;
    let target = own.ancestors().nth(2).map(Path::to_owned);
    Ok(target
        .context("this program lies in no target folder")?
        .join("bench"))
}
