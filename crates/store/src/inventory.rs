//! What a store has, beside what its files say of themselves: its logspaces, how far the journal went,
//! how the manifests stood at the last stop, and what is known to be lost.
//!
//! A file that is gone says nothing. What it held shows by the inventory, by manifests, which say up
//! to which number records were sealed, and by the blocks of the journal, which say up to which
//! number it had records before. FORMAT.md has the lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use model::LogspaceName;

use crate::disk::Disk;
use crate::documents::DocumentName;
use crate::error::Error;
use crate::limits::{INVENTORY_BYTES_MAX, LOSSES_MAX};
use crate::manifest::{Left, Stand};
use crate::names;
use crate::notes::{self, StoreId};
use crate::snapshot::Damage;

const FIRST_LINE: &str = "logwood inventory 1";

/// What a store has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inventory {
    /// Which store it is.
    pub(crate) store: StoreId,
    /// Whether the store was stopped since, with everything durable.
    pub(crate) is_stopped: bool,
    /// The journal file that was being written.
    pub(crate) journal: Option<OpenJournal>,
    /// Its logspaces.
    pub(crate) logspaces: BTreeMap<LogspaceName, Reach>,
    /// Its documents.
    pub(crate) documents: BTreeSet<DocumentName>,
    /// What is lost.
    pub(crate) losses: Vec<Loss>,
}

/// The journal file that is being written. It stays until another one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenJournal {
    pub(crate) id: u64,
    /// Up to where it was durable when that was noted.
    pub(crate) bytes: u64,
}

/// How far a logspace went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    /// The number behind the last record that was ever in the journal.
    pub(crate) journaled: u64,
    /// The number that the next record gets.
    pub(crate) next: u64,
    /// Its manifest, at a stop.
    pub(crate) manifest: Option<Stand>,
}

/// Records that are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    /// Whose they were; `None` where nobody knows.
    pub(crate) logspace: Option<LogspaceName>,
    /// Between which numbers they were; empty where nobody knows.
    pub(crate) numbers: Range<u64>,
    /// Where, and what happened.
    pub(crate) damage: Damage,
    /// Whether somebody has said that they know.
    pub(crate) is_accepted: bool,
}

impl Loss {
    /// A loss that nobody knows of yet.
    pub(crate) fn new(
        logspace: Option<&LogspaceName>,
        numbers: Range<u64>,
        damage: Damage,
    ) -> Self {
        Self {
            logspace: logspace.cloned(),
            numbers,
            damage,
            is_accepted: false,
        }
    }

    /// The same loss where its directory has been copied to another place.
    pub(crate) fn moved(mut self, from: &Path, to: &Path) -> Self {
        if let Ok(path) = self.damage.path.strip_prefix(from) {
            self.damage.path = to.join(path);
        }
        self
    }

    /// Whether it is one of a logspace.
    pub(crate) fn is_of(&self, name: &LogspaceName) -> bool {
        self.logspace.as_ref().is_none_or(|own| own == name)
    }

    fn is_same(&self, other: &Self) -> bool {
        self.logspace == other.logspace && self.damage == other.damage
    }
}

/// What the place of an inventory has.
pub(crate) enum Found {
    Nothing,
    /// Something that is none; why.
    Damaged(String),
    Whole(Inventory),
}

/// Reads the inventory of a data directory.
pub(crate) fn read(disk: &dyn Disk, data_dir: &Path) -> Result<Found, Error> {
    let path = names::inventory(data_dir);
    Ok(
        match notes::read_within(disk, &path, INVENTORY_BYTES_MAX)? {
            None => Found::Nothing,
            Some(text) => match Inventory::parse(&text, data_dir) {
                Some(inventory) => Found::Whole(inventory),
                None => Found::Damaged("the inventory is damaged".to_owned()),
            },
        },
    )
}

impl Inventory {
    /// Writes it, durably, in place of the one that is there.
    pub(crate) fn write(&self, disk: &dyn Disk, data_dir: &Path) -> Result<(), Error> {
        notes::write(disk, &names::inventory(data_dir), &self.text(data_dir))
    }

    /// What is known of the manifest of a logspace.
    pub(crate) fn left(&self, name: &LogspaceName) -> Left {
        match self.logspaces.get(name) {
            None => Left::New,
            Some(reach) => match reach.manifest.filter(|_| self.is_stopped) {
                Some(stand) => Left::Stopped(stand),
                None => Left::Known,
            },
        }
    }

    /// Adds losses, each once.
    pub(crate) fn add(&mut self, losses: impl IntoIterator<Item = Loss>) {
        for loss in losses {
            if !self.losses.iter().any(|known| known.is_same(&loss)) {
                self.losses.push(loss);
            }
        }
        while self.losses.len() > LOSSES_MAX {
            // What is known for longest matters least.
            let accepted = self.losses.iter().position(|loss| loss.is_accepted);
            self.losses.remove(accepted.unwrap_or(LOSSES_MAX));
        }
    }

