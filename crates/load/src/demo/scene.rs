//! One thing that happens on a host, and the lines that tell of it, at once and later.

use model::Timestamp;

use crate::demo::cast::{Host, daemon_pid};
use crate::random::Random;

pub(crate) const KERN: u8 = 0;
pub(crate) const MAIL: u8 = 2;
pub(crate) const DAEMON: u8 = 3;
pub(crate) const AUTH: u8 = 4;
pub(crate) const CRON: u8 = 9;
pub(crate) const AUTHPRIV: u8 = 10;
pub(crate) const LOCAL0: u8 = 16;
pub(crate) const LOCAL4: u8 = 20;
pub(crate) const LOCAL7: u8 = 23;

pub(crate) const ALERT: u8 = 1;
pub(crate) const CRIT: u8 = 2;
pub(crate) const ERR: u8 = 3;
pub(crate) const WARNING: u8 = 4;
pub(crate) const NOTICE: u8 = 5;
pub(crate) const INFO: u8 = 6;
pub(crate) const DEBUG: u8 = 7;

/// Who speaks: a program with its process and facility.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Voice {
    pub(crate) program: &'static str,
    /// 0 for none.
    pub(crate) pid: u64,
    pub(crate) facility: u8,
    /// MSGID of RFC 5424; empty for none.
    pub(crate) msgid: &'static str,
}

/// A line before it is written.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) delay_ms: u64,
    pub(crate) host: &'static Host,
    pub(crate) voice: Voice,
    pub(crate) severity: u8,
    /// STRUCTURED-DATA, ready, for hosts that write RFC 5424; empty for none.
    pub(crate) structured_data: String,
    pub(crate) body: String,
}

/// Where something happens; programs add their lines to it.
pub(crate) struct Scene<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) host: &'static Host,
    pub(crate) now: Timestamp,
    pub(crate) said: Vec<Said>,
}

impl Scene<'_> {
    /// A program that runs all the time.
    pub(crate) fn daemon(&self, program: &'static str, facility: u8) -> Voice {
        Voice {
            program,
            pid: daemon_pid(self.host, program),
            facility,
            msgid: "",
        }
    }

    /// A process that was started for this.
    pub(crate) fn process(&mut self, program: &'static str, facility: u8) -> Voice {
        Voice {
            program,
            pid: self.random.range(4_000, 65_000),
            facility,
            msgid: "",
        }
    }

    /// A program that does not say its process.
    pub(crate) fn nameless(&self, program: &'static str, facility: u8) -> Voice {
        Voice {
            program,
            pid: 0,
            facility,
            msgid: "",
        }
    }

    /// A line now.
    pub(crate) fn say(&mut self, voice: Voice, severity: u8, body: impl Into<String>) {
        self.later(0, voice, severity, body);
    }

    /// A line after some time.
    pub(crate) fn later(
        &mut self,
        delay_ms: u64,
        voice: Voice,
        severity: u8,
        body: impl Into<String>,
    ) {
        self.said.push(Said {
            delay_ms,
            host: self.host,
            voice,
            severity,
            structured_data: String::new(),
            body: body.into(),
        });
    }

    /// Structured data for the line said last.
    pub(crate) fn with_data(&mut self, structured_data: String) {
        if let Some(last) = self.said.last_mut() {
            last.structured_data = structured_data;
        }
    }

    /// A delay that is mostly short and sometimes long.
    pub(crate) fn delay_ms(&mut self, mean_ms: u64) -> u64 {
        self.random.exponential(mean_ms as f64) as u64
    }

    /// A port that clients use.
    pub(crate) fn port(&mut self) -> u64 {
        self.random.range(32_768, 60_999)
    }

    /// A duration in seconds with three digits.
    pub(crate) fn seconds(&mut self, mean: f64) -> String {
        format!("{:.3}", self.random.exponential(mean))
    }
}
