//! The values of a field in the structured data of records, by kinds and columns.

use model::FieldRef;
use segment::{FieldTexts, KindRows, TextBit};
use store::OpenChunk;

use super::messages::Messages;
use super::texts::Texts;
use super::{MessageSink, Unread};

/// Rows of a kind, by their ordinals in the segment, by what their structured data says of a field.
#[derive(Debug, Default)]
pub(crate) struct InData {
    /// Those that have one there.
    pub(crate) with: Vec<u32>,
    /// Those of them whose records have to be looked at.
    pub(crate) open: Vec<u32>,
}

/// The field that a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    None,
    /// That of this number.
    One(usize),
    Several,
}

/// Hands the values of a field to `sink`, of those rows of a kind that have one there; beside the message, where
/// `is_in_text` says of an ordinal of the segment that it may have the field as well. Others are handed back.
pub(crate) fn read_data<S: MessageSink>(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    (name, fields): (&[u8], &[FieldTexts<'_>]),
    is_in_text: impl Fn(u32) -> bool,
    sink: &mut S,
) -> InData {
    let mut found = InData::default();
    let mut text = Vec::new();
    let Ok(own) = own_fields(chunk, kind, (name, fields), &mut text) else {
        found.with = kind
            .ranked()
            .map(|(ordinal, _)| chunk.ordinal(ordinal))
            .collect();
        found.open.clone_from(&found.with);
        return found;
    };
    let mut values: Vec<Texts<'_, S::Seen>> = fields
        .iter()
        .map(|field| Texts::new(&field.value))
        .collect();
    let mut messages = Messages::of(kind);
    for ((ordinal, rank), own) in kind.ranked().zip(own) {
        let ordinal = chunk.ordinal(ordinal);
        let value = match own {
            Own::None => continue,
            Own::One(number) => values.get_mut(number),
            Own::Several => None,
        };
        found.with.push(ordinal);
        let read = value.map(|value| match is_in_text(ordinal) {
            true => {
                let messages = messages.as_mut().ok_or(Unread)?;
                let message = messages.get(chunk, kind, rank, |_| false)?;
                let value = value.text(chunk, kind, rank, &mut text)?;
                sink.message(ordinal, Some(value), message.unwrap_or_default());
                Ok(())
            }
            false => {
                let see = |value: &[u8]| sink.see(value);
                let seen = value.ask(chunk, kind, rank, &mut text, see)?;
                sink.row(ordinal, seen);
                Ok(())
            }
        });
        if read != Some(Ok::<(), Unread>(())) {
            found.open.push(ordinal);
        }
        if sink.is_full() {
            values.iter_mut().for_each(Texts::forget);
            sink.settle();
        }
    }
    found
}

/// Which of the fields that may have a name each row of a kind has.
fn own_fields(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    (wanted, fields): (&[u8], &[FieldTexts<'_>]),
    text: &mut Vec<u8>,
) -> Result<Vec<Own>, Unread> {
    let mut own = vec![Own::None; kind.len()];
    for (number, field) in fields.iter().enumerate() {
        // Both are asked together, as either may be what varies.
        let names = field.name.as_ref().map(|[group, name]| {
            let joined: Vec<TextBit<'_>> = group.iter().chain(name).copied().collect();
            (group.as_slice(), joined)
        });
        let mut asked = names
            .as_ref()
            .map(|(group, joined)| (Texts::new(group), Texts::new(joined)));
        for ((_, rank), own) in kind.ranked().zip(&mut own) {
            let is_named = match &mut asked {
                None => true,
                Some((group, joined)) => {
                    let group_len = group.ask(chunk, kind, rank, text, <[u8]>::len)?;
                    joined.ask(chunk, kind, rank, text, |text| {
                        let (group, name) = text.split_at_checked(group_len).unwrap_or_default();
                        let value = &[];
                        FieldRef { group, name, value }.is_named(wanted)
                    })?
                }
            };
            if is_named {
                *own = match own {
                    Own::None => Own::One(number),
                    _ => Own::Several,
                };
            }
        }
    }
    Ok(own)
}
