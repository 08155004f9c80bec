//! Feeds `fuzzing::syslog`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::syslog(bytes));