    fn text(&self, data_dir: &Path) -> String {
        let mut text = format!("{FIRST_LINE}\nstore\t{}\n", self.store);
        let state = if self.is_stopped {
            "stopped"
        } else {
            "running"
        };
        _ = writeln!(text, "state\t{state}");
        if let Some(OpenJournal { id, bytes }) = self.journal {
            _ = writeln!(text, "journal\t{id}\t{bytes}");
        }
        for (name, reach) in &self.logspaces {
            let (journaled, next) = (reach.journaled, reach.next);
            let manifest = reach.manifest.map_or("-".to_owned(), |stand| {
                format!("{:08x}:{}", stand.crc, stand.rows)
            });
            _ = writeln!(text, "logspace\t{name}\t{journaled}\t{next}\t{manifest}");
        }
        for name in &self.documents {
            _ = writeln!(text, "document\t{name}");
        }
        for loss in &self.losses {
            let kind = if loss.is_accepted { "accepted" } else { "lost" };
            let name = loss.logspace.as_ref().map_or("-", LogspaceName::as_str);
            let Range { start, end } = loss.numbers;
            let path = loss.damage.path.strip_prefix(data_dir);
            let path = path.unwrap_or(&loss.damage.path).display().to_string();
            let (path, what) = (line(&path), line(&loss.damage.what));
            let offset = loss.damage.offset;
            _ = writeln!(
                text,
                "{kind}\t{name}\t{start}\t{end}\t{offset}\t{path}\t{what}"
            );
        }
        let crc = crc32c::crc32c(text.as_bytes());
        _ = write!(text, "crc\t{crc:08x}");
        text
    }

    fn parse(text: &str, data_dir: &Path) -> Option<Self> {
        let (body, crc) = text.rsplit_once("crc\t")?;
        if u32::from_str_radix(crc, 16).ok()? != crc32c::crc32c(body.as_bytes()) {
            return None;
        }
        let mut inventory = Self::default();
        let mut lines = body.lines();
        if lines.next() != Some(FIRST_LINE) {
            return None;
        }
        for line in lines {
            let cells: Vec<&str> = line.split('\t').collect();
            match *cells.as_slice() {
                ["store", id] => inventory.store = StoreId::parse(id)?,
                ["state", state] => inventory.is_stopped = state == "stopped",
                ["journal", id, bytes] => {
                    inventory.journal = Some(OpenJournal {
                        id: id.parse().ok()?,
                        bytes: bytes.parse().ok()?,
                    });
                }
                ["logspace", name, journaled, next, manifest] => {
                    let reach = Reach {
                        journaled: journaled.parse().ok()?,
                        next: next.parse().ok()?,
                        manifest: parse_stand(manifest),
                    };
                    let name = LogspaceName::parse(name).ok()?;
                    inventory.logspaces.insert(name, reach);
                }
                ["document", name] => {
                    let name = DocumentName::parse(name).ok()?;
                    inventory.documents.insert(name);
                }
                [
                    kind @ ("lost" | "accepted"),
                    name,
                    start,
                    end,
                    offset,
                    path,
                    what,
                ] => {
                    let name = (name != "-").then(|| LogspaceName::parse(name).ok());
                    let damage = Damage {
                        path: data_dir.join(PathBuf::from(path)),
                        offset: offset.parse().ok()?,
                        what: what.to_owned(),
                    };
                    inventory.losses.push(Loss {
                        logspace: name.flatten(),
                        numbers: start.parse().ok()?..end.parse().ok()?,
                        damage,
                        is_accepted: kind == "accepted",
                    });
                }
                _ => return None,
            }
        }
        Some(inventory).filter(|inventory| inventory.store.is_known())
    }
}

fn parse_stand(text: &str) -> Option<Stand> {
    let (crc, rows) = text.split_once(':')?;
    Some(Stand {
        crc: u32::from_str_radix(crc, 16).ok()?,
        rows: rows.parse().ok()?,
    })
}

/// A text without what ends a cell or a line.
fn line(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

/// Which records are known and which are known to have been there: what was there and is not known is
/// lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coverage {
    /// Numbers of records that are in segments or in the journal, were deleted, or are known to be
    /// lost.
    known: Vec<Range<u64>>,
    /// Numbers behind records that the journal had at some time.
    ends: Vec<u64>,
}

impl Coverage {
    /// Notes records that are known.
    pub(crate) fn know(&mut self, numbers: Range<u64>) {
        match self.known.last_mut() {
            Some(last) if last.end == numbers.start => last.end = numbers.end,
            _ => self.known.push(numbers),
        }
    }

