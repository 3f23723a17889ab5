//! Values that point elsewhere: `${NAME}` to the environment, a whole `!command` to what a program prints.

use std::path::{Path, PathBuf};

use tau_ai::Secrets;

use super::entry::{ServerConfig, Transport};

/// Where values come from.
pub trait Values: Send + Sync {
    /// The variable of that name.
    fn variable(&self, name: &str) -> Option<String>;

    /// What a line for a shell prints, which the user wrote. May block.
    ///
    /// # Errors
    /// A short reason in words, without the line.
    fn command(&self, line: &str) -> Result<String, String>;

    /// The user's home.
    fn home(&self) -> Option<PathBuf>;
}

/// A value that cannot be had. No text holds a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// A variable is not set.
    #[error("the variable {name} that {place} names is not set; set it before tau starts")]
    Unset {
        /// The variable.
        name: String,
        /// The key.
        place: String,
    },
    /// A command failed. Only its first word is named, as the rest may be secret.
    #[error("the command \"{program}\" of {place} failed: {reason}")]
    Command {
        /// Its first word.
        program: String,
        /// The key.
        place: String,
        /// What happened.
        reason: String,
    },
}

/// A server with all values filled in.
#[derive(Clone)]
pub struct Resolved {
    /// How it is reached.
    pub transport: ResolvedTransport,
}

/// As [`Transport`], ready to use.
#[derive(Clone)]
pub enum ResolvedTransport {
    /// A program.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables beside those of the session.
        env: Vec<(String, String)>,
        /// Its working directory.
        cwd: PathBuf,
    },
    /// An address.
    Http {
        /// The address.
        url: String,
        /// Headers of every request.
        headers: Vec<(String, String)>,
        /// The secret of a client that was registered beforehand.
        client_secret: Option<String>,
    },
}

/// Fills in the values of a server. Blocks while commands run.
///
/// # Errors
/// When a variable is not set or a command fails.
pub fn resolve(config: &ServerConfig, cwd: &Path, values: &dyn Values) -> Result<Resolved, ResolveError> {
    let look = Look { values, is_literal: config.is_literal };
    let transport = match &config.transport {
        Transport::Stdio { command, args, env, cwd: own } => ResolvedTransport::Stdio {
            command: look.at_home(&look.filled(command, "command")?),
            args: args.iter().map(|arg| Ok(look.at_home(&look.filled(arg, "args")?))).collect::<Result<_, _>>()?,
            env: look.pairs(env, "env")?,
            cwd: match own {
                Some(own) => cwd.join(look.at_home(&look.filled(own, "cwd")?)),
                None => cwd.to_owned(),
            },
        },
        Transport::Http { url, headers, oauth, .. } => ResolvedTransport::Http {
            url: look.value(url, "url")?,
            headers: look.pairs(headers, "headers")?,
            client_secret: match oauth.as_ref().and_then(|oauth| oauth.client_secret.as_deref()) {
                Some(secret) => Some(look.value(secret, "oauth.clientSecret")?),
                None => None,
            },
        },
    };
    Ok(Resolved { transport })
}

/// The address of a server of the web with its variables filled in, without running anything: `None` for a program, or where
/// only a command knows the address.
pub fn address(config: &ServerConfig, values: &dyn Values) -> Option<String> {
    let look = Look { values, is_literal: config.is_literal };
    match &config.transport {
        Transport::Http { url, .. } if config.is_literal || !url.starts_with('!') => look.filled(url, "url").ok(),
        _ => None,
    }
}

impl Resolved {
    /// What no text about the server may quote: values of variables and headers, and what its entry takes from elsewhere.
    pub fn secrets(&self, config: &ServerConfig) -> Secrets {
        let mut secrets = Secrets::default();
        // A value that is the same in the file is no secret there.
        let mut add = |value: &str| secrets.add(value);
        match (&self.transport, &config.transport) {
            (ResolvedTransport::Stdio { args, env, .. }, Transport::Stdio { args: written, .. }) => {
                env.iter().for_each(|(_, value)| add(value));
                args.iter().zip(written).filter_map(|(value, written)| filled_in(value, written)).for_each(add);
            }
            (ResolvedTransport::Http { url, headers, client_secret }, _) => {
                for (_, value) in headers {
                    add(value);
                    // What follows a scheme, such as `Bearer`.
                    value.split_once(' ').into_iter().for_each(|(_, rest)| add(rest));
                }
                client_secret.iter().for_each(|value| add(value));
                if let Ok(url) = url::Url::parse(url) {
                    url.password().into_iter().for_each(&mut add);
                    url.query_pairs().for_each(|(_, value)| add(&value));
                }
            }
            _ => {}
        }
        secrets
    }
}

/// The part of a value that is not written in the file.
fn filled_in<'v>(value: &'v str, written: &str) -> Option<&'v str> {
    let (before, after) = (written.find("${")?, written.rfind('}').map_or(0, |at| written.len() - at - 1));
    value.get(before..value.len().checked_sub(after)?)
}

struct Look<'v> {
    values: &'v dyn Values,
    is_literal: bool,
}

