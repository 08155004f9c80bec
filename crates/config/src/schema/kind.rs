//! The types that values can have.

use std::ops::RangeInclusive;

/// What values a key takes.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// An IP address and a port.
    Address,
    /// A size with a unit, in a range of bytes.
    Bytes(RangeInclusive<u64>),
    /// A time with a unit, in a range of seconds.
    Duration(RangeInclusive<u64>),
    /// A whole number in a range.
    Integer(RangeInclusive<u64>),
    /// `true` or `false`.
    Bool,
    /// A path of the file system.
    Path,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A time zone.
    Zone,
    /// A search expression.
    Query,
    /// The name of a logspace.
    Logspace,
    /// Names of logspaces.
    Logspaces,
    /// Where a destination begins.
    Start,
    /// A template of what is written.
    Template,
    /// A template of a path.
    PathTemplate,
    /// Servers with their ports, one or a list.
    Targets,
    /// A program and its arguments.
    Command,
    /// Names of sources.
    Sources,
    /// The name of a source.
    Source,
    /// Tags.
    Tags,
    /// IP addresses and networks.
    Networks,
    /// The name of a host.
    Host,
    /// A character encoding other than UTF-8.
    Encoding,
    /// What bounds the terms of a query.
    Tokens,
    /// Rights to a file, in octal digits.
    Mode,
    /// A user or a group, by name or number.
    Account,
    /// Names that a server is asked by.
    ServerNames,
    /// Names of client certificates.
    ClientNames,
    /// Fingerprints of certificates.
    Fingerprints,
    /// A URL, or several.
    Urls,
    /// Statuses of HTTP.
    Statuses,
    /// A text in one line.
    Text,
    /// A text in one line that may be empty, or white space.
    Line,
    /// Texts in one line each.
    Texts,
    /// Texts by name.
    Table,
    /// A part or field of a record.
    Place,
    /// What becomes of a record on which a step fails.
    OnError,
    /// Steps of a route.
    Steps,
    /// A template of the name of an index.
    IndexTemplate,
    /// A template of a topic of Kafka.
    TopicTemplate,
    /// A secret, which is never shown.
    Secret,
    /// A variable of the environment.
    Variable,
    /// Templates by name.
    Templates,
    /// The URL of a database.
    Database,
    /// The name of something in a database.
    Identifier,
}
