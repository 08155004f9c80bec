//! Files as import reads them: unpacked and as UTF-8, by what they start with, whatever their names.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use indicatif::ProgressBar;
use model::Timestamp;

use super::gzip::Members;
use super::kind::{self, Kind, Other};
use super::notes::{Guarded, Notes};
use super::utf16::Utf16;
use crate::failure::Failure;

/// Bytes read from a file at once.
const READ_BYTES: usize = 256 * 1024;

/// Most layers of packing and encoding that a file may have, such as UTF-16 in gzip.
const LAYERS_MAX: usize = 4;

/// Times of files before are none: the epoch itself stands where a program knew no better.
const TIME_MIN: Timestamp = Timestamp::from_seconds(365 * 86_400);

/// A file that is read.
pub(crate) struct Opened {
    /// Its text.
    pub(crate) reader: Box<dyn BufRead + Send>,
    /// What was found on the way.
    pub(crate) notes: Notes,
    /// When its text was written last, if that is known.
    pub(super) time: Option<Timestamp>,
    /// Whether it can be read once more.
    pub(super) is_regular: bool,
}

/// Opens a file, or standard input for `-`.
pub(crate) fn open(path: &Path, bar: &ProgressBar) -> Result<Opened, Failure> {
    let failure =
        |error: io::Error| Failure::new(format!("cannot read {}", path.display())).because(error);
    let is_input = path == Path::new("-");
    let (mut time, mut is_regular) = (None, false);
    let input: Box<dyn Read + Send> = if is_input {
        Box::new(io::stdin())
    } else {
        let file = File::open(path).map_err(failure)?;
        let metadata = file.metadata().map_err(failure)?;
        is_regular = metadata.is_file();
        let modified = metadata.modified().ok().filter(|_| is_regular);
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let seconds = since.and_then(|since| i64::try_from(since.as_secs()).ok());
        time = seconds.map(Timestamp::from_seconds);
        Box::new(file)
    };
    let mut input: Box<dyn Read + Send> =
        Box::new(BufReader::with_capacity(READ_BYTES, bar.wrap_read(input)));
    let head = read_head(&mut input).map_err(failure)?;
    if kind::of(&head) == Kind::Gzip
        && let Some(seconds) = kind::gzip_time(&head)
    {
        time = Some(Timestamp::from_seconds(seconds));
    }
    let notes = Notes::default();
    let text = unpack(head, input, &notes).map_err(|other| refusal(path, other))?;
    Ok(Opened {
        reader: Box::new(BufReader::with_capacity(READ_BYTES, text)),
        notes,
        time: time.filter(|time| *time > TIME_MIN),
        is_regular,
    })
}

/// Takes off layer by layer what the text is packed into.
fn unpack(
    mut head: Vec<u8>,
    mut input: Box<dyn Read + Send>,
    notes: &Notes,
) -> Result<Box<dyn Read + Send>, Other> {
    for _ in 0..LAYERS_MAX {
        let kind = kind::of(&head);
        let whole = BufReader::new(Cursor::new(std::mem::take(&mut head)).chain(input));
        input = match kind {
            Kind::Other(other) => return Err(other),
            Kind::Text => return Ok(Box::new(Guarded::new(whole, "bytes of the file", notes))),
            Kind::Gzip => Box::new(Guarded::new(Members::new(whole, notes), "gzip data", notes)),
            Kind::Bzip2 => {
                let decoder = bzip2::bufread::MultiBzDecoder::new(whole);
                Box::new(Guarded::new(decoder, "bzip2 data", notes))
            }
            Kind::Xz => {
                let decoder = lzma_rust2::XzReader::new(whole, true);
                Box::new(Guarded::new(decoder, "xz data", notes))
            }
            Kind::Zstd => match zstd::Decoder::with_buffer(whole) {
                Ok(decoder) => Box::new(Guarded::new(decoder, "zstd data", notes)),
                Err(_) => {
                    return Err(Other {
                        name: "zstd data that cannot be unpacked",
                        remedy: "zstd -dc FILE | logwood import -",
                    });
                }
            },
            Kind::Utf16(encoding) => Box::new(Guarded::new(
                Utf16::new(whole, encoding, notes),
                "UTF-16 data",
                notes,
            )),
        };
        // What cannot be unpacked ends there, and is noted.
        head = read_head(&mut input).unwrap_or_default();
    }
    Err(Other {
        name: "packed too many times over",
        remedy: "unpack it first",
    })
}

/// The start of an input, as much of it as is looked at.
fn read_head(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(kind::HEAD_BYTES);
    input.take(kind::HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok(head)
}

fn refusal(path: &Path, other: Other) -> Failure {
    let name = path.display().to_string();
    let remedy = other.remedy.replace("FILE", &name);
    Failure::new(format!("{name} is {}, not a file of lines", other.name)).hint(remedy)
}
