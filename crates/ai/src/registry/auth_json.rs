//! Credentials that a login stored: `auth.json`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::jsonc::{self, JsonProblem};
use crate::JsonMap;
use crate::provider_names::under_present_names;

/// A stored credential.
pub(super) enum StoredCredential {
    /// A key, which may point elsewhere like any value of configuration. It is empty where only settings are stored.
    ApiKey { key: String, env: BTreeMap<String, String> },
    /// A login with an access token that expires (milliseconds since the Unix epoch).
    OAuth { access: String, expires: i64, whole: JsonMap },
}

/// Credentials by the names of their providers.
type Credentials = BTreeMap<String, Arc<StoredCredential>>;

/// Reads an `auth.json`. The second list tells which entries are not used and why, without a word of their content.
pub(super) fn parse(text: &str) -> Result<(Credentials, Vec<String>), JsonProblem> {
    let entries: BTreeMap<String, Value> = jsonc::parse(text)?;
    let (mut stored, mut notes) = (BTreeMap::new(), Vec::new());
    for (provider, entry) in under_present_names(entries) {
        match read(entry) {
            Ok(credential) => drop(stored.insert(provider, Arc::new(credential))),
            Err(why) => notes.push(format!("the entry {} is not used: {why}", Value::from(provider))),
        }
    }
    Ok((stored, notes))
}

pub(super) fn credential(entry: Value) -> Option<StoredCredential> {
    read(entry).ok()
}

/// The credential of an entry, or what it should have.
fn read(entry: Value) -> Result<StoredCredential, &'static str> {
    let Value::Object(entry) = entry else {
        return Err("it must be an object such as {\"type\": \"api_key\", \"key\": …}");
    };
    let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    match entry.get("type").and_then(Value::as_str) {
        Some("api_key") => {
            let env = entry.get("env").and_then(Value::as_object);
            let env =
                env.into_iter().flatten().filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
            let (key, env) = (text("key").unwrap_or_default(), env.collect::<BTreeMap<_, _>>());
            if key.is_empty() && env.is_empty() {
                return Err("its \"key\" must be a text that is not empty");
            }
            Ok(StoredCredential::ApiKey { key, env })
        }
        Some("oauth") => Ok(StoredCredential::OAuth {
            access: text("access").ok_or("a login needs an \"access\" that is a text and not empty; log in again")?,
            expires: entry.get("expires").and_then(Value::as_f64).map_or(i64::MAX, |expires| expires as i64),
            whole: entry,
        }),
        _ => Err("its \"type\" must be \"api_key\" or \"oauth\""),
    }
}
