//! Credentials that a login stored: `auth.json`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::jsonc::{self, JsonProblem};
use crate::JsonMap;
use crate::provider_names::under_present_names;

/// A stored credential. Entries of unknown types are not taken over.
pub(super) enum StoredCredential {
    /// A key, which may point elsewhere like any value of configuration. It is empty where only settings are stored.
    ApiKey { key: String, env: BTreeMap<String, String> },
    /// A login with an access token that expires (milliseconds since the Unix epoch).
    OAuth { access: String, expires: i64, whole: JsonMap },
}

/// Reads an `auth.json`.
pub(super) fn parse(text: &str) -> Result<BTreeMap<String, Arc<StoredCredential>>, JsonProblem> {
    let entries: BTreeMap<String, Value> = jsonc::parse(text)?;
    let entries = under_present_names(entries)
        .into_iter()
        .filter_map(|(provider, entry)| Some((provider, Arc::new(credential(entry)?))));
    Ok(entries.collect())
}

pub(super) fn credential(entry: Value) -> Option<StoredCredential> {
    let Value::Object(entry) = entry else { return None };
    let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    match entry.get("type")?.as_str()? {
        "api_key" => {
            let env = entry.get("env").and_then(Value::as_object);
            let env =
                env.into_iter().flatten().filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
            let (key, env) = (text("key").unwrap_or_default(), env.collect::<BTreeMap<_, _>>());
            (!key.is_empty() || !env.is_empty()).then_some(StoredCredential::ApiKey { key, env })
        }
        "oauth" => Some(StoredCredential::OAuth {
            access: text("access")?,
            expires: entry.get("expires").and_then(Value::as_f64).map_or(i64::MAX, |expires| expires as i64),
            whole: entry,
        }),
        _ => None,
    }
}
