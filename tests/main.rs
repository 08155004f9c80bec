//! Drives the real binary.
