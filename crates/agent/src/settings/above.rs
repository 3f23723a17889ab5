//! What outranks the files: variables of the environment, and above them flags of the command line.

use serde_json::{Map, Value};

use super::key::KeyPath;
use super::layers::Settings;
use super::table::{self, Key, Kind};

/// What a place above the files says about a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Above {
    /// The place, as it is shown: `command line --model`.
    pub place: String,
    /// The value; `None` when there is none.
    pub value: Option<String>,
    /// Why there is none: `not given`.
    pub absent: &'static str,
}

impl Above {
    /// A flag, with its value if it was given.
    pub fn flag(flag: &str, value: Option<String>) -> Self {
        Self { place: format!("command line {flag}"), value, absent: "not given" }
    }
}

impl Settings {
    /// The value of the variable that decides about a setting; `None` when none does. One with a value that the setting does
    /// not take decides nothing.
    pub fn variable<T>(&self, key: Key<T>) -> Option<&str> {
        self.deciding_variable(table::setting(key.name())?).map(|(_, value)| value)
    }

    fn deciding_variable(&self, row: &table::Setting) -> Option<(&'static str, &str)> {
        let fits = |value: &&str| !value.trim().is_empty() && as_value(row.kind, value).is_some();
        row.variables.iter().find_map(|name| Some((*name, self.env.var(name).filter(fits)?)))
    }

    /// The value of a variable that decides about a key, as it is: with a password, if it has one.
    pub fn of_environment(&self, key: &KeyPath) -> Option<Value> {
        let row = table::setting(&key.to_string())?;
        self.deciding_variable(row).and_then(|(_, value)| as_value(row.kind, value))
    }

    /// What the environment says about a key, if a variable may say something.
    pub(super) fn environment_says(&self, key: &str) -> Option<Above> {
        let row = table::setting(key)?;
        let first = row.variables.first()?;
        let set = self.deciding_variable(row);
        let name = set.map_or(*first, |(name, _)| name);
        let value = set.map(|(_, value)| without_password(value));
        Some(Above { place: format!("variable {name}"), value, absent: "not set" })
    }
}

/// What a variable says, as a value of this kind; `None` when it is none.
fn as_value(kind: Kind, text: &str) -> Option<Value> {
    let switch = match text {
        "true" | "1" => Value::Bool(true),
        "false" | "0" => Value::Bool(false),
        _ => Value::Null,
    };
    [Value::from(text), switch].into_iter().find(|value| kind.accepts(value))
}

/// An address may hold a name and a password, or a token.
fn without_password(value: &str) -> String {
    let hidden = || {
        let (scheme, rest) = value.split_once("://")?;
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if let Some((user, host)) = authority.rsplit_once('@') {
            // The name alone is no secret where a key proves who it is.
            let is_secret = user.contains(':') || !scheme.ends_with("ssh");
            return is_secret.then(|| format!("{scheme}://***@{host}{path}"));
        }
        // A password with a slash in it that was not escaped. What is behind the colon is no port then.
        let (_, port) = authority.split_once(':')?;
        let (_, host) = path.rsplit_once('@').filter(|_| !port.bytes().all(|byte| byte.is_ascii_digit()))?;
        Some(format!("{scheme}://***@{host}"))
    };
    hidden().unwrap_or_else(|| value.to_owned())
}

/// A value as it can be shown.
pub(super) fn without_passwords(value: &Value) -> Value {
    match value {
        Value::String(text) => without_password(text).into(),
        Value::Array(entries) => entries.iter().map(without_passwords).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), without_passwords(value))).collect::<Map<_, _>>().into()
        }
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Environment, Settings, keys};
    use super::*;

    #[test]
    fn variables_are_those_of_known_keys_and_outrank_every_file() {
        for row in table::known().filter(|row| !row.variables.is_empty()) {
            let (key, names) = (row.key, row.variables);
            let value = if row.kind.accepts(&"trace".into()) { "trace" } else { "wheel" };
            let env = Environment::new("/home/ada", "/project").with_var(names[names.len() - 1], value);
            let file = json!({"sessionDir": "s", "httpProxy": "p", "tau": {"log": {"level": "debug"}}});
            let explained = Settings::in_memory(&env, file, json!({})).explain(row);
            assert_eq!(explained.effective(), value, "{key}");
            assert_eq!(explained.places()[0], (format!("variable {}", names[names.len() - 1]), value.to_owned()));
        }
    }

    #[test]
    fn a_flag_outranks_a_variable_and_what_says_nothing_is_listed() {
        let env = Environment::new("/home/ada", "/project").with_var("PI_CODING_AGENT_SESSION_DIR", "/of/variable");
        let settings = Settings::in_memory(&env, json!({}), json!({}));
        let with = |value: Option<&str>| {
            let mut explained = settings.explain(keys::SESSION_DIR);
            explained.above.insert(0, Above::flag("--session-dir", value.map(str::to_owned)));
            (explained.effective(), explained.places()[0].1.clone())
        };
        assert_eq!(with(Some("/of/flag")), ("/of/flag".to_owned(), "/of/flag".to_owned()));
        assert_eq!(with(None), ("/of/variable".to_owned(), "not given".to_owned()));
        let bare = Settings::in_memory(&Environment::new("/home/ada", "/project"), json!({}), json!({}));
        assert_eq!(
            bare.explain(keys::HTTP_PROXY).places()[0],
            ("variable HTTPS_PROXY".to_owned(), "not set".to_owned())
        );
    }

    #[test]
    fn a_variable_switches_what_is_on_or_off() {
        let key = KeyPath::dotted(keys::FULLSCREEN_MOUSE.name());
        let of = |text: &str| {
            let env = Environment::new("/home/ada", "/project").with_var("TAU_MOUSE", text);
            Settings::in_memory(&env, json!({}), json!({})).of_environment(&key)
        };
        assert_eq!(["1", "true", "0", "false"].map(of), [true, true, false, false].map(|on| Some(on.into())));
        assert_eq!((of("wheel"), of("mouse"), of("")), (Some("wheel".into()), None, None));
    }

    #[test]
    fn a_variable_that_makes_no_sense_decides_nothing() {
        let env = Environment::new("/home/ada", "/project").with_var("TAU_LOG_LEVEL", "loud");
        let settings = Settings::in_memory(&env, json!({"tau": {"log": {"level": "error"}}}), json!({}));
        assert_eq!(
            (settings.log_level(), settings.explain(keys::LOG_LEVEL).effective().as_str()),
            ("error", "\"error\"")
        );
    }

    #[test]
    fn passwords_of_proxies_are_not_shown() {
        let env = Environment::new("/home/ada", "/project").with_var("all_proxy", "http://ada:secret@proxy:1");
        let files =
            json!({"httpProxy": "http://bob:sec/ret@h:1", "packages": [{"source": "git+https://secret@h/a/b"}]});
        let settings = Settings::in_memory(&env, files, json!({}));
        let text = settings.explain(keys::HTTP_PROXY).text();
        assert!(text.contains("variable all_proxy: http://***@proxy:1") && !text.contains("sec"), "{text}");
        assert!(text.contains("http://***@h:1"), "{text}");
        let all: String = settings.overview(&[]).iter().map(ToString::to_string).collect();
        assert!(all.contains("git+https://***@h/a/b") && !all.contains("secret"), "{all}");
        for plain in ["https://h:8080/@scope/name", "ssh://git@h/a", "git:git@h:a/b", "http://h/a@b"] {
            assert_eq!(without_password(plain), plain);
        }
    }
}
