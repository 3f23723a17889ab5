//! The arguments of `tau mcp`: what stands behind the name of a server and a program belongs to that program.

use std::ffi::OsString;

use super::super::options::Options;

/// A flag with a value.
pub(super) struct Flag {
    pub(super) name: &'static str,
    /// Whether it may be given several times.
    pub(super) is_list: bool,
    /// What it is about.
    pub(super) about: About,
}

/// What a flag is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// A server that is a program, and the key of its entry.
    Program(&'static str),
    /// A server that is an address.
    Address,
    /// A server that is an address: a key of `oauth`, and whether its value is a number.
    OAuth(&'static str, bool),
    /// Any server: a key of its entry.
    Entry(&'static str),
    /// The address itself.
    Url,
    /// A sign-in.
    SignIn,
}

/// All flags with a value.
pub(super) const FLAGS: [Flag; 13] = [
    Flag { name: "--url", is_list: false, about: About::Url },
    Flag { name: "--env", is_list: true, about: About::Program("env") },
    Flag { name: "--cwd", is_list: false, about: About::Program("cwd") },
    Flag { name: "--header", is_list: true, about: About::Address },
    Flag { name: "--bearer-token-env-var", is_list: false, about: About::Address },
    Flag { name: "--oauth-client-id", is_list: false, about: About::OAuth("clientId", false) },
    Flag { name: "--oauth-client-secret", is_list: false, about: About::OAuth("clientSecret", false) },
    Flag { name: "--oauth-callback-port", is_list: false, about: About::OAuth("callbackPort", true) },
    Flag { name: "--oauth-client-name", is_list: false, about: About::OAuth("clientName", false) },
    Flag { name: "--oauth-client-registration", is_list: false, about: About::OAuth("clientRegistration", false) },
    Flag { name: "--exposure", is_list: false, about: About::Entry("exposure") },
    Flag { name: "--description", is_list: false, about: About::Entry("description") },
    Flag { name: "--timeout", is_list: false, about: About::SignIn },
];

/// The names of all flags, for completions.
pub(in crate::commands) const NAMES: [&str; FLAGS.len() + 1] = {
    let mut names = ["--json"; FLAGS.len() + 1];
    let mut at = 0;
    while at < FLAGS.len() {
        names[at] = FLAGS[at].name;
        at += 1;
    }
    names
};

/// How many words come before a program: the verb and the name of the server.
const BEFORE: usize = 2;

pub(in crate::commands) fn parse(args: &[OsString]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let arg = arg.to_str().ok_or_else(|| format!("an argument is not valid UTF-8: {}", arg.to_string_lossy()))?;
        let is_add = options.words.first().is_some_and(|verb| verb == "add");
        if arg == "--" || (is_add && options.words.len() >= BEFORE && !arg.starts_with('-')) {
            let first = (arg != "--").then(|| arg.to_owned());
            options.rest.extend(first);
            options.rest.extend(args.by_ref().map(|arg| arg.to_string_lossy().into_owned()));
            break;
        }
        if !arg.starts_with('-') {
            options.words.push(arg.to_owned());
            continue;
        }
        match arg {
            "-h" | "--help" => options.help = true,
            "-a" | "--approve" => options.approve = Some(true),
            "-na" | "--no-approve" => options.approve = Some(false),
            "--offline" => options.offline = true,
            "--verbose" => options.verbose = true,
            "-l" | "--local" => options.local = true,
            "--json" => options.json = true,
            _ => {
                let (name, here) = match arg.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (arg, None),
                };
                // Without its value, which may be a secret.
                let known = FLAGS.iter().find(|flag| flag.name == name);
                let Flag { name: flag, is_list, .. } = known.ok_or_else(|| format!("Unknown option: {name}"))?;
                let value = match here {
                    Some(value) => value,
                    None => {
                        let next = args.next().ok_or_else(|| format!("{flag} requires a value"))?;
                        next.to_str().ok_or_else(|| format!("the value of {flag} is not valid UTF-8"))?.to_owned()
                    }
                };
                if *is_list {
                    options.lists.entry(flag).or_default().push(value);
                } else {
                    options.given.insert(flag, value);
                }
            }
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Options, String> {
        parse(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn flags_of_a_program_are_its_own() {
        for words in [
            &["add", "-l", "files", "--env", "A=1", "--env=B=2", "npx", "-y", "server", "--url", "x"][..],
            &["add", "-l", "files", "--env", "A=1", "--env=B=2", "--", "npx", "-y", "server", "--url", "x"],
        ] {
            let options = parsed(words).expect("options");
            assert_eq!(options.words, ["add", "files"]);
            assert_eq!(options.rest, ["npx", "-y", "server", "--url", "x"]);
            assert_eq!(options.lists["--env"], ["A=1", "B=2"]);
            assert!(options.local && options.given.is_empty());
        }
    }

    #[test]
    fn what_is_wrong_is_named_without_values() {
        assert_eq!(parsed(&["add", "x", "--token=secret"]).err(), Some("Unknown option: --token".to_owned()));
        assert_eq!(parsed(&["add", "x", "--url"]).err(), Some("--url requires a value".to_owned()));
    }
}
