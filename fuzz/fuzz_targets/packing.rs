//! Feeds `fuzzing::packing`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::packing(bytes));
