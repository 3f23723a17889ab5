//! Newer lists of models, made of the public list of models.dev (`api.json`). Nothing here is fetched or written: callers hand
//! in the text and keep what comes of it.
//!
//! The list says names, prices and limits. How a model is reached is taken from its likest sibling in tau's own list:
//! no address comes from outside, so a key goes nowhere new.

mod changes;
mod format;
mod siblings;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use changes::ProviderChanges;

use super::ModelRegistry;
use super::catalogue::catalogue;
use crate::Model;
use changes::describe;
use format::{Listed, Provider};

/// Where the public list is.
pub const ADDRESS: &str = "https://models.dev/api.json";

/// Most bytes of a list.
pub const MOST_BYTES: usize = 32 * 1024 * 1024;

/// A provider loses no more than this part of its models from one list to the next, unless something is wrong.
const MOST_LOST: f64 = 0.5;
/// Smaller lists change as they like.
const FEW: usize = 4;

/// What tau calls a provider, where models.dev calls it something else.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("fireworks", "fireworks-ai"),
    ("kimi-coding", "kimi-for-coding"),
    ("together", "togetherai"),
    ("vercel-ai-gateway", "vercel"),
    ("zai", "zai-coding-plan"),
    ("zai-coding-cn", "zhipuai-coding-plan"),
];

/// The models of a provider that differ from those of the program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StoredModels {
    /// New and changed models, whole.
    pub models: Vec<Model>,
    /// When the list was taken over, in milliseconds since the Unix epoch.
    pub last_modified: i64,
    /// How many usable models the list had.
    pub listed: usize,
}

/// What is kept, by provider.
pub type StoredLists = BTreeMap<String, StoredModels>;

/// What comes of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Update {
    /// What to keep.
    pub lists: StoredLists,
    /// What changes for the user, by provider, sorted.
    pub changes: Vec<ProviderChanges>,
    /// Providers whose list shrank suspiciously: models before and now. They stay as they were.
    pub shrunk: Vec<(String, usize, usize)>,
    /// Models that make no sense, as `provider/id`, each with the reason.
    pub refused: Vec<(String, String)>,
}

/// Why a list is not taken over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// It is no such list.
    #[error("not a list of models in the form of models.dev: line {line}, column {column}: {message}")]
    Format {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// Most providers are missing.
    #[error(
        "the list has {found} of the {known} providers it should have; nothing was changed (--force takes it over)"
    )]
    TooFew {
        /// Providers that are there.
        found: usize,
        /// Providers that should be.
        known: usize,
    },
}

/// Makes newer lists of the text of a public list. `before` is what was kept so far; `force` takes over lists that shrank
/// suspiciously.
///
/// # Errors
/// When the text is no such list, or lacks most providers.
pub fn update(text: &str, before: &StoredLists, now_ms: i64, force: bool) -> Result<Update, UpdateError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut given: BTreeMap<String, Provider> = serde_json::from_str(text).map_err(|error| UpdateError::Format {
        line: error.line(),
        column: error.column(),
        message: error.to_string().split(" at line ").next().unwrap_or_default().to_owned(),
    })?;
    let mut update = Update { lists: before.clone(), ..Update::default() };
    // Radius has a service of its own, and classifiers are in no list.
    let wanted = || catalogue().names().filter(|name| !matches!(*name, "radius" | "typesafe"));
    let theirs = |name| OTHER_NAMES.iter().find(|(ours, _)| *ours == name).map_or(name, |(_, theirs)| *theirs);
    let found = wanted().filter(|name| given.contains_key(theirs(name))).count();
    let known = wanted().count();
    if found * 2 < known && !force {
        return Err(UpdateError::TooFew { found, known });
    }
    for name in wanted() {
        let Some(provider) = given.remove(theirs(name)) else { continue };
        let usable = usable(name, provider, &mut update.refused);
        let builtin: Vec<&Model> = catalogue().models(name).iter().map(|model| &**model).collect();
        let builtin: Vec<&Model> = builtin.into_iter().filter(|model| model.kind() == Model::CHAT).collect();
        let kept = builtin.iter().filter(|model| usable.contains_key(&model.id)).count();
        let lost_builtin = builtin.len() >= FEW && (kept as f64) < builtin.len() as f64 * MOST_LOST;
        let last = before.get(name).map_or(0, |before| before.listed);
        let lost_last = last >= FEW && (usable.len() as f64) < last as f64 * MOST_LOST;
        if (lost_last || (last == 0 && lost_builtin)) && !force {
            let (before, now) = if lost_last { (last, usable.len()) } else { (builtin.len(), kept) };
            update.shrunk.push((name.to_owned(), before, now));
            continue;
        }
        let listed = usable.len();
        let models: Vec<Model> = usable
            .into_iter()
            .filter_map(|(id, listed)| siblings::model(&id, listed, &builtin))
            .filter(|model| !builtin.contains(&model))
            .collect();
        let earlier = before.get(name).map(|before| before.models.as_slice()).unwrap_or_default();
        update.changes.extend(describe(name, &builtin, earlier, &models));
        update.lists.insert(name.to_owned(), StoredModels { models, last_modified: now_ms, listed });
    }
    Ok(update)
}

/// The models of a provider that converse and can call tools, and make sense.
fn usable(provider: &str, given: Provider, refused: &mut Vec<(String, String)>) -> BTreeMap<String, Listed> {
    let mut usable = BTreeMap::new();
    for (id, entry) in given.models {
        let checked = format::parse(&entry).and_then(|listed| listed.check(&id).map(|()| listed));
        match checked {
            Ok(listed) if listed.is_usable() => drop(usable.insert(id, listed)),
            Ok(_) => {}
            Err(why) => refused.push((format!("{provider}/{}", id.chars().take(80).collect::<String>()), why)),
        }
    }
    usable
}

impl ModelRegistry {
    /// When the program's own lists were made, in milliseconds since the Unix epoch.
    pub fn lists_made_at() -> i64 {
        super::catalogue::made_at()
    }
}
