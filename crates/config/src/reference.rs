//! The reference for people, made from the table of known keys.

use crate::schema::step::KINDS;
use crate::schema::{KeySpec, SECTIONS, SectionSpec};

const HEAD: &str = include_str!("reference_head.md");
const STEPS: &str = include_str!("reference_steps.md");

/// `docs/reference/configuration.md`: every section and key with its type, default and meaning.
pub fn reference() -> String {
    let mut out = HEAD.to_owned();
    for spec in SECTIONS {
        section(spec, &mut out);
        if spec.path == ["steps"] {
            steps(&mut out);
        }
    }
    out
}

/// Every kind of step.
fn steps(out: &mut String) {
    *out += STEPS;
    for spec in KINDS {
        let kind = spec.path.last().copied().unwrap_or_default();
        *out += &format!("\n### `{kind}`\n\n{}\n", spec.doc);
        keys(spec.keys, out);
    }
}

fn section(spec: &SectionSpec, out: &mut String) {
    let path = spec.path.join(".");
    let name = if spec.named { ".NAME" } else { "" };
    *out += &format!("\n## `[{path}{name}]`\n\n{}\n", spec.doc);
    if spec.keys.is_empty() {
        *out += "\nIt has no keys yet.\n";
        return;
    }
    keys(spec.keys, out);
}

fn keys(keys: &[KeySpec], out: &mut String) {
    *out += "\n| key | value | default | |\n|---|---|---|---|\n";
    for key in keys {
        *out += &row(key);
    }
}

fn row(key: &KeySpec) -> String {
    let default = match (key.default, key.required) {
        (Some(default), _) => format!("`{default}`"),
        (None, true) => "required".to_owned(),
        (None, false) => "not set".to_owned(),
    };
    let restart = if key.restart { " *Restart.*" } else { "" };
    let (name, value, doc) = (key.name, key.kind.describe(), key.doc);
    format!("| `{name}` | {value} | {default} | {doc}{restart} |\n")
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;

    use super::*;
    use crate::{Overrides, check};

    #[test]
    fn the_reference_in_docs_is_fresh() {
        expect_file!["../../../docs/reference/configuration.md"].assert_eq(&reference());
    }

    #[test]
    fn the_example_of_the_reference_has_no_problem() {
        let code = HEAD
            .split("```")
            .nth(1)
            .and_then(|code| code.strip_prefix("toml\n"));
        let checked = check(code.expect("an example"), "example", &Overrides::default());
        assert_eq!(checked.problems, []);
    }

    #[test]
    fn no_cell_breaks_the_table() {
        for line in reference().lines().filter(|line| line.starts_with("| `")) {
            assert_eq!(line.matches('|').count(), 5, "{line}");
        }
    }
}
