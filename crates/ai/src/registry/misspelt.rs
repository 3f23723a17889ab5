//! Keys of providers that nothing reads and that are almost ones that something does, and addresses that are none.

use serde_json::Value;

use crate::JsonMap;

const PROVIDER: &[&str] = &[
    "name",
    "baseUrl",
    "api",
    "apiKey",
    "headers",
    "authHeader",
    "compat",
    "models",
    "modelOverrides",
    "oauth",
    "oauthServer",
];

/// What extensions have beside that.
const FUNCTIONS: &[&str] = &["streamSimple", "refreshModels", "classifiers", "images"];

/// What a provider has that an extension registers as a whole, by where it stands in it.
const WHOLE: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "id",
            "name",
            "baseUrl",
            "headers",
            "auth",
            "getModels",
            "getAllModels",
            "refreshModels",
            "filterModels",
            "filterAllModels",
            "stream",
            "streamSimple",
            "generateImages",
            "classify",
            "fetchDeferred",
            "cancelDeferred",
        ],
    ),
    ("auth.", &["apiKey", "oauth"]),
    ("auth.apiKey.", &["name", "login", "check", "resolve"]),
    ("auth.oauth.", &["name", "isSubscription", "loginLabel", "login", "refresh", "toAuth"]),
];

/// What such a provider can be made of.
const MADE_OF: &[&str] = &[
    "id",
    "name",
    "baseUrl",
    "headers",
    "auth",
    "models",
    "api",
    "images",
    "classifiers",
    "fetchModels",
    "filterModels",
    "filterAllModels",
];

const MODEL: &[&str] = &[
    "id",
    "name",
    "type",
    "output",
    "api",
    "baseUrl",
    "reasoning",
    "thinkingLevelMap",
    "input",
    "inputLimits",
    "cost",
    "promptCache",
    "contextWindow",
    "maxTokens",
    "samplingParams",
    "samplingParamsByThinkingLevel",
    "headers",
    "compat",
];

/// How alike two keys are that are probably meant to be the same; 1 is equal.
const ALIKE: f64 = 0.9;

/// A line for each such key. Others may be notes of the user, or for other programs.
pub(super) fn notes(file: &Value) -> Vec<String> {
    let mut notes = Vec::new();
    let providers = file.get("providers").and_then(Value::as_object);
    for (name, provider) in providers.into_iter().flatten() {
        let Some(provider) = provider.as_object() else { continue };
        look(provider, PROVIDER, &format!("Provider {name}"), &mut notes);
        for (place, model) in models(name, provider) {
            look(model, MODEL, &place, &mut notes);
        }
        for (id, model) in provider.get("modelOverrides").and_then(Value::as_object).into_iter().flatten() {
            let Some(model) = model.as_object() else { continue };
            look(model, MODEL, &format!("Provider {name}, model {id}"), &mut notes);
        }
    }
    notes
}

/// The same for a provider of an extension, and a line for each address that is none. A wire format that is not tau's
/// may have addresses of its own kind.
pub(super) fn notes_of_extension(name: &str, provider: &JsonMap, has_stream: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let place = format!("Provider {name}");
    let known: Vec<&str> = PROVIDER.iter().chain(FUNCTIONS).copied().collect();
    look(provider, &known, &place, &mut notes);
    if let Some(whole) = provider.get("whole") {
        look_at_whole(whole, &place, &mut notes);
    }
    let api = provider.get("api").and_then(Value::as_str);
    check_address(provider, api, has_stream, &place, &mut notes);
    for (place, model) in models(name, provider) {
        look(model, MODEL, &place, &mut notes);
        let api = model.get("api").and_then(Value::as_str).or(api);
        check_address(model, api, has_stream, &place, &mut notes);
    }
    notes
}

/// The models of a provider, with the words for each.
fn models<'v>(name: &'v str, provider: &'v JsonMap) -> impl Iterator<Item = (String, &'v JsonMap)> {
    let models = provider.get("models").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    models.map(move |model| {
        let id = model.get("id").and_then(Value::as_str).unwrap_or("?");
        (format!("Provider {name}, model {id}"), model)
    })
}

fn check_address(object: &JsonMap, api: Option<&str>, has_stream: bool, place: &str, notes: &mut Vec<String>) {
    let Some(address) = object.get("baseUrl").and_then(Value::as_str) else { return };
    if !has_stream && api.is_none_or(crate::is_builtin_api) && !is_address(address) {
        // The address stays out: it may hold a password.
        notes.push(format!("{place}: \"baseUrl\" is no address of a server; write it as https://HOST/PATH"));
    }
}

/// Whether requests can go there, once the names in braces are filled in.
fn is_address(address: &str) -> bool {
    let mut plain = String::new();
    let mut rest = address;
    while let Some((before, after)) = rest.split_once('{') {
        plain.push_str(before);
        let Some((_, after)) = after.split_once('}') else { return false };
        plain.push('x');
        rest = after;
    }
    plain.push_str(rest);
    let url = reqwest::Url::parse(&plain);
    url.is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

fn look(object: &JsonMap, known: &[&str], place: &str, notes: &mut Vec<String>) {
    for key in object.keys() {
        if let Some(meant) = meant(key, known) {
            notes.push(format!("{place}: the key \"{key}\" has no effect; did you mean \"{meant}\"?"));
        }
    }
}

/// Looks at the names in a provider that an extension registers as a whole, and at those that it was made of. Objects and
/// classes have helpers of their own: a name beside the one it resembles is none that is misspelt.
fn look_at_whole(whole: &Value, place: &str, notes: &mut Vec<String>) {
    let names = |list: &str| -> Vec<&str> {
        whole.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let (members, made) = (names("members"), names("made"));
    let at = |within: &str| -> Vec<&str> {
        let inside = members.iter().filter_map(|name| name.strip_prefix(within));
        inside.filter(|name| !name.contains('.')).collect()
    };
    let lists = WHOLE.iter().map(|(within, known)| (*within, at(within), *known));
    for (within, found, known) in lists.chain([("", made, MADE_OF)]) {
        for name in &found {
            if let Some(meant) = meant(name, known).filter(|meant| !found.contains(meant)) {
                notes.push(format!(
                    "{place}: the member \"{within}{name}\" has no effect; did you mean \"{within}{meant}\"?"
                ));
            }
        }
    }
}

/// Which of the keys that something reads one is probably meant to be that nothing reads.
fn meant<'k>(key: &str, known: &[&'k str]) -> Option<&'k str> {
    if known.contains(&key) {
        return None;
    }
    let plain = plain(key);
    let scored = known.iter().map(|known| (strsim::jaro_winkler(&plain, &self::plain(known)), *known));
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(score, _)| *score >= ALIKE).map(|(_, known)| known)
}

/// A key without what people write differently.
fn plain(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::is_address;

    #[test]
    fn an_address_has_a_server() {
        for address in ["http://localhost", "https://{REGION}.example:8443/v1/{ACCOUNT}", "http://[::1]:1/"] {
            assert!(is_address(address), "{address}");
        }
        for address in ["", "localhost", "htp:/x", "https://", "file:///etc", "https://{REGION.example", "not a url"] {
            assert!(!is_address(address), "{address}");
        }
    }
}
