//! What Logwood has sealed: rows and bytes of the segment files of a data directory, by kind of page.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, Result};
use segment::{Footer, Section, Trailer};

/// Messages and the bytes they take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    /// Of the pages of each kind.
    pub(crate) sections: BTreeMap<Section, u64>,
}

/// What a kind of pages is called among the metrics of scenarios.
pub(crate) fn metric(section: Section) -> &'static str {
    match section {
        Section::Columns => "columns",
        Section::Directories => "directories",
        Section::ZoneMaps => "zone_maps",
        Section::RowMetadata => "heads",
        Section::Rows => "rows",
        Section::Chunks => "chunks",
        Section::Received => "received",
        Section::Kinds => "kinds",
        Section::Spare => "spare",
        Section::Tally => "tally",
        Section::Postings => "postings",
        Section::Lexicon => "lexicon",
        Section::Bigrams => "bigrams",
    }
}

/// Sums up the segments below a folder.
pub(crate) fn sealed(folder: &Path) -> Result<Kept> {
    let mut sum = Kept::default();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let found = if path.is_dir() {
            sealed(&path)?
        } else if path.extension().is_some_and(|end| end == "segment") {
            of_file(&path).with_context(|| format!("cannot read {}", path.display()))?
        } else {
            continue;
        };
        sum.messages += found.messages;
        sum.bytes += found.bytes;
        for (section, bytes) in found.sections {
            *sum.sections.entry(section).or_default() += bytes;
        }
    }
    Ok(sum)
}

fn of_file(path: &Path) -> Result<Kept> {
    let file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut trailer = [0; Trailer::LEN];
    let at = bytes.checked_sub(u64::try_from(Trailer::LEN)?);
    file.read_exact_at(&mut trailer, at.context("it is too short")?)?;
    let trailer = Trailer::decode(&trailer, bytes)?;
    let mut footer = vec![0; usize::try_from(trailer.footer_len)?];
    file.read_exact_at(&mut footer, trailer.footer_offset)?;
    let footer = Footer::decode(&footer, &trailer)?;
    let mut sections = BTreeMap::new();
    for (section, page) in footer.pages() {
        *sections.entry(section).or_default() += u64::from(page.stored_len);
    }
    Ok(Kept {
        messages: u64::from(footer.rows),
        bytes,
        sections,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_are_left_out_and_damage_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("journal")).unwrap();
        fs::write(folder.path().join("journal/1.journal"), "x").unwrap();
        assert_eq!(sealed(folder.path()).unwrap(), Kept::default());
        fs::write(folder.path().join("1.segment"), "x").unwrap();
        let error = format!("{:#}", sealed(folder.path()).unwrap_err());
        assert!(error.ends_with("1.segment: it is too short"), "{error}");
    }
}
