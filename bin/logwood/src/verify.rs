//! Whether a data directory is whole, and making it whole.

use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::LogspaceName;
use serde_json::{Value, json};
use store::{
    Damage, Disk, FileKind, Finding, Options, RealDisk, Repair, Repaired, SystemClock, Verified,
    VerifyOptions,
};

use crate::Outcome;
use crate::arguments::VerifyArguments;
use crate::failure::Failure;
use crate::output::{self, visible};

/// How often the bar is drawn.
const DRAWS_PER_SECOND: u8 = 10;

/// Checks a data directory and prints what is damaged.
pub(crate) fn verify(arguments: &VerifyArguments) -> Result<Outcome, Failure> {
    let logspace = logspace(arguments.logspace.as_deref())?;
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    let options = VerifyOptions {
        logspace,
        is_deep: arguments.deep,
        threads: arguments.threads.unwrap_or_else(available).max(1),
    };
    let bar = progress_bar(arguments.json);
    let watch = |done: u64, total: u64| {
        bar.set_length(total);
        bar.set_position(done);
    };
    let started = Instant::now();
    let result = if arguments.repair || arguments.accept_loss {
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        store::repair(
            Options::new(&arguments.data_dir),
            &options,
            arguments.accept_loss,
            &disk,
            Arc::new(SystemClock),
            &watch,
        )
    } else {
        let verified = store::verify(&RealDisk, &arguments.data_dir, &options, &watch);
        verified.map(|verified| Repaired {
            before: verified.clone(),
            repairs: Vec::new(),
            accepted: Vec::new(),
            after: verified,
        })
    };
    bar.finish_and_clear();
    let repaired = result?;
    let elapsed = started.elapsed();
    if arguments.json {
        let mut out = output::data();
        output::json_line(&mut out, &as_json(&repaired, arguments, elapsed))?;
        out.flush()?;
    } else {
        print(&repaired, arguments, elapsed)?;
    }
    Ok(if repaired.after.findings.is_empty() {
        Outcome::Done
    } else {
        Outcome::DamageFound
    })
}

/// The logspace of a name, if any.
pub(crate) fn logspace(name: Option<&str>) -> Result<Option<LogspaceName>, Failure> {
    let name = name.map(LogspaceName::parse).transpose();
    name.map_err(|error| Failure::new(error.to_string()))
}

/// A bar of bytes; hidden where nobody would see it, or what is printed is JSON.
pub(crate) fn progress_bar(is_json: bool) -> ProgressBar {
    if is_json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let target = ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND);
    let template = "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
    ProgressBar::with_draw_target(Some(0), target)
        .with_style(ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar()))
}

fn print(
    repaired: &Repaired,
    arguments: &VerifyArguments,
    elapsed: Duration,
) -> Result<(), Failure> {
    let mut out = output::data();
    let Repaired {
        before,
        repairs,
        accepted,
        after,
    } = repaired;
    for finding in &before.findings {
        writeln!(out, "{}", finding_text(finding))?;
    }
    for path in mended_manifests(repaired) {
        writeln!(out, "repaired: {}: written anew", path.display())?;
    }
    for repair in repairs {
        writeln!(out, "{}", repair_text(repair))?;
    }
    for damage in accepted {
        writeln!(out, "accepted: {}", visible(&damage.to_string()))?;
    }
    if arguments.repair || arguments.accept_loss {
        for finding in &after.findings {
            writeln!(out, "still damaged: {}", finding_text(finding))?;
        }
    }
    for note in &after.notes {
        writeln!(out, "note: {}", visible(&note.to_string()))?;
    }
    out.flush()?;
    let count = after.findings.len();
    let verdict = match (
        count,
        (arguments.repair || arguments.accept_loss) && !before.findings.is_empty(),
    ) {
        (0, false) => "whole".to_owned(),
        (0, true) => "repaired".to_owned(),
        (1, _) => "1 damage".to_owned(),
        _ => format!("{count} damages"),
    };
    let seconds = elapsed.as_secs_f64().max(1e-3);
    output::words(&format!(
        "{}: {verdict}; {} files, {:.1} MB, {} segments with {} records, {} records in the journal; {seconds:.1} s, {:.0} MB/s",
        arguments.data_dir.display(),
        after.files,
        after.bytes as f64 / 1e6,
        after.segments,
        after.segment_records,
        after.journal_records,
        after.bytes as f64 / 1e6 / seconds,
    ));
    Ok(())
}

