//! Feeds `fuzzing::unpacking`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::unpacking(bytes));
