//! Feeds `fuzzing::journal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::journal(bytes));
