//! Feeds `fuzzing::relp`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::relp(bytes));
