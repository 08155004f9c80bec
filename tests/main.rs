//! Drives the real binary over its sockets, as users and their programs do.
//!
//! Every test starts servers of its own on free ports and passes alone and beside the others.

mod api; // What scripts rely on in the HTTP API: pages, errors, tail, counters.
mod backup; // Backups, restores and the archive: what comes back is what was there.
mod bad_input; // Everything a network or a disk can get wrong.
mod bombs; // Hostile questions beside records at full rate.
mod certificates; // Client certificates of every kind, and what is said of each.
mod check; // What a configuration names and this machine has not: `check` and `serve` say the same.
mod cli; // What scripts rely on in the command line: exit codes, output, reload.
mod corpus; // Every word of a log is counted as an independent program counts it.
mod crash; // Kills and power cuts: nothing acknowledged is lost.
mod destinations; // What arrived where records are sent is what was stored, whoever is killed.
mod differential; // Logwood, syslog-ng and rsyslog read the same bytes alike, but for what is documented.
mod explain; // What is said of a message: framing, parts, decisions, routes.
mod faults; // What a machine can do to the binary: disks, files, memory, clock.
mod hostile; // Hostile clients by the hundred: bounded, refused in words, outlived.
mod import; // Files as other programs leave them: packed, damaged, in other encodings, with holes, of other years.
mod load_realistic; // What a manifest promises is what grep and a search find.
mod load_send; // What `logwood load` sends is what anybody receives.
mod load_sink; // The receiver of `logwood load` counts what real senders sent.
mod newcomer; // The command line as somebody uses it who does not know it yet.
mod patterndb; // Pattern databases on the command line: tested, tried, merged, shown.
mod plan; // The sizes that a plan reckons with are those that the server has on disk.
mod processing; // Steps of routes do what syslog-ng does, and lose nothing.
mod receiving; // What the binary tells of those who send.
mod senders; // Real senders: what they sent is what a search returns.
mod terminal; // What a record says never commands a terminal.
mod verify; // Damaged files are told, counted and repaired.
