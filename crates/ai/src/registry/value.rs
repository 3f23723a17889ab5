//! Values of configuration that point elsewhere: to the environment or to a command.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// Where configuration values come from. Implemented by whoever owns the process.
pub trait ValueResolver: Send + Sync {
    /// The environment variable of that name.
    fn env(&self, name: &str) -> Option<String>;
    /// The standard output of a shell command, or why it failed. May block.
    ///
    /// # Errors
    /// A short reason in words, without the command.
    fn command(&self, command: &str) -> Result<String, String>;
    /// The text of a file that the environment names. May block.
    ///
    /// # Errors
    /// A short reason in words.
    fn file(&self, path: &str) -> Result<String, String> {
        Err(format!("{path} cannot be read here"))
    }
}

/// Why a value could not be had.
#[derive(Debug, PartialEq)]
pub(super) enum ValueError {
    /// These variables are not set.
    Env(Vec<String>),
    /// The command failed. Only its first word is named: the rest may be secret.
    Command { program: String, reason: String },
}

/// A piece of a value.
enum Piece<'a> {
    Literal(&'a str),
    Env(&'a str),
}

/// Where values are looked up.
pub(super) struct Lookup<'a> {
    pub resolver: &'a dyn ValueResolver,
    /// Outranks the environment.
    pub env: &'a BTreeMap<String, String>,
    pub commands: &'a Mutex<BTreeMap<String, String>>,
}

impl Lookup<'_> {
    pub fn env(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned().or_else(|| self.resolver.env(name)).filter(|value| !value.is_empty())
    }

    /// The value that `config` stands for.
    pub fn resolve(&self, config: &str) -> Result<String, ValueError> {
        if let Some(command) = config.strip_prefix('!') {
            return self.command(command);
        }
        if !config.contains('$') {
            return match self.env(config).filter(|_| is_env_name(config)) {
                Some(value) => Ok(value),
                None => Ok(config.to_owned()),
            };
        }
        let mut value = String::new();
        let mut missing: Vec<String> = Vec::new();
        for piece in pieces(config) {
            match piece {
                Piece::Literal(text) => value.push_str(text),
                Piece::Env(name) => match self.env(name) {
                    Some(found) => value.push_str(&found),
                    None if missing.iter().any(|known| known == name) => {}
                    None => missing.push(name.to_owned()),
                },
            }
        }
        if missing.is_empty() { Ok(value) } else { Err(ValueError::Env(missing)) }
    }

    /// Whether a value is called like a variable that holds a secret, and no such variable is set. It is a value all the
    /// same, because local servers take any key.
    pub fn is_unset_name(&self, config: &str) -> bool {
        is_secret_name(config) && self.env(config).is_none()
    }

    /// Whether there would be a value, as far as one can tell without running a command.
    pub fn is_configured(&self, config: &str) -> bool {
        config.starts_with('!') || self.resolve(config).is_ok()
    }

    fn command(&self, command: &str) -> Result<String, ValueError> {
        if let Some(known) = self.commands.lock().get(command) {
            return Ok(known.clone());
        }
        let failed = |reason: String| ValueError::Command {
            program: command.split_whitespace().next().unwrap_or_default().to_owned(),
            reason,
        };
        let output = self.resolver.command(command).map_err(failed)?;
        let output = output.trim();
        if output.is_empty() {
            return Err(failed("it printed nothing".to_owned()));
        }
        // No header can hold it, and an error about the header would not name the command.
        if output.contains(['\n', '\r']) {
            return Err(failed("it printed several lines, and a key is one".to_owned()));
        }
        self.commands.lock().insert(command.to_owned(), output.to_owned());
        Ok(output.to_owned())
    }
}

/// Splits at `$NAME` and `${NAME}`; `$$` and `$!` stand for the second character.
fn pieces(config: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = config;
    while let Some(dollar) = rest.find('$') {
        pieces.push(Piece::Literal(&rest[..dollar]));
        let after = &rest[dollar + 1..];
        let plain = after.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}')).map(|(name, _)| name);
        rest = if after.starts_with(['$', '!']) {
            pieces.push(Piece::Literal(&after[..1]));
            &after[1..]
        } else if let Some(name) = braced.filter(|name| is_name(name)) {
            pieces.push(Piece::Env(name));
            &after[name.len() + 2..]
        } else if is_name(&after[..plain]) {
            pieces.push(Piece::Env(&after[..plain]));
            &after[plain..]
        } else {
            pieces.push(Piece::Literal("$"));
            after
        };
    }
    pieces.push(Piece::Literal(rest));
    pieces
}

