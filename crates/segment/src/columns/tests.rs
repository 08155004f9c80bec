//! Columns of any values, and any bytes as columns.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

/// Encodes and decodes values; the encoding byte and the bytes.
/// Fails where a column does not append these values.
pub(super) fn assert_values(values: &[&[u8]], append: impl Fn(usize, &mut Vec<u8>)) {
    for (index, value) in values.iter().enumerate() {
        let mut given = Vec::new();
        append(index, &mut given);
        assert_eq!(given, *value);
    }
}

/// A value with one digit for each run of them.
fn without_digits(value: &[u8]) -> Vec<u8> {
    let mut shape: Vec<u8> = value.to_vec();
    for byte in &mut shape {
        if byte.is_ascii_digit() {
            *byte = b'0';
        }
    }
    shape.dedup_by(|one, other| *one == b'0' && one == other);
    shape
}

fn round_trip(values: &[&[u8]]) -> (u8, Vec<u8>) {
    let mut out = Vec::new();
    encode(values, &mut out);
    let mut again = Vec::new();
    encode(values, &mut again);
    assert_eq!(out, again, "the same values give the same bytes");
    let mut reader = Reader::new("test", &out);
    let column = Column::decode(&mut reader, values.len()).expect("valid");
    assert_eq!(reader.finish(), Ok(()));
    assert_eq!(column.rows, values.len());
    let mut given = Vec::new();
    let (mut of_keys, mut of_numbers) = (HashMap::new(), HashMap::new());
    for (row, value) in values.iter().enumerate() {
        given.clear();
        column.append(row, &mut given);
        assert_eq!(given, *value, "row {row}");
        if let Some(key) = column.key(row) {
            assert_eq!(of_keys.entry(key).or_insert(value), &value, "row {row}");
        }
        for (alike, value) in [
            (Alike::Whole, value.to_vec()),
            (Alike::ButForDigits, without_digits(value)),
        ] {
            let count = column.distinct(alike);
            if let Some(number) = column.number(row, alike) {
                assert!(number < count, "row {row}");
                let known = of_numbers.entry((alike, number)).or_insert(value.clone());
                assert_eq!(*known, value, "row {row}");
            }
            assert!(
                count != 1 || column.number(row, alike) == Some(0),
                "row {row}"
            );
        }
    }
    if let Some(numbers) = column.integers() {
        let each: Option<Vec<i64>> = (0..values.len()).map(|row| column.integer(row)).collect();
        assert_eq!(Some(numbers), each);
    }
    for (value, whole) in values.iter().zip(column.whole_parts().unwrap_or_default()) {
        let text = std::str::from_utf8(value).expect("digits");
        let (digits, fraction) = text.split_once('.').expect("a point");
        assert_eq!(digits.parse(), Ok(whole));
        assert!(!fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit()));
    }
    column.append(values.len(), &mut given);
    assert_eq!(given, values.last().copied().unwrap_or_default());
    check_summary(&column, values);
    (out[0], out)
}

/// What is known of all values holds for each, and is not more than it has to be of the text of any.
fn check_summary(column: &Column, values: &[&[u8]]) {
    let has = |set: &ByteSet, byte: u8| set[usize::from(byte / 64)] >> (byte % 64) & 1 == 1;
    let summary = column.summary();
    for value in values {
        assert!(value.iter().all(|byte| has(&summary.bytes, *byte)));
        match value.first() {
            Some(first) => assert!(has(&summary.first, *first)),
            None => assert!(summary.has_empty),
        }
    }
    let letters = |byte: &u8| !byte.is_ascii_hexdigit() && *byte != b'-';
    for byte in (0..=u8::MAX).filter(|byte| letters(byte) && has(&summary.bytes, *byte)) {
        assert!(values.iter().any(|value| value.contains(&byte)), "{byte}");
    }
    let spaces = values.iter().map(|value| summary::spaces(value)).min();
    assert_eq!(column.spaces_min(), spaces.unwrap_or(usize::MAX));
    let shape = |value: &&[u8]| -> Box<[u8]> {
        let digits = value.iter().copied();
        let digits = digits.map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
        digits.collect()
    };
    if let Some(known) = column.shape() {
        assert!(values.iter().all(|value| shape(value) == known));
    }
}

