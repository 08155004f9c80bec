//! Files of unix sockets: made with an owner and a mode, and removed with the socket.
//!
//! A file that is there already is taken away only where nobody listens on it, and one that another
//! server has put in our place is left alone.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use nix::unistd::{Group, User};
use socket2::{Domain, SockAddr, Socket, Type};

use crate::limits::ACCEPT_BACKLOG;
use crate::options::SocketFileOptions;

/// The file of a socket that we have bound. Removed when dropped.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    /// Device and inode, by which we know it again.
    identity: (u64, u64),
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let found = fs::symlink_metadata(&self.path).map(|found| (found.dev(), found.ino()));
        if found.is_ok_and(|found| found == self.identity) {
            // Whoever cannot remove it leaves what the next start takes away.
            _ = fs::remove_file(&self.path);
        }
    }
}

/// Binds a socket of this type to a path; one for connections listens.
pub(crate) fn bind(
    path: &Path,
    kind: Type,
    options: &SocketFileOptions,
) -> io::Result<(Socket, SocketFile)> {
    let rights = Rights::find(options)?;
    make_way(path, kind)?;
    let socket = Socket::new(Domain::UNIX, kind, None)?;
    socket.set_nonblocking(true)?;
    socket.bind(&SockAddr::unix(path)?)?;
    let made = fs::symlink_metadata(path)?;
    let file = SocketFile {
        path: path.to_owned(),
        identity: (made.dev(), made.ino()),
    };
    // Nobody can connect before it listens, and so not before it belongs to whom it should.
    rights.give(path)?;
    if kind == Type::STREAM {
        socket.listen(ACCEPT_BACKLOG)?;
    }
    Ok((socket, file))
}

/// Gives a file that is there the owner and mode of other options.
pub(crate) fn change_rights(path: &Path, options: &SocketFileOptions) -> io::Result<()> {
    Rights::find(options)?.give(path)
}

/// Who may use a socket, in the numbers of the system.
struct Rights {
    mode: u32,
    user: Option<u32>,
    group: Option<u32>,
}

impl Rights {
    fn find(options: &SocketFileOptions) -> io::Result<Self> {
        let unknown = |what: &str, name: &str| {
            let reason = format!("this machine has no {what} {name:?}");
            io::Error::new(ErrorKind::NotFound, reason)
        };
        let user = |name: &String| match name.parse() {
            Ok(number) => Ok(number),
            Err(_) => match User::from_name(name)? {
                Some(user) => Ok(user.uid.as_raw()),
                None => Err(unknown("user", name)),
            },
        };
        let group = |name: &String| match name.parse() {
            Ok(number) => Ok(number),
            Err(_) => match Group::from_name(name)? {
                Some(group) => Ok(group.gid.as_raw()),
                None => Err(unknown("group", name)),
            },
        };
        Ok(Self {
            mode: options.mode,
            user: options.owner.as_ref().map(user).transpose()?,
            group: options.group.as_ref().map(group).transpose()?,
        })
    }

    fn give(&self, path: &Path) -> io::Result<()> {
        if self.user.is_some() || self.group.is_some() {
            chown(path, self.user, self.group)?;
        }
        fs::set_permissions(path, fs::Permissions::from_mode(self.mode))
    }
}

/// Removes the file of a socket on which nobody listens any more.
fn make_way(path: &Path, kind: Type) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !found.file_type().is_socket() {
        let reason = "the file is there and is no socket: remove it, or choose another path";
        return Err(io::Error::new(ErrorKind::AlreadyExists, reason));
    }
    let probe = Socket::new(Domain::UNIX, kind, None)?;
    // A listener whose queue is full would have us wait.
    probe.set_nonblocking(true)?;
    match probe.connect(&SockAddr::unix(path)?) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(error),
        _ => {
            let reason = "another process listens there";
            Err(io::Error::new(ErrorKind::AddrInUse, reason))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixDatagram;

    use super::*;

    fn options(mode: u32) -> SocketFileOptions {
        SocketFileOptions {
            mode,
            ..SocketFileOptions::default()
        }
    }

    #[test]
    fn a_file_is_replaced_only_where_nobody_listens() {
        let directory = tempfile::tempdir().expect("makes one");
        let path = directory.path().join("log");
        // What a server that was killed leaves behind.
        drop(UnixDatagram::bind(&path).expect("binds"));
        assert!(path.exists());
        for kind in [Type::DGRAM, Type::STREAM] {
            let (_socket, file) = bind(&path, kind, &options(0o620)).expect("binds");
            let mode = fs::metadata(&path).expect("is there").mode();
            assert_eq!(mode & 0o777, 0o620);
            for other in [Type::DGRAM, Type::STREAM] {
                let error = bind(&path, other, &options(0o600)).expect_err("taken");
                assert_eq!(error.kind(), ErrorKind::AddrInUse, "{error}");
            }
            drop(file);
            assert!(!path.exists());
        }
        fs::write(&path, "something else").expect("writes");
        let error = bind(&path, Type::DGRAM, &options(0o600)).expect_err("no socket");
        assert!(error.to_string().contains("is no socket"), "{error}");
        assert_eq!(fs::read(&path).expect("is there"), b"something else");
    }

    #[test]
    fn the_file_of_a_successor_is_left_alone() {
        let directory = tempfile::tempdir().expect("makes one");
        let path = directory.path().join("log");
        let (_socket, file) = bind(&path, Type::DGRAM, &options(0o666)).expect("binds");
        fs::remove_file(&path).expect("is there");
        let _successor = UnixDatagram::bind(&path).expect("binds");
        drop(file);
        assert!(path.exists());
    }

    #[test]
    fn users_and_groups_go_by_name_or_number() {
        let directory = tempfile::tempdir().expect("makes one");
        let path = directory.path().join("log");
        let named = |owner: &str| SocketFileOptions {
            owner: Some(owner.to_owned()),
            ..options(0o666)
        };
        let error = bind(&path, Type::DGRAM, &named("nobody-of-that-name")).expect_err("unknown");
        assert!(error.to_string().contains("no user"), "{error}");
        assert!(!path.exists());
        let own = fs::metadata(directory.path()).expect("is there").uid();
        bind(&path, Type::DGRAM, &named(&own.to_string())).expect("our own number");
    }
}
