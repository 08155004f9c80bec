//! How large a disk has to be.

mod arguments;
mod measure;
mod projection;

use std::io::Write as _;

use api::SealedStatus;

use crate::Outcome;
use crate::failure::Failure;
use crate::output;
use crate::target::{self, Target};

pub(crate) use arguments::PlanArguments;
use projection::{Basis, Footprint, Projection, shown_number};

/// Bytes of a message where nobody says; sizing guides of log servers reckon with 244 to 300.
const SIZE_DEFAULT: f64 = 250.0;

/// Shares of a message's bytes where nothing is measured: those of 40,000 lines of the demo, by
/// `logwood plan --measure`. Most real logs repeat themselves more and take less.
const DEFAULT_SHARES: Footprint = Footprint {
    text: 1.0,
    total: 0.172,
    data: Some(0.093),
    index: Some(0.079),
    gzip_9: 0.202,
    zstd_19: 0.132,
};

/// Prints how much disk a rate of messages takes.
pub(crate) fn plan(arguments: &PlanArguments) -> Result<Outcome, Failure> {
    let (footprint, basis) = footprint(arguments)?;
    let plan = Projection::new(arguments.rate, footprint, arguments.retention, basis);
    let mut out = output::data();
    if arguments.json {
        output::json_line(&mut out, &plan)?;
    } else {
        let basis = shown_basis(arguments, basis);
        let rate = shown_number(plan.rate);
        let size = shown_number(footprint.text);
        writeln!(out, "{rate} messages a second of {size} bytes; {basis}\n")?;
        write!(out, "{}", plan.table())?;
    }
    out.flush()?;
    Ok(Outcome::Done)
}

/// What a message takes, and how that is known.
fn footprint(arguments: &PlanArguments) -> Result<(Footprint, Basis), Failure> {
    if let Some(path) = &arguments.measure {
        let measured = measure::measure(path)?;
        return Ok((sized(measured, arguments.size), Basis::Measured));
    }
    if arguments.target.url.is_some() || arguments.target.data_dir.is_some() {
        let stored = stored(arguments)?;
        return Ok((sized(stored, arguments.size), Basis::Stored));
    }
    let defaults = DEFAULT_SHARES.at_size(arguments.size.unwrap_or(SIZE_DEFAULT));
    Ok(match arguments.bytes_per_message {
        None => (defaults, Basis::Defaults),
        Some(total) => (of_total(total, defaults), Basis::Given),
    })
}

fn sized(footprint: Footprint, size: Option<f64>) -> Footprint {
    size.map_or(footprint, |size| footprint.at_size(size))
}

/// A footprint of which only the whole is known; other people's compressors as usual.
fn of_total(total: f64, usual: Footprint) -> Footprint {
    Footprint {
        total,
        data: None,
        index: None,
        ..usual
    }
}

/// The average of what is stored.
fn stored(arguments: &PlanArguments) -> Result<Footprint, Failure> {
    let mut sum = SealedStatus::default();
    let asked = arguments.logspace.as_deref();
    for (name, sealed) in sealed(arguments)? {
        if asked.is_none_or(|asked| asked.split(',').any(|asked| asked.trim() == name)) {
            sum.records += sealed.records;
            sum.raw_bytes += sealed.raw_bytes;
            sum.data_bytes += sealed.data_bytes;
            sum.index_bytes += sealed.index_bytes;
        }
    }
    if sum.records == 0 || sum.raw_bytes == 0 {
        let what = "there is no segment yet to take an average of";
        return Err(Failure::new(what).hint("measure a sample with --measure FILE"));
    }
    let each = |bytes: u64| bytes as f64 / sum.records as f64;
    let (data, index) = (each(sum.data_bytes), each(sum.index_bytes));
    let usual = DEFAULT_SHARES.at_size(each(sum.raw_bytes));
    Ok(Footprint {
        data: Some(data),
        index: Some(index),
        ..of_total(data + index, usual)
    })
}

fn sealed(arguments: &PlanArguments) -> Result<Vec<(String, SealedStatus)>, Failure> {
    match Target::find(&arguments.target)? {
        Target::Server(client) => {
            let logspaces = client.status()?.logspaces.into_iter();
            Ok(logspaces
                .map(|logspace| (logspace.name, logspace.sealed))
                .collect())
        }
        Target::Directory(path) => {
            let logspaces = target::open_read_only(&path)?
                .status()
                .logspaces
                .into_iter();
            let sealed = |logspace: store::LogspaceStatus| {
                let sealed = SealedStatus {
                    records: logspace.records.saturating_sub(logspace.tail_records),
                    raw_bytes: logspace.raw_bytes,
                    data_bytes: logspace.data_bytes,
                    index_bytes: logspace.disk_bytes.saturating_sub(logspace.data_bytes),
                };
                (logspace.name.to_string(), sealed)
            };
            Ok(logspaces.map(sealed).collect())
        }
    }
}

fn shown_basis(arguments: &PlanArguments, basis: Basis) -> String {
    match basis {
        Basis::Defaults => {
            "as the demo's lines take it, --measure FILE says what yours take".to_owned()
        }
        Basis::Given => "bytes on disk as given, gzip and zstd as for the demo's lines".to_owned(),
        Basis::Measured => {
            let path = arguments.measure.as_deref().unwrap_or("".as_ref());
            format!("measured on {}", path.display())
        }
        Basis::Stored => {
            "the average of what is stored, gzip and zstd as for the demo's lines".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use load::demo::{Backfill, Demo};
    use model::Timestamp;

    #[test]
    fn the_defaults_are_what_lines_of_the_demo_take() {
        let end = Timestamp::from_seconds(1_795_287_600);
        let mut lines = Backfill::new(Demo::new(1), end, 40_000);
        let mut text = Vec::new();
        while lines.next_line(&mut text).is_some() {
            text.push(b'\n');
        }
        let measured = measure::of_text(&text).expect("lines").at_size(1.0);
        let near = |measured: f64, default: f64| {
            assert!(
                (0.85..1.15).contains(&(measured / default)),
                "{measured} {default}"
            );
        };
        near(measured.total, DEFAULT_SHARES.total);
        near(measured.gzip_9, DEFAULT_SHARES.gzip_9);
        near(measured.zstd_19, DEFAULT_SHARES.zstd_19);
        near(
            measured.data.expect("known"),
            DEFAULT_SHARES.data.expect("known"),
        );
        near(
            measured.index.expect("known"),
            DEFAULT_SHARES.index.expect("known"),
        );
    }

    #[test]
    fn a_text_without_lines_has_no_average() {
        let failure = measure::of_text(b"\n\n").expect_err("no lines").to_string();
        assert!(failure.contains("hint: name a file"), "{failure}");
    }
}
