//! What building and reading a segment costs: `cargo bench -p segment --bench segment -- FILE [ROWS]`.
//!
//! FILE holds RFC 3164 lines; without it lines are generated. Prints nanoseconds a row and bytes a
//! row of each part, the fastest of five runs; merging and compacting are of eight segments of the rows.
#![expect(clippy::print_stdout, reason = "a bench prints its measurements")]
#![expect(clippy::unwrap_used, reason = "a bench builds its own input")]

use std::convert::Infallible;
use std::hint::black_box;
use std::sync::Arc;

use model::{RecordBatch, RecordNumber, RecordParts, Span, Timestamp};
use segment::{
    BuildOptions, Builder, Built, Chunk, ChunkHeads, ColumnPage, Corrupt, Footer, LexiconPage,
    PageEntry, Piece, PostingPage, Rewrite, RewriteInput, RewriteOptions, RowKinds,
    RowMetadataPage, Section,
};

const RUNS: usize = 5;
const BATCH_ROWS: usize = 2_000;
const MERGED_SEGMENTS: usize = 8;
/// The level of a store that compacts without being told one.
const COMPACTION_LEVEL: i32 = 15;

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"));
    let text = args.next().and_then(|path| std::fs::read(path).ok());
    let text = text.unwrap_or_else(generated);
    let rows = args
        .next()
        .and_then(|rows| rows.parse().ok())
        .unwrap_or(256_000);
    let batches = batches(&text, rows);
    let rows: usize = batches.iter().map(RecordBatch::len).sum();
    let bytes: usize = batches.iter().map(|batch| batch.bytes().len()).sum();
    println!("{rows} rows of {} bytes", bytes / rows);

    let per_row = |what: &str, seconds: f64| {
        println!("{what:28} {:8.0} ns/row", seconds * 1e9 / rows as f64);
    };
    let (text, _) = fastest(|| {
        let compress = |batch: &RecordBatch| zstd::bulk::compress(batch.bytes(), 1).unwrap().len();
        batches.iter().map(compress).sum::<usize>()
    });
    per_row("zstd -1 of the text alone", text);
    // As a store does, which keeps its builder: memory is fresh in the first run alone.
    let mut builder = Builder::new(BuildOptions::default());
    let (push, _) = fastest(|| {
        builder.start(RecordNumber(1));
        push_all(&mut builder, &batches);
    });
    per_row("push", push);
    let (all, built) = fastest(|| {
        builder.start(RecordNumber(1));
        push_all(&mut builder, &batches);
        builder.finish().unwrap()
    });
    per_row("push and finish", all);
    let (encode, _) = fastest(|| {
        let mut out = Vec::new();
        for batch in &batches {
            out.clear();
            segment::rows::encode_rows(batch, 0..batch.len(), &mut out);
        }
        out
    });
    per_row("rows::encode_rows", encode);
    write_anew(&batches, &per_row);
    read_records(&built, &per_row);
    read_index(&built, &per_row);
    print_sizes(&built, rows);
}

fn push_all(builder: &mut Builder, batches: &[RecordBatch]) {
    for batch in batches {
        builder.push(batch).unwrap();
    }
}

fn stored<'a>(built: &'a Built, page: &PageEntry) -> &'a [u8] {
    let start = page.offset as usize;
    &built.bytes[start..start + page.stored_len as usize]
}

struct Input(Built);

impl RewriteInput for Input {
    type Error = Infallible;

    fn footer(&self) -> &Footer {
        &self.0.footer
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, Infallible> {
        Ok(stored(&self.0, entry).to_vec())
    }
}

fn options(to: Rewrite, zstd_level: i32) -> RewriteOptions {
    RewriteOptions { to, zstd_level }
}

fn write_anew(batches: &[RecordBatch], per_row: &dyn Fn(&str, f64)) {
    let mut builder = Builder::new(BuildOptions::default());
    let mut first_number = RecordNumber(1);
    let mut inputs = Vec::new();
    for some in batches.chunks(batches.len().div_ceil(MERGED_SEGMENTS)) {
        builder.start(first_number);
        push_all(&mut builder, some);
        inputs.push(Input(builder.finish().unwrap()));
        first_number.0 += some.iter().map(|batch| batch.len() as u64).sum::<u64>();
    }
    let (seconds, merged) = fastest(|| {
        let (mut built, _) =
            segment::rewrite_in_memory(&inputs, &options(Rewrite::Merged, 1)).unwrap();
        Input(built.pop().unwrap())
    });
    per_row("merge", seconds);
    let (seconds, bytes) = fastest(|| {
        let mut bytes = 0;
        let mut sink = |piece: Piece<'_>| {
            if let Piece::Bytes(piece) = piece {
                bytes += piece.len();
            }
            Ok(())
        };
        let to = options(Rewrite::Compacted, COMPACTION_LEVEL);
        segment::rewrite(std::slice::from_ref(&merged), &to, &mut sink).unwrap();
        bytes
    });
    per_row("compact", seconds);
    println!("merged {} bytes, compacted {bytes}", merged.0.bytes.len());
}