fn encoding_of<T: AsRef<[u8]>>(values: impl IntoIterator<Item = T>) -> u8 {
    let values: Vec<T> = values.into_iter().collect();
    let values: Vec<&[u8]> = values.iter().map(AsRef::as_ref).collect();
    round_trip(&values).0
}

#[test]
fn each_kind_of_value_has_its_encoding() {
    let mixed = |row: u64| row.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    assert_eq!(encoding_of(["same"; 9]), CONSTANT);
    assert_eq!(encoding_of([""; 9]), CONSTANT);
    assert_eq!(encoding_of((0..900).map(|row| row.to_string())), DECIMAL);
    assert_eq!(
        encoding_of((0..900).map(|row| format!("10.{}.0.{row}", mixed(row) >> 57))),
        DECIMAL
    );
    assert_eq!(
        encoding_of((0..900).map(|row| format!("{:016x}", mixed(row)))),
        HEXADECIMAL
    );
    assert_eq!(
        encoding_of((0..900).map(|row| ["alice", "bob", "carol"][mixed(row) as usize % 3])),
        DICTIONARY
    );
    let name = |row: u64| -> String {
        let letters = (0..6).map(|place| char::from(b'g' + (mixed(row) >> (8 * place) & 15) as u8));
        letters.collect()
    };
    assert_eq!(
        encoding_of((0..900).map(|row| "ghi".repeat(mixed(row) as usize % 9) + &name(row))),
        LINES
    );
    assert_eq!(
        encoding_of((0..900).map(|row| "ghi".repeat(mixed(row) as usize % 9) + &name(row) + "\n")),
        TEXT
    );
    assert_eq!(encoding_of((0..900).map(name)), TEXT);
    assert_eq!(
        encoding_of((0..900).map(|row| match mixed(row) % 3 {
            0 => String::from("-"),
            1 => format!("10.0.{}.{row}", mixed(row) >> 57),
            _ => format!("node{row}"),
        })),
        SHAPES
    );
}

