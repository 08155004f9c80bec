//! How the allocator of the C library gives memory back.
//!
//! Left alone, it takes buffers of up to 32 MiB from its heaps once one as large was freed. Receiving, sealing,
//! merging and compacting at once, each with buffers of some megabytes, leaves heaps with holes in them, which
//! took a third of the memory of an import; and what a question frees at the end of a heap goes back to the
//! system at once, to be asked for again by the next.
#![cfg_attr(
    target_env = "gnu",
    expect(
        unsafe_code,
        reason = "a call of the C library that takes two integers"
    )
)]

/// Buffers from here on are mapped on their own, in bytes: given back whole when they are freed.
#[cfg(target_env = "gnu")]
const MAPPED_BYTES_MIN: libc::c_int = 8 * 1024 * 1024;

/// So much is kept at the end of a heap, in bytes.
#[cfg(target_env = "gnu")]
const KEPT_BYTES_MAX: libc::c_int = 16 * 1024 * 1024;

/// Sets both, for the whole process, whatever `GLIBC_TUNABLES` says of them. Other C libraries have nothing to set.
pub(crate) fn configure() {
    #[cfg(target_env = "gnu")]
    for (parameter, bytes) in [
        (libc::M_MMAP_THRESHOLD, MAPPED_BYTES_MIN),
        (libc::M_TRIM_THRESHOLD, KEPT_BYTES_MAX),
    ] {
        // SAFETY: it reads and writes nothing of ours. It fails for values that are too large alone, and then
        // changes nothing.
        unsafe { libc::mallopt(parameter, bytes) };
    }
}
