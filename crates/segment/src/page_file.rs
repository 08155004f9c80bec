//! Where pages are appended: a file in memory, or one that is handed over while it is written.
#![deny(clippy::indexing_slicing)]

/// Bytes from which on what is written is handed over. A page is far less, a write of so many bytes costs
/// little for each of them.
const HAND_OVER_BYTES: usize = 1 << 20;

/// The file of a segment while it is written. Pages are bound to their places in it.
pub(crate) trait PageFile {
    /// Where what is appended next stands, in bytes.
    fn offset(&self) -> u64;

    /// Appends some bytes.
    fn append(&mut self, bytes: &[u8]);
}

impl PageFile for Vec<u8> {
    fn offset(&self) -> u64 {
        self.len() as u64
    }

    fn append(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Takes the next part of a file; the error is that of who gives it.
type Sink<'a, E> = dyn FnMut(&[u8]) -> Result<(), E> + 'a;

/// A file that is handed over in parts, so that it need not be in memory as a whole.
pub(crate) struct StreamedFile<'a, E> {
    sink: &'a mut Sink<'a, E>,
    /// Bytes that were handed over.
    before: u64,
    open: Vec<u8>,
}

impl<'a, E> StreamedFile<'a, E> {
    /// An empty file that goes to a sink.
    pub(crate) fn new(sink: &'a mut Sink<'a, E>) -> Self {
        Self {
            sink,
            before: 0,
            open: Vec::new(),
        }
    }

    /// Hands over what has gathered, if that is much. Who appends calls this from time to time.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn relieve(&mut self) -> Result<(), E> {
        match self.open.len() < HAND_OVER_BYTES {
            true => Ok(()),
            false => self.hand_over(),
        }
    }

    /// Hands over what is left.
    ///
    /// # Errors
    /// Those of the sink.
    pub(crate) fn hand_over(&mut self) -> Result<(), E> {
        (self.sink)(&self.open)?;
        self.before += self.open.len() as u64;
        self.open.clear();
        Ok(())
    }
}

impl<E> PageFile for StreamedFile<'_, E> {
    fn offset(&self) -> u64 {
        self.before + self.open.len() as u64
    }

    fn append(&mut self, bytes: &[u8]) {
        self.open.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_file_and_places_count_from_its_start() {
        let mut parts: Vec<Vec<u8>> = Vec::new();
        let mut sink = |part: &[u8]| {
            parts.push(part.to_vec());
            Ok::<(), ()>(())
        };
        let mut file = StreamedFile::new(&mut sink);
        let mut offsets = Vec::new();
        for byte in 0..5 {
            offsets.push(file.offset());
            file.append(&vec![byte; HAND_OVER_BYTES / 2]);
            file.relieve().expect("taken");
        }
        file.hand_over().expect("taken");
        let half = HAND_OVER_BYTES as u64 / 2;
        assert_eq!(offsets, [0, half, 2 * half, 3 * half, 4 * half]);
        let lens: Vec<usize> = parts.iter().map(Vec::len).collect();
        assert_eq!(
            lens,
            [HAND_OVER_BYTES, HAND_OVER_BYTES, HAND_OVER_BYTES / 2]
        );
        let starts: Vec<_> = parts.iter().map(|part| part.first().copied()).collect();
        assert_eq!(starts, [Some(0), Some(2), Some(4)]);
    }

    #[test]
    fn what_is_not_taken_is_an_error() {
        let mut sink = |_: &[u8]| Err("full");
        let mut file = StreamedFile::new(&mut sink);
        file.append(b"little");
        assert_eq!(file.relieve(), Ok(()));
        assert_eq!(file.hand_over(), Err("full"));
    }
}
