//! Files as other programs write them, and damaged ones.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use indicatif::ProgressBar;

use super::kind::{self, Kind};
use super::open::open;

const LINES: &str = "<13>1 - h p - - - one\n<13>1 - h p - - - two \u{e9}\n";

/// The text of a file with these bytes, what is noted, and whether it is damaged.
fn read(bytes: &[u8]) -> (Vec<u8>, Vec<String>, bool) {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("writes");
    let mut opened = open(file.path(), &ProgressBar::hidden()).expect("opens");
    let mut text = Vec::new();
    opened.reader.read_to_end(&mut text).expect("reads");
    let (remarks, is_damaged) = opened.notes.take();
    (text, remarks, is_damaged)
}

fn check(bytes: &[u8], what: &str) {
    let (text, remarks, is_damaged) = read(bytes);
    assert_eq!(String::from_utf8_lossy(&text), LINES, "{what}");
    assert_eq!(
        (remarks.len(), is_damaged),
        (0, false),
        "{what}: {remarks:?}"
    );
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("packs");
    encoder.finish().expect("packs")
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).expect("packs");
    encoder.finish().expect("packs")
}

fn zstd(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("packs");
    encoder.include_checksum(true).expect("packs");
    encoder.write_all(text).expect("packs");
    encoder.finish().expect("packs")
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let marked = format!("\u{feff}{text}");
    marked.encode_utf16().flat_map(unit).collect()
}

#[test]
fn packed_files_are_unpacked_by_what_they_start_with() {
    let text = LINES.as_bytes();
    check(text, "plain");
    let (one, two) = text.split_at(22);
    for (pack, what) in [
        (gzip as fn(&[u8]) -> Vec<u8>, "gzip"),
        (bzip2, "bzip2"),
        (zstd, "zstd"),
    ] {
        check(&pack(text), what);
        check(&[pack(one), pack(two)].concat(), what);
        check(&gzip(&pack(text)), what);
    }
}

#[test]
fn utf16_is_read_by_its_mark() {
    check(&utf16(LINES, u16::to_le_bytes), "little-endian");
    check(&utf16(LINES, u16::to_be_bytes), "big-endian");
    check(&gzip(&utf16(LINES, u16::to_le_bytes)), "packed");
    let long = "\u{1f600}\u{e9}x\n".repeat(50_000);
    assert_eq!(read(&utf16(&long, u16::to_le_bytes)).0, long.as_bytes());
    let mut broken = utf16("a\n", u16::to_le_bytes);
    broken.extend_from_slice(&[0x00, 0xd8, b'b', 0, b'c']);
    let (text, remarks, is_damaged) = read(&broken);
    assert_eq!(String::from_utf8_lossy(&text), "a\n\u{fffd}b\u{fffd}");
    assert_eq!((remarks.len(), is_damaged), (1, false));
}

#[test]
fn zeros_behind_gzip_are_padding_and_garbage_is_told() {
    let packed = gzip(LINES.as_bytes());
    check(&[&packed[..], &[0; 20_000]].concat(), "padded");
    let (one, two) = LINES.as_bytes().split_at(22);
    check(
        &[gzip(one), vec![0; 512], gzip(two), vec![0; 3]].concat(),
        "padded between",
    );
    for garbage in [&b"garbage"[..], b"\0\0\0more", b"\x1fx"] {
        let (text, remarks, is_damaged) = read(&[&packed[..], garbage].concat());
        assert_eq!(text, LINES.as_bytes());
        assert_eq!((remarks.len(), is_damaged), (1, false), "{remarks:?}");
        assert!(remarks[0].contains("behind the end"), "{remarks:?}");
    }
}

#[test]
fn what_can_be_read_of_a_cut_file_is_and_the_rest_is_told() {
    // Text that hardly packs, so that a half of it has half of the lines.
    let mut state = 1_u64;
    let lines: String = (0..40_000)
        .map(|number| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            format!("{number} {:016x}\n", state ^ state >> 29)
        })
        .collect();
    for (pack, what) in [
        (gzip as fn(&[u8]) -> Vec<u8>, "gzip"),
        (bzip2, "bzip2"),
        (zstd, "zstd"),
    ] {
        let packed = pack(lines.as_bytes());
        let (text, remarks, is_damaged) = read(&packed[..packed.len() / 2]);
        assert!(lines.as_bytes().starts_with(&text), "{what}");
        assert!(text.len() > lines.len() / 4, "{what}: {}", text.len());
        assert_eq!(
            (remarks.len(), is_damaged),
            (1, true),
            "{what}: {remarks:?}"
        );
        assert!(remarks[0].contains(what), "{remarks:?}");
        // Damaged in the middle.
        let mut packed = packed;
        let middle = packed.len() / 2;
        packed[middle..middle + 64].fill(0x55);
        let (text, remarks, is_damaged) = read(&packed);
        assert!(is_damaged && remarks.len() == 1, "{what}: {remarks:?}");
        assert!(text.len() > lines.len() / 8, "{what}: {}", text.len());
    }
    let (text, _, is_damaged) = read(&gzip(b"x")[..5]);
    assert!(text.is_empty() && is_damaged);
}

#[test]
fn other_files_are_refused_by_name() {
    let tar = [&[b'x'; 257][..], b"ustar\0", &[0; 1000]].concat();
    for (bytes, name, remedy) in [
        (&b"PK\x03\x04rest"[..], "a zip archive", "unzip -p"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z x -so"),
        (&tar, "a tar archive", "tar -xOf"),
        (&gzip(&tar), "a tar archive", "tar -xOf"),
        (b"\x7fELF\x02\x01\x01", "a program", "another"),
        (b"SQLite format 3\0", "an SQLite database", "sqlite3"),
        (b"LPKSHHRH\0\0", "a journal of systemd", "journalctl --file"),
        (b"\xff\xfe\0\0a\0\0\0", "UTF-32", "iconv"),
        (&[7; 64], "no text", "lines"),
        (&b"a\0b\0".repeat(30), "no text", "UTF-16"),
    ] {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(bytes).expect("writes");
        let failure = open(file.path(), &ProgressBar::hidden());
        let shown = failure
            .err()
            .map(|failure| failure.to_string())
            .unwrap_or_default();
        assert!(
            shown.contains(name) && shown.contains(remedy),
            "{name}: {shown}"
        );
        assert!(
            shown.contains(&file.path().display().to_string()),
            "{shown}"
        );
    }
}

#[test]
fn text_is_text_whatever_it_starts_with() {
    for text in [
        &b""[..],
        b"\0\0\0\0<13>x\n",
        b"BZh is how bzip2 starts\n",
        b"PK is a name\n",
        b"\x1b[31mred\x1b[0m\n",
        b"\xef\xbb\xbf<13>x\n",
        b"\xe9\xff latin\n",
        b"7zip\n",
        b"LZIP: started\n",
        b"]\0\n",
    ] {
        assert_eq!(
            kind::of(text),
            Kind::Text,
            "{}",
            String::from_utf8_lossy(text)
        );
    }
    let hole = [&[0; 4000][..], b"<13>one\n"].concat();
    assert_eq!(kind::of(&hole), Kind::Text);
    assert_eq!(kind::of(&[0; 4096]), Kind::Text);
}
