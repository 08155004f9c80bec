//! Views of files as JSON.

use serde_json::{Value, json};
use store::{
    Damage, DirectoryView, FileView, JournalView, ManifestView, SampleView, SegmentView,
    TemplatesView, TermView, View,
};

/// A data directory.
pub(super) fn directory(view: &DirectoryView) -> Value {
    let logspaces = view.logspaces.iter().map(|logspace| {
        json!({
            "name": logspace.name.to_string(),
            "days": logspace.days.iter().map(|day| json!({
                "day": day.day,
                "segments": day.segments,
                "records": day.records,
                "bytes": day.bytes,
                "raw_bytes": day.raw_bytes,
            })).collect::<Vec<_>>(),
            "others": files(&logspace.others),
            "damages": damages(&logspace.damages),
        })
    });
    json!({
        "kind": "directory",
        "path": view.path.display().to_string(),
        "holder": view.holder.as_ref().map(|holder| json!({"pid": holder.pid, "http": holder.http})),
        "journal": files(&view.journal),
        "free": files(&view.free),
        "logspaces": logspaces.collect::<Vec<_>>(),
    })
}

/// A file; with every page, block or record where `with_pages` is set.
pub(super) fn file(view: &View, with_pages: bool) -> Value {
    match view {
        View::Journal(view) => journal(view, with_pages),
        View::Manifest(view) => manifest(view, with_pages),
        View::Segment(view) => segment(view, with_pages),
    }
}

fn files(views: &[FileView]) -> Vec<Value> {
    let files = views.iter();
    files
        .map(|file| json!({"path": file.path.display().to_string(), "bytes": file.bytes}))
        .collect()
}

fn damages(damages: &[Damage]) -> Vec<Value> {
    let damages = damages.iter();
    damages
        .map(|damage| json!({"offset": damage.offset, "what": damage.what}))
        .collect()
}

fn samples(samples: &[SampleView]) -> Vec<Value> {
    let samples = samples.iter();
    samples
        .map(|sample| {
            json!({
                "number": sample.number.0,
                "received": sample.received.to_string(),
                "raw": String::from_utf8_lossy(&sample.raw),
            })
        })
        .collect()
}

fn journal(view: &JournalView, with_pages: bool) -> Value {
    let mut object = json!({
        "kind": "journal",
        "path": view.path.display().to_string(),
        "bytes": view.bytes,
        "version": view.header.map(|(version, _)| version),
        "file_id": view.header.map(|(_, id)| id),
        "blocks": view.blocks.len(),
        "records": view.blocks.iter().map(|block| block.records).sum::<u64>(),
        "block_bytes": view.blocks.iter().map(|block| block.bytes).sum::<u64>(),
        "torn_bytes": view.torn_bytes,
        "damages": damages(&view.damages),
        "rows": samples(&view.samples),
    });
    if with_pages {
        let blocks = view.blocks.iter().map(|block| {
            json!({
                "offset": block.offset,
                "group_start": block.group_start,
                "logspace": block.logspace.to_string(),
                "first_number": block.first_number.0,
                "records": block.records,
                "bytes": block.bytes,
                "stored_bytes": block.stored_bytes,
                "raw_bytes": block.raw_bytes,
            })
        });
        insert(&mut object, "pages", blocks.collect());
    }
    object
}

fn manifest(view: &ManifestView, with_pages: bool) -> Value {
    let segments = view.entries.iter().map(|entry| {
        json!({
            "first_number": entry.first_number.0,
            "records": entry.records,
            "generation": entry.generation,
            "is_imported": entry.is_imported,
            "is_compacted": entry.is_compacted,
            "day": entry.day,
            "bytes": entry.file_bytes,
            "raw_bytes": entry.raw_bytes,
            "first_received": entry.first_received.to_string(),
            "last_received": entry.last_received.to_string(),
        })
    });
    let mut object = json!({
        "kind": "manifest",
        "path": view.path.display().to_string(),
        "bytes": view.bytes,
        "version": view.version,
        "next": view.next.0,
        "sealed": view.sealed.0,
        "segments": segments.collect::<Vec<_>>(),
        "removed": view.removed,
        "torn_at": view.torn_at,
        "damages": damages(&view.damages),
    });
    if with_pages {
        let records = view.records.iter().map(|record| {
            json!({
                "offset": record.offset,
                "added": record.added,
                "removed": record.removed,
                "next": record.next,
                "sealed": record.sealed,
            })
        });
        insert(&mut object, "pages", records.collect());
    }
    object
}

fn segment(view: &SegmentView, with_pages: bool) -> Value {
    let sections = view.sections.iter().map(|section| {
        json!({
            "name": section.page_name,
            "pages": section.pages,
            "bytes": section.stored_bytes,
            "raw_bytes": section.raw_bytes,
        })
    });
    let mut object = json!({
        "kind": "segment",
        "path": view.path.display().to_string(),
        "bytes": view.bytes,
        "version": view.version,
        "first_number": view.first_number.map(|number| number.0),
        "records": view.records,
        "first_received": view.received.0.to_string(),
        "last_received": view.received.1.to_string(),
        "first_time": view.time.0.to_string(),
        "last_time": view.time.1.to_string(),
        "raw_bytes": view.raw_bytes,
        "footer_bytes": view.footer_bytes,
        "sections": sections.collect::<Vec<_>>(),
        "kinds": view.kinds.count,
        "text_records": view.kinds.text_records,
        "term_count": view.term_count,
        "top_terms": terms(&view.top_terms),
        "terms": terms(&view.terms),
        "damages": damages(&view.damages),
        "rows": samples(&view.samples),
    });
    if let (Some(found), Value::Object(members)) = (&view.templates, &mut object) {
        members.insert("templates".to_owned(), templates(found));
    }
    if with_pages {
        let pages = view.pages.iter().map(|page| {
            json!({
                "name": page.page_name,
                "offset": page.offset,
                "bytes": page.stored_bytes,
                "raw_bytes": page.raw_bytes,
                "count": page.count,
            })
        });
        insert(&mut object, "pages", pages.collect());
    }
    object
}

fn templates(found: &TemplatesView) -> Value {
    let top = found.top.iter().map(|template| {
        json!({"text": template.text, "messages": template.messages, "bytes": template.bytes})
    });
    json!({
        "count": found.count,
        "rare_messages": found.rare_messages,
        "top": top.collect::<Vec<_>>(),
    })
}

fn terms(terms: &[TermView]) -> Vec<Value> {
    let terms = terms.iter();
    terms
        .map(|term| json!({"term": term.term, "records": term.records}))
        .collect()
}

fn insert(object: &mut Value, name: &str, values: Vec<Value>) {
    if let Value::Object(members) = object {
        members.insert(name.to_owned(), Value::Array(values));
    }
}
