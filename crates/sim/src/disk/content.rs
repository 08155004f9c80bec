//! The bytes of one file: what a program reads, what a power cut leaves, and the sectors in which
//! the two may differ.

use std::io::{self, ErrorKind};

use crate::random::Random;

/// What a disk writes whole or not at all, in bytes.
pub(crate) const SECTOR: usize = 512;

/// A file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    /// What reads see: the page cache.
    current: Vec<u8>,
    /// What is on the platter for sure.
    durable: Vec<u8>,
    /// Sectors that the page cache will write at the next sync.
    dirty: Vec<bool>,
    is_len_dirty: bool,
    /// Space that was set aside, in bytes.
    reserved: u64,
    /// Which handle holds the lock.
    pub(crate) locked_by: Option<u64>,
}

impl Content {
    /// A file with these bytes, all durable.
    pub(crate) fn durable(bytes: Vec<u8>) -> Self {
        Self {
            current: bytes.clone(),
            dirty: vec![false; bytes.len().div_ceil(SECTOR)],
            durable: bytes,
            ..Self::default()
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.current
    }

    pub(crate) fn len(&self) -> u64 {
        self.current.len() as u64
    }

    /// Space the file takes.
    pub(crate) fn space(&self) -> u64 {
        self.reserved.max(self.len())
    }

    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(buffer.len());
        let bytes = self.current.get(start..end);
        buffer.copy_from_slice(bytes.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    pub(crate) fn write(&mut self, data: &[u8], offset: u64) {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start + data.len();
        if end > self.current.len() {
            self.resize(end);
        }
        if let Some(place) = self.current.get_mut(start..end) {
            place.copy_from_slice(data);
        }
        self.mark_dirty(start, end);
    }

    /// Cuts or extends with zeros.
    pub(crate) fn resize(&mut self, len: usize) {
        let before = self.current.len();
        self.current.resize(len, 0);
        self.dirty.resize(len.div_ceil(SECTOR), false);
        self.is_len_dirty |= len != before;
        self.mark_dirty(before.min(len), len);
    }

    /// Sets space aside.
    pub(crate) fn allocate(&mut self, len: u64) {
        self.reserved = self.reserved.max(len);
        if len > self.len() {
            self.resize(usize::try_from(len).unwrap_or(usize::MAX));
        }
    }

    fn mark_dirty(&mut self, start: usize, end: usize) {
        let sectors = start / SECTOR..end.div_ceil(SECTOR);
        if let Some(sectors) = self.dirty.get_mut(sectors) {
            sectors.fill(true);
        }
    }

    /// Everything that is dirty becomes durable.
    pub(crate) fn sync(&mut self) {
        self.durable.resize(self.current.len(), 0);
        for (index, is_dirty) in self.dirty.iter_mut().enumerate() {
            if std::mem::take(is_dirty) {
                copy_sector(&self.current, &mut self.durable, index);
            }
        }
        self.is_len_dirty = false;
    }

    /// A sync that fails as Linux does it: some sectors reach the disk, all are marked clean, and a
    /// later sync has nothing to write. With `forgets` the page cache drops what it could not write.
    pub(crate) fn fail_sync(&mut self, random: &mut Random, forgets: bool) {
        let share = random.below(101);
        if random.percent(share) {
            self.durable.resize(self.current.len(), 0);
        }
        for (index, is_dirty) in self.dirty.iter_mut().enumerate() {
            if std::mem::take(is_dirty) {
                if random.percent(share) {
                    copy_sector(&self.current, &mut self.durable, index);
                } else if forgets {
                    copy_sector(&self.durable, &mut self.current, index);
                }
            }
        }
        self.is_len_dirty = false;
    }

    /// What a power cut leaves: each sector that was not synced is the old one or the new one.
    pub(crate) fn after_power_cut(&self, random: &mut Random, kept_percent: u64) -> Self {
        let mut bytes = self.durable.clone();
        if self.is_len_dirty && random.percent(kept_percent) {
            bytes.resize(self.current.len(), 0);
        }
        for (index, is_dirty) in self.dirty.iter().enumerate() {
            if *is_dirty && random.percent(kept_percent) {
                copy_sector(&self.current, &mut bytes, index);
            }
        }
        let reserved = self.reserved;
        Self {
            reserved,
            ..Self::durable(bytes)
        }
    }

    /// Flips a bit of what is read and of what is on the platter.
    pub(crate) fn flip(&mut self, bit: u64) {
        let at = usize::try_from(bit / 8).unwrap_or(usize::MAX);
        for bytes in [&mut self.current, &mut self.durable] {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << (bit % 8);
            }
        }
    }
}

/// Copies a sector where both have it.
fn copy_sector(from: &[u8], to: &mut [u8], index: usize) {
    let start = index * SECTOR;
    let end = (start + SECTOR).min(from.len()).min(to.len());
    if let (Some(from), Some(to)) = (from.get(start..end), to.get_mut(start..end)) {
        to.copy_from_slice(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_sync_makes_bytes_durable() {
        let mut random = Random::new(1);
        let mut content = Content::default();
        content.write(&[1; 2_000], 0);
        assert_eq!(content.after_power_cut(&mut random, 0).bytes(), b"");
        content.sync();
        content.write(&[2; 600], 0);
        assert_eq!(content.after_power_cut(&mut random, 0).bytes(), [1; 2_000]);
        let all = content.after_power_cut(&mut random, 100);
        assert_eq!(&all.bytes()[..600], [2; 600]);
        assert_eq!(&all.bytes()[600..], [1; 1_400]);
    }

    #[test]
    fn a_power_cut_tears_at_sectors() {
        let mut content = Content::durable(vec![0; 16 * SECTOR]);
        content.write(&[7; 16 * SECTOR], 0);
        let torn = content.after_power_cut(&mut Random::new(3), 50);
        let sectors: Vec<u8> = torn.bytes().chunks(SECTOR).map(|s| s[0]).collect();
        assert!(sectors.contains(&0) && sectors.contains(&7));
        for sector in torn.bytes().chunks(SECTOR) {
            assert!(sector.iter().all(|byte| *byte == sector[0]));
        }
    }

    #[test]
    fn a_sync_after_a_failed_one_saves_nothing() {
        // A seed whose first number leaves nothing on the platter.
        let seed = (0..).find(|seed| Random::new(*seed).below(101) == 0);
        let mut random = Random::new(seed.unwrap_or(0));
        let mut content = Content::durable(vec![0; SECTOR]);
        content.write(&[7; SECTOR], 0);
        content.fail_sync(&mut random, false);
        content.sync();
        assert_eq!(content.bytes(), [7; SECTOR]);
        assert_eq!(
            content.after_power_cut(&mut random, 100).bytes(),
            [0; SECTOR]
        );
    }
}
