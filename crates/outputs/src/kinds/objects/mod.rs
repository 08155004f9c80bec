//! Objects of S3 and files of HDFS, each made of the records of one batch that go to one directory.
//!
//! The name of an object is made of the store, the logspace and the number of its first record, and an upload under a
//! name that is there replaces what is there. Which records are uploaded is kept beside the position before it moves;
//! after a crash they are passed over, and an upload that was under way is done again under the same name. So each
//! record is there once.

mod group;
mod hdfs;
mod s3;
mod sink;
mod state;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};

use super::file::{Compression, PathTemplate};
use crate::http::{Client, ClientOptions};
use crate::limits::SHORT_ANSWER_BYTES_MAX;
use crate::render::{Rendering, Scene, one_line};
use crate::sink::{Failure, Item, Kind, Opening, Preview, Sink, Trouble};
pub use hdfs::Hdfs;
pub use s3::{S3, S3Address, Unaddressable};
use sink::ObjectSink;

/// Objects by a template.
#[derive(Clone, Debug)]
pub struct Objects {
    /// Where they are kept.
    pub store: ObjectStore,
    /// How that is reached.
    pub client: ClientOptions,
    /// The directory of a record.
    pub path: PathTemplate,
    /// What is written of a record, as a line.
    pub rendering: Rendering,
    /// What objects are called behind the dot, without that of the compression.
    pub suffix: String,
    /// How objects are compressed.
    pub compression: Compression,
    shared: Arc<Mutex<Option<Arc<Client>>>>,
}

/// Where objects are kept.
#[derive(Clone, Debug)]
pub enum ObjectStore {
    /// Amazon S3, or what speaks its language.
    S3(S3),
    /// HDFS, by WebHDFS.
    Hdfs(Hdfs),
}

impl Objects {
    /// Lines of a rendering, not compressed.
    pub fn new(
        store: ObjectStore,
        client: ClientOptions,
        path: PathTemplate,
        rendering: Rendering,
    ) -> Self {
        Self {
            store,
            client,
            path,
            rendering,
            suffix: "log".to_owned(),
            compression: Compression::None,
            shared: Arc::default(),
        }
    }

    /// The path of the object that begins with a record.
    fn object_path(&self, directory: &str, store: &str, first: Item<'_>) -> String {
        let compressed = match self.compression {
            Compression::None => "",
            Compression::Gzip(_) => ".gz",
            Compression::Zstd(_) => ".zst",
        };
        // With as many digits as a number can have, names sort as records do.
        format!(
            "{directory}/{store}-{}-{:020}.{}{compressed}",
            first.logspace, first.number.0, self.suffix
        )
    }

    fn write(&self, item: Item<'_>, scene: &Scene, out: &mut Vec<u8>) -> Result<(), String> {
        let start = out.len();
        self.rendering.render(item, scene, out)?;
        one_line(out, start);
        Ok(())
    }
}

impl Kind for Objects {
    fn name(&self) -> &'static str {
        match self.store {
            ObjectStore::S3(_) => "s3",
            ObjectStore::Hdfs(_) => "hdfs",
        }
    }

    fn open(&self, opening: Opening) -> Result<Box<dyn Sink>, Failure> {
        let client = self.client.shared(&self.shared, |options| {
            Client::new(options, SHORT_ANSWER_BYTES_MAX)
        })?;
        Ok(Box::new(ObjectSink::new(self, client, opening)))
    }

    fn preview(&self, record: Item<'_>) -> Preview {
        let scene = Scene::now();
        let mut bytes = Vec::new();
        let directory = self.path.render(record, &scene);
        let written = self.write(record, &scene, &mut bytes);
        if let Some(reason) = directory.as_ref().err().or(written.as_ref().err()) {
            bytes = reason.clone().into_bytes();
        }
        let path = self.object_path(&directory.unwrap_or_default(), "STORE", record);
        let to = match &self.store {
            ObjectStore::S3(s3) => format!("s3://{}/{}", s3.address.bucket(), path),
            ObjectStore::Hdfs(_) => format!("hdfs:{path}"),
        };
        Preview { to, bytes }
    }

    fn examine(&self) -> Vec<Trouble> {
        let mut found = self.client.examine();
        if let ObjectStore::S3(s3) = &self.store {
            found.extend(s3.secret_key.examine("secret_key_file", "secret_key"));
        }
        found
    }

    /// One, since what is uploaded is kept by its last number.
    fn workers_max(&self) -> usize {
        1
    }
}
