//! rsyslog of Debian in its best known configuration, which bench/peers/rsyslog.conf.in holds.

use anyhow::{Result, ensure};

use super::Setup;
use super::peer::Peer;
use crate::context::Context;
use crate::programs::rsyslogd;

pub(super) const CONFIGURATION: &str = include_str!("../../peers/rsyslog.conf.in");

pub(super) fn start(setup: &Setup, context: &Context) -> Result<Peer> {
    ensure!(setup.parses, "rsyslog of Debian cannot leave out parsing");
    let mut command = rsyslogd()?;
    Peer::start(CONFIGURATION, setup, context, |folder, file| {
        command.arg("-n").arg("-i").arg(folder.join("pid"));
        command.arg("-f").arg(file);
        command
    })
}
