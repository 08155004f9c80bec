//! Feeds `fuzzing::columns`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::columns(bytes));
