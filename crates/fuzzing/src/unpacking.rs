//! Streams that come compressed.

use ingest::{Budget, UnpackError, Unpacker};
use syslog::packing::{Packing, of_stream};

/// Memory for unpacking: one zstd stream of the largest window.
const MEMORY_BYTES: usize = 16 << 20;

/// Unpacked bytes that are looked at: a few bytes of input can become gigabytes.
const UNPACKED_BYTES_MAX: usize = 16 * 1024;

/// A packed stream gives the same bytes however it comes and however much room there is, and never
/// more at a time than there is room for.
pub fn unpacking(stream: &[u8]) {
    // What is not packed is read by others, and of a head that is cut off nothing is known.
    let packing = match of_stream(stream) {
        None | Some(Packing::Plain) => return,
        Some(packing) => packing,
    };
    let (whole, whole_failed) = unpack(packing, stream, stream.len(), UNPACKED_BYTES_MAX);
    for (step, room) in [(1, 7), (13, 1_000)] {
        let (found, has_failed) = unpack(packing, stream, step, room);
        // Of a damaged block, what it gives before the damage shows depends on the pieces.
        let len = match whole_failed || has_failed {
            true => whole.len().min(found.len()),
            false => whole.len().max(found.len()).min(UNPACKED_BYTES_MAX),
        };
        assert!(
            found
                .get(..len)
                .is_some_and(|found| whole.get(..len) == Some(found)),
            "pieces of {step} bytes give {} bytes, all at once {}",
            found.len(),
            whole.len()
        );
    }
}

/// What a stream that comes in pieces becomes, up to a bound, and whether it failed before that.
fn unpack(packing: Packing, stream: &[u8], step: usize, room: usize) -> (Vec<u8>, bool) {
    let memory = Budget::new(MEMORY_BYTES);
    let mut found = Vec::new();
    let mut unpacker = match Unpacker::new(packing, Vec::new(), &memory) {
        Ok(unpacker) => unpacker,
        Err(error) => {
            assert!(matches!(error, UnpackError::Window(_)), "{error}");
            return (found, true);
        }
    };
    let mut pieces = stream.chunks(step);
    let mut buffer = Vec::with_capacity(room);
    while found.len() < UNPACKED_BYTES_MAX {
        buffer.clear();
        if unpacker.unpack(&mut buffer).is_err() {
            return (found, true);
        }
        assert_eq!(
            buffer.capacity(),
            room,
            "more was made than there was room for"
        );
        found.extend_from_slice(&buffer);
        if buffer.is_empty() {
            let Some(piece) = pieces.next() else {
                break;
            };
            unpacker.wire(piece.len()).extend_from_slice(piece);
            unpacker.added(piece.len());
            unpacker.relax();
        }
    }
    (found, false)
}
