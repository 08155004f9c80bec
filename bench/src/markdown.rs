//! The generated tables of docs/benchmarks.md, each between markers of its own: those of scenarios that a run
//! leaves out stay as they are.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::file::{Page, ScenarioFile, TableFile};
use crate::jsonl::Line;
use crate::machine::Machine;
use crate::page;
use crate::size::Size;
use crate::summary::summarise;

const END: &str = "<!-- end -->";

/// The marker in front of a table.
fn begin(scenario: &str, table: &str) -> String {
    format!("<!-- {scenario}, {table}: begin; written by cargo xtask bench --full --markdown -->")
}

/// The tables that have a place on the page.
fn of_page<'a>(
    files: &'a [&ScenarioFile],
) -> impl Iterator<Item = (&'a ScenarioFile, &'a TableFile, &'a Page)> {
    files.iter().flat_map(|file| {
        let with_page = |table: &'a TableFile| Some((*file, table, table.page.as_ref()?));
        file.tables.iter().filter_map(with_page)
    })
}

/// Checks that there is a place for each table, before hours go into measuring them.
pub(crate) fn check(path: &Path, files: &[&ScenarioFile]) -> Result<()> {
    let text = read(path)?;
    for (file, table, _) in of_page(files) {
        replaced(&text, &begin(&file.name, &table.name), "")
            .with_context(|| format!("{} has no place for a table", path.display()))?;
    }
    Ok(())
}

/// Writes the tables that were measured and leaves the rest as it is.
pub(crate) fn update(path: &Path, files: &[&ScenarioFile], lines: &[Line]) -> Result<()> {
    let mut text = read(path)?;
    for (file, table, page) in of_page(files) {
        let summary = summarise(&file.name, table, lines);
        if summary.rows.is_empty() {
            continue;
        }
        let about = about(&file.name, table, lines);
        let told = format!("{about}\n\n{}", page::markdown(table, page, &summary));
        text = replaced(&text, &begin(&file.name, &table.name), &told)?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn replaced(text: &str, begin: &str, table: &str) -> Result<String> {
    let parts = text.split_once(begin);
    let parts = parts.and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) =
        parts.with_context(|| format!("there are no lines `{begin}` and `{END}`"))?;
    Ok(format!("{before}{begin}\n{}\n{END}{after}", table.trim()))
}

/// Title, whose table it is, and where the figures are from.
fn about(scenario: &str, table: &TableFile, lines: &[Line]) -> String {
    let (title, reproduces) = (&table.title, &table.reproduces);
    let machine = lines.iter().rev().find_map(|line| match line {
        Line::Machine(machine) => Some(machine),
        _ => None,
    });
    let from = machine.map_or_else(String::new, |machine| from(machine, rounds(lines)));
    let command = format!(
        "cargo xtask bench --{} {scenario} --table '{}'",
        Size::Full,
        table.name
    );
    format!("### {title}\n\nReproduces {reproduces}.\n{from}`{command}`")
}

fn from(machine: &Machine, rounds: u32) -> String {
    let Machine {
        cpu,
        cores,
        commit,
        started,
        ..
    } = machine;
    let day = started.split('T').next().unwrap_or_default();
    format!("{day}, {commit}, {cores} cores of {cpu}, rounds: {rounds}; ")
}

fn rounds(lines: &[Line]) -> u32 {
    let rounds = lines.iter().filter_map(|line| match line {
        Line::Run(run) => Some(run.key.round + 1),
        _ => None,
    });
    rounds.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios;
    use crate::summary::tests::{lines, table};

    /// Lines of the page at most, so that it stays one that is read.
    const PAGE_LINES_MAX: usize = 300;

    #[test]
    fn the_page_has_a_place_for_each_table_and_is_short() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks.md");
        let all = scenarios::all().unwrap();
        let files: Vec<&ScenarioFile> = all.iter().map(|one| one.file()).collect();
        check(&path, &files).unwrap();
        let text = read(&path).unwrap();
        assert_eq!(text.matches(": begin;").count(), of_page(&files).count());
        assert!(text.lines().count() <= PAGE_LINES_MAX);
    }

    #[test]
    fn only_what_was_measured_is_replaced() {
        let mut measured = table();
        measured.page = Some(toml::from_str("metrics = [\"server_cpu\"]").unwrap());
        let mut other = measured.clone();
        "other".clone_into(&mut other.name);
        let file = ScenarioFile {
            name: "collect".into(),
            about: "About.".into(),
            tables: vec![measured, other],
        };
        let (first, second) = (begin("collect", "connections"), begin("collect", "other"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.md");
        fs::write(
            &path,
            format!("# A\n{first}\nold\n{END}\n{second}\nold\n{END}\nz\n"),
        )
        .unwrap();
        let mut all = vec![Line::Machine(Machine {
            started: "2026-01-01T00:00:00Z".into(),
            ..Machine::default()
        })];
        all.extend(lines());
        update(&path, &[&file], &all).unwrap();
        let once = fs::read_to_string(&path).unwrap();
        assert!(
            once.starts_with(&format!("# A\n{first}\n### By number of connections\n\n")),
            "{once}"
        );
        assert!(
            once.contains(
                "\n2026-01-01, , 0 cores of , rounds: 3; `cargo xtask bench --full collect"
            ),
            "{once}"
        );
        assert!(
            once.contains("| 10 | server cpu, us/message | 1.10 (0.52x) | 2.10 |\n"),
            "{once}"
        );
        assert!(
            once.ends_with(&format!("\n{END}\n{second}\nold\n{END}\nz\n")),
            "{once}"
        );
        update(&path, &[&file], &all).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), once);
        fs::write(&path, "# A\n").unwrap();
        let error = format!("{:#}", check(&path, &[&file]).unwrap_err());
        assert!(error.contains("has no place for a table"), "{error}");
    }
}
