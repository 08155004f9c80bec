//! A list, one value of a field for each element: `admins, users` becomes two pairs of the same name.
//!
//! An element is read as a column is; a list is a row whose columns all have one name.

use crate::csv::{CsvEscapes, CsvOptions, CsvParser};
use crate::{Error, Failed, Pairs, Parser};

/// Options of [`ListParser`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListOptions {
    /// The name of all pairs.
    pub name: String,
    /// Each of these bytes ends an element.
    pub delimiters: String,
    /// Each of these texts ends an element too.
    pub string_delimiters: Vec<String>,
    /// Quotation marks in pairs: one that opens, one that closes.
    pub quote_pairs: String,
    /// How a quotation mark is written inside quotation marks.
    pub escapes: CsvEscapes,
    /// What stands for no value, such as `-`.
    pub null: Option<String>,
    /// Whether white space around an element is no part of it.
    pub strip_white_space: bool,
}

/// Those of columns; a name has to be said.
impl Default for ListOptions {
    fn default() -> Self {
        let CsvOptions {
            delimiters,
            string_delimiters,
            quote_pairs,
            escapes,
            null,
            strip_white_space,
            ..
        } = CsvOptions::default();
        Self {
            name: String::new(),
            delimiters,
            string_delimiters,
            quote_pairs,
            escapes,
            null,
            strip_white_space,
        }
    }
}

/// Takes a list apart.
#[derive(Clone, Debug)]
pub struct ListParser {
    name: Box<str>,
    elements: CsvParser,
}

impl ListParser {
    /// Checks the options.
    pub fn new(options: &ListOptions) -> Result<Self, Error> {
        if options.name.is_empty() {
            return Err(Error::Empty {
                option: "name",
                remedy: "write the name of the field that gets the elements",
            });
        }
        let elements = CsvParser::new(&CsvOptions {
            columns: vec![options.name.clone()],
            delimiters: options.delimiters.clone(),
            string_delimiters: options.string_delimiters.clone(),
            quote_pairs: options.quote_pairs.clone(),
            escapes: options.escapes,
            null: options.null.clone(),
            strip_white_space: options.strip_white_space,
            ..CsvOptions::default()
        })?;
        let name = options.name.as_str().into();
        Ok(Self { name, elements })
    }
}

impl Parser for ListParser {
    fn parse(&self, input: &[u8], pairs: &mut Pairs) -> Result<(), Failed> {
        let Some(name) = pairs.push_own(self.name.as_bytes()) else {
            return Ok(());
        };
        let mut next = Some(0);
        while let Some(at) = next {
            next = self.elements.read_column(name, input, at, pairs)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{check, check_any_bytes};

    fn parser(change: impl FnOnce(&mut ListOptions)) -> ListParser {
        let mut options = ListOptions {
            name: "group".into(),
            ..ListOptions::default()
        };
        change(&mut options);
        ListParser::new(&options).unwrap()
    }

    #[test]
    fn each_element_is_a_pair_of_the_name() {
        let groups = parser(|_| {});
        check(
            &groups,
            "Domain Users, \"Admins, local\",, ops ",
            &["group=Domain Users", "group=Admins, local", "group=ops"],
        );
        check(&groups, "one", &["group=one"]);
        check(&groups, "", &[]);
        let urls = parser(|options| {
            options.delimiters = "|".into();
            options.string_delimiters = vec!["; ".into()];
            options.null = Some("-".into());
        });
        check(&urls, "a;b; c|-|d", &["group=a;b", "group=c", "group=d"]);
    }

    #[test]
    fn more_elements_than_there_may_be_are_left_out() {
        let many = "x,".repeat(model::limits::RECORD_FIELDS_MAX + 1);
        let mut pairs = Pairs::default();
        parser(|_| {}).parse(many.as_bytes(), &mut pairs).unwrap();
        assert!(pairs.is_truncated());
        assert_eq!(pairs.pairs().len(), model::limits::RECORD_FIELDS_MAX);
    }

    #[test]
    fn a_list_without_a_name_is_refused() {
        let error = ListParser::new(&ListOptions::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`name` is empty: write the name of the field that gets the elements"
        );
    }

    #[test]
    fn any_bytes_are_taken() {
        let words = ["a", ",", "\"", " ", "; ", ";", "-", "\u{e9}"];
        check_any_bytes(&parser(|_| {}), &words);
        check_any_bytes(
            &parser(|options| options.string_delimiters = vec!["; ".into()]),
            &words,
        );
    }
}