#[test]
fn values_that_differ_in_one_number_have_keys() {
    let key = |values: &[&str]| {
        let values: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
        let (_, bytes) = round_trip(&values);
        let mut reader = Reader::new("test", &bytes);
        Column::decode(&mut reader, values.len())
            .expect("valid")
            .key(0)
    };
    assert!(
        key(&[
            "web-001.example.com",
            "web-017.example.com",
            "web-333.example.com"
        ])
        .is_some()
    );
    assert!(key(&["same", "same"]).is_some());
    let mixed: Vec<String> = (0..900)
        .map(|row| format!("{}-{:03}", ["web", "db"][row % 2], row % 77))
        .collect();
    let mixed: Vec<&str> = mixed.iter().map(String::as_str).collect();
    assert!(key(&mixed).is_some());
    let ids: Vec<String> = (0..900_u64)
        .map(|row| format!("{:016x}", row.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(key(&ids), None);
}

#[test]
fn no_values_are_a_column() {
    round_trip(&[]);
    round_trip(&[b""]);
    round_trip(&[b"", b"a"]);
}

#[test]
fn one_odd_value_at_the_end_is_no_reason_to_fail() {
    let mut values: Vec<String> = (0..5_000).map(|row| (row * 7).to_string()).collect();
    for odd in ["", "-", "007", "1.5", "18446744073709551616", "ff"] {
        values.push(odd.to_owned());
        encoding_of(&values);
        values.pop();
    }
}

#[test]
fn more_rows_than_there_may_be_are_refused() {
    let bytes = [CONSTANT, 0];
    assert!(Column::decode(&mut Reader::new("test", &bytes), COLUMN_ROWS_MAX).is_ok());
    assert!(Column::decode(&mut Reader::new("test", &bytes), COLUMN_ROWS_MAX + 1).is_err());
}

#[test]
fn a_dictionary_in_a_dictionary_is_refused() {
    let bytes = [DICTIONARY, 1, DICTIONARY, 1, CONSTANT, 0, 0, 0, 0, 0, 0, 0];
    assert!(Column::decode(&mut Reader::new("test", &bytes), 1).is_err());
}

#[test]
fn shapes_in_shapes_are_refused() {
    let bytes = |inner| [DICTIONARY, 1, SHAPES, 1, 0, 0, 0, inner, 0, 0, 0, 0];
    let decode = |bytes: &[u8]| Column::decode(&mut Reader::new("test", bytes), 1);
    assert!(decode(&bytes(CONSTANT)).is_ok());
    assert!(decode(&bytes(SHAPES)).is_err());
    assert!(decode(&bytes(DICTIONARY)).is_err());
}

#[test]
fn numbers_of_values_that_are_not_there_are_refused() {
    let bytes = [DICTIONARY, 1, CONSTANT, 1, b'a', 0, 1, 0];
    assert!(Column::decode(&mut Reader::new("test", &bytes), 1).is_err());
    let bytes = [DICTIONARY, 1, CONSTANT, 1, b'a', 0, 0, 0];
    assert!(Column::decode(&mut Reader::new("test", &bytes), 1).is_ok());
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..12),
        prop::sample::select(vec!["", "-", "0", "a", "00", "1.2.3.4", "::1"])
            .prop_map(|text| text.as_bytes().to_vec()),
        "[0-9]{1,22}".prop_map(String::into_bytes),
        "[0-9a-f]{8}".prop_map(String::into_bytes),
    ]
}

fn values() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let of = |pattern: &'static str| {
        prop::collection::vec(pattern.prop_map(String::into_bytes), 0..80).boxed()
    };
    prop_oneof![
        prop::collection::vec(value(), 0..80).boxed(),
        of("[0-9]{1,5}"),
        of("[1-9][0-9]{0,18}"),
        of("[0-9]{20}"),
        of("[0-9]{1,3}\\.[0-9]{1,3}:[0-9]{2}"),
        of("x[0-9]{0,2}y"),
        of("-?[0-9]{1,2}-{1,2}[0-9]{1,2}"),
        of("-?[1-9][0-9]{0,18}"),
        of("[0-9a-f]{7}"),
        of("[0-9A-F]{17}"),
        of("[0-9a-fA-F]{2}"),
        of("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
        of("[g-z]{0,3}"),
        of("-|[0-9]{1,4}|a[0-9]|x|-[0-9]{2}"),
        of("[x-z\n]{0,3}"),
        of("[ab]"),
        of("[a-c]{0,2}"),
    ]
}

proptest! {
    #[test]
    fn any_values_round_trip(values in values(), odd in prop::option::of((value(), any::<prop::sample::Index>()))) {
        let mut values = values;
        if let Some((odd, at)) = odd {
            let at = at.index(values.len() + 1);
            values.insert(at, odd);
        }
        let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
        round_trip(&values);
    }

    #[test]
    fn any_bytes_are_survived(
        encoding in 0..8_u8,
        bytes in prop::collection::vec(prop_oneof![0..8_u8, any::<u8>()], 0..80),
        rows in 0..20_usize,
    ) {
        let mut input = vec![encoding];
        input.extend(bytes);
        survive(&input, rows);
    }

    #[test]
    fn damaged_columns_are_survived(
        values in values(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
        let mut bytes = round_trip(&values).1;
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        survive(&bytes, values.len());
    }
}

fn survive(bytes: &[u8], rows: usize) {
    if let Ok(column) = Column::decode(&mut Reader::new("test", bytes), rows) {
        let mut out = Vec::new();
        for row in 0..=rows {
            column.append(row, &mut out);
        }
    }
}
