//! The messages of `tcpflood` whose lengths vary: `-f` with numbers of dynamic files, `-j` with a
//! body in JSON, `-d` with `-r` for random lengths. They are written one by one.

use std::io::Write as _;

use model::Timestamp;

use super::prepared::check_sizes;
use super::tcpflood::{IETF_HEAD, LEGACY_HEAD, extra_bytes};
use super::{Format, Recipe};
use crate::random::Random;
use crate::{Error, Source};

/// Messages of tcpflood.
#[derive(Debug)]
pub(super) struct Varied {
    is_ietf: bool,
    dynamic_ids: u64,
    cookie: Option<String>,
    /// The smallest and the largest length, for padding.
    sizes: Option<(usize, usize)>,
    next: u64,
    step: u64,
    random: Random,
}

impl Varied {
    /// Whether a recipe needs it.
    pub(super) fn fits(recipe: &Recipe) -> bool {
        let is_varied = recipe.dynamic_ids > 0 || recipe.json_cookie.is_some();
        is_varied || (recipe.format == Format::Tcpflood && recipe.bytes_max.is_some())
    }

    /// The messages of one connection.
    pub(super) fn new(recipe: &Recipe, connection: u32, seed: u64) -> Result<Self, Error> {
        let is_ietf = recipe.format == Format::TcpfloodIetf;
        if !is_ietf && recipe.format != Format::Tcpflood {
            return Err(Error::Contradiction {
                what: "--dynamic-ids or --json-cookie".to_owned(),
                with: "another format than tcpflood's".to_owned(),
                remedy: "add --format tcpflood or tcpflood-ietf",
            });
        }
        let has_padding = recipe.bytes.is_some() || recipe.bytes_max.is_some();
        if has_padding && (is_ietf || recipe.json_cookie.is_some()) {
            return Err(Error::Contradiction {
                what: "a size".to_owned(),
                with: "tcpflood's messages in JSON, or in RFC 5424 with dynamic ids".to_owned(),
                remedy: "tcpflood does not pad them; leave the size out",
            });
        }
        let made = Self {
            is_ietf,
            dynamic_ids: u64::from(recipe.dynamic_ids),
            cookie: recipe.json_cookie.clone(),
            sizes: sizes(recipe)?,
            next: u64::from(connection),
            step: u64::from(recipe.connections.max(1)),
            random: Random::new(seed),
        };
        made.check_room()?;
        Ok(made)
    }

    fn check_room(&self) -> Result<(), Error> {
        let id = self.dynamic_ids.saturating_sub(1).to_string().len() + 1;
        let id = if self.dynamic_ids > 0 { id } else { 0 };
        let bytes_min = LEGACY_HEAD.len() + id + "00000000:1:X".len();
        match self.sizes {
            Some((bytes, _)) if bytes < bytes_min => Err(Error::TooShort { bytes, bytes_min }),
            _ => Ok(()),
        }
    }

    fn head(&self, number: u64, out: &mut Vec<u8>) {
        let head = if self.is_ietf { IETF_HEAD } else { LEGACY_HEAD };
        out.extend_from_slice(head.as_bytes());
        if self.is_ietf {
            put(
                out,
                format_args!("[tcpflood@32473 MSGNUM=\"{number:08}\"] "),
            );
        }
    }

    fn body(&mut self, number: u64, start: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(b"msgnum:");
        if self.dynamic_ids > 0 {
            let id = self.random.below(self.dynamic_ids);
            put(out, format_args!("{id}:"));
        }
        put(out, format_args!("{number:08}:"));
        let Some((least, most)) = self.sizes else {
            return;
        };
        let size = self.random.range(least as u64, most as u64);
        let room = usize::try_from(size).unwrap_or(most);
        let extra = extra_bytes(room.saturating_sub(out.len() - start));
        put(out, format_args!("{extra}:"));
        out.resize(out.len() + extra, b'X');
    }
}

impl Source for Varied {
    fn next_message(&mut self, _: Timestamp, out: &mut Vec<u8>) -> bool {
        let (number, start) = (self.next, out.len());
        self.next += self.step;
        self.head(number, out);
        match &self.cookie {
            Some(cookie) => put(out, format_args!("{cookie}{{\"msgnum\":{number}}}")),
            None => self.body(number, start, out),
        }
        true
    }
}

fn sizes(recipe: &Recipe) -> Result<Option<(usize, usize)>, Error> {
    let least = match (recipe.bytes, recipe.bytes_max) {
        (Some(least), _) => least,
        (None, None) => return Ok(None),
        (None, Some(_)) => {
            return Err(Error::Contradiction {
                what: "a largest size".to_owned(),
                with: "tcpflood's messages without a smallest one".to_owned(),
                remedy: "add --size",
            });
        }
    };
    let most = recipe.bytes_max.unwrap_or(least);
    check_sizes(least, most)?;
    Ok(Some((least, most)))
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to memory does not fail.
    _ = out.write_fmt(text);
}
