//! One entry of `mcpServers`.

use std::time::Duration;

use serde_json::{Map, Value};

use super::exposure::{Exposure, fits};
use super::oauth::OAuthConfig;

/// How long a request may take when the entry does not say.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);
/// A year; longer ones overflow timers and mean the same.
const LONGEST: f64 = 31_536_000.0;

/// A server as its entry describes it. Values are as written.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// How it is reached.
    pub transport: Transport,
    /// How long a request may take without progress.
    pub timeout: Duration,
    /// Whether it is connected.
    pub enabled: bool,
    /// How its tools are reached.
    pub exposure: Exposure,
    /// How some of its tools are reached, by name or pattern, in the order of the file.
    pub tool_exposure: Vec<(String, Exposure)>,
    /// What it offers, by the user.
    pub description: Option<String>,
    /// Values stand for themselves: neither `${NAME}` nor `!command` means anything.
    pub is_literal: bool,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq)]
pub enum Transport {
    /// A program that talks on its standard input and output.
    Stdio {
        /// The program; no shell reads it.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables beside those of the session.
        env: Vec<(String, String)>,
        /// Its working directory; relative to that of the session.
        cwd: Option<String>,
    },
    /// An address of the web.
    Http {
        /// The address.
        url: String,
        /// Headers of every request.
        headers: Vec<(String, String)>,
        /// How to sign in; `None` where that is switched off.
        oauth: Option<OAuthConfig>,
        /// The provider whose login is sent.
        auth_provider: Option<String>,
    },
}

