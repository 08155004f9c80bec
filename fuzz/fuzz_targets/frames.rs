//! Feeds `fuzzing::frames`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::frames(bytes));
