//! Values are looked up in a file.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use model::Editor;

use crate::file::{FileUser, FromFile};
use crate::place::{Origin, set_named};
use crate::step::{Action, Failure, Scratch};

/// Makes fields of the row of a table that has a value in its first column.
#[derive(Debug)]
pub struct Lookup {
    origin: Origin,
    prefix: Box<str>,
    table: FromFile<Table>,
    ignores_case: bool,
}

/// A table: the first column is what is looked up, the others are named by the first row.
#[derive(Debug)]
struct Table {
    columns: Vec<String>,
    rows: HashMap<Vec<u8>, Vec<String>>,
    /// The same with small letters.
    folded: HashMap<Vec<u8>, Vec<u8>>,
}

/// The record has a value that is a line of a file; the route rejects others.
#[derive(Debug)]
pub struct InList {
    origin: Origin,
    list: FromFile<HashSet<Vec<u8>>>,
    is_negated: bool,
}

impl Lookup {
    /// `file` is CSV with a row of names; a column `owner` becomes the field `PREFIX.owner`.
    pub fn new(origin: Origin, file: PathBuf, prefix: &str, ignores_case: bool) -> Self {
        Self {
            origin,
            prefix: prefix.into(),
            table: FromFile::new(file, Table::read),
            ignores_case,
        }
    }
}

impl Table {
    fn read(content: &[u8]) -> Result<Self, String> {
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.trim(csv::Trim::All).from_reader(content);
        let header = reader.headers().map_err(|error| error.to_string())?;
        let columns: Vec<_> = header.iter().skip(1).map(str::to_owned).collect();
        if columns.is_empty() {
            return Err("the first row must name at least two columns".to_owned());
        }
        let (mut rows, mut folded) = (HashMap::new(), HashMap::new());
        for row in reader.records() {
            let row = row.map_err(|error| error.to_string())?;
            let mut values = row.iter();
            let key = values.next().unwrap_or_default().as_bytes().to_vec();
            folded.insert(key.to_ascii_lowercase(), key.clone());
            rows.insert(key, values.map(str::to_owned).collect());
        }
        Ok(Self {
            columns,
            rows,
            folded,
        })
    }

    fn row(&self, key: &[u8], ignores_case: bool) -> Option<&Vec<String>> {
        if ignores_case {
            let key = self.folded.get(&key.to_ascii_lowercase())?;
            return self.rows.get(key);
        }
        self.rows.get(key)
    }
}

impl Action for Lookup {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        let table = self.table.get()?;
        scratch.input.clear();
        self.origin.read(record.record(), &mut scratch.input);
        let Some(row) = table.row(&scratch.input, self.ignores_case) else {
            return Ok(());
        };
        for (column, value) in table.columns.iter().zip(row) {
            if value.is_empty() || column.is_empty() {
                continue;
            }
            let value = record.append(value.as_bytes())?;
            match self.prefix.is_empty() {
                true => set_named(record, column, value)?,
                false => set_named(record, &format!("{}.{column}", self.prefix), value)?,
            }
        }
        Ok(())
    }

    fn file(&self) -> Option<&dyn FileUser> {
        Some(&self.table)
    }
}

impl InList {
    /// `file` has a value on each line; what stands behind `#` is a comment. Where `is_negated`, the route
    /// rejects records whose value is there.
    pub fn new(origin: Origin, file: PathBuf, is_negated: bool) -> Self {
        Self {
            origin,
            list: FromFile::new(file, |content| Ok(lines(content))),
            is_negated,
        }
    }
}

fn lines(content: &[u8]) -> HashSet<Vec<u8>> {
    let lines = content.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.split(|byte| *byte == b'#').next().unwrap_or_default());
    let values = lines.map(<[u8]>::trim_ascii);
    values
        .filter(|value| !value.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}

impl Action for InList {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        let list = self.list.get()?;
        scratch.input.clear();
        self.origin.read(record.record(), &mut scratch.input);
        match list.contains(&scratch.input) == self.is_negated {
            true => Err(Failure::NoMatch),
            false => Ok(()),
        }
    }

    fn file(&self) -> Option<&dyn FileUser> {
        Some(&self.list)
    }
}
