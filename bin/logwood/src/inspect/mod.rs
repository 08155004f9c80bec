//! What is in the files of a data directory.

mod json;
mod text;

use std::io::Write as _;
use std::path::Path;

use store::{InspectOptions, RealDisk};

use crate::Outcome;
use crate::arguments::InspectArguments;
use crate::failure::Failure;
use crate::output;

/// Prints what is in files or in a data directory.
pub(crate) fn inspect(arguments: &InspectArguments) -> Result<Outcome, Failure> {
    let options = InspectOptions {
        terms: arguments
            .terms
            .as_ref()
            .map(|prefix| prefix.as_bytes().to_vec()),
        templates: arguments.templates,
        rows: arguments.rows,
    };
    let mut out = output::data();
    if arguments.files.is_empty() {
        directory(&arguments.data_dir, arguments, &mut out)?;
    }
    for path in &arguments.files {
        if path.is_dir() {
            directory(path, arguments, &mut out)?;
            continue;
        }
        let view = store::inspect(&RealDisk, path, &options)?;
        if arguments.json {
            output::json_line(&mut out, &json::file(&view, arguments.pages))?;
        } else {
            text::file(&view, arguments.pages, &mut out)?;
        }
    }
    out.flush()?;
    Ok(Outcome::Done)
}

fn directory(
    path: &Path,
    arguments: &InspectArguments,
    out: &mut impl std::io::Write,
) -> Result<(), Failure> {
    let view = store::inspect_directory(&RealDisk, path)?;
    if arguments.json {
        output::json_line(out, &json::directory(&view))?;
    } else {
        text::directory(&view, out)?;
    }
    Ok(())
}
