//! Views of files for people.

use std::io::{self, Write};

use store::{
    Damage, DirectoryView, JournalView, ManifestView, SampleView, SegmentView, TemplatesView,
    TermView, View,
};

use crate::output::visible;

/// A data directory.
pub(super) fn directory(view: &DirectoryView, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "data directory {}", view.path.display())?;
    match &view.holder {
        Some(holder) => writeln!(out, "  open in         {holder}")?,
        None => writeln!(out, "  open in         no process")?,
    }
    for (name, files) in [
        ("journal files", &view.journal),
        ("unused files", &view.free),
    ] {
        let bytes: u64 = files.iter().map(|file| file.bytes).sum();
        let count = files.len();
        writeln!(out, "  {name:<15} {count}, {}", size(bytes))?;
    }
    for logspace in &view.logspaces {
        writeln!(out, "\nlogspace {}", logspace.name)?;
        writeln!(
            out,
            "  {:<10}  {:>8}  {:>12}  {:>10}  {:>10}  {:>8}",
            "day", "segments", "records", "size", "messages", "a record"
        )?;
        for day in &logspace.days {
            writeln!(
                out,
                "  {:<10}  {:>8}  {:>12}  {:>10}  {:>10}  {:>8}",
                day.day,
                day.segments,
                day.records,
                size(day.bytes),
                size(day.raw_bytes),
                each(day.bytes, day.records)
            )?;
        }
        for file in &logspace.others {
            let path = visible(&file.path.display().to_string());
            writeln!(out, "  not read: {path}, {}", size(file.bytes))?;
        }
        damages(&logspace.damages, out)?;
    }
    Ok(())
}

/// A file; with every page, block or record where `with_pages` is set.
pub(super) fn file(view: &View, with_pages: bool, out: &mut impl Write) -> io::Result<()> {
    match view {
        View::Journal(view) => journal(view, with_pages, out),
        View::Manifest(view) => manifest(view, with_pages, out),
        View::Segment(view) => segment(view, with_pages, out),
    }
}

fn journal(view: &JournalView, with_pages: bool, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "journal file {}", view.path.display())?;
    match view.header {
        Some((version, id)) => writeln!(out, "  version {version}, number {id}")?,
        None => writeln!(out, "  the header is damaged or was never written")?,
    }
    let records: u64 = view.blocks.iter().map(|block| block.records).sum();
    let bytes: u64 = view.blocks.iter().map(|block| block.bytes).sum();
    let raw: u64 = view.blocks.iter().map(|block| block.raw_bytes).sum();
    writeln!(
        out,
        "  {}, {} blocks of {}, {} before compression; {records} records, {} each",
        size(view.bytes),
        view.blocks.len(),
        size(bytes),
        size(raw),
        each(bytes, records)
    )?;
    if view.torn_bytes > 0 {
        writeln!(
            out,
            "  {} bytes of a commit that did not finish",
            view.torn_bytes
        )?;
    }
    damages(&view.damages, out)?;
    if with_pages {
        writeln!(
            out,
            "  {:>10}  {:>10}  {:>12}  {:>8}  {:>9}  {:>9}  logspace",
            "offset", "commit", "first", "records", "bytes", "raw"
        )?;
        for block in &view.blocks {
            writeln!(
                out,
                "  {:>10}  {:>10}  {:>12}  {:>8}  {:>9}  {:>9}  {}",
                block.offset,
                block.group_start,
                block.first_number.0,
                block.records,
                block.bytes,
                block.raw_bytes,
                block.logspace
            )?;
        }
    }
    samples(&view.samples, out)
}

fn manifest(view: &ManifestView, with_pages: bool, out: &mut impl Write) -> io::Result<()> {
    let records: u64 = view
        .entries
        .iter()
        .map(|entry| u64::from(entry.records))
        .sum();
    writeln!(out, "manifest {}", view.path.display())?;
    writeln!(
        out,
        "  version {}, {}, {} records; next number {}, sealed before {}",
        view.version,
        size(view.bytes),
        view.records.len(),
        view.next.0,
        view.sealed.0
    )?;
    writeln!(
        out,
        "  {} segments with {records} records, {} removed",
        view.entries.len(),
        view.removed
    )?;
    if let Some(at) = view.torn_at {
        writeln!(out, "  at offset {at}: a record that was never finished")?;
    }
    damages(&view.damages, out)?;
    if with_pages {
        for record in &view.records {
            writeln!(
                out,
                "  record at {:>8}: {} added, {} removed, next {}, sealed before {}",
                record.offset, record.added, record.removed, record.next, record.sealed
            )?;
        }
    }
    writeln!(
        out,
        "  {:>12}  {:>9}  {:>10}  {:<10}  {:>10}  {:>10}",
        "first", "records", "generation", "day", "size", "messages"
    )?;
    for entry in &view.entries {
        let imported = if entry.is_imported { "  imported" } else { "" };
        let compacted = if entry.is_compacted {
            "  compacted"
        } else {
            ""
        };
        writeln!(
            out,
            "  {:>12}  {:>9}  {:>10}  {:<10}  {:>10}  {:>10}{imported}{compacted}",
            entry.first_number.0,
            entry.records,
            entry.generation,
            entry.day,
            size(entry.file_bytes),
            size(entry.raw_bytes)
        )?;
    }
    Ok(())
}