fn text(entry: &Map<String, Value>, key: &str) -> Option<String> {
    entry.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn texts(entry: &Map<String, Value>, key: &str) -> Vec<(String, String)> {
    let all = entry.get(key).and_then(Value::as_object).into_iter().flatten();
    all.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

impl ServerConfig {
    /// Checks and reads an entry.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(name: &str, entry: Value) -> Result<Self, String> {
        let checked = tau_hooks::check_mcp_server(name, entry).map_err(|error| error.to_string())?;
        let Value::Object(entry) = checked else {
            return Err(format!("server \"{name}\": the entry must be an object"));
        };
        let about = |problem: String| format!("server \"{name}\": {problem}");
        let transport = match text(&entry, "command") {
            Some(command) => Transport::Stdio {
                command,
                args: entry
                    .get("args")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(|arg| Some(arg.as_str()?.to_owned()))
                    .collect(),
                env: texts(&entry, "env"),
                cwd: text(&entry, "cwd"),
            },
            None => Transport::Http {
                url: text(&entry, "url").unwrap_or_default(),
                headers: texts(&entry, "headers"),
                oauth: match entry.get("oauth") {
                    Some(Value::Object(table)) => Some(OAuthConfig::parse(table).map_err(about)?),
                    Some(Value::Bool(false)) => None,
                    _ => Some(OAuthConfig::default()),
                },
                auth_provider: entry.get("auth").and_then(|auth| Some(auth.get("provider")?.as_str()?.to_owned())),
            },
        };
        let exposure = |word: &str| Exposure::parse(word).unwrap_or_default();
        let timeout = entry.get("timeout").and_then(Value::as_f64).map(|seconds| seconds.min(LONGEST));
        Ok(Self {
            transport,
            timeout: timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(TIMEOUT),
            enabled: entry.get("enabled").and_then(Value::as_bool).unwrap_or(true),
            exposure: text(&entry, "exposure").map(|word| exposure(&word)).unwrap_or_default(),
            tool_exposure: texts(&entry, "toolExposure")
                .iter()
                .map(|(tool, word)| (tool.clone(), exposure(word)))
                .collect(),
            description: text(&entry, "description").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
            is_literal: false,
        })
    }

    /// How a tool is reached: what the entry says of its exact name, else of the first pattern that fits, else of the
    /// server.
    pub fn exposure_of(&self, tool: &str) -> Exposure {
        let exact = self.tool_exposure.iter().find(|(name, _)| name == tool);
        let found = exact
            .or_else(|| self.tool_exposure.iter().find(|(pattern, _)| pattern.contains('*') && fits(pattern, tool)));
        found.map_or(self.exposure, |(_, exposure)| *exposure)
    }

    /// Whether some tool may be reached in this way, as far as that is known before the server is connected.
    pub fn may_expose(&self, exposure: Exposure) -> bool {
        self.exposure == exposure || self.tool_exposure.iter().any(|(_, other)| *other == exposure)
    }

    /// The address, or the program with its arguments, for people.
    pub fn target(&self) -> String {
        match &self.transport {
            Transport::Stdio { command, args, .. } => {
                std::iter::once(command).chain(args).cloned().collect::<Vec<_>>().join(" ")
            }
            Transport::Http { url, .. } => without_secrets(url),
        }
    }
}

/// An address without what may be secret in it: a login, and the values of its query. What names a variable stays.
fn without_secrets(url: &str) -> String {
    let (place, query) = url.split_once('?').map_or((url, None), |(place, query)| (place, Some(query)));
    let (scheme, rest) = place.split_once("://").unwrap_or(("", place));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let authority = authority.rsplit_once('@').map_or_else(|| authority.to_owned(), |(_, host)| format!("…@{host}"));
    let scheme = if scheme.is_empty() { String::new() } else { format!("{scheme}://") };
    let query = query.map(|query| {
        let parts = query.split('&').map(|part| match part.split_once('=') {
            Some((name, value)) if !value.starts_with("${") => format!("{name}=…"),
            Some(_) => part.to_owned(),
            None => "…".to_owned(),
        });
        format!("?{}", parts.collect::<Vec<_>>().join("&"))
    });
    format!("{scheme}{authority}{path}{}", query.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_exact_name_beats_patterns_and_the_first_pattern_wins() {
        let entry = json!({"command": "x", "exposure": "hidden",
            "toolExposure": {"get_*": "codemode", "*_item": "deferred", "get_all": "direct"}});
        let config = ServerConfig::parse("s", entry).expect("an entry");
        for (tool, exposure) in [
            ("get_all", Exposure::Direct),
            ("get_item", Exposure::Codemode),
            ("set_item", Exposure::Deferred),
            ("drop", Exposure::Hidden),
        ] {
            assert_eq!(config.exposure_of(tool), exposure, "{tool}");
        }
        assert!(config.may_expose(Exposure::Direct));
    }

    #[test]
    fn an_address_is_shown_without_secrets() {
        for (url, shown) in [
            ("https://x.org/mcp", "https://x.org/mcp"),
            ("https://me:word@x.org/a@b?key=SECRET&flag", "https://…@x.org/a@b?key=…&…"),
            ("https://x.org?key=${KEY}", "https://x.org?key=${KEY}"),
        ] {
            assert_eq!(ServerConfig::parse("s", json!({"url": url})).expect("an entry").target(), shown);
        }
    }

    #[test]
    fn defaults() {
        let config =
            ServerConfig::parse("s", json!({"url": "https://example.org/mcp", "cwd": null})).expect("an entry");
        assert_eq!((config.timeout, config.enabled, config.exposure), (TIMEOUT, true, Exposure::Codemode));
        let Transport::Http { oauth, .. } = config.transport else { panic!("an address") };
        assert_eq!(oauth, Some(OAuthConfig::default()));
    }

    #[test]
    fn what_is_wrong_with_oauth_is_named() {
        let wrong = |oauth: Value| ServerConfig::parse("s", json!({"url": "https://x.org", "oauth": oauth})).err();
        for (oauth, problem) in [
            (json!({"callbackPort": 0}), "oauth.callbackPort must be a port number"),
            (json!({"callbackUrl": "http://evil.org/x"}), "oauth.callbackUrl must be an http address of this machine"),
            (
                json!({"authServerMetadataUrl": "http://x.org/y"}),
                "oauth.authServerMetadataUrl must be an https address, or http on this machine",
            ),
            (json!({"clientRegistration": "other"}), "oauth.clientRegistration must be \"auto\" or \"dcr\""),
            (json!({"scope": 1}), "oauth.scope must be a string"),
        ] {
            assert_eq!(wrong(oauth), Some(format!("server \"s\": {problem}")));
        }
    }

    #[test]
    fn endless_timeouts_end() {
        let config = ServerConfig::parse("s", json!({"command": "x", "timeout": 1e300})).expect("an entry");
        assert_eq!(config.timeout, Duration::from_secs(31_536_000));
    }
}
