//! Many datagrams in one system call, and those that the kernel hands over together taken apart.
#![expect(
    unsafe_code,
    reason = "recvmmsg has no safe wrapper among our dependencies"
)]

use std::io;
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, AsRawFd};
use std::ptr;

use crate::limits::{DATAGRAM_BYTES_MAX, DATAGRAMS_PER_CALL};

/// Room for the datagrams of one system call.
pub(crate) struct Datagrams {
    memory: Vec<u8>,
    slot_bytes: usize,
    /// Longest datagram that is kept whole.
    bytes_max: usize,
    received: Vec<Slot>,
}

/// What the kernel put into a slot: a datagram, or several of one sender.
struct Slot {
    len: usize,
    /// Length of each of them but the last, which may be shorter.
    datagram_bytes: usize,
    peer: Option<IpAddr>,
    is_truncated: bool,
}

/// A datagram in its slot.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Datagram<'a> {
    /// Its bytes, as many as are kept.
    pub(crate) bytes: &'a [u8],
    /// Who sent it.
    pub(crate) peer: Option<IpAddr>,
    /// Whether its end was cut off.
    pub(crate) is_truncated: bool,
}

/// Room for what the kernel says of a slot: the length of its datagrams, in a control message.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Control([u8; CONTROL_BYTES]);

/// `CMSG_SPACE` of an integer, with room to spare for 32 and 64 bits.
const CONTROL_BYTES: usize = 64;

impl Datagrams {
    /// Room for datagrams of up to `bytes_max` bytes, of a socket that hands over several together or
    /// not. The memory is the kernel's zero pages until a datagram touches it, so large slots cost
    /// nothing where messages are short.
    pub(crate) fn new(bytes_max: usize, may_be_joined: bool) -> Self {
        let bytes_max = bytes_max.clamp(1, DATAGRAM_BYTES_MAX);
        let slot_bytes = if may_be_joined {
            DATAGRAM_BYTES_MAX
        } else {
            bytes_max
        };
        Self {
            memory: vec![0; slot_bytes * DATAGRAMS_PER_CALL],
            slot_bytes,
            bytes_max,
            received: Vec::with_capacity(DATAGRAMS_PER_CALL),
        }
    }

    /// Takes what the socket has, without waiting: at least one datagram, or `WouldBlock`.
    pub(crate) fn receive(&mut self, socket: &impl AsFd) -> io::Result<()> {
        self.received.clear();
        // SAFETY: these are plain C structures of numbers and pointers; all zeros are valid.
        let mut names: [libc::sockaddr_in6; DATAGRAMS_PER_CALL] = unsafe { mem::zeroed() };
        // SAFETY: as above.
        let mut vectors: [libc::iovec; DATAGRAMS_PER_CALL] = unsafe { mem::zeroed() };
        // SAFETY: as above.
        let mut headers: [libc::mmsghdr; DATAGRAMS_PER_CALL] = unsafe { mem::zeroed() };
        let mut controls = [Control([0; CONTROL_BYTES]); DATAGRAMS_PER_CALL];
        let slots = self.memory.chunks_exact_mut(self.slot_bytes);
        let parts = names.iter_mut().zip(&mut vectors).zip(&mut controls);
        for (slot, (((name, vector), control), header)) in slots.zip(parts.zip(&mut headers)) {
            vector.iov_base = slot.as_mut_ptr().cast();
            vector.iov_len = slot.len();
            header.msg_hdr.msg_name = ptr::from_mut(name).cast();
            header.msg_hdr.msg_namelen = size_of::<libc::sockaddr_in6>() as libc::socklen_t;
            header.msg_hdr.msg_iov = vector;
            header.msg_hdr.msg_iovlen = 1;
            header.msg_hdr.msg_control = control.0.as_mut_ptr().cast();
            header.msg_hdr.msg_controllen = CONTROL_BYTES as _;
        }
        // SAFETY: the descriptor is open for the length of the borrow. Each header points to one
        // name, one vector and one control of the arrays above and each vector to a slot of `memory`
        // of its own; all outlive the call and none is used while it runs. There is no time-out.
        let count = unsafe {
            libc::recvmmsg(
                socket.as_fd().as_raw_fd(),
                headers.as_mut_ptr(),
                DATAGRAMS_PER_CALL as libc::c_uint,
                libc::MSG_DONTWAIT,
                ptr::null_mut(),
            )
        };
        let Ok(count) = usize::try_from(count) else {
            return Err(io::Error::last_os_error());
        };
        for (header, name) in headers.iter().zip(&names).take(count) {
            let len = (header.msg_len as usize).min(self.slot_bytes);
            self.received.push(Slot {
                len,
                datagram_bytes: joined_bytes(&header.msg_hdr).unwrap_or(len).max(1),
                peer: address(name),
                is_truncated: header.msg_hdr.msg_flags & libc::MSG_TRUNC != 0,
            });
        }
        Ok(())
    }

    /// Whether the last call took as many as one can: there may be more.
    pub(crate) fn is_full(&self) -> bool {
        self.received.len() == DATAGRAMS_PER_CALL
    }

