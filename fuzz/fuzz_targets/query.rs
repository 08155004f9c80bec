//! Feeds `fuzzing::query`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::query(bytes));
