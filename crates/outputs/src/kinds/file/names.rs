//! The path of a file from values of a record, which anybody may have sent.
//!
//! The template is cut at its slashes first, and each component is rendered by itself: no value makes a directory, a
//! step up, or a name that no file system takes.

use std::path::PathBuf;

use crate::limits::{FILE_NAME_BYTES_MAX, FILE_PATH_BYTES_MAX};
use crate::render::{BadTemplate, Rendering, Scene};
use crate::sink::Item;

/// The template of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTemplate {
    is_absolute: bool,
    components: Vec<Component>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Component {
    /// As the author of the configuration wrote it.
    Fixed(String),
    /// With values in it.
    Made(Rendering),
}

impl PathTemplate {
    /// Reads one.
    ///
    /// # Errors
    /// When a component is no template, or there is no name of a file.
    pub fn parse(text: &str) -> Result<Self, BadTemplate> {
        let mut components = Vec::new();
        for (start, part) in cut(text) {
            if part.is_empty() {
                continue;
            }
            let made = Rendering::template(part).map_err(|bad| BadTemplate {
                span: start + bad.span.start..start + bad.span.end,
                ..bad
            })?;
            components.push(match made.constant() {
                Some(fixed) => Component::Fixed(fixed),
                None => Component::Made(made),
            });
        }
        let ends_in_name = match components.last() {
            Some(Component::Fixed(name)) => name != "." && name != "..",
            Some(Component::Made(_)) => true,
            None => false,
        };
        if !ends_in_name || text.ends_with('/') {
            return Err(BadTemplate {
                span: 0..text.len(),
                message: "this is no path of a file".to_owned(),
                hint: Some("end it with the name of a file, such as \"${HOST}.log\"".to_owned()),
            });
        }
        Ok(Self {
            is_absolute: text.starts_with('/'),
            components,
        })
    }

    /// Whether all records go to one file; which.
    pub fn constant(&self) -> Option<String> {
        let names = self.components.iter().map(|component| match component {
            Component::Fixed(name) => Some(name.as_str()),
            Component::Made(_) => None,
        });
        let names: Option<Vec<_>> = names.collect();
        names.map(|names| self.join(&names.join("/")))
    }

    /// The directory that the template always has in front.
    pub fn fixed_directory(&self) -> PathBuf {
        let (_, directories) = self.components.split_last().unwrap_or((&NO_COMPONENT, &[]));
        let fixed = directories.iter().map_while(|component| match component {
            Component::Fixed(name) => Some(name.as_str()),
            Component::Made(_) => None,
        });
        let fixed = fixed.collect::<Vec<_>>().join("/");
        match self.join(&fixed) {
            path if path.is_empty() => PathBuf::from("."),
            path => path.into(),
        }
    }

    /// The path for a record.
    ///
    /// # Errors
    /// When it is longer than the system takes; in words.
    pub fn render(&self, item: Item<'_>, scene: &Scene) -> Result<String, String> {
        let mut path = String::new();
        let mut made = Vec::new();
        for component in &self.components {
            if !path.is_empty() || self.is_absolute {
                path.push('/');
            }
            match component {
                Component::Fixed(name) => path.push_str(name),
                Component::Made(rendering) => {
                    made.clear();
                    rendering.render(item, scene, &mut made)?;
                    push_safe(&made, &mut path);
                }
            }
        }
        if path.len() > FILE_PATH_BYTES_MAX {
            return Err(format!(
                "the path has {} bytes, {FILE_PATH_BYTES_MAX} are possible",
                path.len()
            ));
        }
        Ok(path)
    }

    fn join(&self, path: &str) -> String {
        match self.is_absolute {
            true => format!("/{path}"),
            false => path.to_owned(),
        }
    }
}

const NO_COMPONENT: Component = Component::Fixed(String::new());

