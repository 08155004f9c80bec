//! End-to-end tests live in `main.rs` and its modules; this library is empty.
