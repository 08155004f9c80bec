//! Small named texts that have to survive: positions of destinations, saved searches, users, alerts.
//!
//! A document is written whole, beside its place, and renamed there when it is durable, so that a crash leaves
//! the one or the other. It has a version: whoever changes it says which one they have read. It says whose it is,
//! and its checksum covers that; the inventory has its name, so that it is missed. FORMAT.md has the bytes.

use std::collections::BTreeMap;
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use model::LogspaceName;

use crate::disk::Disk;
use crate::error::Error;
use crate::limits::{
    DOCUMENT_BYTES_MAX, DOCUMENT_HEADER_BYTES_MAX, DOCUMENTS_BYTES_MAX, DOCUMENTS_MAX,
};
use crate::names;
use crate::notes::{self, StoreId};
use crate::snapshot::Damage;
use crate::store::{Shared, Store, locked};

const MAGIC: &str = "logwood document 1";

/// The name of a document: like that of a logspace letters, digits, `-`, `_` and single inner dots, at most 128
/// bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentName(Box<str>);

impl DocumentName {
    /// Checks and takes a name.
    ///
    /// # Errors
    /// When it could not be that of a file everywhere.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match LogspaceName::parse(text) {
            Ok(_) => Ok(Self(text.into())),
            Err(_) => Err(Error::DocumentName {
                name: text.chars().take(model::limits::NAME_BYTES_MAX).collect(),
            }),
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DocumentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a document says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Counted from 1, one more with each change.
    pub version: u64,
    /// What it says is the business of whoever writes it.
    pub bytes: Vec<u8>,
}

/// What is known of the documents of a store.
#[derive(Debug, Default)]
pub(crate) struct Documents(BTreeMap<DocumentName, Known>);

#[derive(Clone, Debug)]
enum Known {
    /// It has so many bytes.
    Whole(usize),
    /// It is gone, or cannot be read.
    Damaged(Damage),
}

impl Store {
    /// The names of all documents, in order, also of those that cannot be read.
    pub fn documents(&self) -> Vec<DocumentName> {
        locked(&self.shared.documents).0.keys().cloned().collect()
    }

    /// A document; `None` where there is none of that name.
    ///
    /// # Errors
    /// When it cannot be read, or is gone although it was not removed.
    pub fn document(&self, name: &DocumentName) -> Result<Option<Document>, Error> {
        let mut documents = locked(&self.shared.documents);
        self.current(&mut documents, name)
    }

    /// Writes a document in the place of that version of it, 0 for none; which version it is now. It is durable on
    /// return.
    ///
    /// # Errors
    /// When it has another version, is too long, or one too many; when the store is open for reading only; or when
    /// the disk refuses: then the one before is there, or this one, which a power cut may take.
    pub fn put_document(
        &self,
        name: &DocumentName,
        bytes: &[u8],
        version: u64,
    ) -> Result<u64, Error> {
        if self.is_read_only() {
            return Err(Error::ReadOnly);
        }
        let mut documents = locked(&self.shared.documents);
        let current = self.current(&mut documents, name)?;
        let found = current.map_or(0, |document| document.version);
        if found != version {
            return Err(Error::DocumentChanged {
                name: name.clone(),
                expected: version,
                found,
            });
        }
        documents.check_room(name, bytes.len())?;
        let document = Document {
            version: version + 1,
            bytes: bytes.to_vec(),
        };
        let store = locked(&self.shared.inventory).store;
        write(self.disk(), self.data_dir(), name, store, &document)?;
        documents.0.insert(name.clone(), Known::Whole(bytes.len()));
        if version == 0
            && let Err(error) = self.shared.list_document(name, true)
        {
            // Every later inventory has its name.
            tracing::warn!(document = %name, %error, "cannot note that there is a new document");
        }
        Ok(document.version)
    }