fn read_records(built: &Built, per_row: &dyn Fn(&str, f64)) {
    let footer = &built.footer;
    let stored = |page: &PageEntry| stored(built, page);
    let (seconds, received) = fastest(|| {
        let pages = footer.received_pages.iter();
        pages
            .flat_map(|page| segment::decode_received_page(page, stored(page)).unwrap())
            .collect::<Vec<_>>()
    });
    per_row("decode received pages", seconds);
    let kinds = footer.kind_page.as_ref().unwrap();
    let kinds = segment::decode_kind_page(kinds, stored(kinds)).unwrap();
    let (seconds, _) = fastest(|| {
        for entry in &footer.chunks {
            let page = &entry.page;
            let received = &received[page.first_row as usize..][..page.rows as usize];
            let row_kinds = RowKinds::decode(entry, stored(&entry.rows)).unwrap();
            let directory = stored(&entry.directory);
            let chunk = Chunk::decode(entry, directory, row_kinds.kinds(), &kinds).unwrap();
            let row_metadata_page = |number: usize| {
                RowMetadataPage::decode(&entry.heads[number], stored(&entry.heads[number]))
                    .map(Arc::new)
            };
            let mut heads = ChunkHeads::decode(entry, stored(page), received.to_vec()).unwrap();
            heads.add_pages(0..page.rows, row_metadata_page).unwrap();
            let open = |page: &PageEntry| Arc::new(ColumnPage::open(page, stored(page)).unwrap());
            let columns: Vec<_> = entry.columns.iter().map(open).collect();
            let rows = row_kinds
                .with_ordinals(0..page.rows, row_metadata_page)
                .unwrap();
            let records = chunk.records(rows, &heads, |index| {
                Ok::<_, Corrupt>(Arc::clone(&columns[index]))
            });
            black_box(records.unwrap());
        }
    });
    per_row("decode chunks", seconds);
}

fn read_index(built: &Built, per_row: &dyn Fn(&str, f64)) {
    let footer = &built.footer;
    let stored = |page: &PageEntry| stored(built, page);
    let (seconds, lexicon) = fastest(|| {
        let pages = footer.lexicon_pages.iter();
        pages
            .map(|page| LexiconPage::decode(&page.page, stored(&page.page)).unwrap())
            .collect::<Vec<_>>()
    });
    per_row("decode lexicon pages", seconds);
    let mut terms = Vec::new();
    for page in &lexicon {
        page.scan(b"", &mut |_, term| {
            terms.push(term);
            true
        })
        .unwrap();
    }
    let (seconds, _) = fastest(|| {
        let mut rows = 0;
        for page in &lexicon {
            page.scan(b"m", &mut |key, term| {
                rows += key.bytes.len() + term.rows as usize;
                true
            })
            .unwrap();
        }
        rows
    });
    let per_term = seconds * 1e9 / terms.len() as f64;
    println!("{} terms, scan {per_term:.0} ns/term", terms.len());
    let pages = footer.posting_pages.iter();
    let pages: Vec<_> = pages
        .map(|page| PostingPage::decode(page, stored(page)).unwrap())
        .collect();
    let (seconds, count) = fastest(|| {
        let mut count = 0;
        for listed in terms.iter().flat_map(|term| [term.groups, term.slots]) {
            if let Some(page) = listed.posting_page() {
                count += pages[page as usize].numbers(&listed).unwrap().len();
            }
        }
        count
    });
    println!(
        "{count} postings, {:.1} ns/posting",
        seconds * 1e9 / count as f64
    );
}

