//! Feeds `fuzzing::dates`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::dates(bytes));
