//! Messages as devices, programs and RFCs have them, and what the three make of them.

mod datagrams;
mod hosts;
mod ietf;
mod priorities;
mod programs;
mod senders;
mod stamps;
mod structured;
mod texts;

use super::parts::Part;

/// Cases of one kind.
#[derive(Debug)]
pub(super) struct Theme {
    pub(super) name: &'static str,
    pub(super) cases: &'static [Case],
}

/// A message, and the parts in which the three differ.
#[derive(Debug)]
pub(super) struct Case {
    /// What is odd about it.
    pub(super) name: &'static str,
    /// `Mmm` stands for this month; in parts `YYYY-MM` does, with its year.
    pub(super) sent: &'static str,
    /// A part, and what Logwood, syslog-ng and rsyslog say; all other parts are the same for all.
    pub(super) differs: &'static [(Part, [&'static str; 3])],
    /// Why Logwood reads it so; empty where all agree.
    pub(super) why: &'static str,
}

/// Cases for every transport.
pub(super) const LINES: &[Theme] = &[
    stamps::THEME,
    priorities::THEME,
    hosts::THEME,
    programs::THEME,
    texts::THEME,
    ietf::THEME,
    structured::THEME,
    senders::THEME,
];

/// Cases that only a datagram can hold.
pub(super) const DATAGRAMS: &[Theme] = &[datagrams::THEME];
