//! The kinds of destinations, each in a folder or file of its own.

mod elasticsearch;
mod file;
mod hec;
mod http;
mod kafka;
mod objects;
mod program;
mod sql;
mod syslog;

pub use self::syslog::{Framing, Spread, Syslog, Target, Transport};
pub use elasticsearch::{Document, Elasticsearch, IndexTemplate, Login};
pub use file::{Compression, File, FileAccess, PathTemplate, Rotation};
pub use hec::{Acknowledgement, Endpoint, Event, Hec, Metadata};
pub use http::{Body, Form, Http, HttpLogin, HttpMethod, StatusRange, Statuses, Text};
pub use kafka::{Kafka, KafkaCompression, SaslLogin, SaslMechanism, TopicTemplate};
pub use objects::{Hdfs, ObjectStore, Objects, S3, S3Address, Unaddressable};
pub use program::Program;
pub use sql::{BadAddress, Column, Engine, Sql, SqlAddress};
