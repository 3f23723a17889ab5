//! What an entry of `mcpServers` may say.

use serde_json::{Map, Value};

/// How the tools of a server are reached.
const EXPOSURES: [&str; 4] = ["codemode", "deferred", "direct", "hidden"];
/// Older names of exposures, each with its current one.
const OLDER_EXPOSURES: [(&str, &str); 1] = [("codemode-deferred", "codemode")];
/// Hosts that a credential may be sent to without encryption.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// What is wrong with a server's name or entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct McpConfigError(String);

/// What a key of an entry holds.
enum Shape {
    Text,
    Texts,
    TextMap,
    Switch,
    Seconds,
    Table,
}

/// The keys of both kinds of servers, then those of programs and of addresses.
const KEYS: [(&str, Shape); 13] = [
    ("enabled", Shape::Switch),
    ("timeout", Shape::Seconds),
    ("description", Shape::Text),
    ("exposure", Shape::Text),
    ("toolExposure", Shape::TextMap),
    ("type", Shape::Text),
    ("command", Shape::Text),
    ("args", Shape::Texts),
    ("env", Shape::TextMap),
    ("cwd", Shape::Text),
    ("url", Shape::Text),
    ("headers", Shape::TextMap),
    ("oauth", Shape::Table),
];

impl Shape {
    fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Texts => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
            Self::TextMap => value.as_object().is_some_and(|all| all.values().all(Value::is_string)),
            Self::Switch => value.is_boolean(),
            Self::Seconds => value.as_f64().is_some_and(|seconds| seconds > 0.0),
            Self::Table => value.is_object() || value.is_boolean(),
        }
    }

    fn wanted(&self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Texts => "a list of strings",
            Self::TextMap => "an object of strings",
            Self::Switch => "true or false",
            Self::Seconds => "a positive number of seconds",
            Self::Table => "an object",
        }
    }
}

/// Checks the entry of a server and gives it back with the current names of exposures. Keys that are not known stay.
///
/// # Errors
/// When the name has other characters than letters, digits, `_` and `-`, when the entry names neither a program nor an
/// address, or when a key holds something of another kind.
pub fn check_mcp_server(name: &str, config: Value) -> Result<Value, McpConfigError> {
    let plain = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
    if name.is_empty() || !name.chars().all(plain) {
        return Err(McpConfigError(format!("the name \"{name}\" may only have letters, digits, \"_\" and \"-\"")));
    }
    let about = |problem: String| McpConfigError(format!("server \"{name}\": {problem}"));
    let Value::Object(mut entry) = config else { return Err(about("the entry must be an object".to_owned())) };
    for (key, shape) in &KEYS {
        match entry.get(*key) {
            Some(Value::Null) => drop(entry.remove(*key)),
            Some(value) if !shape.holds(value) => return Err(about(format!("{key} must be {}", shape.wanted()))),
            _ => {}
        }
    }
    check_transport(&entry).map_err(about)?;
    let entry = current_exposures(entry).map_err(about)?;
    check_auth(&entry).map_err(about)?;
    Ok(Value::Object(entry))
}

fn text<'a>(entry: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    entry.get(key).and_then(Value::as_str)
}

fn check_transport(entry: &Map<String, Value>) -> Result<(), String> {
    let command = text(entry, "command").filter(|command| !command.trim().is_empty());
    match (command, text(entry, "url")) {
        (None, None) => return Err("command or url is required".to_owned()),
        (Some(_), Some(_)) => return Err("use either command or url, not both".to_owned()),
        (None, Some(url)) if !is_web_address(url) => {
            return Err(format!("url \"{url}\" is not an http or https address"));
        }
        _ => {}
    }
    match (text(entry, "type"), command) {
        (None, _) | (Some("stdio"), Some(_)) | (Some("http" | "streamable-http"), None) => Ok(()),
        (Some("sse"), _) => Err("the transport \"sse\" is not supported; use \"http\"".to_owned()),
        (Some(kind), _) => {
            Err(format!("type \"{kind}\" does not match; use \"stdio\" with command, \"http\" with url"))
        }
    }
}

/// Variables in an address are filled in when the server is connected, so an address is checked as far as it is known.
fn is_web_address(url: &str) -> bool {
    url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")).is_some_and(|rest| !rest.is_empty())
        || url.starts_with("${")
        || url.starts_with('!')
}