impl Look<'_> {
    fn pairs(&self, pairs: &[(String, String)], key: &str) -> Result<Vec<(String, String)>, ResolveError> {
        pairs.iter().map(|(name, value)| Ok((name.clone(), self.value(value, &format!("{key}.{name}"))?))).collect()
    }

    /// A value, or what the command prints that it is.
    fn value(&self, text: &str, place: &str) -> Result<String, ResolveError> {
        let Some(line) = text.strip_prefix('!').filter(|_| !self.is_literal) else {
            return self.filled(text, place);
        };
        let failed = |reason: String| ResolveError::Command {
            program: line.split_whitespace().next().unwrap_or_default().to_owned(),
            place: place.to_owned(),
            reason,
        };
        let printed = self.values.command(line).map_err(failed)?;
        let printed = printed.trim();
        if printed.is_empty() { Err(failed("it printed nothing".to_owned())) } else { Ok(printed.to_owned()) }
    }

    /// A text with its variables filled in. What only looks like one stays.
    fn filled(&self, text: &str, place: &str) -> Result<String, ResolveError> {
        if self.is_literal {
            return Ok(text.to_owned());
        }
        let (mut filled, mut rest) = (String::new(), text);
        while let Some(at) = rest.find("${") {
            filled.push_str(&rest[..at]);
            let inner = &rest[at + 2..];
            match inner.split_once('}').filter(|(name, _)| is_name(name)) {
                Some((name, after)) => {
                    let value = self.values.variable(name);
                    let unset = || ResolveError::Unset { name: name.to_owned(), place: place.to_owned() };
                    filled.push_str(&value.ok_or_else(unset)?);
                    rest = after;
                }
                None => {
                    filled.push_str("${");
                    rest = inner;
                }
            }
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn at_home(&self, text: &str) -> String {
        let rest = text.strip_prefix("~/").filter(|_| !self.is_literal).zip(self.values.home());
        rest.map_or_else(|| text.to_owned(), |(rest, home)| home.join(rest).display().to_string())
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct World;

    impl Values for World {
        fn variable(&self, name: &str) -> Option<String> {
            (name == "TOKEN").then(|| "secret".to_owned())
        }

        fn command(&self, line: &str) -> Result<String, String> {
            match line {
                "print it" => Ok(" printed \n".to_owned()),
                "nothing" => Ok("\n".to_owned()),
                _ => Err("it ended with 1".to_owned()),
            }
        }

        fn home(&self) -> Option<PathBuf> {
            Some("/home/me".into())
        }
    }

    fn resolved(entry: serde_json::Value) -> Result<ResolvedTransport, String> {
        let config = ServerConfig::parse("s", entry).expect("an entry");
        resolve(&config, Path::new("/somewhere"), &World).map(|done| done.transport).map_err(|error| error.to_string())
    }

    #[test]
    fn programs_get_variables_and_the_home() {
        let entry = json!({"command": "~/bin/x", "args": ["~/a", "b~/c", "-t${TOKEN}-", "${not one}", "$TOKEN"],
            "env": {"A": "!print it", "B": "x!print it"}, "cwd": "sub"});
        let Ok(ResolvedTransport::Stdio { command, args, env, cwd }) = resolved(entry) else { panic!("a program") };
        assert_eq!(command, "/home/me/bin/x");
        assert_eq!(args, ["/home/me/a", "b~/c", "-tsecret-", "${not one}", "$TOKEN"]);
        assert_eq!(env, [("A".to_owned(), "printed".to_owned()), ("B".to_owned(), "x!print it".to_owned())]);
        assert_eq!(cwd, Path::new("/somewhere/sub"));
    }

    #[test]
    fn literal_values_stand_for_themselves() {
        let entry = json!({"command": "~/x", "args": ["${TOKEN}"], "env": {"A": "!print it"}});
        let config = ServerConfig { is_literal: true, ..ServerConfig::parse("s", entry).expect("an entry") };
        let resolved = resolve(&config, Path::new("/somewhere"), &World).expect("nothing to fill in").transport;
        let ResolvedTransport::Stdio { command, args, env, .. } = resolved else { panic!("a program") };
        assert_eq!((command.as_str(), &args[..]), ("~/x", &["${TOKEN}".to_owned()][..]));
        assert_eq!(env, [("A".to_owned(), "!print it".to_owned())]);
    }

    #[test]
    fn what_is_missing_is_named_and_no_value_is() {
        for (entry, problem) in [
            (
                json!({"url": "https://x.org", "headers": {"A": "Bearer ${NONE}"}}),
                "the variable NONE that headers.A names is not set; set it before tau starts",
            ),
            (
                json!({"url": "https://x.org", "headers": {"A": "!gh secret-word"}}),
                "the command \"gh\" of headers.A failed: it ended with 1",
            ),
            (
                json!({"url": "https://x.org", "oauth": {"clientSecret": "!nothing"}}),
                "the command \"nothing\" of oauth.clientSecret failed: it printed nothing",
            ),
        ] {
            assert_eq!(resolved(entry).err().as_deref(), Some(problem));
        }
    }
}
