//! Feeds `fuzzing::template`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::template(bytes));
