//! The generated part of docs/benchmarks.md.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::file::ScenarioFile;
use crate::jsonl::Line;
use crate::size::Size;
use crate::summary::summarise;
use crate::table;

const END: &str = "<!-- results: end -->";

/// The marker in front of the results of a size.
fn begin(size: Size) -> String {
    format!("<!-- {size} results: begin; written by cargo xtask bench --{size} --markdown -->")
}

/// Checks that there is a place for the tables, before hours go into measuring them.
pub(crate) fn check(path: &Path, size: Size) -> Result<()> {
    read(path, size, "").map(|_| ())
}

/// Writes the tables between the markers of a file for a size and leaves the rest as it is.
pub(crate) fn update(path: &Path, size: Size, tables: &str) -> Result<()> {
    let new = read(path, size, tables)?;
    fs::write(path, new).with_context(|| format!("cannot write {}", path.display()))
}

/// The file with the tables in it.
fn read(path: &Path, size: Size, tables: &str) -> Result<String> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let begin = begin(size);
    replaced(&text, &begin, tables)
        .with_context(|| format!("{} needs the lines `{begin}` and `{END}`", path.display()))
}

fn replaced(text: &str, begin: &str, tables: &str) -> Option<String> {
    let (before, rest) = text.split_once(begin)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!(
        "{before}{begin}\n\n{}\n\n{END}{after}",
        tables.trim()
    ))
}

/// Machine and tables; `command` is what a reader types to make them.
pub(crate) fn tables(files: &[&ScenarioFile], lines: &[Line], command: &str) -> String {
    let mut text = String::new();
    let machine = lines.iter().rev().find_map(|line| match line {
        Line::Machine(machine) => Some(machine),
        _ => None,
    });
    if let Some(machine) = machine {
        text.push_str("| | |\n|---|---|\n");
        for (what, told) in machine.lines() {
            let _ = writeln!(text, "| {what} | {} |", told.replace('|', "\\|"));
        }
    }
    for file in files {
        let mut is_first = true;
        for table in &file.tables {
            let summary = summarise(&file.name, table, lines);
            if summary.rows.is_empty() && summary.failed.is_empty() {
                continue;
            }
            if is_first {
                let (name, about) = (&file.name, &file.about);
                let _ = write!(text, "\n### {name}\n\n{about}\n\n");
                let _ = writeln!(text, "```sh\n{command} {name}\n```");
                is_first = false;
            }
            let (title, reproduces) = (&table.title, &table.reproduces);
            let _ = write!(text, "\n#### {title}\n\nReproduces {reproduces}.\n\n");
            text.push_str(&table::markdown(table, &summary));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::summary::tests::{lines, table};

    #[test]
    fn only_what_lies_between_the_markers_is_replaced() {
        let (quick, full) = (begin(Size::Quick), begin(Size::Full));
        let text = format!("# A\n{quick}\nold\n{END}\n{full}\nold\n{END}\nz\n");
        let once = replaced(&text, &full, "new").unwrap();
        let expected = format!("# A\n{quick}\nold\n{END}\n{full}\n\nnew\n\n{END}\nz\n");
        assert_eq!(once, expected);
        assert_eq!(replaced(&once, &full, "new").unwrap(), once);
        assert_eq!(replaced("# A\n", &full, "new"), None);
    }

    #[test]
    fn tables_stand_below_machine_and_command() {
        let file = ScenarioFile {
            name: "collect".into(),
            about: "About.".into(),
            tables: vec![table()],
        };
        let mut all = vec![Line::Machine(Machine::default())];
        all.extend(lines());
        let told = tables(&[&file], &all, "cargo xtask bench --full");
        assert!(told.starts_with("| | |\n|---|---|\n| commit |"), "{told}");
        assert!(told.contains("```sh\ncargo xtask bench --full collect\n```"));
        assert!(told.contains("#### By number of connections\n\nReproduces PE 7"));
        assert!(told.contains("| 10 | logwood | 1.10 | 0.52x | 909,091 |"));
    }
}
