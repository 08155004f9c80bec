//! Feeds `fuzzing::proxy`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::proxy(bytes));
