//! What the parser decided where a message could be read in another way, for whoever explains it.

/// A decision. The value is its bit in [`Decisions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Decision {
    /// NULs or a byte order mark stand in front of the header.
    BytesInFront,
    /// The clock of the stamp has twelve hours.
    TwelveHours,
    /// Marks of Cisco's stand in front of the stamp.
    Marks,
    /// The time since the sender started stands in the place of a stamp.
    Uptime,
    /// What follows the host is no rest of an RFC 5424 header.
    NoRfc5424,
    /// The header of the sender behind that of a relay.
    InnerHeader,
    /// The host once more behind the host.
    RepeatedHost,
    /// A level, the name of an output, or a number stands where the host should.
    NoHostName,
    /// Without a priority, no TAG follows that makes a word a host.
    NoTagNoHost,
    /// Without a priority, no TAG follows; the host may be a word of the text.
    HostInMessage,
    /// A level stands in front of the TAG.
    LevelInFront,
    /// A level stands where the TAG should.
    LevelNoProgram,
    /// A second time stamp, or the host once more, stands where the TAG should.
    NoProgram,
    /// An event of CEF or LEEF stands where the TAG should.
    Event,
    /// Nothing but a space ends the TAG.
    ProgramInMessage,
}

impl Decision {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::BytesInFront,
        Self::TwelveHours,
        Self::Marks,
        Self::Uptime,
        Self::NoRfc5424,
        Self::InnerHeader,
        Self::RepeatedHost,
        Self::NoHostName,
        Self::NoTagNoHost,
        Self::HostInMessage,
        Self::LevelInFront,
        Self::LevelNoProgram,
        Self::NoProgram,
        Self::Event,
        Self::ProgramInMessage,
    ];

    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::BytesInFront => "bytes_in_front",
            Self::TwelveHours => "twelve_hours",
            Self::Marks => "marks",
            Self::Uptime => "uptime",
            Self::NoRfc5424 => "no_rfc5424",
            Self::InnerHeader => "inner_header",
            Self::RepeatedHost => "repeated_host",
            Self::NoHostName => "no_host_name",
            Self::NoTagNoHost => "no_tag_no_host",
            Self::HostInMessage => "host_in_message",
            Self::LevelInFront => "level_in_front",
            Self::LevelNoProgram => "level_no_program",
            Self::NoProgram => "no_program",
            Self::Event => "event",
            Self::ProgramInMessage => "program_in_message",
        }
    }

    /// The decision and its reason, for people.
    pub fn reason(self) -> &'static str {
        match self {
            Self::BytesInFront => "NULs or a byte order mark in front of the header are skipped",
            Self::TwelveHours => "the clock has twelve hours: AM or PM follows it",
            Self::Marks => {
                "numbers and names in front of the time stamp are marks, as devices of Cisco write them"
            }
            Self::Uptime => {
                "the time since the sender started stands in the place of a time stamp: it is a field"
            }
            Self::NoRfc5424 => {
                "no RFC 5424 header: what follows is no program, pid, message id and structured data"
            }
            Self::InnerHeader => {
                "inner header taken: behind the header of a relay stands that of the sender; the relay is a field"
            }
            Self::RepeatedHost => "the host stands there twice: the TAG is read behind the second",
            Self::NoHostName => {
                "no host: a level, the name of an output or a number stands in its place"
            }
            Self::NoTagNoHost => {
                "no host: there is no priority and no TAG follows, so all is message"
            }
            Self::HostInMessage => {
                "the host stays in the message too: there is no priority and no TAG follows"
            }
            Self::LevelInFront => {
                "level skipped: the TAG is read behind it, and both stay in the message"
            }
            Self::LevelNoProgram => "no program: a level stands in its place",
            Self::NoProgram => {
                "no program: a second time stamp or the host once more stands in its place"
            }
            Self::Event => "no TAG: an event of CEF or LEEF begins there",
            Self::ProgramInMessage => {
                "the program stays in the message too: nothing but a space ends it"
            }
        }
    }
}

/// A set of decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decisions(u16);

impl Decisions {
    /// Adds one.
    pub(super) fn add(&mut self, decision: Decision) {
        self.0 |= 1 << decision as u8;
    }

    /// Takes one away.
    pub(super) fn remove(&mut self, decision: Decision) {
        self.0 &= !(1 << decision as u8);
    }

    /// Whether it is one of them.
    pub fn has(self, decision: Decision) -> bool {
        self.0 >> decision as u8 & 1 == 1
    }

    /// Those that were made, in the order of a message.
    pub fn iter(self) -> impl Iterator<Item = Decision> {
        Decision::ALL
            .into_iter()
            .filter(move |decision| self.has(*decision))
    }
}