fn print_sizes(built: &Built, rows: usize) {
    for section in Section::ALL {
        let pages = built.footer.pages();
        let pages: Vec<_> = pages.filter(|(of, _)| *of == section).collect();
        let sum = |part: fn(&PageEntry) -> u32| {
            let parts = pages.iter().map(|(_, page)| u64::from(part(page)));
            parts.sum::<u64>()
        };
        println!(
            "{:16} {:6} pages {:9.2} bytes/row {:9.2} before compression",
            section.page_name(),
            pages.len(),
            sum(|page| page.stored_len) as f64 / rows as f64,
            sum(|page| page.raw_len) as f64 / rows as f64,
        );
    }
    println!(
        "file {:.2} bytes/row",
        built.bytes.len() as f64 / rows as f64
    );
}

fn fastest<T>(mut run: impl FnMut() -> T) -> (f64, T) {
    let mut best = f64::INFINITY;
    let mut last = None;
    for _ in 0..RUNS {
        drop(last.take());
        let start = cpu_seconds();
        let result = black_box(run());
        best = best.min(cpu_seconds() - start);
        last = Some(result);
    }
    (best, last.unwrap())
}

/// Seconds this thread has run, so that other work on the machine does not count.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Lines with the usual mix of repeating text and numbers that do not.
fn generated() -> Vec<u8> {
    let mut text = String::new();
    let mut seed = 1_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    for row in 0..256_000 {
        let (minute, second) = (row / 6_000 % 60, row / 100 % 60);
        let (host, user, port) = (random(50), random(2_000), random(60_000));
        let head = format!("<38>Nov 21 18:{minute:02}:{second:02} web-{host:02}.example.com");
        let address = format!("10.{}.{}.{}", random(4), random(256), random(256));
        text += &match random(4) {
            0 => format!(
                "{head} sshd[{port}]: Failed password for invalid user u{user} from {address} port {port} ssh2\n"
            ),
            1 => format!(
                "{head} nginx[812]: {address} - - \"GET /api/v1/items/{port}?page={user} HTTP/1.1\" 200 {port} \"-\" \"Mozilla/5.0 (X11; Linux x86_64; rv:109.0)\"\n"
            ),
            2 => format!(
                "{head} kernel: [{row}.{port:06}] [UFW BLOCK] IN=eth0 OUT= MAC=00:16:3e:5d SRC={address} DST=10.0.0.1 LEN=60 PROTO=TCP SPT={port} DPT=22 WINDOW=29200\n"
            ),
            _ => format!(
                "{head} systemd[1]: Started session {user} of user u{user}, unit run-r{:08x}.service\n",
                random(1 << 31)
            ),
        };
    }
    text.into_bytes()
}

fn batches(text: &[u8], rows: usize) -> Vec<RecordBatch> {
    let lines: Vec<_> = text
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .collect();
    let mut batches = Vec::new();
    let mut nanos = 1_795_286_847_000_000_000;
    for lines in lines[..rows.min(lines.len())].chunks(BATCH_ROWS) {
        let mut batch = RecordBatch::new();
        let source = batch.source_index("udp").unwrap();
        for line in lines {
            nanos += 100_000 + line.len() as i64 * 97 % 1_000;
            let received = Timestamp::from_nanos(nanos);
            let peer = Some([10, 0, 0, 1].into());
            batch
                .push(line, &parse(line, nanos), received, peer, source)
                .unwrap();
        }
        batches.push(batch);
    }
    batches
}

/// `<PRI>Mmm dd hh:mm:ss HOST PROGRAM[PID]: MESSAGE`, as far as a bench needs it.
fn parse(line: &[u8], nanos: i64) -> RecordParts {
    let find = |from: usize, byte: u8| {
        line[from..]
            .iter()
            .position(|found| *found == byte)
            .map_or(line.len(), |at| from + at)
    };
    let host = (find(0, b'>') + 17).min(line.len());
    let program = (find(host, b' ') + 1).min(line.len());
    let colon = find(program, b':');
    let bracket = find(program, b'[').min(colon);
    RecordParts {
        time: Timestamp::from_seconds(nanos / 1_000_000_000),
        host: Span::new(host, program.saturating_sub(1)),
        program: Span::new(program, bracket),
        pid: Span::new(bracket + 1, colon.saturating_sub(1)),
        message: Span::new((colon + 2).min(line.len()), line.len()),
        ..RecordParts::default()
    }
}
