//! syslog-ng of Debian in its best known configuration, which bench/peers/syslog-ng.conf.in holds.

use std::process::Command;

use anyhow::{Result, ensure};

use super::peer::Peer;
use super::{Setup, Transport};
use crate::OPEN_FILES;
use crate::context::Context;

pub(super) const CONFIGURATION: &str = include_str!("../../peers/syslog-ng.conf.in");

pub(super) fn start(setup: &Setup, context: &Context) -> Result<Peer> {
    let program = testkit::peers::SyslogNg::find()?;
    ensure!(
        setup.transport != Transport::Relp,
        "syslog-ng 3 takes no RELP"
    );
    Peer::start(CONFIGURATION, setup, context, |folder, file| {
        let mut command = Command::new(program);
        command
            .args(["--foreground", "--stderr", "--no-caps"])
            // Its own default is 4,096, whatever it is allowed.
            .args(["--fd-limit", &OPEN_FILES.to_string()])
            .arg("--cfgfile")
            .arg(file)
            .arg("--persist-file")
            .arg(folder.join("persist"))
            .arg("--control")
            .arg(folder.join("control"))
            .arg("--pidfile")
            .arg(folder.join("pid"));
        command
    })
}
