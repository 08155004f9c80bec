//! What sockets need and the standard library does not offer: forced receive buffers, the
//! kernel's count of dropped datagrams, and sockets that were open when the process started.
#![expect(
    unsafe_code,
    reason = "setsockopt, getsockopt, getnameinfo, getaddrinfo and descriptors that were passed to us have \
              no safe wrapper among our dependencies"
)]

use std::ffi::{CStr, CString};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::UdpGroSegment;
use socket2::{Domain, Protocol, SockAddr, SockRef, Socket, TcpKeepalive, Type};

use crate::limits::{ACCEPT_BACKLOG, KEEPALIVE_INTERVAL, KEEPALIVE_TIME};

/// Opens a socket that listens for connections.
pub(crate) fn listen(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    // Without it a restart would wait for connections of the last run to time out.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(ACCEPT_BACKLOG)?;
    Ok(socket.into())
}

/// Opens sockets that share a UDP port; the kernel spreads the senders over them.
///
/// Port 0 becomes the same free port for all. Unless `is_shared`, binding fails where any other
/// socket has the port: sharing is an option of both sides, so the first socket takes it up only
/// after it has the port to itself. Otherwise a second server would silently get half of the
/// datagrams.
pub(crate) fn bind_udp(
    address: SocketAddr,
    count: usize,
    is_shared: bool,
) -> io::Result<Vec<std::net::UdpSocket>> {
    let mut sockets: Vec<std::net::UdpSocket> = Vec::with_capacity(count);
    let mut address = address;
    for index in 0..count {
        let socket = Socket::new(
            Domain::for_address(address),
            Type::DGRAM,
            Some(Protocol::UDP),
        )?;
        socket.set_nonblocking(true)?;
        if is_shared || index > 0 {
            socket.set_reuse_port(true)?;
        }
        socket.bind(&address.into())?;
        socket.set_reuse_port(true)?;
        let socket = std::net::UdpSocket::from(socket);
        address = socket.local_addr()?;
        sockets.push(socket);
    }
    Ok(sockets)
}

/// Asks for a receive buffer, beyond the system's limit where we may, and returns what we got.
/// Both in bytes of payload; the kernel keeps as much again for its own records.
pub(crate) fn set_receive_buffer(socket: &impl AsFd, bytes: usize) -> io::Result<usize> {
    let value = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX / 2);
    let fd = socket.as_fd().as_raw_fd();
    // SAFETY: the descriptor is open for the length of the borrow; the kernel reads one c_int
    // from `value`, whose size is passed along.
    let forced = unsafe {
        libc::setsockopt(
            fd,
            libc::SOL_SOCKET,
            libc::SO_RCVBUFFORCE,
            ptr::from_ref(&value).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    let socket = SockRef::from(socket);
    if forced != 0 {
        socket.set_recv_buffer_size(bytes)?;
    }
    Ok(socket.recv_buffer_size()? / 2)
}

/// Has the kernel hand over datagrams of one sender and one size together, or not (Linux 5.0).
pub(crate) fn set_gro(socket: &impl AsFd, is_on: bool) -> io::Result<()> {
    Ok(setsockopt(socket, UdpGroSegment, &is_on)?)
}

/// Has the kernel notice peers that are gone without a word.
pub(crate) fn set_keepalive(socket: &impl AsFd) -> io::Result<()> {
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE_TIME)
        .with_interval(KEEPALIVE_INTERVAL)
        .with_retries(6);
    SockRef::from(socket).set_tcp_keepalive(&keepalive)
}

/// Datagrams that the kernel has dropped at this socket since it was opened, modulo 2^32.
pub(crate) fn kernel_drops(socket: &impl AsFd) -> io::Result<u32> {
    Ok(memory_figures(socket)?.last().copied().unwrap_or_default())
}

/// Memory that the kernel has in use for what waits to be read from a socket, in bytes; as
/// `rx_queue` of `/proc/net/udp`.
pub(crate) fn kernel_queue_bytes(socket: &impl AsFd) -> io::Result<u32> {
    const FIELD: usize = libc::SK_MEMINFO_RMEM_ALLOC as usize;
    Ok(memory_figures(socket)?
        .get(FIELD)
        .copied()
        .unwrap_or_default())
}

/// Figures of the kernel's memory for a socket, up to that of what it dropped.
const MEMORY_FIGURES: usize = libc::SK_MEMINFO_DROPS as usize + 1;

fn memory_figures(socket: &impl AsFd) -> io::Result<[u32; MEMORY_FIGURES]> {
    let mut memory = [0_u32; MEMORY_FIGURES];
    let mut len = size_of_val(&memory) as libc::socklen_t;
    // SAFETY: the descriptor is open for the length of the borrow; the kernel writes at most
    // `len` bytes to `memory`, which is that large and has no invalid values.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            memory.as_mut_ptr().cast(),
            &raw mut len,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(memory)
}

