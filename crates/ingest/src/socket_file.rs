//! Files of unix sockets: made with an owner and a mode, and removed with the socket.
//!
//! A file that is there already is taken away only where nobody listens on it, and one that another
//! server has put in our place is left alone.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use nix::unistd::{Group, User};
use rustix::fs::Access;
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

/// Why no socket can be bound to a path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SocketFileError {
    /// There is no such user or group.
    #[error("this machine has no {what} {name:?}")]
    UnknownAccount {
        /// `user` or `group`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Only a process with a right that we lack may give the file away.
    #[error("this process may not give the socket to {what} {name:?}")]
    GiveAway {
        /// `user` or `group`.
        what: &'static str,
        /// The name or number.
        name: String,
    },
    /// The directory is missing.
    #[error("there is no directory {directory}")]
    NoDirectory {
        /// Where the file should be.
        directory: PathBuf,
    },
    /// Something else is there.
    #[error("the file is there and is no socket")]
    NoSocket,
    /// Somebody listens there.
    #[error("another process listens there")]
    InUse,
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl SocketFileError {
    /// What to do about it.
    pub(crate) fn remedy(&self) -> String {
        match self {
            Self::UnknownAccount { what, .. } => {
                format!(
                    "name a {what} that `getent {} NAME` finds, or a number",
                    database(what)
                )
            }
            Self::GiveAway { .. } => {
                "run Logwood with CAP_CHOWN, or leave `owner` and `group` to its own".to_owned()
            }
            Self::NoDirectory { directory } => format!(
                "make the directory: `mkdir {}`; below /run a unit of systemd makes it with \
                 RuntimeDirectory=",
                directory.display()
            ),
            Self::NoSocket => "remove the file, or choose another path in `listen`".to_owned(),
            Self::InUse => {
                "stop the process that `ss -lxp` shows there, or choose another path in `listen`"
                    .to_owned()
            }
            Self::Io(_) => {
                "the user that runs Logwood has to be able to write to the directory of the socket"
                    .to_owned()
            }
        }
    }

    /// Whether the same may go well at another moment or for another user. What is below `/run`,
    /// systemd makes when it starts a service.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::InUse | Self::GiveAway { .. } => true,
            Self::NoDirectory { directory } => directory.starts_with("/run"),
            Self::Io(error) => error.kind() == ErrorKind::PermissionDenied,
            _ => false,
        }
    }

    /// Whether it is about who may use the socket, and not about its path.
    pub(crate) fn account(&self) -> Option<&'static str> {
        match self {
            Self::UnknownAccount { what, .. } | Self::GiveAway { what, .. } => Some(what),
            _ => None,
        }
    }
}

fn database(what: &str) -> &'static str {
    match what {
        "user" => "passwd",
        _ => "group",
    }
}

/// Binds a socket of this type to a path; one for connections listens.
pub(crate) fn bind(
    path: &Path,
    kind: Type,
    options: &SocketFileOptions,
) -> Result<(Socket, SocketFile), SocketFileError> {
    let rights = Rights::find(options)?;
    if look(path, kind)? == Found::Abandoned {
        fs::remove_file(path)?;
    }
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

/// All that keeps [`bind`] from making a socket, as far as it shows without making one.
pub(crate) fn examine(
    path: &Path,
    kind: Type,
    options: &SocketFileOptions,
) -> Vec<SocketFileError> {
    let mut found = Vec::new();
    found.extend(Rights::find(options).err());
    // A path may be longer than a socket's can be.
    let place = SockAddr::unix(path)
        .map_err(SocketFileError::from)
        .and_then(|_| look(path, kind))
        .and_then(|_| {
            let directory = directory_of(path);
            Ok(
                rustix::fs::access(directory, Access::WRITE_OK | Access::EXEC_OK)
                    .map_err(io::Error::from)?,
            )
        });
    found.extend(place.err());
    found
}

fn directory_of(path: &Path) -> &Path {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    directory.unwrap_or(Path::new("."))
}

/// Gives a file that is there the owner and mode of other options.
pub(crate) fn change_rights(
    path: &Path,
    options: &SocketFileOptions,
) -> Result<(), SocketFileError> {
    Ok(Rights::find(options)?.give(path)?)
}

/// Who may use a socket, in the numbers of the system.
struct Rights {
    mode: u32,
    user: Option<u32>,
    group: Option<u32>,
}

impl Rights {
    fn find(options: &SocketFileOptions) -> Result<Self, SocketFileError> {
        let user = |name: &String| match name.parse() {
            Ok(number) => Ok(number),
            Err(_) => match User::from_name(name).map_err(io::Error::from)? {
                Some(user) => Ok(user.uid.as_raw()),
                None => Err(unknown("user", name)),
            },
        };
        let group = |name: &String| match name.parse() {
            Ok(number) => Ok(number),
            Err(_) => match Group::from_name(name).map_err(io::Error::from)? {
                Some(group) => Ok(group.gid.as_raw()),
                None => Err(unknown("group", name)),
            },
        };
        let rights = Self {
            mode: options.mode,
            user: options.owner.as_ref().map(user).transpose()?,
            group: options.group.as_ref().map(group).transpose()?,
        };
        let give_away = |what, name: &Option<String>| SocketFileError::GiveAway {
            what,
            name: name.clone().unwrap_or_default(),
        };
        if !rights.may_give_to_user() {
            return Err(give_away("user", &options.owner));
        }
        if !rights.may_give_to_group() {
            return Err(give_away("group", &options.group));
        }
        Ok(rights)
    }

    fn may_give_to_user(&self) -> bool {
        let own = rustix::process::geteuid().as_raw();
        self.user.is_none_or(|user| user == own || may_chown())
    }

    /// To a group that we are in, everybody may.
    fn may_give_to_group(&self) -> bool {
        let own = rustix::process::getegid().as_raw();
        self.group.is_none_or(|group| {
            let mut others = rustix::process::getgroups().into_iter().flatten();
            group == own || others.any(|other| other.as_raw() == group) || may_chown()
        })
    }

    fn give(&self, path: &Path) -> io::Result<()> {
        if self.user.is_some() || self.group.is_some() {
            chown(path, self.user, self.group)?;
        }
        fs::set_permissions(path, fs::Permissions::from_mode(self.mode))
    }
}

fn unknown(what: &'static str, name: &str) -> SocketFileError {
    SocketFileError::UnknownAccount {
        what,
        name: name.to_owned(),
    }
}

/// Whether we may give files to any user and group: CAP_CHOWN, the first bit of the capabilities.
/// Where the system does not say, trying shows.
fn may_chown() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    effective.is_none_or(|bits| bits & 1 == 1)
}

/// What is at the path of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    /// The file of a socket on which nobody listens any more.
    Abandoned,
}

/// Looks whether a socket can be bound to a path; an error where something is in the way.
fn look(path: &Path, kind: Type) -> Result<Found, SocketFileError> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let directory = directory_of(path);
            return match directory.is_dir() {
                true => Ok(Found::Nothing),
                false => Err(SocketFileError::NoDirectory {
                    directory: directory.to_owned(),
                }),
            };
        }
        found => found?,
    };
    if !found.file_type().is_socket() {
        return Err(SocketFileError::NoSocket);
    }
    let probe = Socket::new(Domain::UNIX, kind, None)?;
    // A listener whose queue is full would have us wait.
    probe.set_nonblocking(true)?;
    match probe.connect(&SockAddr::unix(path)?) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => Ok(Found::Abandoned),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(error.into()),
        _ => Err(SocketFileError::InUse),
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
                assert!(matches!(error, SocketFileError::InUse), "{error}");
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
