//! What a term of the index stands in: the message, the host, and so on.

use model::RecordRef;

/// The first byte of a key: which part of a record the term stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Namespace {
    /// Words of the message.
    Message = b'm',
    /// Words of the structured data as it stands in `raw`.
    StructuredData = b's',
    /// Words of the host.
    Host = b'h',
    /// Words of the program.
    Program = b'p',
    /// Words of the process id.
    Pid = b'i',
    /// Words of the message id.
    Msgid = b'g',
    /// Words of the names of the tags.
    Tag = b't',
    /// Words of the name of the source.
    Source = b'o',
    /// The severity: one byte, 0 to 7.
    Severity = b'v',
    /// The facility: one byte, 0 to 23.
    Facility = b'f',
    /// Addresses in the message ([`model::addresses`]).
    MessageAddress = b'a',
    /// Addresses in the structured data.
    DataAddress = b'd',
}

impl Namespace {
    /// Those whose keys are words, in the order of their counts in the footer.
    pub const WORDS: [Self; 8] = [
        Self::Message,
        Self::StructuredData,
        Self::Host,
        Self::Program,
        Self::Pid,
        Self::Msgid,
        Self::Tag,
        Self::Source,
    ];

    /// Its place among [`Self::WORDS`]; behind them for the numbers.
    pub(crate) const fn place(self) -> usize {
        match self {
            Self::Message => 0,
            Self::StructuredData => 1,
            Self::Host => 2,
            Self::Program => 3,
            Self::Pid => 4,
            Self::Msgid => 5,
            Self::Tag => 6,
            Self::Source => 7,
            Self::Severity | Self::Facility | Self::MessageAddress | Self::DataAddress => 8,
        }
    }

    /// That of the addresses in the texts whose words this one has, where it has any.
    pub const fn addresses(self) -> Option<Self> {
        match self {
            Self::Message => Some(Self::MessageAddress),
            Self::StructuredData => Some(Self::DataAddress),
            _ => None,
        }
    }

    /// The key of a word, which must be folded (see [`model::words::fold`]), of a number, or of an address
    /// ([`model::addresses::AddressKey`]).
    pub fn key(self, word: &[u8]) -> Vec<u8> {
        let mut key = Vec::with_capacity(1 + word.len());
        key.push(self as u8);
        key.extend_from_slice(word);
        key
    }

    /// The text of a record whose words the namespace has. None for tags, which are several, and
    /// for severity, facility and addresses, which are no words.
    pub(crate) fn text(self, record: RecordRef<'_>) -> Option<&[u8]> {
        match self {
            Self::Message => Some(record.message()),
            Self::StructuredData => Some(record.structured_data()),
            Self::Host => Some(record.host()),
            Self::Program => Some(record.program()),
            Self::Pid => Some(record.pid()),
            Self::Msgid => Some(record.msgid()),
            Self::Source => Some(record.source().as_bytes()),
            Self::Tag
            | Self::Severity
            | Self::Facility
            | Self::MessageAddress
            | Self::DataAddress => None,
        }
    }
}
