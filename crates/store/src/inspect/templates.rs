//! What kinds of messages are in a segment.

use segment::{Template, Templates};

use crate::error::ReadError;
use crate::segment_handle::SegmentHandle;

/// Kinds with fewer messages than this are told apart from the others: what is kept for a kind
/// pays off only where it is shared.
const COMMON_MESSAGES: u64 = 64;

/// The messages of a segment by what they have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplatesView {
    /// How many kinds there are.
    pub count: usize,
    /// Messages of kinds with few messages, fewer than 64, and of more kinds than are told apart.
    pub rare_messages: u64,
    /// The kinds with the most messages.
    pub top: Vec<TemplateView>,
}

/// Messages of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateView {
    /// What they have in common, with `<*>` for each part in which they differ.
    pub text: String,
    /// How many there are.
    pub messages: u64,
    /// How long they are together.
    pub bytes: u64,
}

/// Reads all messages; the `top` most frequent kinds.
pub(super) fn find(handle: &SegmentHandle, top: usize) -> Result<TemplatesView, ReadError> {
    let mut templates = Templates::new();
    let mut other_messages = 0;
    for (index, chunk) in handle.footer().chunks.iter().enumerate() {
        let first = handle.chunk_rows(index).start;
        for rows in chunk.windows() {
            let records = handle.records(index, first + rows.start..first + rows.end)?;
            let others = records
                .iter()
                .filter(|record| templates.add(record.message()).is_none());
            other_messages += others.count() as u64;
        }
    }
    let all = templates.all();
    let rare = all.iter().filter(|one| one.messages < COMMON_MESSAGES);
    let mut most: Vec<&Template> = all.iter().collect();
    most.sort_by_key(|one| std::cmp::Reverse(one.messages));
    Ok(TemplatesView {
        count: all.len(),
        rare_messages: other_messages + rare.map(|one| one.messages).sum::<u64>(),
        top: most.into_iter().take(top).map(view).collect(),
    })
}

fn view(template: &Template) -> TemplateView {
    let fixed: Vec<_> = template.fixed().map(String::from_utf8_lossy).collect();
    TemplateView {
        text: fixed.join("<*>"),
        messages: template.messages,
        bytes: template.bytes,
    }
}