    /// What a document says now. One that could not be read a while ago may be readable again.
    fn current(
        &self,
        documents: &mut Documents,
        name: &DocumentName,
    ) -> Result<Option<Document>, Error> {
        if !documents.0.contains_key(name) {
            return Ok(None);
        }
        let store = locked(&self.shared.inventory).store;
        let found = read(self.disk(), self.data_dir(), name, store);
        let known = Known::of(self.data_dir(), name, &found);
        documents.0.insert(name.clone(), known);
        found.map(Some)
    }

    /// Removes a document, whatever its version, and forgets one that is gone; whether there was one.
    ///
    /// # Errors
    /// When the disk refuses, or the store is open for reading only.
    pub fn remove_document(&self, name: &DocumentName) -> Result<bool, Error> {
        if self.is_read_only() {
            return Err(Error::ReadOnly);
        }
        let mut documents = locked(&self.shared.documents);
        if !documents.0.contains_key(name) {
            return Ok(false);
        }
        // First of all nobody must miss it.
        self.shared.list_document(name, false)?;
        let path = names::document(self.data_dir(), name);
        if let Err(error) = notes::remove(self.disk(), &path) {
            self.shared.list_document(name, true)?;
            return Err(error);
        }
        documents.0.remove(name);
        Ok(true)
    }
}

impl Shared {
    /// Has the inventory name a document, or name it no more.
    fn list_document(&self, name: &DocumentName, is_there: bool) -> Result<(), Error> {
        let mut inventory = locked(&self.inventory);
        match is_there {
            true => inventory.documents.insert(name.clone()),
            false => inventory.documents.remove(name),
        };
        let written = inventory.write(self.disk.as_ref(), &self.options.data_dir);
        if written.is_err() && !is_there {
            inventory.documents.insert(name.clone());
        }
        written
    }

    /// Goes on without the documents that cannot be read: they are set aside.
    pub(crate) fn give_up_documents(&self) -> Result<Vec<Damage>, Error> {
        let mut documents = locked(&self.documents);
        let mut given_up = Vec::new();
        for (name, known) in &documents.0 {
            let Known::Damaged(damage) = known else {
                continue;
            };
            let path = names::document(&self.options.data_dir, name);
            let mut aside = path.clone().into_os_string();
            aside.push(names::DAMAGED_SUFFIX);
            match self.disk.rename(&path, Path::new(&aside)) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                result => result.map_err(Error::io("rename", path.as_path()))?,
            }
            self.list_document(name, false)?;
            given_up.push(damage.clone());
        }
        documents
            .0
            .retain(|_, known| matches!(known, Known::Whole(_)));
        Ok(given_up)
    }
}

impl Known {
    /// What is known of a document that was read.
    fn of(data_dir: &Path, name: &DocumentName, read: &Result<Document, Error>) -> Self {
        match read {
            Ok(document) => Self::Whole(document.bytes.len()),
            Err(error) => Self::Damaged(damage_of(data_dir, name, error)),
        }
    }
}

impl Documents {
    /// Reads what there is of a store, and misses what its inventory names.
    pub(crate) fn load(
        disk: &dyn Disk,
        data_dir: &Path,
        store: StoreId,
        expected: impl IntoIterator<Item = DocumentName>,
    ) -> Result<Self, Error> {
        let mut names = listed(disk, data_dir)?;
        names.extend(expected);
        let mut documents = Self::default();
        for name in names {
            let known = Known::of(data_dir, &name, &read(disk, data_dir, &name, store));
            if let Known::Damaged(damage) = &known {
                tracing::error!(%damage, "damaged");
            }
            documents.0.insert(name, known);
        }
        Ok(documents)
    }