/// The parts of a template between slashes that are outside of macros and functions, with their places.
fn cut(text: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut start, mut closers) = (0, Vec::new());
    let bytes = text.as_bytes();
    for (at, byte) in text.bytes().enumerate() {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        match byte {
            b'{' if before == Some(&b'$') => closers.push(b'}'),
            b'(' if before == Some(&b'$') || !closers.is_empty() => closers.push(b')'),
            b'/' if closers.is_empty() => {
                parts.push((start, text.get(start..at).unwrap_or_default()));
                start = at + 1;
            }
            _ if closers.last() == Some(&byte) => _ = closers.pop(),
            _ => {}
        }
    }
    parts.push((start, text.get(start..).unwrap_or_default()));
    parts
}

/// Adds a name that is safe as one component of a path: no separators, no control characters, not `.` or `..`, not
/// empty, not too long. Names that had to be cut differ where the values do.
fn push_safe(made: &[u8], path: &mut String) {
    let start = path.len();
    for chunk in made.utf8_chunks() {
        for character in chunk.valid().chars() {
            let is_bad = matches!(character, '/' | '\\') || character.is_control();
            path.push(if is_bad { '_' } else { character });
        }
        if !chunk.invalid().is_empty() {
            path.push('_');
        }
    }
    let name = path.get(start..).unwrap_or_default();
    if name.is_empty() || name == "." || name == ".." {
        path.truncate(start);
        path.push('_');
    } else if name.len() > FILE_NAME_BYTES_MAX {
        let rest = format!("~{:08x}", crc(made));
        let room = name.floor_char_boundary(FILE_NAME_BYTES_MAX - rest.len());
        path.truncate(start + room);
        path.push_str(&rest);
    }
}

/// Tells long values apart.
fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn safe(made: &[u8]) -> String {
        let mut path = String::from("a/");
        push_safe(made, &mut path);
        path.split_off(2)
    }

    #[test]
    fn values_make_one_harmless_name() {
        for (made, name) in [
            (&b"web-1"[..], "web-1"),
            (b"", "_"),
            (b".", "_"),
            (b"..", "_"),
            (b"...", "..."),
            (b"../../etc/passwd", ".._.._etc_passwd"),
            (b"/", "_"),
            (b"a\0b\nc", "a_b_c"),
            (b"\xff\xfe", "__"),
            ("h\u{f6}st".as_bytes(), "h\u{f6}st"),
        ] {
            assert_eq!(safe(made), name, "{made:?}");
        }
    }

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let [one, other] = [b'x', b'y'].map(|last| {
            let mut long = vec![b'a'; 5_000];
            long.push(last);
            safe(&long)
        });
        assert!(one.len() <= FILE_NAME_BYTES_MAX && other.len() <= FILE_NAME_BYTES_MAX);
        assert_ne!(one, other);
        let umlauts = "\u{f6}".repeat(1_000);
        assert!(safe(umlauts.as_bytes()).len() <= FILE_NAME_BYTES_MAX);
    }

    #[test]
    fn templates_are_cut_at_their_own_slashes_alone() {
        let parts = |text| -> Vec<String> {
            cut(text)
                .into_iter()
                .map(|(_, part)| part.to_owned())
                .collect()
        };
        assert_eq!(parts("/a/${HOST}/b"), ["", "a", "${HOST}", "b"]);
        assert_eq!(parts("a/$(f x/y (z/) /)/b"), ["a", "$(f x/y (z/) /)", "b"]);
        assert_eq!(parts("${X:-a/b}/c"), ["${X:-a/b}", "c"]);
    }

    #[test]
    fn a_path_ends_in_a_name() {
        for bad in ["", "/", "/var/log/", "..", "/var/.."] {
            assert!(PathTemplate::parse(bad).is_err(), "{bad:?}");
        }
        let path = PathTemplate::parse("/var//log/x.log").expect("a path");
        assert_eq!(path.constant().as_deref(), Some("/var/log/x.log"));
        assert_eq!(path.fixed_directory(), PathBuf::from("/var/log"));
        let path = PathTemplate::parse("x/${HOST}/y").expect("a path");
        assert_eq!(path.constant(), None);
        assert_eq!(path.fixed_directory(), PathBuf::from("x"));
    }
}
