//! Secrets: tokens and passwords, never shown, read when they are needed so that a new one holds at once.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::limits::SECRET_BYTES_MAX;
use crate::sink::{Failure, Trouble};

/// Where a secret is.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// In the configuration itself.
    Text(String),
    /// In a file, of which spaces and line ends around it are left out.
    File(PathBuf),
    /// In a variable of the environment.
    Environment(String),
}

impl Secret {
    /// The secret.
    ///
    /// # Errors
    /// When it is not there, is empty, or is no text.
    pub fn read(&self) -> Result<String, Failure> {
        let text = match self {
            Self::Text(text) => text.clone(),
            Self::File(path) => read_file(path)?,
            Self::Environment(name) => std::env::var(name).map_err(|_| {
                Failure::new(format!("there is no variable {name} in the environment"))
            })?,
        };
        let text = text.trim();
        if text.is_empty() {
            return Err(Failure::new(format!("{self} is empty")));
        }
        Ok(text.to_owned())
    }

    /// What is wrong with it; at the key of a file, or at another.
    pub(crate) fn examine(&self, file: &'static str, other: &'static str) -> Option<Trouble> {
        let failure = self.read().err()?;
        let (key, remedy) = match self {
            Self::File(_) => (file, "name a file with the secret that Logwood can read"),
            Self::Environment(_) => (other, "set the variable for the service"),
            Self::Text(_) => (other, "write the secret there"),
        };
        Some(Trouble {
            key,
            message: failure.what,
            remedy: Some(remedy.to_owned()),
            is_error: true,
        })
    }
}

fn read_file(path: &Path) -> Result<String, Failure> {
    let failed =
        |error: std::io::Error| Failure::new(format!("cannot read {}: {error}", path.display()));
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    let mut file = file.take(SECRET_BYTES_MAX + 1);
    file.read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > SECRET_BYTES_MAX {
        return Err(Failure::new(format!(
            "{} is longer than a secret can be, {SECRET_BYTES_MAX} bytes",
            path.display()
        )));
    }
    Ok(text)
}

/// Where it is, and not what.
impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("the secret in the configuration"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => write!(f, "the variable {name}"),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_anew_and_never_shown() {
        let dir = tempfile::tempdir().expect("makes one");
        let path = dir.path().join("token");
        let secret = Secret::File(path.clone());
        assert!(secret.read().is_err());
        for word in ["first", "second"] {
            std::fs::write(&path, format!("{word}\n")).expect("writes");
            assert_eq!(secret.read().expect("reads"), word);
        }
        std::fs::write(&path, " \n").expect("writes");
        assert!(secret.read().is_err());
        std::fs::write(&path, "x".repeat(70_000)).expect("writes");
        assert!(secret.read().is_err());
        let text = Secret::Text("hidden".to_owned());
        assert_eq!(text.read().expect("reads"), "hidden");
        assert!(!format!("{text:?} {text}").contains("hidden"));
        assert!(
            Secret::Environment("NO_SUCH_VARIABLE".to_owned())
                .read()
                .is_err()
        );
    }
}
