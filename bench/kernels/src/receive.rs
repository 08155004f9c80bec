//! From the bytes of a socket to a segment.

use std::hint::black_box;

use anyhow::Result;
use model::RecordParts;
use segment::{BuildOptions, Builder};
use syslog::frame::{Framer, FramerOptions, Step};
use syslog::{ParseOptions, Parser};

use crate::{input, measured};

pub(crate) fn parse_rfc3164() -> Result<usize> {
    Ok(parse(&input::rfc3164()))
}

pub(crate) fn parse_rfc5424() -> Result<usize> {
    Ok(parse(&input::rfc5424()))
}

fn parse(lines: &[&[u8]]) -> usize {
    let mut parser = Parser::new(ParseOptions::default());
    let context = input::context();
    let mut parts = RecordParts::default();
    measured(|| {
        for line in lines {
            parser.parse(black_box(line), &context, &mut parts);
            black_box(&parts);
        }
    });
    lines.len()
}

pub(crate) fn frame_lines() -> Result<usize> {
    let mut stream = Vec::new();
    for line in input::all() {
        stream.extend_from_slice(line);
        stream.push(b'\n');
    }
    Ok(frame(&stream))
}

pub(crate) fn frame_octets() -> Result<usize> {
    let mut stream = Vec::new();
    for line in input::all() {
        syslog::write::octet_counted(line, &mut stream);
    }
    Ok(frame(&stream))
}

fn frame(stream: &[u8]) -> usize {
    let mut framer = Framer::new(FramerOptions::default());
    measured(|| {
        let (mut rest, mut frames) = (stream, 0);
        while let Step::Frame { frame, consumed } = framer.next(rest) {
            black_box(frame);
            frames += 1;
            rest = rest.get(consumed..).unwrap_or(&[]);
        }
        frames
    })
}

pub(crate) fn split_words() -> Result<usize> {
    let lines = input::all();
    measured(|| {
        for line in &lines {
            for word in model::words::words(line) {
                black_box(model::words::fold(word));
            }
        }
    });
    Ok(lines.len())
}

/// A segment: records cut by kind, columns packed by zstd, words that vary with their rows, and the
/// index written.
pub(crate) fn index_records() -> Result<usize> {
    let batch = input::batch()?;
    let mut builder = Builder::new(BuildOptions::default());
    measured(|| {
        builder.push(&batch)?;
        builder.finish()
    })?;
    Ok(batch.len())
}
