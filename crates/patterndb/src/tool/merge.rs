//! Several databases as one, of the newest version.

use quick_xml::escape::escape;

use crate::database::Database;
use crate::error::LoadError;
use crate::xml::{Element, Part, Xml};

/// Databases that cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// One of the files is no database.
    #[error("{name}: {error}")]
    File {
        /// Its name.
        name: String,
        /// What is wrong with it.
        error: LoadError,
    },
    /// Together they are none.
    #[error("the files cannot be one database: {0}")]
    Together(LoadError),
}

/// The files, each with its name, as one database of version 6 that was published on that day. Comments are
/// left out.
pub fn merge(files: &[(&str, &[u8])], published: &str) -> Result<String, MergeError> {
    let mut out = format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n<patterndb version='6' pub_date='{}'>",
        escape(published)
    );
    for (name, xml) in files {
        let in_file = |error| MergeError::File {
            name: (*name).to_owned(),
            error,
        };
        let database = Database::parse(xml).map_err(in_file)?;
        let text = String::from_utf8_lossy(xml);
        let mut writer = Writer {
            is_first_version: database.version() == 1,
            is_in_rule: false,
            is_empty: false,
            out: &mut out,
        };
        writer
            .write(text.trim_start_matches('\u{feff}'))
            .map_err(in_file)?;
    }
    out += "</patterndb>\n";
    Database::parse(out.as_bytes()).map_err(MergeError::Together)?;
    Ok(out)
}

struct Writer<'o> {
    /// Version 1 calls rulesets programs, and groups neither patterns nor addresses of a rule.
    is_first_version: bool,
    is_in_rule: bool,
    /// Whether the element that starts last has no content.
    is_empty: bool,
    out: &'o mut String,
}

impl Writer<'_> {
    fn write(&mut self, text: &str) -> Result<(), LoadError> {
        let mut xml = Xml::new(text);
        loop {
            match xml.next()? {
                Part::Start(element) if element.name == "patterndb" => {}
                Part::Start(element) => self.start(&element),
                Part::Text(text) => *self.out += &written(&text),
                Part::End(name) if name == "patterndb" => {}
                Part::End(name) => self.end(&name),
                Part::Over => return Ok(()),
            }
        }
    }

    fn start(&mut self, element: &Element) {
        let name = element.name.as_str();
        self.is_in_rule |= name == "rule";
        if let Some(group) = self.group(name) {
            *self.out += &format!("<{group}>");
        }
        *self.out += &format!("<{}", self.renamed(name));
        for (name, value) in element.attributes() {
            *self.out += &format!(" {name}=\"{}\"", written(value));
        }
        // An element without content has no text, which is not an empty text.
        self.is_empty = element.is_empty;
        *self.out += if element.is_empty { "/>" } else { ">" };
    }

    fn end(&mut self, name: &str) {
        self.is_in_rule &= name != "rule";
        if !std::mem::take(&mut self.is_empty) {
            *self.out += &format!("</{}>", self.renamed(name));
        }
        if let Some(group) = self.group(name) {
            *self.out += &format!("</{group}>");
        }
    }

    fn renamed<'n>(&self, name: &'n str) -> &'n str {
        match name {
            "program" if self.is_first_version => "ruleset",
            name => name,
        }
    }

    /// What an element of the first version needs around it.
    fn group(&self, name: &str) -> Option<&'static str> {
        match name {
            "pattern" if self.is_first_version && self.is_in_rule => Some("patterns"),
            "url" if self.is_first_version && self.is_in_rule => Some("urls"),
            _ => None,
        }
    }
}

/// A text as XML has it. Readers would change white space that is not written as a reference: a carriage
/// return in texts, and all of it but spaces in attributes.
fn written(text: &str) -> String {
    let text = escape(text).replace('\r', "&#13;");
    text.replace('\t', "&#9;").replace('\n', "&#10;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Match;

    const V1: &str = include_str!("../../testdata/v1.xml");
    const V4: &str = include_str!("../../testdata/v4.xml");
    const V6: &str = include_str!("../../testdata/v6.xml");

    fn merged(files: &[(&str, &[u8])]) -> Database {
        let text = merge(files, "2026-02-03").unwrap_or_else(|error| panic!("{error}"));
        Database::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_file_that_is_merged_alone_is_the_same() {
        for text in [V1, V4, V6] {
            let (before, after) = (
                Database::parse(text.as_bytes()),
                merged(&[("a", text.as_bytes())]),
            );
            let before = before.expect("a database");
            assert_eq!((after.version(), after.published()), (6, "2026-02-03"));
            assert_eq!(before.rules().len(), after.rules().len());
            for (before, after) in before.rules().iter().zip(after.rules()) {
                assert_eq!(
                    crate::Rule {
                        line: 0,
                        ..(**before).clone()
                    },
                    crate::Rule {
                        line: 0,
                        ..(**after).clone()
                    }
                );
            }
            assert_eq!(before.examples().len(), after.examples().len());
        }
    }

    #[test]
    fn files_are_one_database_behind_it() {
        let other = b"<patterndb version='4'><ruleset><pattern>cron</pattern><rules>\
            <rule id='&lt;&quot;'><pattern>a &lt;&#13;&#10;&#9;@NUMBER:n@</pattern></rule></rules></ruleset></patterndb>";
        let database = merged(&[("v1", V1.as_bytes()), ("other", other)]);
        let id = |found: Option<Match<'_, '_>>| found.map(|found| found.rule.id.clone());
        assert_eq!(
            id(database.classify(b"cron", b"a <\r\n\t7")).as_deref(),
            Some("<\"")
        );
        let message = b"Accepted password for bob from 192.0.2.7 port 4711 ssh2";
        assert_eq!(
            id(database.classify(b"sshd", message)).as_deref(),
            Some("accepted")
        );
    }

    #[test]
    fn a_file_that_is_no_database_is_named() {
        let error =
            merge(&[("a.xml", V6.as_bytes()), ("b.xml", b"<x/>")], "").expect_err("no database");
        assert!(error.to_string().starts_with("b.xml: line 1: "), "{error}");
    }
}
