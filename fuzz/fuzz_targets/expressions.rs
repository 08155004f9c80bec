//! Feeds `fuzzing::expressions`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::expressions(bytes));
