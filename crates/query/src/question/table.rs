//! Tables: what a question is answered with.

use std::cmp::Ordering;

use model::Timestamp;

use crate::ast::Number;
use crate::question::{Column, Stage};

/// Rows of values, one for each column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What the values are.
    pub columns: Vec<Column>,
    /// The values.
    pub rows: Vec<Vec<Value>>,
}

/// What stands in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: the record has no such field.
    Missing,
    /// A text; bytes that are not UTF-8 are replaced.
    Text(String),
    /// A number that was counted or computed.
    Number(Number),
    /// A time.
    Time(Timestamp),
}

impl Value {
    /// A text of a record; none where it is empty.
    pub fn of_text(text: &[u8]) -> Self {
        if text.is_empty() {
            return Self::Missing;
        }
        Self::Text(String::from_utf8_lossy(text).into_owned())
    }

    /// How many there are in each bar, with spaces between them; missing where there are no bars.
    pub fn of_counts(counts: &[u64]) -> Self {
        let texts: Vec<String> = counts.iter().map(u64::to_string).collect();
        Self::of_text(texts.join(" ").as_bytes())
    }

    /// How many there are.
    pub fn of_count(count: u64) -> Self {
        Self::Number(Number::Integer(i64::try_from(count).unwrap_or(i64::MAX)))
    }

    /// The place in the order of `sort`: numbers, also those in texts, by size, then other texts by
    /// their bytes. What is missing comes last, also where the largest come first.
    pub fn compare(&self, other: &Self, is_descending: bool) -> Ordering {
        match (self, other) {
            (Self::Missing, Self::Missing) => Ordering::Equal,
            (Self::Missing, _) => Ordering::Greater,
            (_, Self::Missing) => Ordering::Less,
            _ if is_descending => other.compare_present(self),
            _ => self.compare_present(other),
        }
    }

    fn compare_present(&self, other: &Self) -> Ordering {
        match (self.number(), other.number()) {
            (Some(one), Some(two)) => one.compare(two),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => self.text().cmp(other.text()),
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            Self::Missing => None,
            Self::Text(text) => Number::parse(text.as_bytes()),
            Self::Number(number) => Some(*number),
            Self::Time(time) => Some(Number::Integer(time.nanos())),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Missing | Self::Number(_) | Self::Time(_) => "",
        }
    }

    /// Bytes that it takes in memory beside its own.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Missing | Self::Number(_) | Self::Time(_) => 0,
        }
    }
}

impl Table {
    /// The table with a stage done that works on what is there: `fields`, `sort` or `head`. Columns
    /// that it does not have are passed over, and so are other stages.
    #[must_use]
    pub fn then(mut self, stage: &Stage) -> Self {
        match stage {
            Stage::Head(limit) => self.rows.truncate(*limit),
            Stage::Sort {
                column,
                is_descending,
            } => {
                if let Some(index) = self.index(column) {
                    self.sort(index, *is_descending);
                }
            }
            Stage::Fields(columns) => return self.select(columns),
            _ => {}
        }
        self
    }

    fn sort(&mut self, index: usize, is_descending: bool) {
        self.rows
            .sort_by(|one, two| match (one.get(index), two.get(index)) {
                (Some(one), Some(two)) => one.compare(two, is_descending),
                _ => Ordering::Equal,
            });
    }

    fn select(self, columns: &[Column]) -> Self {
        let known = columns
            .iter()
            .filter_map(|column| Some((column, self.index(column)?)));
        let (columns, indexes): (Vec<Column>, Vec<usize>) =
            known.map(|(column, index)| (column.clone(), index)).unzip();
        let row = |row: &Vec<Value>| {
            indexes
                .iter()
                .filter_map(|index| row.get(*index))
                .cloned()
                .collect()
        };
        Self {
            columns,
            rows: self.rows.iter().map(row).collect(),
        }
    }

    fn index(&self, column: &Column) -> Option<usize> {
        self.columns.iter().position(|own| own.is_same(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::FieldName;

    fn column(name: &str) -> Column {
        Column::Field(FieldName::parse(name).expect("a name"))
    }

    fn sorted(values: &[Value], is_descending: bool) -> Vec<Value> {
        let table = Table {
            columns: vec![column("x")],
            rows: values.iter().map(|value| vec![value.clone()]).collect(),
        };
        let stage = Stage::Sort {
            column: column("X"),
            is_descending,
        };
        table.then(&stage).rows.concat()
    }

    #[test]
    fn numbers_come_before_texts_and_nothing_comes_last() {
        let text = |text: &str| Value::Text(text.into());
        let values = [
            text("b"),
            Value::Missing,
            text("10"),
            text("9.5"),
            text("B"),
            Value::of_count(9),
            Value::Time(Timestamp::from_nanos(7)),
        ];
        let [b, missing, ten, nine_and_half, capital, nine, time] = values.clone();
        let ascending = [time, nine, nine_and_half, ten, capital, b, missing];
        assert_eq!(sorted(&values, false), ascending);
        let mut descending = ascending;
        descending.reverse();
        descending.rotate_left(1);
        assert_eq!(sorted(&values, true), descending);
    }

    #[test]
    fn equal_values_stay_in_order() {
        let text = |text: &str| Value::Text(text.into());
        let values = [text("1"), text("1.0"), text("01"), Value::of_count(1)];
        assert_eq!(sorted(&values, false), values);
        assert_eq!(sorted(&values, true), values);
    }

    #[test]
    fn columns_are_chosen_and_put_in_order() {
        let row = |one, two| vec![Value::of_count(one), Value::of_count(two)];
        let table = Table {
            columns: vec![column("host"), Column::Count],
            rows: vec![row(1, 2), row(3, 4)],
        };
        let chosen = table.then(&Stage::Fields(vec![Column::Count, column("HOST")]));
        assert_eq!(chosen.columns, [Column::Count, column("host")]);
        assert_eq!(chosen.then(&Stage::Head(1)).rows, [row(2, 1)]);
    }
}