/// The manifests that were damaged before and are not any more.
fn mended_manifests(repaired: &Repaired) -> BTreeSet<&PathBuf> {
    let after = &repaired.after.findings;
    let before = repaired.before.findings.iter();
    before
        .filter(|finding| finding.file == FileKind::Manifest)
        .map(|finding| &finding.damage.path)
        .filter(|path| after.iter().all(|finding| finding.damage.path != **path))
        .collect()
}

fn finding_text(finding: &Finding) -> String {
    let records = match finding.records {
        Some(0) => "no record is lost".to_owned(),
        Some(1) => "1 record cannot be read".to_owned(),
        Some(records) => format!("{records} records cannot be read"),
        None => "how many records are lost is unknown".to_owned(),
    };
    format!(
        "{}: {}\n  {records}\n  {}",
        finding.file.name(),
        visible(&finding.damage.to_string()),
        finding.remedy.advice()
    )
}

fn repair_text(repair: &Repair) -> String {
    let path = repair.path.display();
    let saved = repair.saved_records;
    match &repair.set_aside {
        None => format!("repaired: {path}: all {saved} records are in a new segment"),
        Some(aside) => format!(
            "repaired: {path}: {saved} records are in new segments, {} are lost, {} have lost their time of receipt; the file is now {}",
            repair.lost_records,
            repair.undated_records,
            aside.display()
        ),
    }
}

fn as_json(repaired: &Repaired, arguments: &VerifyArguments, elapsed: Duration) -> Value {
    let Repaired {
        before,
        repairs,
        accepted,
        after,
    } = repaired;
    let mut object = verified_json(after);
    if let Value::Object(members) = &mut object {
        members.insert("is_whole".into(), after.findings.is_empty().into());
        members.insert("is_deep".into(), arguments.deep.into());
        members.insert("seconds".into(), elapsed.as_secs_f64().into());
        if arguments.repair || arguments.accept_loss {
            let accepted = accepted.iter().map(damage_json);
            members.insert("accepted".into(), accepted.collect::<Vec<_>>().into());
            members.insert("before".into(), verified_json(before));
            members.insert(
                "repairs".into(),
                repairs.iter().map(repair_json).collect::<Vec<_>>().into(),
            );
            let manifests = mended_manifests(repaired).into_iter();
            let manifests = manifests.map(|path| path.display().to_string());
            members.insert("manifests".into(), manifests.collect::<Vec<_>>().into());
        }
    }
    object
}

fn verified_json(verified: &Verified) -> Value {
    json!({
        "files": verified.files,
        "bytes": verified.bytes,
        "segments": verified.segments,
        "segment_records": verified.segment_records,
        "journal_records": verified.journal_records,
        "damages": verified.findings.iter().map(finding_json).collect::<Vec<_>>(),
        "notes": verified.notes.iter().map(damage_json).collect::<Vec<_>>(),
    })
}

fn damage_json(damage: &Damage) -> Value {
    json!({
        "path": damage.path.display().to_string(),
        "offset": damage.offset,
        "what": damage.what,
    })
}

fn finding_json(finding: &Finding) -> Value {
    json!({
        "file": finding.file.name(),
        "logspace": finding.logspace.as_ref().map(ToString::to_string),
        "path": finding.damage.path.display().to_string(),
        "offset": finding.damage.offset,
        "what": finding.damage.what,
        "records": finding.records,
        "remedy": finding.remedy.name(),
        "advice": finding.remedy.advice(),
    })
}

fn repair_json(repair: &Repair) -> Value {
    json!({
        "path": repair.path.display().to_string(),
        "saved_records": repair.saved_records,
        "lost_records": repair.lost_records,
        "undated_records": repair.undated_records,
        "set_aside": repair.set_aside.as_ref().map(|path| path.display().to_string()),
    })
}