    /// Notes that the journal had the record before a number.
    pub(crate) fn expect(&mut self, end: u64) {
        let is_known = |range: &Range<u64>| range.contains(&end.saturating_sub(1));
        if end > 1 && !self.known.last().is_some_and(is_known) {
            self.ends.push(end);
        }
    }

    /// Notes a block of the journal.
    pub(crate) fn pass(&mut self, before: u64, numbers: Range<u64>) {
        self.expect(before);
        self.know(numbers);
    }

    /// Adds what another one knows.
    pub(crate) fn join(&mut self, other: Self) {
        self.known.extend(other.known);
        self.ends.extend(other.ends);
    }

    /// The numbers between which records are lost. Not each number of them was a record: those of an
    /// import that failed were not.
    pub(crate) fn lost(mut self) -> Vec<Range<u64>> {
        self.known.sort_unstable_by_key(|range| range.start);
        self.ends.sort_unstable();
        let mut known = self.known.iter().peekable();
        let mut reach = 1;
        let mut lost = Vec::new();
        for end in self.ends {
            while let Some(range) = known.next_if(|range| range.start < end) {
                reach = range.end.max(reach);
            }
            if reach < end {
                lost.push(reach..end);
                reach = end;
            }
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inventory() -> Inventory {
        let data_dir = Path::new("/data");
        let reach = |manifest| Reach {
            journaled: 7,
            next: 9,
            manifest,
        };
        let stand = Stand {
            crc: 0xabc,
            rows: 6,
        };
        let name = |name| LogspaceName::parse(name).expect("a name");
        let damage = Damage::new(&data_dir.join("journal"), 3, "gone\tfor\never");
        let mut losses = vec![Loss::new(Some(&name("a")), 3..5, damage)];
        losses.push(Loss {
            is_accepted: true,
            ..Loss::new(None, 0..0, Damage::new(Path::new("/other/x y"), 0, "why"))
        });
        Inventory {
            store: StoreId(1 << 90),
            is_stopped: true,
            journal: Some(OpenJournal { id: 4, bytes: 64 }),
            documents: BTreeSet::from([DocumentName::parse("cursor.a").expect("a name")]),
            logspaces: BTreeMap::from([(name("a"), reach(None)), (name("b"), reach(Some(stand)))]),
            losses,
        }
    }

    #[test]
    fn an_inventory_comes_back_and_every_flip_is_found() {
        let (mut expected, data_dir) = (inventory(), Path::new("/data"));
        let text = expected.text(data_dir);
        expected.losses[0].damage.what = "gone for ever".to_owned();
        assert_eq!(Inventory::parse(&text, data_dir), Some(expected));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let flipped = String::from_utf8_lossy(&bytes).into_owned();
            assert_eq!(Inventory::parse(&flipped, data_dir), None, "byte {at}");
            assert_eq!(Inventory::parse(&text[..at], data_dir), None, "{at} bytes");
        }
    }

    #[test]
    fn what_the_journal_had_and_nothing_has_is_lost() {
        let lost = |known: &[(u64, u64)], ends: &[u64]| {
            let mut coverage = Coverage::default();
            known
                .iter()
                .for_each(|(start, end)| coverage.know(*start..*end));
            ends.iter().for_each(|end| coverage.expect(*end));
            let lost = coverage.lost().into_iter();
            lost.map(|range| (range.start, range.end))
                .collect::<Vec<_>>()
        };
        assert_eq!(lost(&[(0, 1)], &[1]), []);
        assert_eq!(lost(&[(0, 1), (1, 4), (4, 9)], &[1, 4, 9]), []);
        assert_eq!(lost(&[(0, 1)], &[4]), [(1, 4)]);
        assert_eq!(lost(&[(0, 3), (5, 9)], &[3, 5, 9]), [(3, 5)]);
        // An import that failed left numbers unused.
        assert_eq!(lost(&[(0, 3), (5, 9)], &[3, 9]), []);
        assert_eq!(
            lost(&[(5, 9), (0, 3), (5, 9)], &[12, 5, 9]),
            [(3, 5), (9, 12)]
        );
    }

    #[test]
    fn losses_are_noted_once_and_are_bounded() {
        let mut inventory = Inventory::default();
        let loss = |n: u64| Loss::new(None, 0..0, Damage::new(Path::new("x"), n, "gone"));
        for n in 0..2 * LOSSES_MAX as u64 {
            inventory.add([loss(n), loss(n)]);
        }
        assert_eq!(inventory.losses.len(), LOSSES_MAX);
        assert_eq!(inventory.losses[1], loss(1));
    }
}
