//! Files.

use std::path::Path;

use outputs::kinds::{Compression, File, FileAccess, PathTemplate, Rotation};

use super::rendering;
use crate::build::Values;

pub(super) fn file(values: &Values<'_>, data_dir: &Path) -> Option<File> {
    let level = values.number("compression_level");
    let number = |key| Some(values.number(key)).filter(|number| *number > 0);
    let access = values.file_access();
    Some(File {
        path: PathTemplate::parse(values.text("path")).ok()?,
        rendering: rendering(values)?,
        compression: match values.text("compression") {
            "gzip" => Compression::Gzip(u32::try_from(level.min(9)).unwrap_or(6)),
            "zstd" => Compression::Zstd(i32::try_from(level).unwrap_or(3)),
            _ => Compression::None,
        },
        access,
        rotation: Rotation {
            bytes: number("rotate_size"),
            period: values.duration("rotate_every"),
            keep: number("rotate_keep").and_then(|keep| usize::try_from(keep).ok()),
        },
        open_max: values.size("open_max"),
        idle: values.duration("idle_close").unwrap_or_default(),
        sync: values.bool("sync"),
        kept_out: Some(data_dir.to_owned()),
    })
}

impl Values<'_> {
    fn file_access(&self) -> FileAccess {
        let account = |key| Some(self.text(key)).filter(|name| !name.is_empty());
        let default = FileAccess::default();
        FileAccess {
            mode: self.mode("mode").unwrap_or(default.mode),
            directory_mode: self
                .mode("directory_mode")
                .unwrap_or(default.directory_mode),
            owner: account("owner").map(str::to_owned),
            group: account("group").map(str::to_owned),
            makes_directories: self.bool("create_directories"),
        }
    }
}
