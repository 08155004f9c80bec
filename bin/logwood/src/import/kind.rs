//! What a file is, by what it starts with.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use super::gzip;

/// Bytes of the start that are looked at: what marks tar stands at byte 257.
pub(super) const HEAD_BYTES: usize = 4096;

/// Fewest bytes of which it is told whether they are text.
const TEXT_BYTES_MIN: usize = 64;

/// One byte in so many may be a control character that texts do not have.
const CONTROLS_ONE_IN: usize = 3;

/// What is to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Its lines are read.
    Text,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
    Utf16(&'static Encoding),
    /// It has no lines, or none that can be read here.
    Other(Other),
}

/// Something else, and what gives its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Other {
    pub(super) name: &'static str,
    /// What to do; FILE stands for the file.
    pub(super) remedy: &'static str,
}

/// What of others is known: where its mark stands, the mark, its name, what to do.
const OTHERS: &[(usize, &[u8], &str, &str)] = &[
    (
        257,
        b"ustar\0",
        "a tar archive",
        "tar -xOf FILE | logwood import -",
    ),
    (
        257,
        b"ustar  \0",
        "a tar archive",
        "tar -xOf FILE | logwood import -",
    ),
    (
        0,
        b"PK\x03\x04",
        "a zip archive",
        "unzip -p FILE | logwood import -",
    ),
    (
        0,
        b"PK\x05\x06",
        "an empty zip archive",
        "name another file",
    ),
    (
        0,
        b"7z\xbc\xaf\x27\x1c",
        "a 7z archive",
        "7z x -so FILE | logwood import -",
    ),
    (
        0,
        b"Rar!\x1a\x07",
        "a rar archive",
        "unrar p -inul FILE | logwood import -",
    ),
    (
        0,
        b"\x04\x22\x4d\x18",
        "lz4 data",
        "lz4 -dc FILE | logwood import -",
    ),
    (
        0,
        b"LZIP\x01",
        "lzip data",
        "lzip -dc FILE | logwood import -",
    ),
    (
        0,
        b"\x89LZO\x00\r\n\x1a\n",
        "lzop data",
        "lzop -dc FILE | logwood import -",
    ),
    (
        0,
        b"\x5d\x00\x00",
        "lzma data",
        "xz --format=lzma -dc FILE | logwood import -",
    ),
    (
        0,
        b"\x1f\x9d",
        "data of compress",
        "gzip -dc FILE | logwood import -",
    ),
    (
        0,
        b"\xff\x06\x00\x00sNaPpY",
        "snappy data",
        "snzip -dc FILE | logwood import -",
    ),
    (
        0,
        b"LPKSHHRH",
        "a journal of systemd",
        "journalctl --file FILE -o short-iso | logwood import -",
    ),
    (
        0,
        b"ElfFile\0",
        "an event log of Windows",
        "write it as text, a line for each event, and import that",
    ),
    (
        0,
        b"SQLite format 3\0",
        "an SQLite database",
        "write what is wanted of it as text with sqlite3, and import that",
    ),
    (0, b"\x7fELF", "a program", "name another file"),
    (0, b"MZ\x90\x00", "a program", "name another file"),
    (
        0,
        b"\xd4\xc3\xb2\xa1",
        "a capture of packets",
        "tcpdump -r FILE -A | logwood import -",
    ),
    (
        8,
        b"\x4d\x3c\x2b\x1a",
        "a capture of packets",
        "tcpdump -r FILE -A | logwood import -",
    ),
    (
        0,
        b"%PDF-",
        "a PDF document",
        "pdftotext FILE - | logwood import -",
    ),
    (0, b"\x89PNG\r\n\x1a\n", "an image", "name another file"),
    (0, b"\xff\xd8\xff", "an image", "name another file"),
    (
        0,
        b"\xff\xfe\x00\x00",
        "text in UTF-32",
        "iconv -f UTF-32 -t UTF-8 FILE | logwood import -",
    ),
    (
        0,
        b"\x00\x00\xfe\xff",
        "text in UTF-32",
        "iconv -f UTF-32 -t UTF-8 FILE | logwood import -",
    ),
];

/// What a file is that starts so.
pub(super) fn of(head: &[u8]) -> Kind {
    let has = |(at, mark, ..): &&(usize, &[u8], &str, &str)| {
        head.get(*at..).is_some_and(|rest| rest.starts_with(mark))
    };
    if let Some((_, _, name, remedy)) = OTHERS.iter().find(has) {
        return Kind::Other(Other { name, remedy });
    }
    match head {
        _ if head.starts_with(gzip::MAGIC) => Kind::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Kind::Zstd,
        // A frame that is skipped, with which parallel zstd starts.
        [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Kind::Zstd,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Kind::Xz,
        [
            b'B',
            b'Z',
            b'h',
            b'1'..=b'9',
            0x31,
            0x41,
            0x59,
            0x26,
            0x53,
            0x59,
            ..,
        ] => Kind::Bzip2,
        // Of nothing: the end of the stream follows at once.
        [
            b'B',
            b'Z',
            b'h',
            b'1'..=b'9',
            0x17,
            0x72,
            0x45,
            0x38,
            0x50,
            0x90,
            ..,
        ] => Kind::Bzip2,
        [0xff, 0xfe, ..] => Kind::Utf16(UTF_16LE),
        [0xfe, 0xff, ..] => Kind::Utf16(UTF_16BE),
        _ if is_binary(head) => Kind::Other(Other {
            name: "no text",
            remedy: "make lines of it first; UTF-16 without a mark by iconv -f UTF-16LE -t UTF-8 FILE | logwood import -",
        }),
        _ => Kind::Text,
    }
}

/// Whether there are more control characters than in any text. A hole of NULs in front is none.
fn is_binary(head: &[u8]) -> bool {
    let holes = head.iter().take_while(|byte| **byte == 0).count();
    let text = head.get(holes..).unwrap_or(&[]);
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    let controls = text.iter().filter(is_control).count();
    text.len() >= TEXT_BYTES_MIN && controls * CONTROLS_ONE_IN > text.len()
}

/// When the data of a gzip member was written last, in seconds since 1970, where its header says so.
pub(super) fn gzip_time(head: &[u8]) -> Option<i64> {
    let bytes = head.get(4..8)?.first_chunk()?;
    Some(i64::from(u32::from_le_bytes(*bytes))).filter(|seconds| *seconds > 0)
}
