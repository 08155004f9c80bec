//! Searches that people saved: one small file of JSON, read and written whole.
//!
//! Whoever changes it holds a lock, so that two who save at once both do. A file that cannot be
//! understood, or whose checksum is not that of its searches, is never written over. Whoever changes
//! the file by hand leaves the checksum out; the next change here puts it back.

use std::sync::{Mutex, PoisonError};

use api::{Problem, SavedSearch, SavedSearches, SavedView};
use model::Timestamp;
use serde::{Deserialize, Serialize};
use store::Store;

use crate::limits::{SAVED_NAME_CHARS_MAX, SAVED_SEARCHES_MAX, SAVED_TEXT_BYTES_MAX};
use crate::parameters::parse_time_kind;
use crate::problem::Refusal;

/// The version of the file that this program writes, and the only one it reads.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    /// CRC32C of the searches as compact JSON, in eight hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
    searches: Vec<SavedSearch>,
}

fn checksum(searches: &[SavedSearch]) -> Result<String, serde_json::Error> {
    let text = serde_json::to_vec(searches)?;
    Ok(format!("{:08x}", crc32c::crc32c(&text)))
}

/// Whoever holds it may change the file.
#[derive(Debug, Default)]
pub(crate) struct Saved(Mutex<()>);

impl Saved {
    /// All searches, by name.
    pub(crate) fn list(&self, store: &Store) -> Result<SavedSearches, Refusal> {
        read(store)
    }

    /// Saves a search under a name, in the place of the one that has it.
    pub(crate) fn put(
        &self,
        store: &Store,
        name: &str,
        view: SavedView,
        now: Timestamp,
    ) -> Result<SavedSearch, Refusal> {
        check(name, &view, now)?;
        let saved = SavedSearch {
            name: name.to_owned(),
            saved: now.to_string(),
            view,
        };
        let _held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut searches = read(store)?.searches;
        match searches.binary_search_by(|other| other.name.as_str().cmp(name)) {
            Ok(place) => {
                if let Some(other) = searches.get_mut(place) {
                    *other = saved.clone();
                }
            }
            Err(_) if searches.len() >= SAVED_SEARCHES_MAX => {
                let detail = format!("there are {SAVED_SEARCHES_MAX} saved searches already");
                let title = "no more searches can be saved";
                let problem = Problem::new(409, "searches-full", title, detail);
                return Err(problem.with_hint("delete one that nobody needs").into());
            }
            Err(place) => searches.insert(place, saved.clone()),
        }
        write(store, searches)?;
        Ok(saved)
    }

    /// Deletes the search of a name.
    pub(crate) fn delete(&self, store: &Store, name: &str) -> Result<(), Refusal> {
        let _held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut searches = read(store)?.searches;
        let before = searches.len();
        searches.retain(|search| search.name != name);
        if searches.len() == before {
            let detail = format!("there is no saved search {name:?}");
            return Err(Problem::new(404, "search-unknown", "no such search", detail).into());
        }
        write(store, searches)
    }
}

/// The searches of a store, by name.
pub(crate) fn read(store: &Store) -> Result<SavedSearches, Refusal> {
    let unusable = |why: String| {
        let detail = format!("the saved searches cannot be read: {why}");
        let hint = format!(
            "mend searches.json in {} and leave its checksum out, or move the file away; records \
             are not concerned",
            store.data_dir().display()
        );
        let problem = Problem::new(500, "searches-damaged", "the server failed", detail);
        Refusal::from(problem.with_hint(hint))
    };
    let text = store
        .saved_searches()
        .map_err(|error| unusable(error.to_string()))?;
    let Some(text) = text else {
        return Ok(SavedSearches::default());
    };
    let file: File = serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
    if file.version != VERSION {
        let why = format!("they are of version {}, not {VERSION}", file.version);
        return Err(unusable(why));
    }
    let found = checksum(&file.searches).map_err(|error| unusable(error.to_string()))?;
    if file.checksum.is_some_and(|noted| noted != found) {
        return Err(unusable(
            "their checksum is not that of the file".to_owned(),
        ));
    }
    let mut searches = file.searches;
    searches.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(SavedSearches { searches })
}

fn write(store: &Store, searches: Vec<SavedSearch>) -> Result<(), Refusal> {
    let text = checksum(&searches).and_then(|checksum| {
        serde_json::to_string_pretty(&File {
            version: VERSION,
            checksum: Some(checksum),
            searches,
        })
    });
    let text = text.map_err(|error| Refusal::internal(error.to_string()))?;
    store.save_searches(&text).map_err(|error| {
        let detail = error.to_string();
        let problem = Problem::new(
            503,
            "searches-not-saved",
            "the search was not saved",
            detail,
        );
        problem
            .with_hint("what was saved before is still there")
            .into()
    })
}

/// Refuses what could not be shown again.
fn check(name: &str, view: &SavedView, now: Timestamp) -> Result<(), Refusal> {
    let chars = name.chars().count();
    let is_plain = !name.chars().any(char::is_control) && name.trim() == name;
    if chars == 0 || chars > SAVED_NAME_CHARS_MAX || !is_plain {
        let detail = format!("{name:?} is no name of 1 to {SAVED_NAME_CHARS_MAX} characters");
        let hint = "use letters, digits and spaces between them";
        return Err(Refusal::parameter("name", detail, hint));
    }
    let texts = [
        ("q", &view.q),
        ("from", &view.from),
        ("to", &view.to),
        ("logspace", &view.logspace),
        ("cols", &view.cols),
        ("split", &view.split),
        ("time", &view.time),
    ];
    for (parameter, text) in texts {
        if text.len() > SAVED_TEXT_BYTES_MAX {
            let detail = format!("it has more than {SAVED_TEXT_BYTES_MAX} bytes");
            return Err(Refusal::parameter(parameter, detail, "make it shorter"));
        }
    }
    query::parse_question(&view.q)
        .into_result()
        .map_err(|error| Refusal::query(&error))?;
    parse_time_kind(&view.time)?;
    for (parameter, text) in [("from", &view.from), ("to", &view.to)] {
        if !text.is_empty() {
            query::parse_time(text, now).map_err(|error| {
                let hint = "use RFC 3339, UNIX seconds, or a relative time such as now-1h";
                Refusal::parameter(parameter, error.to_string(), hint)
            })?;
        }
    }
    Ok(())
}
