//! What flags of the command line say instead of the file.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::document::{Document, Origin, Section, unplaced};
use crate::schema::SECTIONS;
use crate::value::Value;

/// Values from the command line. They win over those of the file.
///
/// Addresses of a kind of source replace the listeners of that kind: the first address goes to the
/// first source, which keeps its name and its other settings, and so on; sources beyond the last
/// address are left out, addresses beyond the last source get a source of defaults. A kind with
/// no address stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--data-dir`.
    pub data_dir: Option<PathBuf>,
    /// `--http`.
    pub http: Option<SocketAddr>,
    /// Each `--udp`.
    pub udp: Vec<SocketAddr>,
    /// Each `--tcp`.
    pub tcp: Vec<SocketAddr>,
    /// Each `--tls`.
    pub tls: Vec<SocketAddr>,
    /// Each `--relp`.
    pub relp: Vec<SocketAddr>,
}

impl Overrides {
    pub(crate) fn apply(&self, document: &mut Document) {
        for section in &mut document.sections {
            match (section.kind(), &self.http, &self.data_dir) {
                ("http", Some(address), _) => set(section, "listen", Value::Address(*address)),
                ("store", _, Some(path)) => set(section, "data_dir", Value::Path(path.clone())),
                _ => {}
            }
        }
        let kinds = [
            ("udp", &self.udp),
            ("tcp", &self.tcp),
            ("tls", &self.tls),
            ("relp", &self.relp),
        ];
        for (kind, addresses) in kinds {
            if !addresses.is_empty() {
                replace_listeners(document, kind, addresses);
            }
        }
    }
}

fn replace_listeners(document: &mut Document, kind: &str, addresses: &[SocketAddr]) {
    let mut left = addresses.iter();
    document.sections.retain_mut(|section| {
        if section.kind() != kind {
            return true;
        }
        let address = left.next();
        if let Some(address) = address {
            set(section, "listen", Value::Address(*address));
        }
        address.is_some()
    });
    let Some(spec) = SECTIONS.iter().find(|spec| spec.path == ["source", kind]) else {
        return;
    };
    let rank = |section: &Section| {
        let path = section.spec.path;
        SECTIONS.iter().position(|known| known.path == path)
    };
    let own = SECTIONS.iter().position(|known| known.path == spec.path);
    for address in left {
        let name = free_name(document, kind);
        let mut section = Section::new(spec, Some(unplaced(&name)), Origin::Flag);
        set(&mut section, "listen", Value::Address(*address));
        let at = document
            .sections
            .partition_point(|known| rank(known) <= own);
        document.sections.insert(at, section);
    }
}

/// The kind, with a number behind it where that name is taken.
fn free_name(document: &Document, kind: &str) -> String {
    let numbered = (2..).map(|number| format!("{kind}{number}"));
    std::iter::once(kind.to_owned())
        .chain(numbered)
        .find(|name| document.sources().all(|source| source.name() != name))
        .unwrap_or_default()
}

fn set(section: &mut Section, key: &str, value: Value) {
    if let Some(entry) = section.entry_mut(key) {
        entry.value = value;
        entry.origin = Origin::Flag;
        entry.span = None;
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::check::check;
    use crate::testing::{address, config};

    #[test]
    fn flags_replace_the_listeners_of_their_kind() {
        let text = "[source.udp.a]\nzone = \"UTC\"\n[source.tcp.udp]\n[source.udp.b]\nlisten = \"127.0.0.1:9\"\n";
        let shown = |overrides: &Overrides| {
            let config = config(text, overrides);
            let show = |l: &ingest::ListenerOptions| format!("{} {}", l.name, l.address);
            config.ingest.listeners.iter().map(show).collect::<Vec<_>>()
        };
        let udp = |ports: &[u16]| Overrides {
            udp: ports
                .iter()
                .map(|port| address(&format!("127.0.0.1:{port}")))
                .collect(),
            ..Overrides::default()
        };
        assert_eq!(
            shown(&udp(&[])),
            ["a 127.0.0.1:5514", "b 127.0.0.1:9", "udp 127.0.0.1:5514"]
        );
        assert_eq!(shown(&udp(&[1])), ["a 127.0.0.1:1", "udp 127.0.0.1:5514"]);
        assert_eq!(
            shown(&udp(&[1, 2, 3])),
            [
                "a 127.0.0.1:1",
                "b 127.0.0.1:2",
                "udp2 127.0.0.1:3",
                "udp 127.0.0.1:5514"
            ]
        );
    }

    #[test]
    fn what_flags_break_is_said_without_a_place() {
        let flags = Overrides {
            tcp: vec![address("127.0.0.1:8514")],
            ..Overrides::default()
        };
        let checked = check("", "logwood.toml", &flags);
        let [problem] = checked.problems.as_slice() else {
            panic!("one problem: {:?}", checked.problems);
        };
        assert_eq!(problem.place, None);
        expect![[r#"
        error: 127.0.0.1:8514 of `http` is taken by `source.tcp.tcp`
        hint: `source.tcp.tcp` listens on 127.0.0.1:8514/tcp: give one of them another port
    "#]]
        .assert_eq(&problem.to_string());
    }
}
