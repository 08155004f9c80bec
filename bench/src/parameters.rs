//! What a case of a scenario file says about itself.

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

use crate::size::Size;

/// Keys and values of a case, those of its table behind them, for one size.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parameters(Table);

impl Parameters {
    /// Takes the values of one size: `{ quick = 1, full = 2 }` stands for one of them.
    pub(crate) fn merge(table: &Table, case: &Table, size: Size) -> Result<Self> {
        let mut merged = Table::new();
        for (key, value) in table.iter().chain(case) {
            let value = match value {
                Value::Table(sizes) => sizes
                    .get(size.name())
                    .with_context(|| format!("`{key}` has no value for {size}"))?,
                value => value,
            };
            merged.insert(key.clone(), value.clone());
        }
        Ok(Self(merged))
    }

    pub(crate) fn count(&self, key: &str) -> Result<u64> {
        self.optional_count(key)?
            .with_context(|| format!("the scenario file gives no `{key}`"))
    }

    pub(crate) fn optional_count(&self, key: &str) -> Result<Option<u64>> {
        match self.0.get(key) {
            None => Ok(None),
            Some(Value::Integer(value)) => Ok(Some(
                u64::try_from(*value).with_context(|| format!("`{key}` is negative"))?,
            )),
            Some(other) => bail!("`{key}` is a {} and not a whole number", other.type_str()),
        }
    }

    pub(crate) fn text(&self, key: &str) -> Result<&str> {
        self.optional_text(key)?
            .with_context(|| format!("the scenario file gives no `{key}`"))
    }

    pub(crate) fn optional_text(&self, key: &str) -> Result<Option<&str>> {
        match self.0.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => bail!("`{key}` is a {} and not a text", other.type_str()),
        }
    }

    /// Whether a switch is on; it is off where the file does not name it.
    pub(crate) fn is_on(&self, key: &str) -> Result<bool> {
        match self.0.get(key) {
            None => Ok(false),
            Some(Value::Boolean(on)) => Ok(*on),
            Some(other) => bail!(
                "`{key}` is a {} and neither true nor false",
                other.type_str()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn a_case_overrules_its_table_and_sizes_are_chosen() {
        let with = table("size = 400\nmessages = { quick = 10, full = 1000 }\nparse = true");
        let case = table("size = 800\nformat = \"loggen\"");
        let full = Parameters::merge(&with, &case, Size::Full).unwrap();
        assert_eq!(full.count("size").unwrap(), 800);
        assert_eq!(full.count("messages").unwrap(), 1000);
        assert_eq!(full.text("format").unwrap(), "loggen");
        assert!(full.is_on("parse").unwrap());
        assert!(!full.is_on("other").unwrap());
    }

    #[test]
    fn a_missing_or_wrong_value_is_named() {
        let with = table("size = \"big\"\nmessages = { full = 1000 }");
        let error = Parameters::merge(&with, &Table::new(), Size::Quick).unwrap_err();
        assert_eq!(error.to_string(), "`messages` has no value for quick");
        let parameters = Parameters::merge(&with, &Table::new(), Size::Full).unwrap();
        let error = parameters.count("size").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`size` is a string and not a whole number"
        );
        let error = parameters.text("format").unwrap_err();
        assert_eq!(error.to_string(), "the scenario file gives no `format`");
    }
}
