//! How many bytes of a connection the other side's kernel has not acknowledged.
#![expect(
    unsafe_code,
    reason = "SIOCOUTQ has no safe wrapper among our dependencies"
)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Bytes that were written to a socket and not acknowledged.
pub(super) fn unacked_bytes(socket: BorrowedFd<'_>) -> io::Result<usize> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the descriptor is open while it is borrowed, and the kernel writes one int where it is told.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    match result {
        0 => Ok(usize::try_from(bytes).unwrap_or(0)),
        _ => Err(io::Error::last_os_error()),
    }
}
