//! The records of a batch by their objects.

use std::collections::HashMap;

use super::Objects;
use crate::limits::OBJECT_PATH_BYTES_MAX;
use crate::render::Scene;
use crate::sink::{Batch, Outcome};

/// Records of one object.
#[derive(Debug)]
pub(super) struct Group {
    /// The path of the object.
    pub(super) path: String,
    /// Its lines.
    pub(super) bytes: Vec<u8>,
    /// The places of its records in the batch.
    pub(super) places: Vec<usize>,
}

/// Puts the records at some places of a batch together; those that cannot be written are refused.
pub(super) fn groups(
    options: &Objects,
    (batch, store): (&Batch, &str),
    places: impl Iterator<Item = usize>,
    scene: &mut Scene,
    outcome: &mut Outcome,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut line = Vec::new();
    for place in places {
        let Some(item) = batch.get(place) else {
            continue;
        };
        scene.count();
        line.clear();
        let written = options.write(item, scene, &mut line);
        let directory = match written.and_then(|()| options.path.render(item, scene)) {
            Ok(directory) => directory,
            Err(reason) => {
                outcome.reject(place, reason);
                continue;
            }
        };
        let index = match known.get(&directory) {
            Some(index) => *index,
            None => {
                let path = options.object_path(&directory, store, item);
                if path.len() > OBJECT_PATH_BYTES_MAX {
                    let reason = format!("the path has more than {OBJECT_PATH_BYTES_MAX} bytes");
                    outcome.reject(place, reason);
                    continue;
                }
                groups.push(Group {
                    path,
                    bytes: Vec::new(),
                    places: Vec::new(),
                });
                known.insert(directory, groups.len() - 1);
                groups.len() - 1
            }
        };
        if let Some(group) = groups.get_mut(index) {
            group.bytes.extend_from_slice(&line);
            group.places.push(place);
        }
    }
    groups
}