    /// Their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = DocumentName> + '_ {
        self.0.keys().cloned()
    }

    /// What cannot be read.
    pub(crate) fn damages(&self) -> Vec<Damage> {
        let damaged = self.0.values().filter_map(|known| match known {
            Known::Whole(_) => None,
            Known::Damaged(damage) => Some(damage.clone()),
        });
        damaged.collect()
    }

    fn check_room(&self, name: &DocumentName, bytes: usize) -> Result<(), Error> {
        let others = self.0.iter().filter(|(other, _)| *other != name);
        let taken = |known: &Known| match known {
            Known::Whole(bytes) => *bytes,
            Known::Damaged(_) => 0,
        };
        let (count, sum) = others.fold((1, bytes), |(count, sum), (_, known)| {
            (count + 1, sum + taken(known))
        });
        let limits = [
            ("bytes", bytes, DOCUMENT_BYTES_MAX),
            ("documents together", count, DOCUMENTS_MAX),
            ("bytes of all documents", sum, DOCUMENTS_BYTES_MAX),
        ];
        match limits.iter().find(|(_, found, max)| found > max) {
            None => Ok(()),
            Some((what, found, max)) => Err(Error::DocumentTooLarge {
                name: name.clone(),
                what,
                found: *found,
                max: *max,
            }),
        }
    }
}

/// The documents of a directory by name, and those that cannot be read.
type AllRead = (Vec<(DocumentName, Document)>, Vec<Damage>);

/// Reads all documents of a directory, to be written elsewhere.
pub(crate) fn read_all(disk: &dyn Disk, data_dir: &Path, store: StoreId) -> Result<AllRead, Error> {
    let (mut whole, mut damages) = (Vec::new(), Vec::new());
    for name in listed(disk, data_dir)? {
        match read(disk, data_dir, &name, store) {
            Ok(document) => whole.push((name, document)),
            Err(error) => damages.push(damage_of(data_dir, &name, &error)),
        }
    }
    Ok((whole, damages))
}

/// Writes documents into a directory of a store, and removes others that lie there.
pub(crate) fn write_all(
    disk: &dyn Disk,
    data_dir: &Path,
    store: StoreId,
    documents: &[(DocumentName, Document)],
) -> Result<(), Error> {
    for (name, document) in documents {
        write(disk, data_dir, name, store, document)?;
    }
    for name in listed(disk, data_dir)? {
        if !documents.iter().any(|(own, _)| *own == name) {
            notes::remove(disk, &names::document(data_dir, &name))?;
        }
    }
    Ok(())
}

/// The documents that lie in a directory.
pub(crate) fn listed(disk: &dyn Disk, data_dir: &Path) -> Result<Vec<DocumentName>, Error> {
    let dir = names::documents_dir(data_dir);
    let entries = match disk.list(&dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        result => result.map_err(Error::io("list", dir))?.into_iter(),
    };
    let names = entries.filter_map(|entry| {
        let name = entry.name.strip_suffix(names::DOCUMENT_SUFFIX)?;
        DocumentName::parse(name).ok()
    });
    Ok(names.collect())
}

/// Makes the directory durable as it is now.
pub(crate) fn sync(disk: &dyn Disk, data_dir: &Path) -> Result<(), Error> {
    let dir = names::documents_dir(data_dir);
    match disk.sync_dir(&dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        result => result.map_err(Error::io("sync", dir))?,
    }
    disk.sync_dir(data_dir).map_err(Error::io("sync", data_dir))
}

/// Reads a document of a store.
pub(crate) fn read(
    disk: &dyn Disk,
    data_dir: &Path,
    name: &DocumentName,
    store: StoreId,
) -> Result<Document, Error> {
    let path = names::document(data_dir, name);
    let bytes_max = (DOCUMENT_BYTES_MAX + DOCUMENT_HEADER_BYTES_MAX) as u64;
    let Some(bytes) = notes::read_bytes(disk, &path, bytes_max)? else {
        let gone = std::io::Error::new(ErrorKind::NotFound, "the file is gone");
        return Err(Error::io("read", path)(gone));
    };
    decode(&bytes, name, store).map_err(|what| Error::Damaged {
        path,
        offset: 0,
        what,
    })
}

fn write(
    disk: &dyn Disk,
    data_dir: &Path,
    name: &DocumentName,
    store: StoreId,
    document: &Document,
) -> Result<(), Error> {
    let dir = names::documents_dir(data_dir);
    disk.create_dir_all(&dir)
        .map_err(Error::io("create", dir.as_path()))?;
    let bytes = encode(document, name, store);
    notes::write_bytes(disk, &names::document(data_dir, name), &bytes)
}

