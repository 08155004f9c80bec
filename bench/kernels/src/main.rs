//! The innermost work of Logwood, one piece at a time: `kernels` lists the pieces, `kernels NAME`
//! does one.
//!
//! `cargo xtask instructions` runs it under callgrind, which counts only while `measured` runs,
//! and compares the counts with `baseline.toml`. Instructions are the same on every run and on
//! every machine of a kind, where times are not: valgrind shows each program the same made-up
//! processor, whatever stands below. The input is checked in for the same reason.
#![expect(clippy::print_stdout, reason = "what was done goes to standard output")]

mod chunk;
mod decode;
mod input;
mod receive;

use std::hint::black_box;

use anyhow::{Context as _, Result};

/// A piece of work.
struct Kernel {
    name: &'static str,
    /// What is counted, in the singular.
    unit: &'static str,
    /// Prepares, works once inside [`measured`], and says how many units that were.
    run: fn() -> Result<usize>,
}

const fn kernel(name: &'static str, unit: &'static str, run: fn() -> Result<usize>) -> Kernel {
    Kernel { name, unit, run }
}

const KERNELS: &[Kernel] = &[
    kernel("parse_rfc3164", "message", receive::parse_rfc3164),
    kernel("parse_rfc5424", "message", receive::parse_rfc5424),
    kernel("frame_lines", "message", receive::frame_lines),
    kernel("frame_octets", "message", receive::frame_octets),
    kernel("split_words", "message", receive::split_words),
    kernel("index_records", "message", receive::index_records),
    kernel("write_chunk", "row", chunk::write),
    kernel("read_chunk", "row", chunk::read),
    kernel("decode_rows", "row", decode::rows),
    kernel("decode_postings", "posting", decode::postings),
    kernel("scan_lexicon", "term", decode::lexicon),
    kernel("match_records", "row", decode::matcher),
];

fn main() -> Result<()> {
    let Some(name) = std::env::args().nth(1) else {
        for kernel in KERNELS {
            println!("{} {}", kernel.name, kernel.unit);
        }
        return Ok(());
    };
    let kernel = KERNELS.iter().find(|kernel| kernel.name == name);
    let kernel = kernel.with_context(|| format!("there is no kernel `{name}`"))?;
    println!("{}", (kernel.run)()?);
    Ok(())
}

/// Does the work that is counted; callgrind knows it by this function's name.
#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_work_to_do() {
        for kernel in KERNELS {
            let units = (kernel.run)().expect(kernel.name);
            assert!(units >= 1_000, "{}: {units}", kernel.name);
        }
    }
}
