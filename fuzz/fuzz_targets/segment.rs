//! Feeds `fuzzing::segment`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::segment(bytes));