/// The name of an address, as the system finds it: in `/etc/hosts`, by DNS. May take many seconds.
pub(crate) fn name_of(address: IpAddr) -> Option<String> {
    let address = SockAddr::from(SocketAddr::new(address, 0));
    let mut name = [0_u8; libc::NI_MAXHOST as usize];
    // SAFETY: the address is a whole one of the length that is passed along, and the kernel's
    // library writes at most the length of `name` to it, a NUL at the end included. There is no
    // room for a service, which its length of 0 says.
    let result = unsafe {
        libc::getnameinfo(
            address.as_ptr().cast(),
            address.len(),
            name.as_mut_ptr().cast(),
            libc::NI_MAXHOST,
            ptr::null_mut(),
            0,
            libc::NI_NAMEREQD,
        )
    };
    let name = CStr::from_bytes_until_nul(&name).ok()?.to_str().ok()?;
    (result == 0).then(|| name.trim_end_matches('.').to_owned())
}

/// The name of a host with its domain, as the system finds it: in `/etc/hosts`, by DNS. May take
/// many seconds.
pub(crate) fn long_name_of(name: &str) -> Option<String> {
    let name = CString::new(name).ok()?;
    // SAFETY: an address of zeros is what the manual asks for in hints, with the fields set that
    // are used.
    let mut hints: libc::addrinfo = unsafe { std::mem::zeroed() };
    hints.ai_flags = libc::AI_CANONNAME;
    hints.ai_socktype = libc::SOCK_STREAM;
    let mut found: *mut libc::addrinfo = ptr::null_mut();
    // SAFETY: name and hints live until the call returns; it sets `found` where it succeeds.
    let result =
        unsafe { libc::getaddrinfo(name.as_ptr(), ptr::null(), &raw const hints, &raw mut found) };
    if result != 0 || found.is_null() {
        return None;
    }
    // SAFETY: `found` is the first of a list that stays until it is freed below. Its name is a
    // text that ends with a NUL, or null.
    let long = unsafe {
        let long = (*found).ai_canonname;
        let long = (!long.is_null()).then(|| CStr::from_ptr(long).to_owned());
        libc::freeaddrinfo(found);
        long
    };
    let long = long?.into_string().ok()?;
    Some(long.trim_end_matches('.').to_owned())
}

/// Takes a descriptor over that whoever started this process has passed to it; children do not get
/// it. To be called for each at most once, and before this process opens anything itself.
pub(crate) fn take_passed(descriptor: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the call takes numbers only, and fails for those that are no open descriptors.
    if unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is open, or the call above would have failed. As it was open when the
    // process started, nothing in it is its owner yet.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::net::{Ipv4Addr, UdpSocket};

    use super::*;
    use crate::recvmmsg::Datagrams;

    pub(crate) fn loopback() -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
    }

    pub(crate) fn one_socket() -> UdpSocket {
        let mut sockets = bind_udp(loopback(), 1, false).expect("binds");
        sockets.pop().expect("one")
    }

    #[test]
    fn sockets_of_one_listener_share_a_port_and_nobody_else_does() {
        let sockets = bind_udp(loopback(), 4, false).expect("binds");
        let to = sockets[0].local_addr().expect("bound");
        assert!(sockets.iter().all(|s| s.local_addr().expect("bound") == to));
        let error = bind_udp(to, 4, false).expect_err("taken");
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        let more = bind_udp(to, 2, true).expect("shares where asked");
        drop(more);

        for _ in 0..64 {
            let sender = UdpSocket::bind(loopback()).expect("binds");
            sender.send_to(b"x", to).expect("sends");
        }
        let mut datagrams = Datagrams::new(8, false);
        let counts: Vec<usize> = sockets
            .iter()
            .map(|socket| {
                datagrams
                    .receive(socket)
                    .map_or(0, |()| datagrams.iter().count())
            })
            .collect();
        assert_eq!(counts.iter().sum::<usize>(), 64);
        let used = counts.iter().filter(|count| **count > 0).count();
        assert!(
            used > 1,
            "64 senders all went to one of four sockets: {counts:?}"
        );
    }

    #[test]
    fn the_kernel_counts_what_it_drops() {
        let receiver = one_socket();
        let got = set_receive_buffer(&receiver, 4_096).expect("sets");
        assert!(got >= 1_024, "{got}");
        let sender = UdpSocket::bind(loopback()).expect("binds");
        let to = receiver.local_addr().expect("bound");
        let sent = 200;
        for _ in 0..sent {
            sender.send_to(&[b'x'; 500], to).expect("sends");
        }
        let dropped = kernel_drops(&receiver).expect("answers");
        let waiting = kernel_queue_bytes(&receiver).expect("answers");
        assert!(waiting > 500, "{waiting}");
        let mut datagrams = Datagrams::new(500, false);
        let mut received = 0;
        while datagrams.receive(&receiver).is_ok() {
            received += u32::try_from(datagrams.iter().count()).expect("few");
        }
        assert_eq!(kernel_queue_bytes(&receiver).expect("answers"), 0);
        assert!(dropped > 0 && received > 0);
        assert_eq!(received + dropped, sent);
    }

    #[test]
    fn a_large_receive_buffer_is_granted_or_told() {
        let receiver = one_socket();
        let got = set_receive_buffer(&receiver, 1024 * 1024).expect("sets");
        assert!(got <= 1024 * 1024 && got > 64 * 1024, "{got}");
    }
}
