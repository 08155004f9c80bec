//! A profile compiled for writing a million messages a second: flat tables, no allocation.

use std::collections::BTreeSet;

use crate::learn::limits::HOSTS_MAX;
use crate::learn::plan::Alphabet;
use crate::learn::profile::{Part, Profile, Slot, Template};
use crate::learn::reserved::{clean, letter_runs};
use crate::learn::stamp::{MONTHS, StampFormat, WEEKDAYS};
use crate::learn::weighted::Weighted;

/// Values of a slot that may come again.
pub(crate) const RECENT: usize = 16;

/// The successor that says: whatever is frequent.
pub(crate) const ANY_TEMPLATE: usize = usize::MAX;

/// What hosts are called, followed by a number.
const HOST_ROLES: [&str; 12] = [
    "web", "app", "db", "mail", "cache", "fw", "sw", "dc", "vpn", "worker", "gw", "auth",
];

/// Programs for messages whose log named none.
const PROGRAMS: [&str; 20] = [
    "orders",
    "billing",
    "gateway",
    "indexer",
    "scheduler",
    "mailer",
    "search",
    "catalog",
    "payments",
    "reports",
    "session",
    "cache",
    "backup",
    "monitor",
    "importer",
    "exporter",
    "worker",
    "inventory",
    "pricing",
    "audit",
];

/// How a message looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// RFC 5424 with microseconds in UTC.
    #[default]
    Rfc5424,
    /// RFC 3164.
    Rfc3164,
    /// The message alone, as in the log it was learned from.
    Bare,
}

/// A profile, ready to write; shared by all connections.
#[derive(Debug)]
pub struct Tables {
    pub(crate) style: Style,
    pub(crate) hosts: Vec<String>,
    pub(crate) host_draw: Weighted,
    pub(crate) programs: Vec<&'static str>,
    pub(crate) program_draw: Weighted,
    pub(crate) templates: Vec<TemplateTable>,
    pub(crate) template_draw: Weighted,
    pub(crate) slots: Vec<SlotTable>,
    /// All runs of letters that may be written, needles apart.
    pub(crate) letters: BTreeSet<String>,
}

/// A template.
#[derive(Debug)]
pub(crate) struct TemplateTable {
    pub(crate) priority: u8,
    pub(crate) program: String,
    pub(crate) has_pid: bool,
    pub(crate) msgid: String,
    pub(crate) has_data: bool,
    pub(crate) parts: Vec<PartTable>,
    /// Draws a place in `next`.
    pub(crate) next_draw: Option<Weighted>,
    pub(crate) next: Vec<usize>,
}

/// A part of a template.
#[derive(Debug)]
pub(crate) enum PartTable {
    Text(String),
    /// Index into the slots of all templates.
    Slot(usize),
    /// Index into the slots of this template.
    Same(usize),
}

/// A slot.
#[derive(Debug)]
pub(crate) enum SlotTable {
    Values {
        values: Vec<String>,
        draw: Weighted,
        repeat: u64,
    },
    Number {
        points: Vec<u64>,
        width: usize,
        recent: u64,
    },
    Counter {
        start: u64,
        step: u64,
        width: usize,
    },
    Hex {
        digits: Vec<u8>,
        draw: Weighted,
        alphabet: Alphabet,
        recent: u64,
    },
    Uuid {
        recent: u64,
    },
    Address {
        networks: Vec<[u8; 2]>,
        draw: Weighted,
        recent: u64,
    },
    Stamp(StampFormat),
}

impl Tables {
    /// Compiles a profile for messages from so many hosts; at least one.
    pub fn new(profile: &Profile, style: Style, hosts: usize) -> Self {
        let hosts = hosts.clamp(1, HOSTS_MAX);
        let zipf = |len: usize| (0..len as u64).map(|place| (1 << 40) / (place + 1));
        let mut tables = Self {
            style,
            hosts: (0..hosts).map(host).collect(),
            host_draw: draw(zipf(hosts)),
            programs: PROGRAMS.to_vec(),
            program_draw: draw(zipf(PROGRAMS.len())),
            templates: Vec::with_capacity(profile.templates.len()),
            template_draw: draw(profile.templates.iter().map(|template| template.count)),
            slots: Vec::new(),
            letters: BTreeSet::new(),
        };
        for template in &profile.templates {
            let table = tables.template(template);
            tables.templates.push(table);
        }
        let fixed = HOST_ROLES
            .iter()
            .chain(&PROGRAMS)
            .chain(&["example", "com"]);
        for text in fixed.chain(&MONTHS).chain(&WEEKDAYS) {
            tables.letters.insert(text.to_ascii_lowercase());
        }
        tables
    }

