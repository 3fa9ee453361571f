//! What the standard library's UDP sockets cannot do: take datagrams that the kernel has joined,
//! share a port, and say how many datagrams the kernel dropped.

use std::io;
use std::mem::{size_of, size_of_val, zeroed};
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::ptr::from_mut;

use socket2::{Domain, Protocol, SockRef, Socket, Type};

/// Room for one control message with a number, aligned as the kernel writes it.
type Control = [u64; 4];

/// Datagrams that were received in one call, of one sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Their bytes together.
    pub bytes: usize,
    /// The length of each but the last, which may be shorter.
    pub segment_bytes: usize,
}

/// Lets the kernel join datagrams of one sender that come together. False if it cannot.
pub fn join_datagrams(socket: &UdpSocket) -> bool {
    let on: libc::c_int = 1;
    // SAFETY: the pointer and the length describe one c_int that outlives the call.
    let set = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_UDP,
            libc::UDP_GRO,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        )
    };
    set == 0
}

/// Receives what one call gives. A buffer of 64 KiB holds whatever that is.
///
/// # Errors
/// The system's; `WouldBlock` when there is nothing.
pub fn receive(socket: &impl AsRawFd, buffer: &mut [u8]) -> io::Result<Received> {
    let mut control: Control = [0; 4];
    let mut piece = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: all fields of a msghdr may be zero.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = from_mut(&mut piece);
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of::<Control>() as _;
    // SAFETY: the header points at `piece`, at `control` and through them at `buffer`, with their
    // lengths; all outlive the call.
    let length = unsafe { libc::recvmsg(socket.as_raw_fd(), &mut message, 0) };
    let Ok(bytes) = usize::try_from(length) else {
        return Err(io::Error::last_os_error());
    };
    Ok(Received {
        bytes,
        segment_bytes: segment_bytes(&message).unwrap_or(bytes),
    })
}

fn segment_bytes(message: &libc::msghdr) -> Option<usize> {
    // SAFETY: recvmsg has filled the header; its control messages lie in a buffer that is aligned
    // for them and that outlives this call.
    unsafe {
        let mut control = libc::CMSG_FIRSTHDR(message);
        while !control.is_null() {
            if ((*control).cmsg_level, (*control).cmsg_type) == (libc::SOL_UDP, libc::UDP_GRO) {
                let length: libc::c_int = libc::CMSG_DATA(control).cast::<i32>().read_unaligned();
                return usize::try_from(length).ok();
            }
            control = libc::CMSG_NXTHDR(message, control);
        }
    }
    None
}

/// How many datagrams the kernel has dropped on this socket since it was opened, because its
/// buffer was full. The number wraps round.
///
/// This is the counter of `SO_RXQ_OVFL`, which comes only with a later datagram: after a burst
/// that ends in loss there may be none for long.
///
/// # Errors
/// A kernel before 4.12.
pub fn dropped_by_kernel(socket: &impl AsRawFd) -> io::Result<u32> {
    /// `SK_MEMINFO_DROPS` of `linux/sock_diag.h`.
    const DROPS: usize = 8;
    let mut figures = [0_u32; DROPS + 1];
    let mut length = size_of_val(&figures) as libc::socklen_t;
    // SAFETY: the pointer and the length describe `figures`, which outlives the call.
    let got = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            figures.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if got != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(figures[DROPS])
}

/// Another socket on the same port; the kernel gives all datagrams of one sender to one of them.
///
/// The first socket is bound alone, so that a port that is taken is an error, and lets others join
/// only then.
///
/// # Errors
/// The system's.
pub fn sibling(first: &UdpSocket) -> io::Result<UdpSocket> {
    let first = SockRef::from(first);
    first.set_reuse_port(true)?;
    let addr = first.local_addr()?;
    let domain = addr.as_socket().map_or(Domain::IPV4, Domain::for_address);
    let socket = Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    socket.set_reuse_port(true)?;
    receive_buffer(&socket, first.recv_buffer_size()? / KERNEL_SHARE)?;
    socket.bind(&addr)?;
    Ok(socket.into())
}

/// Linux counts its own overhead in a receive buffer, and gives twice what it is asked for.
const KERNEL_SHARE: usize = 2;

/// Asks for a receive buffer: beyond `net.core.rmem_max` only with a privilege; without it, the
/// most the kernel gives.
///
/// # Errors
/// The system's.
pub fn receive_buffer(socket: &Socket, bytes: usize) -> io::Result<()> {
    match rustix::net::sockopt::set_socket_recv_buffer_size_force(socket, bytes) {
        Ok(()) => Ok(()),
        Err(_) => socket.set_recv_buffer_size(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (UdpSocket, UdpSocket) {
        let reader = UdpSocket::bind("127.0.0.1:0").unwrap();
        reader.set_nonblocking(true).unwrap();
        let writer = UdpSocket::bind("127.0.0.1:0").unwrap();
        writer.connect(reader.local_addr().unwrap()).unwrap();
        (reader, writer)
    }

    #[test]
    fn joined_datagrams_come_with_their_length() {
        let (reader, writer) = pair();
        assert!(join_datagrams(&reader));
        let segment: libc::c_int = 100;
        // SAFETY: the pointer and the length describe one c_int that outlives the call.
        let set = unsafe {
            libc::setsockopt(
                writer.as_raw_fd(),
                libc::SOL_UDP,
                libc::UDP_SEGMENT,
                (&raw const segment).cast(),
                size_of_val(&segment) as libc::socklen_t,
            )
        };
        assert_eq!(set, 0, "{}", io::Error::last_os_error());
        writer.send(&[7; 250]).unwrap();
        let mut buffer = vec![0; 1 << 16];
        let received = receive(&reader, &mut buffer).unwrap();
        let expected = Received {
            bytes: 250,
            segment_bytes: 100,
        };
        assert_eq!(received, expected);
        assert_eq!(buffer[..250], [7; 250]);
        let nothing = receive(&reader, &mut buffer).unwrap_err();
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn every_datagram_is_received_or_counted_as_dropped() {
        const SENT: u32 = 1000;
        let (reader, writer) = pair();
        SockRef::from(&reader).set_recv_buffer_size(4096).unwrap();
        for _ in 0..SENT {
            writer.send(&[0; 500]).unwrap();
        }
        let mut buffer = vec![0; 1 << 16];
        let received = std::iter::from_fn(|| receive(&reader, &mut buffer).ok()).count();
        let dropped = dropped_by_kernel(&reader).unwrap();
        assert!(dropped > 0);
        assert_eq!(u32::try_from(received).unwrap() + dropped, SENT);
    }

    #[test]
    fn siblings_share_a_port_that_is_taken_for_others() {
        let (reader, writer) = pair();
        let sibling = sibling(&reader).unwrap();
        assert_eq!(sibling.local_addr().unwrap(), reader.local_addr().unwrap());
        assert!(UdpSocket::bind(reader.local_addr().unwrap()).is_err());
        for number in 0..100_u8 {
            writer.send(&[number]).unwrap();
        }
        let mut buffer = [0; 16];
        let mut read = |socket| -> Vec<u8> {
            std::iter::from_fn(|| receive(socket, &mut buffer).ok().map(|_| buffer[0])).collect()
        };
        let (one, other) = (read(&reader), read(&sibling));
        let whole: Vec<u8> = (0..100).collect();
        assert!(one.is_empty() || other.is_empty(), "one sender, one socket");
        assert_eq!([one, other].concat(), whole);
    }
}
