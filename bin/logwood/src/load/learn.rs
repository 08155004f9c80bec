//! `logwood load learn`: log files into a profile.

use std::fs::File;
use std::path::Path;

use indicatif::ProgressBar;
use load::learn::{Learner, Profile};

use crate::Outcome;
use crate::failure::Failure;
use crate::import;
use crate::load::learn_arguments::LearnArguments;
use crate::output;

/// Learns from all files and writes the profile.
pub(crate) fn learn(arguments: &LearnArguments) -> Result<Outcome, Failure> {
    let mut learner = Learner::new();
    for path in &arguments.files {
        let mut opened = import::open(path, &ProgressBar::hidden())?;
        let has_room = learner.push_all(&mut opened.reader).map_err(|error| {
            Failure::new(format!("cannot learn from {}", path.display())).because(error)
        })?;
        opened.notes.report(path);
        if !has_room {
            output::words(&format!(
                "enough lines are learned; the rest of {} and what follows is left out",
                path.display()
            ));
            break;
        }
    }
    let profile = learner.finish().map_err(|error| {
        Failure::new("nothing can be learned")
            .because(error)
            .hint("name a log with a message a line")
    })?;
    write(&profile, &arguments.output)?;
    output::words(&format!(
        "learned {} templates from {} lines",
        profile.templates(),
        profile.lines()
    ));
    Ok(Outcome::Done)
}

fn write(profile: &Profile, path: &Path) -> Result<(), Failure> {
    let unwritable = |cause: String| {
        Failure::new(format!("cannot write the profile {}", path.display())).because(cause)
    };
    if path == Path::new("-") {
        return profile
            .write(output::data())
            .map_err(|error| unwritable(error.to_string()));
    }
    let file = File::create(path).map_err(|error| unwritable(error.to_string()))?;
    profile
        .write(file)
        .map_err(|error| unwritable(error.to_string()))
}
