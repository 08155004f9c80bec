//! What is wrong with a configuration file.

mod cases;

use std::io::{self, Write as _};
use std::path::Path;

use config::{Checked, Config, Overrides};
use syslog::ParseOptions;

use crate::Outcome;
use crate::arguments::CheckArguments;
use crate::failure::Failure;
use crate::output;
use crate::prepare::{self, Purpose};

/// Prints all problems, or the running configuration.
pub(crate) fn check(arguments: &CheckArguments) -> Result<Outcome, Failure> {
    let path = arguments.file.as_deref().or(arguments.config.as_deref());
    let overrides = Overrides {
        data_dir: arguments.data_dir.clone(),
        ..Overrides::default()
    };
    let mut checked = read(path, &overrides)?;
    if let Some(config) = &checked.config
        && !arguments.file_only
        && !arguments.effective
    {
        tell_holder(config);
        let problems = prepare::problems(config, Purpose::Check);
        checked.add(problems);
    }
    print_problems(&checked);
    let (errors, warnings) = checked.counts();
    let name = path.map_or_else(
        || "the defaults".to_owned(),
        |path| path.display().to_string(),
    );
    let is_usable = errors == 0 && (warnings == 0 || !arguments.deny_warnings);
    let Some(config) = checked.config.filter(|_| is_usable) else {
        return Err(Failure::new(format!(
            "{name}: {errors} errors, {warnings} warnings"
        )));
    };
    if arguments.effective {
        let mut out = output::data();
        write!(out, "{}", config.effective())?;
        out.flush()?;
    } else {
        if arguments.test {
            cases::run(&config)?;
        }
        let summary = format!(
            "{name}: ok, {warnings} warnings; {} listeners, {} logspaces, {} routes, {} destinations",
            config.ingest.listeners.len(),
            config.logspaces.len(),
            config.routes.len(),
            config.destinations.len(),
        );
        output::words(&summary);
    }
    Ok(Outcome::Done)
}

/// Says why addresses are not tried, where they are not.
fn tell_holder(config: &Config) {
    if let Some(holder) = prepare::holder(config) {
        output::words(&format!(
            "note: {} is open in {holder}; its addresses are not tried\n",
            config.store.data_dir.display()
        ));
    }
}

/// Reads and checks a file; the defaults where there is none.
pub(crate) fn read(path: Option<&Path>, overrides: &Overrides) -> Result<Checked, Failure> {
    let Some(path) = path else {
        return Ok(config::check("", "the defaults", overrides));
    };
    let text = std::fs::read_to_string(path).map_err(|error| {
        let what = format!("cannot read the configuration file {}", path.display());
        let hint = unreadable_hint(&error);
        Failure::new(what).because(error).hint(hint)
    })?;
    Ok(config::check(&text, &path.display().to_string(), overrides))
}

/// What to do about a configuration file that cannot be read.
fn unreadable_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "name one that is there, or start with what `logwood check --effective` prints; \
             without --config the defaults are used"
        }
        io::ErrorKind::PermissionDenied => "the user that runs Logwood has to be able to read it",
        io::ErrorKind::InvalidData => "it has to be text in UTF-8",
        io::ErrorKind::IsADirectory => "name the file in it, such as logwood.toml",
        _ => "see that the disk it is on is there and can be read",
    }
}

/// Prints all problems, errors and warnings alike, in the order of the file.
pub(crate) fn print_problems(checked: &Checked) {
    for problem in &checked.problems {
        output::words(&problem.to_string());
    }
}

/// How messages are parsed where no configuration says otherwise.
pub(crate) fn default_parse_options() -> ParseOptions {
    let defaults = config::check("", "the defaults", &Overrides::default()).config;
    defaults
        .map(|config| config.ingest.http.parse)
        .unwrap_or_default()
}
