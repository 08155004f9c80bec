//! Feeds `fuzzing::xml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::xml(bytes));
