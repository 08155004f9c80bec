//! The names that the options of a parser give, in one piece: all of them are added to the pairs of a record
//! by one copy.

use crate::limits::NAME_BYTES_MAX;
use crate::{Error, Pairs, Piece};

/// Names, by their number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    text: Vec<u8>,
    /// Start and length of each.
    places: Vec<(usize, usize)>,
}

impl Names {
    /// Adds a name; that of what is not kept is empty.
    pub(crate) fn push(&mut self, option: &'static str, name: &str) -> Result<(), Error> {
        Error::check_length(option, name, NAME_BYTES_MAX)?;
        self.places.push((self.text.len(), name.len()));
        self.text.extend_from_slice(name.as_bytes());
        Ok(())
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.places.len()
    }

    /// Adds all of them to the text of some pairs; `None` where there is no room.
    pub(crate) fn add_to(&self, pairs: &mut Pairs) -> Option<Added<'_>> {
        let all = pairs.push_own(&self.text)?;
        let places = &self.places;
        Some(Added { all, places })
    }
}

/// Names as pieces.
#[derive(Clone, Copy)]
pub(crate) struct Added<'n> {
    all: Piece,
    places: &'n [(usize, usize)],
}

impl<'n> Added<'n> {
    /// All of them, in their order.
    pub(crate) fn pieces(self) -> impl Iterator<Item = Piece> + 'n {
        let place = move |(start, len): &(usize, usize)| self.all.part(*start, *len);
        self.places.iter().map(place)
    }
}
