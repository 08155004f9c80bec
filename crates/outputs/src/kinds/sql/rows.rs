//! Records as rows of tables, column by column.

use std::ops::Range;

use super::{Engine, Sql};
use crate::render::{Rendering, Scene};
use crate::sink::{Batch, Item, Outcome};

/// Rows of one table.
#[derive(Debug)]
pub(super) struct Rows {
    /// The table.
    pub(super) table: String,
    /// Where the records stand in the batch.
    pub(super) places: Vec<usize>,
    /// The id, and then the other columns.
    columns: Vec<Cells>,
}

/// The values of a column, one behind the other.
#[derive(Debug, Default)]
struct Cells {
    text: String,
    ends: Vec<usize>,
}

impl Cells {
    fn push(&mut self, bytes: &[u8], engine: Engine) {
        let text = String::from_utf8_lossy(bytes);
        match engine {
            // PostgreSQL has no NUL in texts; one would fail all of a batch.
            Engine::Postgres if text.contains('\0') => self.text += &text.replace('\0', "\u{fffd}"),
            _ => self.text += &text,
        }
        self.ends.push(self.text.len());
    }

    fn get(&self, row: usize) -> &str {
        let start = row.checked_sub(1).and_then(|row| self.ends.get(row));
        let end = self.ends.get(row).copied().unwrap_or_default();
        let start = start.copied().unwrap_or_default();
        self.text.get(start..end).unwrap_or_default()
    }
}

impl Rows {
    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// How many columns there are, the id among them.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The values of a column in some rows.
    pub(super) fn column(&self, column: usize, rows: Range<usize>) -> impl Iterator<Item = &str> {
        let cells = self.columns.get(column);
        rows.map(move |row| cells.map_or("", |cells| cells.get(row)))
    }

    /// Bytes of the values of a row.
    pub(super) fn row_bytes(&self, row: usize) -> usize {
        self.columns.iter().map(|cells| cells.get(row).len()).sum()
    }
}

/// The records of a batch as rows, by tables. Those that make none are refused.
pub(super) fn rows(
    options: &Sql,
    store: &str,
    batch: &Batch,
    scene: &Scene,
    outcome: &mut Outcome,
) -> Vec<Rows> {
    let engine = options.address.engine;
    let mut tables: Vec<Rows> = Vec::new();
    let mut values: Vec<Vec<u8>> = vec![Vec::new(); options.columns.len()];
    for (place, item) in batch.iter().enumerate() {
        let table = match name_of(&options.table, item, scene, engine) {
            Ok(table) => table,
            Err(reason) => {
                outcome.reject(place, reason);
                continue;
            }
        };
        if let Err(reason) = render(options, item, scene, &mut values) {
            outcome.reject(place, reason);
            continue;
        }
        let at = match tables.iter().position(|rows| rows.table == table) {
            Some(at) => at,
            None => {
                let columns = (0..=options.columns.len()).map(|_| Cells::default());
                let (places, columns) = (Vec::new(), columns.collect());
                tables.push(Rows {
                    table,
                    places,
                    columns,
                });
                tables.len() - 1
            }
        };
        let Some(rows) = tables.get_mut(at) else {
            continue;
        };
        rows.places.push(place);
        let id = format!("{store}:{}:{}", item.logspace, item.number.0);
        let values = values.iter().map(Vec::as_slice);
        for (cells, value) in rows
            .columns
            .iter_mut()
            .zip([id.as_bytes()].into_iter().chain(values))
        {
            cells.push(value, engine);
        }
    }
    tables
}

fn render(
    options: &Sql,
    item: Item<'_>,
    scene: &Scene,
    values: &mut [Vec<u8>],
) -> Result<(), String> {
    for (column, value) in options.columns.iter().zip(values) {
        value.clear();
        let rendered = column.value.render(item, scene, value);
        rendered.map_err(|reason| format!("column {}: {reason}", column.name))?;
    }
    Ok(())
}

/// The table of a record. Names are cut to what the database takes.
pub(super) fn name_of(
    table: &Rendering,
    item: Item<'_>,
    scene: &Scene,
    engine: Engine,
) -> Result<String, String> {
    let mut name = Vec::new();
    table.render(item, scene, &mut name)?;
    let name = String::from_utf8_lossy(&name).replace(|c: char| c.is_control(), "_");
    // NAMEDATALEN of PostgreSQL is 64 with a NUL; MySQL counts 64 characters.
    let end = match engine {
        Engine::Postgres => name.floor_char_boundary(63),
        Engine::Mysql => name
            .char_indices()
            .nth(64)
            .map_or(name.len(), |(end, _)| end),
    };
    let name = name.get(..end).unwrap_or_default().trim_end();
    match name {
        "" => Err("`table` makes an empty name of it".to_owned()),
        name => Ok(name.to_owned()),
    }
}

/// A name as SQL has it, whatever its characters.
pub(super) fn quoted(name: &str, engine: Engine) -> String {
    match engine {
        Engine::Postgres => format!("\"{}\"", name.replace('"', "\"\"")),
        Engine::Mysql => format!("`{}`", name.replace('`', "``")),
    }
}
