use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;

use super::*;

const MEMORY: usize = 64 << 20;

fn zlib(text: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(level));
    let (head, tail) = text.split_at(text.len() / 2);
    encoder.write_all(head).expect("writes");
    encoder.flush().expect("writes");
    encoder.write_all(tail).expect("writes");
    encoder.finish().expect("writes")
}

fn zstd(text: &[u8], window_log: u32) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).expect("makes one");
    encoder.window_log(window_log).expect("sets");
    let (head, tail) = text.split_at(text.len() / 2);
    encoder.write_all(head).expect("writes");
    encoder.flush().expect("writes");
    encoder.write_all(tail).expect("writes");
    encoder.finish().expect("writes")
}

/// Unpacks a stream that comes in pieces, with room for so many bytes at a time.
fn unpack(stream: &[u8], pieces: &[usize], room: usize) -> Result<Vec<u8>, UnpackError> {
    let memory = Budget::new(MEMORY);
    let mut found = Vec::new();
    let mut rest = stream;
    let mut pieces = pieces.iter().copied().cycle();
    let mut start = Vec::new();
    let packing = loop {
        match packing::of_stream(&start) {
            Some(packing) => break packing,
            None => {
                let (first, more) = rest.split_first().expect("a whole head");
                start.push(*first);
                rest = more;
            }
        }
    };
    let mut unpacker = Unpacker::new(packing, start, &memory)?;
    loop {
        let mut buffer = Vec::with_capacity(room);
        unpacker.unpack(&mut buffer)?;
        assert!(buffer.capacity() == room);
        if buffer.is_empty() {
            if rest.is_empty() {
                break;
            }
            let piece = pieces.next().unwrap_or(1).clamp(1, rest.len());
            let (now, later) = rest.split_at(piece);
            unpacker.wire(piece).extend_from_slice(now);
            unpacker.added(piece);
            rest = later;
        }
        found.extend_from_slice(&buffer);
    }
    Ok(found)
}

fn text() -> Vec<u8> {
    let lines = (0..2_000).map(|n| format!("<34>message {n} of {}\n", n * 7_919 % 1_000));
    lines.collect::<String>().into_bytes()
}

#[test]
fn streams_of_every_level_are_unpacked() {
    let text = text();
    for level in 0..=9 {
        let found = unpack(&zlib(&text, level), &[1_000], 4_096).expect("unpacks");
        assert!(found == text, "zlib {level}");
    }
    for window_log in [10, 17, 23] {
        let found = unpack(&zstd(&text, window_log), &[1_000], 4_096).expect("unpacks");
        assert!(found == text, "zstd {window_log}");
    }
}

#[test]
fn one_stream_may_follow_another() {
    let (one, two) = (zlib(b"<34>one\n", 6), zlib(b"<34>two\n", 6));
    let found = unpack(&[one, two].concat(), &[3], 5).expect("unpacks");
    assert_eq!(found, b"<34>one\n<34>two\n");
    let (one, two) = (zstd(b"<34>one\n", 17), zstd(b"<34>two\n", 17));
    let found = unpack(&[one, two].concat(), &[3], 5).expect("unpacks");
    assert_eq!(found, b"<34>one\n<34>two\n");
    let mixed = [zlib(b"<34>one\n", 6), b"<34>two\n".to_vec()].concat();
    let error = unpack(&mixed, &[3], 5).expect_err("no stream");
    assert!(
        error.to_string().contains("something else follows"),
        "{error}"
    );
}

#[test]
fn damage_is_told() {
    let (zlib, zstd) = (zlib(&text(), 6), zstd(&text(), 17));
    // zstd frames of most senders have no checksum: what shows is a block of no kind.
    let places = [(zlib.len() / 2, zlib), (6, zstd)];
    for (damaged, mut stream) in places {
        stream[damaged..damaged + 20].fill(0xff);
        let error = unpack(&stream, &[1_000], 4_096).expect_err("damaged");
        assert!(matches!(error, UnpackError::Damaged { .. }), "{error}");
    }
}

#[test]
fn memory_is_bounded() {
    let error = unpack(&zstd(&text(), 24), &[1_000], 4_096).expect_err("too large");
    assert!(matches!(error, UnpackError::Window(16_777_216)), "{error}");
    let later = [zstd(b"<34>one\n", 12), zstd(&text(), 20)].concat();
    let error = unpack(&later, &[1_000], 4_096).expect_err("larger than the first");
    assert!(matches!(error, UnpackError::Damaged { .. }), "{error}");

    let memory = Budget::new(2 * ZLIB_STATE_BYTES);
    let start = || Unpacker::new(Packing::Zlib, b"x\x9c".to_vec(), &memory);
    let (first, second) = (start().expect("room"), start().expect("room"));
    assert!(matches!(start(), Err(UnpackError::Memory)));
    drop(first);
    drop(start().expect("room again"));
    drop(second);
}

#[test]
fn a_bomb_is_stopped() {
    let zeros = vec![0; 64 << 20];
    let error = unpack(&zstd(&zeros, 20), &[100_000], 1 << 20).expect_err("a bomb");
    assert!(matches!(error, UnpackError::Ratio), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_split_gives_the_same_bytes(
        text in "(<[0-9]{1,2}>[a-z ]{0,30}\n){0,40}",
        pieces in prop::collection::vec(1..50_usize, 1..5),
        room in 1..100_usize,
    ) {
        for stream in [zlib(text.as_bytes(), 6), zstd(text.as_bytes(), 17)] {
            let found = unpack(&stream, &pieces, room).expect("unpacks");
            prop_assert_eq!(&found, text.as_bytes());
        }
    }

    #[test]
    fn any_bytes_end_in_words(
        more in prop::collection::vec(any::<u8>(), 0..200),
        is_zlib in any::<bool>(),
    ) {
        let head: &[u8] = if is_zlib { b"x\x9c" } else { b"\x28\xb5\x2f\xfd\x04\x20" };
        _ = unpack(&[head, &more].concat(), &[7], 64);
    }
}