fn segment(view: &SegmentView, with_pages: bool, out: &mut impl Write) -> io::Result<()> {
    let records = u64::from(view.records);
    writeln!(out, "segment {}", view.path.display())?;
    if view.footer_bytes == 0 {
        return segment_without_footer(view, out);
    }
    let first = view
        .first_number
        .map_or_else(|| "unknown".to_owned(), |number| number.0.to_string());
    writeln!(
        out,
        "  version {}, {records} records from number {first}",
        view.version
    )?;
    writeln!(out, "  received {} to {}", view.received.0, view.received.1)?;
    writeln!(out, "  times    {} to {}", view.time.0, view.time.1)?;
    writeln!(
        out,
        "  {}, {} a record; messages {}, {} a record",
        size(view.bytes),
        each(view.bytes, records),
        size(view.raw_bytes),
        each(view.raw_bytes, records)
    )?;
    writeln!(
        out,
        "  {:<14}  {:>6}  {:>10}  {:>10}  {:>10}  {:>6}",
        "section", "pages", "size", "before", "a record", "share"
    )?;
    for section in &view.sections {
        row(
            section.page_name,
            section.pages,
            section.stored_bytes,
            section.raw_bytes,
            view,
            out,
        )?;
    }
    row("footer", 1, view.footer_bytes, view.footer_bytes, view, out)?;
    damages(&view.damages, out)?;
    let text = 100.0 * view.kinds.text_records as f64 / f64::from(view.records.max(1));
    writeln!(
        out,
        "  {} kinds of records; messages of {} ({:.2}%) are text, like too few others",
        view.kinds.count, view.kinds.text_records, text
    )?;
    writeln!(out, "  {} terms; the most frequent:", view.term_count)?;
    terms(&view.top_terms, out)?;
    if !view.terms.is_empty() {
        writeln!(out, "  terms asked for:")?;
        terms(&view.terms, out)?;
    }
    if let Some(found) = &view.templates {
        templates(found, records, out)?;
    }
    if with_pages {
        writeln!(
            out,
            "  {:>10}  {:>9}  {:>9}  {:>8}  kind",
            "offset", "bytes", "raw", "count"
        )?;
        for page in &view.pages {
            writeln!(
                out,
                "  {:>10}  {:>9}  {:>9}  {:>8}  {}",
                page.offset, page.stored_bytes, page.raw_bytes, page.count, page.page_name
            )?;
        }
    }
    samples(&view.samples, out)
}

/// Of such a file nothing is known but what is wrong with it.
fn segment_without_footer(view: &SegmentView, out: &mut impl Write) -> io::Result<()> {
    let bytes = size(view.bytes);
    writeln!(
        out,
        "  {bytes}; what it holds is not known, since its footer cannot be read"
    )?;
    damages(&view.damages, out)?;
    writeln!(
        out,
        "  hint: in its place in a data directory, the next start of the server makes it whole, where no record is lost"
    )
}

fn row(
    name: &str,
    pages: usize,
    stored: u64,
    raw: u64,
    view: &SegmentView,
    out: &mut impl Write,
) -> io::Result<()> {
    let share = stored as f64 * 100.0 / view.bytes.max(1) as f64;
    writeln!(
        out,
        "  {name:<14}  {pages:>6}  {:>10}  {:>10}  {:>10}  {share:>5.1}%",
        size(stored),
        size(raw),
        each(stored, u64::from(view.records))
    )
}

fn templates(found: &TemplatesView, records: u64, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "  {} kinds of messages; {} of {records} messages are of kinds with fewer than 64",
        found.count, found.rare_messages
    )?;
    for template in &found.top {
        let text = visible(&template.text);
        writeln!(out, "    {:>9}  {text}", template.messages)?;
    }
    Ok(())
}

fn terms(terms: &[TermView], out: &mut impl Write) -> io::Result<()> {
    for term in terms {
        writeln!(out, "    {:>9}  {}", term.records, visible(&term.term))?;
    }
    Ok(())
}

fn damages(damages: &[Damage], out: &mut impl Write) -> io::Result<()> {
    for damage in damages {
        writeln!(
            out,
            "  damaged at offset {}: {}",
            damage.offset,
            visible(&damage.what)
        )?;
    }
    Ok(())
}

fn samples(samples: &[SampleView], out: &mut impl Write) -> io::Result<()> {
    for sample in samples {
        let raw = String::from_utf8_lossy(&sample.raw);
        writeln!(
            out,
            "  {}  {}  {}",
            sample.number.0,
            sample.received,
            visible(&raw)
        )?;
    }
    Ok(())
}

/// Bytes in the unit that suits them.
fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value < 1024.0 {
            let digits = usize::from(unit != "B");
            return format!("{value:.digits$} {unit}");
        }
        value /= 1024.0;
    }
    format!("{value:.1} TiB")
}

/// Bytes for each of so many.
fn each(bytes: u64, count: u64) -> String {
    if count == 0 {
        return "-".to_owned();
    }
    format!("{:.1} B", bytes as f64 / count as f64)
}
