//! Writes RELP frames of both sides, appended to the caller's vector.

use crate::write::decimal;

/// What we say of ourselves in an `open` and in its answer. librelp calls its version 0.
const OFFERS: &[u8] = b"relp_version=0\nrelp_software=logwood\ncommands=syslog";

/// Appends a frame. `command` is one to 32 letters.
pub fn frame(transaction: u32, command: &str, data: &[u8], out: &mut Vec<u8>) {
    decimal(u64::from(transaction), out);
    out.push(b' ');
    out.extend_from_slice(command.as_bytes());
    out.push(b' ');
    decimal(data.len() as u64, out);
    if !data.is_empty() {
        out.push(b' ');
        out.extend_from_slice(data);
    }
    out.push(b'\n');
}

/// Appends a server's `200 OK`, which says that the frame's message is safe.
pub fn ok(transaction: u32, out: &mut Vec<u8>) {
    frame(transaction, "rsp", b"200 OK", out);
}

/// Appends a server's `500` with a reason, which says that the frame's message was not taken.
pub fn refused(transaction: u32, reason: &str, out: &mut Vec<u8>) {
    let data = [b"500 ", reason.as_bytes()].concat();
    frame(transaction, "rsp", &data, out);
}

/// Appends a server's answer to an acceptable `open`: `200 OK` and what it offers.
pub fn open_accepted(transaction: u32, out: &mut Vec<u8>) {
    let data = [b"200 OK\n", OFFERS].concat();
    frame(transaction, "rsp", &data, out);
}

/// Appends a server's hint that it closes the connection.
pub fn server_close(out: &mut Vec<u8>) {
    frame(0, "serverclose", b"", out);
}

/// Appends a client's `open`.
pub fn open(transaction: u32, out: &mut Vec<u8>) {
    frame(transaction, "open", OFFERS, out);
}

/// Appends a client's message.
pub fn syslog(transaction: u32, message: &[u8], out: &mut Vec<u8>) {
    frame(transaction, "syslog", message, out);
}

/// Appends a client's `close`.
pub fn close(transaction: u32, out: &mut Vec<u8>) {
    frame(transaction, "close", b"", out);
}