    /// What the last call took, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Datagram<'_>> {
        let slots = self.memory.chunks_exact(self.slot_bytes);
        let slots = self.received.iter().zip(slots);
        slots.flat_map(|(slot, memory)| self.datagrams(slot, memory))
    }

    /// The datagrams of a slot.
    fn datagrams<'a>(
        &'a self,
        slot: &'a Slot,
        memory: &'a [u8],
    ) -> impl Iterator<Item = Datagram<'a>> {
        let bytes = memory.get(..slot.len).unwrap_or(&[]);
        // A datagram may be empty.
        let count = slot.len.div_ceil(slot.datagram_bytes).max(1);
        (0..count).map(move |index| {
            let rest = bytes.get(index * slot.datagram_bytes..).unwrap_or(&[]);
            let whole = rest.get(..slot.datagram_bytes).unwrap_or(rest);
            let kept = whole.get(..self.bytes_max).unwrap_or(whole);
            Datagram {
                bytes: kept,
                peer: slot.peer,
                is_truncated: slot.is_truncated && index + 1 == count || kept.len() < whole.len(),
            }
        })
    }
}

/// The length of each of several datagrams that were handed over together, as the kernel says it.
fn joined_bytes(header: &libc::msghdr) -> Option<usize> {
    // SAFETY: the kernel has filled in the header, and its control messages stand in memory that is
    // still there; the first one is within it where it is not null.
    let first = unsafe { libc::CMSG_FIRSTHDR(header).as_ref() }?;
    if (first.cmsg_level, first.cmsg_type) != (libc::SOL_UDP, libc::UDP_GRO) {
        return None;
    }
    // SAFETY: the data of such a control message is an integer, which need not be aligned.
    let bytes = unsafe {
        libc::CMSG_DATA(first)
            .cast::<libc::c_int>()
            .read_unaligned()
    };
    usize::try_from(bytes).ok()
}

/// The address in what the kernel wrote, IPv4 in IPv6 unwrapped.
fn address(name: &libc::sockaddr_in6) -> Option<IpAddr> {
    match libc::c_int::from(name.sin6_family) {
        // A sockaddr_in has its address where a sockaddr_in6 has the flow information.
        libc::AF_INET => Some(Ipv4Addr::from(u32::from_be(name.sin6_flowinfo)).into()),
        libc::AF_INET6 => Some(IpAddr::from(Ipv6Addr::from(name.sin6_addr.s6_addr)).to_canonical()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::net::{SocketAddr, UdpSocket};

    use nix::sys::socket::setsockopt;
    use nix::sys::socket::sockopt::UdpGsoSegment;

    use super::*;
    use crate::socket::tests::{loopback, one_socket};
    use crate::socket::{bind_udp, set_gro};

    #[test]
    fn datagrams_that_come_together_are_taken_apart() {
        let receiver = one_socket();
        set_gro(&receiver, true).expect("the kernel can");
        let sender = UdpSocket::bind(loopback()).expect("binds");
        let to = receiver.local_addr().expect("bound");
        sender.connect(to).expect("connects");
        sender.send(b"alone").expect("sends");
        // The kernel keeps together what is sent in one call.
        setsockopt(&sender, UdpGsoSegment, &4).expect("the kernel can");
        sender.send(b"aaaabbbbcccc").expect("sends");
        sender.send(b"ddddeeee.").expect("sends");
        let mut datagrams = Datagrams::new(3, true);
        datagrams.receive(&receiver).expect("there are some");
        assert!(datagrams.received.len() < 7, "nothing came together");
        let seen = datagrams
            .iter()
            .map(|datagram| (datagram.bytes, datagram.is_truncated));
        let cut = |text: &'static [u8]| (text, true);
        let expected = [
            cut(b"alo"),
            cut(b"aaa"),
            cut(b"bbb"),
            cut(b"ccc"),
            cut(b"ddd"),
            cut(b"eee"),
            (b".", false),
        ];
        assert_eq!(seen.collect::<Vec<_>>(), expected);
        let peer = sender.local_addr().expect("bound").ip();
        assert!(datagrams.iter().all(|datagram| datagram.peer == Some(peer)));
    }

    #[test]
    fn datagrams_come_in_order_with_their_peer() {
        let receiver = one_socket();
        let sender = UdpSocket::bind(loopback()).expect("binds");
        let to = receiver.local_addr().expect("bound");
        for text in ["one", "", "three and more"] {
            sender.send_to(text.as_bytes(), to).expect("sends");
        }
        let mut datagrams = Datagrams::new(8, false);
        datagrams.receive(&receiver).expect("there are some");
        let peer = Some(IpAddr::from(Ipv4Addr::LOCALHOST));
        let seen: Vec<_> = datagrams.iter().collect();
        let expected = [("one", false), ("", false), ("three an", true)];
        let expected = expected.map(|(text, is_truncated)| Datagram {
            bytes: text.as_bytes(),
            peer,
            is_truncated,
        });
        assert_eq!(seen, expected);
        let error = datagrams.receive(&receiver).expect_err("nothing left");
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert_eq!(datagrams.iter().count(), 0);
    }

    #[test]
    fn ipv6_peers_are_known() {
        let to = SocketAddr::from((Ipv6Addr::LOCALHOST, 0));
        let receiver = bind_udp(to, 1, false).expect("binds").pop().expect("one");
        let sender = UdpSocket::bind(to).expect("binds");
        let to = receiver.local_addr().expect("bound");
        sender.send_to(b"x", to).expect("sends");
        let mut datagrams = Datagrams::new(8, false);
        datagrams.receive(&receiver).expect("there is one");
        let peers: Vec<_> = datagrams.iter().map(|datagram| datagram.peer).collect();
        assert_eq!(peers, [Some(IpAddr::from(Ipv6Addr::LOCALHOST))]);
    }
}