fn encode(document: &Document, name: &DocumentName, store: StoreId) -> Vec<u8> {
    let Document { version, bytes } = document;
    let len = bytes.len();
    let mut text = format!("{MAGIC}\t{store}\t{name}\t{version}\t{len}\t");
    let crc = crc32c::crc32c_append(crc32c::crc32c(text.as_bytes()), bytes);
    text.push_str(&format!("{crc:08x}\n"));
    let mut file = text.into_bytes();
    file.extend_from_slice(bytes);
    file
}

/// The document in the bytes of a file, or what is wrong with them.
pub(crate) fn decode(file: &[u8], name: &DocumentName, store: StoreId) -> Result<Document, String> {
    let damaged = || "it is damaged".to_owned();
    let head = file.iter().take(DOCUMENT_HEADER_BYTES_MAX);
    let end = head.clone().position(|byte| *byte == b'\n');
    let (head, rest) = file
        .split_at_checked(end.ok_or_else(damaged)?)
        .ok_or_else(damaged)?;
    let bytes = rest.get(1..).unwrap_or_default();
    let head = std::str::from_utf8(head).map_err(|_| damaged())?;
    let (covered, crc) = head.rsplit_once('\t').ok_or_else(damaged)?;
    let found = crc32c::crc32c(covered.as_bytes());
    let found = crc32c::crc32c_append(crc32c::crc32c_append(found, b"\t"), bytes);
    if crc != format!("{found:08x}") {
        return Err(damaged());
    }
    let cells: Vec<&str> = covered.split('\t').collect();
    let [MAGIC, owner, own_name, version, len] = *cells.as_slice() else {
        return Err("it is of another version of this program".to_owned());
    };
    if own_name != name.as_str() {
        return Err(format!(
            "it is the document {own_name:?}: put it back where it belongs"
        ));
    }
    if StoreId::parse(owner) != Some(store) {
        return Err(format!("it is of the store {owner}, this is {store}"));
    }
    let version = version.parse().map_err(|_| damaged())?;
    if len.parse() != Ok(bytes.len()) {
        return Err(damaged());
    }
    Ok(Document {
        version,
        bytes: bytes.to_vec(),
    })
}

/// What is wrong with a document that cannot be read.
pub(crate) fn damage_of(data_dir: &Path, name: &DocumentName, error: &Error) -> Damage {
    let path = names::document(data_dir, name);
    let what = match error {
        Error::Damaged { what, .. } => what.clone(),
        Error::Io { source, .. } => source.to_string(),
        error => error.to_string(),
    };
    Damage::new(
        &path,
        0,
        format!("the document {name} cannot be read: {what}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_comes_back_and_every_flip_is_found() {
        let name = DocumentName::parse("cursor.main").expect("a name");
        let store = StoreId(7 << 80);
        let document = Document {
            version: 12,
            bytes: b"a\tb\n\x00\xff".to_vec(),
        };
        let file = encode(&document, &name, store);
        assert_eq!(decode(&file, &name, store), Ok(document));
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut flipped = file.clone();
                flipped[at] ^= 1 << bit;
                assert!(decode(&flipped, &name, store).is_err(), "bit {bit} of {at}");
            }
            assert!(decode(&file[..at], &name, store).is_err(), "{at} bytes");
        }
        let other = DocumentName::parse("cursor").expect("a name");
        let error = decode(&file, &other, store).expect_err("another one");
        assert!(error.contains("cursor.main"), "{error}");
        let error = decode(&file, &name, StoreId(8)).expect_err("of another store");
        assert!(error.contains("of the store"), "{error}");
    }

    #[test]
    fn names_are_those_of_files() {
        for name in ["", ".", "a/b", "..", "a..b", "a b", "ä", &"x".repeat(129)] {
            assert!(DocumentName::parse(name).is_err(), "{name}");
        }
        for name in ["a", "outputs.splunk-1.main", &"x".repeat(128)] {
            assert!(DocumentName::parse(name).is_ok(), "{name}");
        }
    }
}
