//! What reached the disk, and what the disk may hold after a power cut.
//!
//! Everything before the last flush is there. Of what came later each sector of 512 bytes is there
//! or not, in no order: that is all a disk promises that honours a flush.

use std::fs;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use testkit::Random;

const SECTOR: usize = 512;
const HEAD: usize = 13;
const COPIED_BYTES: usize = 64 * 1024;

/// Everything that was written and flushed.
#[derive(Debug)]
pub(super) struct Trace {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// Where it ends in the trace: what was acknowledged at this length was acknowledged before
    /// the next entry.
    end: u64,
    /// Where it goes on the disk, and its bytes in the trace; a flush has none.
    write: Option<(u64, Range<usize>)>,
}

impl Trace {
    /// Reads a trace up to a length, at which the server was killed.
    pub(super) fn read(path: &Path, length: u64) -> Result<Self> {
        let mut bytes = fs::read(path)?;
        bytes.truncate(usize::try_from(length)?);
        let mut entries = Vec::new();
        let mut start = 0;
        while let Some(head) = bytes.get(start..start + HEAD) {
            let offset = u64::from_le_bytes(head[1..9].try_into()?);
            let len = u32::from_le_bytes(head[9..].try_into()?) as usize;
            let data = start + HEAD..start + HEAD + len;
            if data.end > bytes.len() {
                break;
            }
            ensure!(matches!(head[0], 1 | 2), "a trace with entry {}", head[0]);
            start = data.end;
            entries.push(Entry {
                end: start as u64,
                write: (head[0] == 1).then_some((offset, data)),
            });
        }
        Ok(Self { bytes, entries })
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The length of the trace behind an entry.
    pub(super) fn end(&self, entry: usize) -> u64 {
        self.entries[entry].end
    }

    fn write(&self, disk: &fs::File, entry: &Entry) -> Result<()> {
        if let Some((offset, data)) = &entry.write {
            disk.write_all_at(&self.bytes[data.clone()], *offset)?;
        }
        Ok(())
    }
}

/// Makes images of one trace, for cuts that come later and later.
#[derive(Debug)]
pub(super) struct Images<'a> {
    trace: &'a Trace,
    durable: fs::File,
    /// Entries before this one are on the durable disk.
    done: usize,
}

impl<'a> Images<'a> {
    /// Starts with the disk as it was before the trace.
    pub(super) fn new(trace: &'a Trace, base: &Path, durable: &Path) -> Result<Self> {
        fs::copy(base, durable)?;
        let durable = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(durable)?;
        Ok(Self {
            trace,
            durable,
            done: 0,
        })
    }

    /// Writes what a disk may hold when the power goes right behind an entry.
    pub(super) fn cut(&mut self, entry: usize, image: &Path, random: &mut Random) -> Result<()> {
        let until = &self.trace.entries[..=entry];
        let flushed = until.iter().rposition(|entry| entry.write.is_none());
        let flushed = flushed.map_or(0, |flush| flush + 1).max(self.done);
        for entry in &until[self.done..flushed] {
            self.trace.write(&self.durable, entry)?;
        }
        self.done = flushed;
        let file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(image)?;
        copy(&self.durable, &file)?;
        // Nothing, a little, half, most, or all of it.
        let percent = *random.pick(&[0, 10, 50, 90, 100]);
        for entry in &until[flushed..] {
            let Some((offset, data)) = &entry.write else {
                continue;
            };
            for (index, sector) in self.trace.bytes[data.clone()].chunks(SECTOR).enumerate() {
                if random.below(100) < percent {
                    file.write_all_at(sector, offset + (index * SECTOR) as u64)?;
                }
            }
        }
        Ok(())
    }
}

/// Copies what is not zero; an image is mostly empty.
fn copy(from: &fs::File, to: &fs::File) -> Result<()> {
    let length = from.metadata()?.len();
    to.set_len(length)?;
    let (mut buffer, zeros) = (vec![0; COPIED_BYTES], vec![0; COPIED_BYTES]);
    let mut offset = 0;
    while offset < length {
        let part = usize::try_from((length - offset).min(buffer.len() as u64))?;
        let part = &mut buffer[..part];
        from.read_exact_at(part, offset)
            .context("the disk is too short")?;
        if part[..] != zeros[..part.len()] {
            to.write_all_at(part, offset)?;
        }
        offset += part.len() as u64;
    }
    Ok(())
}

#[test]
fn an_image_has_what_was_flushed_and_any_of_the_rest() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    fs::write(path("base"), vec![0; 4 * SECTOR])?;
    let mut bytes = Vec::new();
    for (kind, offset, fill) in [(1, 0, b'a'), (2, 0, 0), (1, 512, b'b'), (1, 1_024, b'c')] {
        let data = vec![fill; if kind == 1 { SECTOR } else { 0 }];
        bytes.push(kind);
        bytes.extend(u64::to_le_bytes(offset));
        bytes.extend(u32::try_from(data.len())?.to_le_bytes());
        bytes.extend(data);
    }
    fs::write(path("trace"), &bytes)?;
    let trace = Trace::read(&path("trace"), bytes.len() as u64)?;
    assert_eq!(trace.len(), 4);
    let mut random = Random::new(7);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..200 {
        let mut images = Images::new(&trace, &path("base"), &path("durable"))?;
        images.cut(3, &path("image"), &mut random)?;
        let image = fs::read(path("image"))?;
        seen.insert(
            image
                .chunks(SECTOR)
                .map(|sector| sector[0])
                .collect::<Vec<_>>(),
        );
    }
    let expected: [&[u8]; 4] = [b"a\0\0\0", b"a\0c\0", b"ab\0\0", b"abc\0"];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected);
    Ok(())
}
