//! What the tests share.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tau_ai::{Model, ModelRegistry, ProviderConfig, ValueResolver};

/// An environment that tests can look into.
#[derive(Default)]
pub struct World {
    pub env: BTreeMap<String, String>,
    pub commands: BTreeMap<String, Result<String, String>>,
    pub ran: Mutex<Vec<String>>,
    pub files: Vec<String>,
}

impl ValueResolver for World {
    fn env(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned()
    }

    fn command(&self, command: &str) -> Result<String, String> {
        self.ran.lock().push(command.to_owned());
        self.commands.get(command).cloned().unwrap_or_else(|| Err("exit code 127".to_owned()))
    }

    fn file(&self, path: &str) -> Result<String, String> {
        let is_there = self.files.iter().any(|file| file == path);
        if is_there { Ok(String::new()) } else { Err("no such file".to_owned()) }
    }
}

/// A registry in which these environment variables are set.
pub fn registry(env: &[(&str, &str)]) -> ModelRegistry {
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ModelRegistry::new(Arc::new(World { env, ..World::default() }))
}

/// A provider from its JSON form.
pub fn provider(json: Value) -> ProviderConfig {
    serde_json::from_value(json).expect("a provider")
}

/// The `provider/id` of models.
pub fn names<'a>(models: impl IntoIterator<Item = &'a Arc<Model>>) -> Vec<String> {
    models.into_iter().map(|model| format!("{}/{}", model.provider, model.id)).collect()
}
