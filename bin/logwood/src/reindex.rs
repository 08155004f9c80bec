//! Writing segments of older formats anew.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use store::{LeftAlone, Options, RealDisk, ReindexOptions, Reindexed, SystemClock};

use crate::Outcome;
use crate::arguments::ReindexArguments;
use crate::failure::Failure;
use crate::output;
use crate::verify::{logspace, progress_bar};

/// Writes segments anew and says how many.
pub(crate) fn reindex(arguments: &ReindexArguments) -> Result<Outcome, Failure> {
    let asked = ReindexOptions {
        logspace: logspace(arguments.logspace.as_deref())?,
        is_all: arguments.all,
        is_dry_run: arguments.dry_run,
    };
    let bar = progress_bar(arguments.json);
    let watch = |done: u64, total: u64| {
        bar.set_length(total);
        bar.set_position(done);
    };
    let started = Instant::now();
    let result = store::reindex(
        Options::new(&arguments.data_dir),
        &asked,
        &(Arc::new(RealDisk) as _),
        Arc::new(SystemClock),
        &watch,
    );
    bar.finish_and_clear();
    let done = result?;
    let elapsed = started.elapsed();
    let mut out = output::data();
    if arguments.json {
        output::json_line(&mut out, &as_json(&done, arguments, elapsed))?;
    } else {
        for LeftAlone { path, reason } in &done.left {
            writeln!(out, "left alone: {}: {}", path.display(), reason.text())?;
        }
    }
    out.flush()?;
    if !arguments.json {
        output::words(&summary(&done, arguments, elapsed));
    }
    Ok(match done.left.is_empty() {
        true => Outcome::Done,
        false => Outcome::Incomplete,
    })
}

fn summary(done: &Reindexed, arguments: &ReindexArguments, elapsed: Duration) -> String {
    let verb = match arguments.dry_run {
        true => "would be written anew",
        false => "written anew",
    };
    let bytes = match arguments.dry_run {
        true => format!("{:.1} MB", done.bytes_before as f64 / 1e6),
        false => format!(
            "{:.1} MB in place of {:.1}",
            done.bytes_after as f64 / 1e6,
            done.bytes_before as f64 / 1e6
        ),
    };
    format!(
        "{}: {} segments with {} records {verb}, {bytes}; {} have all that today's have, {} left alone; {:.1} s",
        arguments.data_dir.display(),
        done.segments,
        done.records,
        done.current,
        done.left.len(),
        elapsed.as_secs_f64(),
    )
}

fn as_json(done: &Reindexed, arguments: &ReindexArguments, elapsed: Duration) -> Value {
    let left = done.left.iter().map(|left| {
        json!({
            "path": left.path.display().to_string(),
            "reason": left.reason.text(),
        })
    });
    json!({
        "is_dry_run": arguments.dry_run,
        "segments": done.segments,
        "records": done.records,
        "bytes_before": done.bytes_before,
        "bytes_after": done.bytes_after,
        "current": done.current,
        "left": left.collect::<Vec<_>>(),
        "seconds": elapsed.as_secs_f64(),
    })
}
