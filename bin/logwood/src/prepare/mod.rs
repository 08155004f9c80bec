//! What a configuration names of the machine, tried before it is used: files, directories,
//! addresses, users, memory. `check` tells all that is found; `serve` does not start on an error of
//! it, and a reload leaves the old configuration in force.

mod data_dir;
mod memory;

use std::io;
use std::net::TcpListener;
use std::path::Path;

use config::{Config, Part, Problem, Severity};
use ingest::{Examined, Subject, Trouble};
use rustix::fs::Access;
use store::{Clock as _, LockHolder, RealDisk, Store, SystemClock};

use crate::routes::{load, unread_pipeline_of};

/// What the configuration is looked at for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To tell. Addresses that somebody has now may be free when it counts.
    Check,
    /// To start on it.
    Start,
    /// To put it into force in a server that runs and has its sockets.
    Reload,
}

/// All that is in the way.
pub(crate) fn problems(config: &Config, purpose: Purpose) -> Vec<Problem> {
    let looking = Looking { config, purpose };
    let mut found = looking.listeners();
    found.extend(looking.http());
    found.extend(looking.archives());
    found.extend(looking.destinations());
    found.extend(looking.step_files());
    found.extend(memory::problem(config));
    if purpose != Purpose::Reload {
        found.extend(data_dir::problem(config));
    }
    found
}

/// The server that has the data directory of a configuration open.
pub(crate) fn holder(config: &Config) -> Option<LockHolder> {
    Store::holder(&RealDisk, &config.store.data_dir)
}

struct Looking<'a> {
    config: &'a Config,
    purpose: Purpose,
}

impl Looking<'_> {
    /// Whether addresses are tried: a server that runs on the data directory has its own.
    fn tries_addresses(&self) -> bool {
        match self.purpose {
            Purpose::Check => holder(self.config).is_none(),
            Purpose::Start => true,
            Purpose::Reload => false,
        }
    }

    fn severity(&self, is_passing: bool) -> Severity {
        match is_passing && self.purpose == Purpose::Check {
            true => Severity::Warning,
            false => Severity::Error,
        }
    }

    /// Files that steps work by.
    fn step_files(&self) -> Vec<Problem> {
        let Ok(pipeline) = unread_pipeline_of(self.config) else {
            return Vec::new();
        };
        let problems = pipeline.files().filter_map(|file| {
            let reason = load(file).err()?;
            let message = format!("{}: {reason}", file.path().display());
            let hint = Some("steps of a route work by this file".to_owned());
            let key = (Part::Only("route"), "steps");
            Some(self.config.problem(Severity::Error, key, message, hint))
        });
        problems.collect()
    }

    fn listeners(&self) -> Vec<Problem> {
        let examined = match self.tries_addresses() {
            true => Examined::All,
            false => Examined::Files,
        };
        let found = ingest::examine(&self.config.ingest, examined, SystemClock.now());
        found.into_iter().map(|trouble| self.of(trouble)).collect()
    }

    fn of(&self, trouble: Trouble) -> Problem {
        let severity = match trouble.is_error {
            true => self.severity(trouble.is_passing),
            false => Severity::Warning,
        };
        let key = match trouble.subject {
            Subject::Address => "listen",
            Subject::Certificate => "certificate",
            Subject::Key => "key",
            Subject::Authorities => "client_ca",
            Subject::Revoked => "client_crl",
            Subject::Owner => "owner",
            Subject::Group => "group",
        };
        let place = (Part::Source(&trouble.listener), key);
        self.config
            .problem(severity, place, trouble.message, trouble.remedy)
    }

    fn http(&self) -> Option<Problem> {
        if !self.tries_addresses() {
            return None;
        }
        let address = self.config.http;
        // What listens on it is let go at once.
        let source = TcpListener::bind(address).err()?;
        let severity = self.severity(ingest::is_passing(&source));
        let hint = ingest::bind_remedy(address, &source);
        let error = server::Error::Listen { address, source };
        let place = (Part::Only("http"), "listen");
        Some(
            self.config
                .problem(severity, place, error.to_string(), Some(hint)),
        )
    }

    /// What destinations name of this machine. One that cannot work keeps nobody else.
    fn destinations(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        for options in &self.config.destinations {
            let place = |key| (Part::Destination(options.kind.name(), &options.name), key);
            for trouble in options.kind.examine() {
                let severity = match trouble.is_error && self.purpose == Purpose::Check {
                    true => Severity::Error,
                    false => Severity::Warning,
                };
                let place = place(trouble.key);
                let problem = self
                    .config
                    .problem(severity, place, trouble.message, trouble.remedy);
                found.push(problem);
            }
        }
        found
    }

    /// A server starts without its archive, and says so for as long as it is not there.
    fn archives(&self) -> Vec<Problem> {
        let archived = self.config.logspaces.iter();
        let archived = archived.filter_map(|logspace| Some((logspace, logspace.archive.as_ref()?)));
        let problem = |(logspace, archive): (&config::LogspaceOptions, &store::Archive)| {
            let error = writable(&archive.dir).err()?;
            let dir = archive.dir.display();
            let hint = match error.kind() {
                io::ErrorKind::NotFound => {
                    format!("mount its disk, or make it on that disk: `mkdir {dir}`")
                }
                _ => write_hint(&archive.dir, &error),
            };
            Some(self.config.problem(
                Severity::Warning,
                (Part::Logspace(logspace.name.as_str()), "archive_dir"),
                format!("nothing can be archived in {dir}: {error}"),
                Some(hint),
            ))
        };
        archived.filter_map(problem).collect()
    }
}

/// Whether files can be made in a directory.
fn writable(dir: &Path) -> io::Result<()> {
    if !dir.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(rustix::fs::access(dir, Access::WRITE_OK | Access::EXEC_OK)?)
}

/// What to do about a place that cannot be written to.
pub(crate) fn write_hint(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => format!(
            "under systemd a service writes only where its unit lets it: `systemctl edit logwood`, \
             and put `[Service]` and `ReadWritePaths={path}` there; else mount it writable"
        ),
        io::ErrorKind::PermissionDenied => format!(
            "give it to the user that runs Logwood, as by `chown -R logwood: {path}`, or run this as \
             that user, as by `sudo -u logwood`"
        ),
        io::ErrorKind::NotADirectory => "name a directory".to_owned(),
        _ => "see that the disk it is on is there and can be written to".to_owned(),
    }
}