/// The environment variables that a value names. A value that is called like a variable means one when it `is_set`.
pub(super) fn variables(config: &str, is_set: impl Fn(&str) -> bool) -> Vec<String> {
    if config.starts_with('!') {
        return Vec::new();
    }
    if !config.contains('$') {
        let named = is_env_name(config) && is_set(config);
        return named.then(|| config.to_owned()).into_iter().collect();
    }
    let named = pieces(config).into_iter().filter_map(|piece| match piece {
        Piece::Env(name) => Some(name.to_owned()),
        Piece::Literal(_) => None,
    });
    named.collect()
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn is_env_name(text: &str) -> bool {
    is_name(text) && !text.bytes().any(|b| b.is_ascii_lowercase())
}

fn is_secret_name(text: &str) -> bool {
    is_env_name(text) && ["_KEY", "_TOKEN", "_SECRET"].iter().any(|end| text.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Default)]
    struct Fake {
        runs: AtomicUsize,
    }

    impl ValueResolver for Fake {
        fn env(&self, name: &str) -> Option<String> {
            match name {
                "MY_KEY" => Some("from-env".to_owned()),
                "EMPTY_KEY" => Some(String::new()),
                "HOME" => Some("/home".to_owned()),
                _ => None,
            }
        }

        fn command(&self, command: &str) -> Result<String, String> {
            self.runs.fetch_add(1, Ordering::Relaxed);
            match command {
                "good secret-arg" => Ok(" value\n".to_owned()),
                "silent" => Ok("\n".to_owned()),
                _ => Err("exit code 1".to_owned()),
            }
        }
    }

    #[test]
    fn values_come_from_where_they_point() {
        let fake = Fake::default();
        let env = BTreeMap::from([("OWN".to_owned(), "own".to_owned())]);
        let commands = Mutex::default();
        let lookup = Lookup { resolver: &fake, env: &env, commands: &commands };
        let missing = |names: &[&str]| Err(ValueError::Env(names.iter().map(|name| (*name).to_owned()).collect()));
        for (config, value) in [
            ("sk-literal", Ok("sk-literal".to_owned())),
            ("ollama", Ok("ollama".to_owned())),
            ("EMPTY", Ok("EMPTY".to_owned())),
            ("MY_KEY", Ok("from-env".to_owned())),
            ("OWN", Ok("own".to_owned())),
            ("EMPTY_KEY", Ok("EMPTY_KEY".to_owned())),
            ("OTHER_API_KEY", Ok("OTHER_API_KEY".to_owned())),
            ("$MY_KEY", Ok("from-env".to_owned())),
            ("Bearer ${MY_KEY}!", Ok("Bearer from-env!".to_owned())),
            ("$HOME/x$OWN", Ok("/home/xown".to_owned())),
            ("$A-$B-$A", missing(&["A", "B"])),
            ("a$$b $!c $1 ${not a name} $", Ok("a$b !c $1 ${not a name} $".to_owned())),
            ("!good secret-arg", Ok("value".to_owned())),
            (
                "!bad --token secret",
                Err(ValueError::Command { program: "bad".to_owned(), reason: "exit code 1".to_owned() }),
            ),
            (
                "!silent",
                Err(ValueError::Command { program: "silent".to_owned(), reason: "it printed nothing".to_owned() }),
            ),
        ] {
            assert_eq!(lookup.resolve(config), value, "{config}");
        }
    }

    #[test]
    fn a_value_that_looks_like_a_variable_is_known_as_such() {
        let (fake, env, commands) = (Fake::default(), BTreeMap::new(), Mutex::default());
        let lookup = Lookup { resolver: &fake, env: &env, commands: &commands };
        let unset = ["MY_KEY", "EMPTY_KEY", "OTHER_API_KEY", "EMPTY", "sk-literal", "$OTHER_API_KEY"];
        assert_eq!(unset.map(|config| lookup.is_unset_name(config)), [false, true, true, false, false, false]);
    }

    #[test]
    fn a_command_that_worked_runs_once() {
        let fake = Fake::default();
        let (env, commands) = (BTreeMap::new(), Mutex::default());
        let lookup = Lookup { resolver: &fake, env: &env, commands: &commands };
        assert!(lookup.is_configured("!good secret-arg"));
        assert_eq!(fake.runs.load(Ordering::Relaxed), 0, "asking whether there is a value runs nothing");
        for _ in 0..3 {
            assert_eq!(lookup.resolve("!good secret-arg"), Ok("value".to_owned()));
            assert!(lookup.resolve("!bad").is_err());
        }
        assert_eq!(fake.runs.load(Ordering::Relaxed), 4, "failures are tried again");
    }
}