    fn template(&mut self, template: &Template) -> TemplateTable {
        let follow: u64 = template.next.iter().map(|(_, count)| count).sum();
        let rest = template.count.saturating_sub(follow);
        let weights = template.next.iter().map(|(_, count)| *count);
        let mut next: Vec<usize> = template
            .next
            .iter()
            .map(|(place, _)| usize::try_from(*place).unwrap_or(ANY_TEMPLATE))
            .collect();
        next.push(ANY_TEMPLATE);
        let mut parts: Vec<PartTable> = Vec::with_capacity(template.parts.len());
        for part in &template.parts {
            parts.push(match part {
                Part::Text(text) => PartTable::Text(self.cleaned(text)),
                Part::Slot(Slot::Same { slot }) => PartTable::Same(usize::from(*slot)),
                Part::Slot(slot) => {
                    let slot = self.slot(slot);
                    self.slots.push(slot);
                    PartTable::Slot(self.slots.len() - 1)
                }
            });
        }
        self.break_dotted_numbers(&mut parts);
        TemplateTable {
            priority: template.priority,
            program: self.cleaned(&template.program),
            has_pid: template.has_pid,
            msgid: self.cleaned(&template.msgid),
            has_data: template.has_data,
            parts,
            next_draw: Weighted::new(weights.chain([rest])),
            next,
        }
    }

    /// Numbers with full stops between them could by chance be an address of the planted network,
    /// 172.31: none of them is 172.
    fn break_dotted_numbers(&mut self, parts: &mut [PartTable]) {
        for place in 0..parts.len() {
            let is_slot =
                |part: Option<&PartTable>| !matches!(part, Some(PartTable::Text(_)) | None);
            let is_next_slot = is_slot(parts.get(place + 1));
            let is_before_dot = matches!(parts.get(place + 1), Some(PartTable::Text(text))
                if text.starts_with('.'));
            match parts.get_mut(place) {
                Some(PartTable::Text(text)) if is_next_slot && text.ends_with("172.") => {
                    text.truncate(text.len() - 2);
                    text.push_str("3.");
                }
                Some(PartTable::Slot(slot)) if is_before_dot => {
                    if let Some(slot) = self.slots.get_mut(*slot) {
                        slot.avoid_172();
                    }
                }
                _ => {}
            }
        }
    }

    fn slot(&mut self, slot: &Slot) -> SlotTable {
        match slot {
            Slot::Values { values, repeat } => SlotTable::Values {
                values: values
                    .iter()
                    .map(|(value, _)| self.cleaned(value))
                    .collect(),
                draw: draw(values.iter().map(|(_, count)| *count)),
                repeat: u64::from(*repeat),
            },
            Slot::Number {
                points,
                width,
                recent,
            } => SlotTable::Number {
                points: points.clone(),
                width: usize::from(*width),
                recent: u64::from(*recent),
            },
            Slot::Counter { start, step, width } => SlotTable::Counter {
                start: *start,
                step: *step,
                width: usize::from(*width),
            },
            Slot::Hex {
                digits,
                is_upper,
                recent,
            } => SlotTable::Hex {
                digits: digits.iter().map(|(digits, _)| *digits).collect(),
                draw: draw(digits.iter().map(|(_, count)| *count)),
                alphabet: if *is_upper {
                    Alphabet::UpperHex
                } else {
                    Alphabet::LowerHex
                },
                recent: u64::from(*recent),
            },
            Slot::Code { digits, recent } => SlotTable::Hex {
                digits: digits.iter().map(|(digits, _)| *digits).collect(),
                draw: draw(digits.iter().map(|(_, count)| *count)),
                alphabet: Alphabet::Code,
                recent: u64::from(*recent),
            },
            Slot::Address { networks, recent } => SlotTable::Address {
                networks: networks
                    .iter()
                    .map(|(one, two, _)| network(*one, *two))
                    .collect(),
                draw: draw(networks.iter().map(|(.., count)| *count)),
                recent: u64::from(*recent),
            },
            Slot::Stamp { format } => {
                SlotTable::Stamp(StampFormat::parse(format).unwrap_or_default())
            }
            Slot::Uuid { recent } => SlotTable::Uuid {
                recent: u64::from(*recent),
            },
            // Handled by the caller, who knows the slots before.
            Slot::Same { .. } => SlotTable::Uuid { recent: 0 },
        }
    }

    fn cleaned(&mut self, text: &str) -> String {
        let text = clean(text);
        for run in letter_runs(&text) {
            self.letters.insert(run);
        }
        text
    }
}

impl SlotTable {
    /// Writes another number wherever it would write 172.
    fn avoid_172(&mut self) {
        match self {
            Self::Values { values, .. } => {
                for value in values.iter_mut().filter(|value| *value == "172") {
                    "173".clone_into(value);
                }
            }
            Self::Number { points, .. }
                if points.first() <= Some(&172) && points.last() >= Some(&172) =>
            {
                points.retain(|point| *point > 172);
                points.insert(0, 173);
                points.push(points.last().copied().unwrap_or(173));
            }
            Self::Counter { start, .. } => *start = (*start).max(173),
            _ => {}
        }
    }
}

/// Any network but the one that is planted.
fn network(one: u8, two: u8) -> [u8; 2] {
    if (one, two) == (172, 31) {
        [172, 30]
    } else {
        [one, two]
    }
}

fn draw(weights: impl Iterator<Item = u64>) -> Weighted {
    Weighted::new(weights).unwrap_or_else(Weighted::first)
}

/// The name of a host.
fn host(place: usize) -> String {
    let role = HOST_ROLES.get(place % HOST_ROLES.len()).unwrap_or(&"web");
    format!("{role}-{:03}.example.com", place / HOST_ROLES.len() + 1)
}