fn current_exposures(mut entry: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let known = || format!("one of {}", EXPOSURES.map(|name| format!("\"{name}\"")).join(", "));
    let current = |value: &mut Value| -> Option<()> {
        let name = value.as_str()?;
        let name = OLDER_EXPOSURES.iter().find(|(older, _)| *older == name).map_or(name, |(_, now)| *now);
        let name = EXPOSURES.iter().find(|exposure| **exposure == name)?;
        *value = Value::from(*name);
        Some(())
    };
    if let Some(value) = entry.get_mut("exposure") {
        current(value).ok_or_else(|| format!("exposure must be {}", known()))?;
    }
    for (tool, value) in entry.get_mut("toolExposure").and_then(Value::as_object_mut).into_iter().flatten() {
        current(value).ok_or_else(|| format!("toolExposure \"{tool}\" must be {}", known()))?;
    }
    Ok(entry)
}

/// `auth` sends the token of a login to the server.
fn check_auth(entry: &Map<String, Value>) -> Result<(), String> {
    let Some(auth) = entry.get("auth").filter(|auth| !auth.is_null()) else { return Ok(()) };
    if auth["provider"].as_str().is_none_or(str::is_empty) {
        return Err("auth.provider must name a provider".to_owned());
    }
    let Some(url) = text(entry, "url") else { return Err("auth needs a url".to_owned()) };
    // Clients read these characters in different ways, and then the token would go to another host than this one.
    if url.contains(|char: char| char == '\\' || char.is_whitespace() || char.is_control()) {
        return Err("auth needs a url without backslashes, spaces and control characters".to_owned());
    }
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("auth needs a url without a user name".to_owned());
    }
    let host = url.strip_prefix("http://").map(|_| {
        let host = authority;
        match host.rfind(':') {
            Some(colon) if !host[colon..].contains(']') => &host[..colon],
            _ => host,
        }
    });
    let safe = url.starts_with("https://") || host.is_some_and(|host| LOOPBACK.contains(&host));
    if safe { Ok(()) } else { Err("auth needs an https address, or http on this machine".to_owned()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_are_kept_and_exposures_get_their_current_names() {
        let entry = json!({"command": "x", "args": ["a"], "exposure": "codemode-deferred", "later": 1, "cwd": null});
        let checked = json!({"command": "x", "args": ["a"], "exposure": "codemode", "later": 1});
        assert_eq!(check_mcp_server("a-b_1", entry), Ok(checked));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("a b", json!({"command": "x"}), "the name \"a b\" may only have letters, digits, \"_\" and \"-\""),
            ("", json!({"command": "x"}), "the name \"\" may only have letters, digits, \"_\" and \"-\""),
            ("s", json!([]), "server \"s\": the entry must be an object"),
            ("s", json!({}), "server \"s\": command or url is required"),
            ("s", json!({"command": " "}), "server \"s\": command or url is required"),
            ("s", json!({"command": "x", "url": "http://y"}), "server \"s\": use either command or url, not both"),
            ("s", json!({"url": "ftp://y"}), "server \"s\": url \"ftp://y\" is not an http or https address"),
            (
                "s",
                json!({"url": "http://y", "type": "sse"}),
                "server \"s\": the transport \"sse\" is not supported; use \"http\"",
            ),
            ("s", json!({"command": "x", "args": "y"}), "server \"s\": args must be a list of strings"),
            ("s", json!({"command": "x", "env": {"A": 1}}), "server \"s\": env must be an object of strings"),
            ("s", json!({"command": "x", "timeout": 0}), "server \"s\": timeout must be a positive number of seconds"),
            (
                "s",
                json!({"command": "x", "toolExposure": {"t": "open"}}),
                "server \"s\": toolExposure \"t\" must be one of \"codemode\", \"deferred\", \"direct\", \"hidden\"",
            ),
            (
                "s",
                json!({"url": "http://127.0.0.1.example/x", "auth": {"provider": "p"}}),
                "server \"s\": auth needs an https address, or http on this machine",
            ),
            (
                "s",
                json!({"url": "http://localhost@evil.example", "auth": {"provider": "p"}}),
                "server \"s\": auth needs a url without a user name",
            ),
            (
                "s",
                json!({"url": "https://user:secret@example.org", "auth": {"provider": "p"}}),
                "server \"s\": auth needs a url without a user name",
            ),
            (
                "s",
                json!({"url": "http://evil.example\\@localhost/", "auth": {"provider": "p"}}),
                "server \"s\": auth needs a url without backslashes, spaces and control characters",
            ),
            (
                "s",
                json!({"url": "http://local\thost/", "auth": {"provider": "p"}}),
                "server \"s\": auth needs a url without backslashes, spaces and control characters",
            ),
        ];
        for (name, entry, problem) in cases {
            assert_eq!(check_mcp_server(name, entry).map_err(|error| error.to_string()), Err(problem.to_owned()));
        }
        for url in ["http://localhost:8080/x", "http://[::1]:1/", "https://example.org"] {
            let entry = json!({"url": url, "auth": {"provider": "p"}});
            assert!(check_mcp_server("s", entry).is_ok(), "{url}");
        }
    }
}
