//! What users type behind the names of templates.

use std::fmt;

use tau_hooks::split_arguments;
use tau_view::untrusted::plain;

/// What cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum WordError {
    /// Nothing was typed.
    #[error("it needs an argument")]
    Missing,
    /// More than can be used.
    #[error("there is more than one argument: \"{0}\" is too much")]
    TooMany(String),
    /// No number of a pull request and no address of one.
    #[error("\"{0}\" is no pull request: give its number, or its address as https://github.com/OWNER/NAME/pull/NUMBER")]
    NoPullRequest(String),
    /// A flag that does not exist.
    #[error("there is no flag \"{0}\"")]
    UnknownFlag(String),
    /// A flag without its value.
    #[error("{0} needs a value")]
    NoValue(&'static str),
    /// A flag that is given twice.
    #[error("{0} is given twice")]
    Twice(&'static str),
    /// No name of a branch or a tag.
    #[error("\"{0}\" cannot be the name of a branch or a tag")]
    NoName(String),
}

/// A text that is there.
pub(super) fn text(arguments: &str) -> Result<(), WordError> {
    if split_arguments(arguments).iter().all(String::is_empty) { Err(WordError::Missing) } else { Ok(()) }
}

/// A branch, or nothing.
pub(super) fn branch(arguments: &str) -> Result<(), WordError> {
    let words = split_arguments(arguments);
    match words.as_slice() {
        [] => Ok(()),
        [name] => is_name(name),
        [_, more, ..] => Err(WordError::TooMany(shown(more))),
    }
}

/// A pull request in the form in which it stands in a command: a number or an address, both without any sign that a shell knows.
pub(super) fn pull_request(arguments: &str) -> Result<String, WordError> {
    let words = split_arguments(arguments);
    let word = match words.as_slice() {
        [] => return Err(WordError::Missing),
        [word] => word,
        [_, more, ..] => return Err(WordError::TooMany(shown(more))),
    };
    let is_number = |text: &str| !text.is_empty() && text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = word.strip_prefix('#').unwrap_or(word);
    if is_number(number) {
        return Ok(number.to_owned());
    }
    let is_part = |part: &str| {
        let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        part.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_' || first == '.')
            && part.bytes().all(is_fine)
    };
    let address = word.strip_prefix("https://").and_then(|rest| {
        let mut parts = rest.trim_end_matches('/').split('/');
        let (host, owner, name) = (parts.next()?, parts.next()?, parts.next()?);
        let (pull, number) = (parts.next()?, parts.next()?);
        // What stands behind it is a page about the pull request, such as its files.
        let is_one = [host, owner, name].into_iter().all(is_part) && pull == "pull" && is_number(number);
        is_one.then(|| format!("https://{host}/{owner}/{name}/pull/{number}"))
    });
    address.ok_or_else(|| WordError::NoPullRequest(shown(word)))
}

/// What a release shall be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Release {
    pub(super) version: Option<String>,
    pub(super) is_dry_run: bool,
    is_prerelease: bool,
    is_draft: bool,
    target: Option<String>,
    tag_match: Option<String>,
}

impl Release {
    pub(super) fn parse(arguments: &str) -> Result<Self, WordError> {
        let mut wanted = Self::default();
        let mut words = split_arguments(arguments).into_iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--dry-run" => on("--dry-run", &mut wanted.is_dry_run)?,
                "--prerelease" => on("--prerelease", &mut wanted.is_prerelease)?,
                "--draft" => on("--draft", &mut wanted.is_draft)?,
                "--target" => value("--target", words.next(), &mut wanted.target)?,
                "--tag-match" => value("--tag-match", words.next(), &mut wanted.tag_match)?,
                flag if flag.starts_with('-') => return Err(WordError::UnknownFlag(shown(flag))),
                name => {
                    is_name(name)?;
                    if wanted.version.replace(name.to_owned()).is_some() {
                        return Err(WordError::TooMany(shown(name)));
                    }
                }
            }
        }
        Ok(wanted)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, is_dry_run, is_prerelease, is_draft, target, tag_match } = self;
        let (name, yes) = (
            |name: &Option<String>| name.clone().unwrap_or_else(|| "-".to_owned()),
            |on: &bool| if *on { "yes" } else { "no" },
        );
        writeln!(f, "version: {}", name(version))?;
        writeln!(f, "target: {}", name(target))?;
        writeln!(f, "tag-match: {}", name(tag_match))?;
        writeln!(f, "dry-run: {}", yes(is_dry_run))?;
        writeln!(f, "prerelease: {}", yes(is_prerelease))?;
        write!(f, "draft: {}", yes(is_draft))
    }
}

fn on(flag: &'static str, is_on: &mut bool) -> Result<(), WordError> {
    if std::mem::replace(is_on, true) { Err(WordError::Twice(flag)) } else { Ok(()) }
}

fn value(flag: &'static str, given: Option<String>, place: &mut Option<String>) -> Result<(), WordError> {
    let name = given.filter(|name| !name.is_empty() && !name.starts_with("--")).ok_or(WordError::NoValue(flag))?;
    is_name(&name)?;
    if place.replace(name).is_some() { Err(WordError::Twice(flag)) } else { Ok(()) }
}

/// Refuses what git would read as an option, and what is no name for it.
fn is_name(name: &str) -> Result<(), WordError> {
    let is_strange = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\\' | '\'' | '"' | '`' | '$' | ';' | '|' | '&' | '<' | '>' | '(' | ')')
    };
    if name.is_empty() || name.starts_with('-') || name.contains(is_strange) || plain(name) != name {
        return Err(WordError::NoName(shown(name)));
    }
    Ok(())
}

fn shown(word: &str) -> String {
    plain(word).chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pull_requests_are_numbers_or_addresses() {
        for (typed, expected) in [
            ("12", "12"),
            (" #12 ", "12"),
            ("https://github.com/team/app/pull/12", "https://github.com/team/app/pull/12"),
            ("https://git.example.org/t-1/a.b_c/pull/7/files", "https://git.example.org/t-1/a.b_c/pull/7"),
            ("https://github.com/team/app/pull/12/", "https://github.com/team/app/pull/12"),
        ] {
            assert_eq!(pull_request(typed), Ok(expected.to_owned()), "{typed}");
        }
        for typed in [
            "x",
            "-1",
            "12;rm",
            "1.5",
            "https://github.com/team/app/issues/12",
            "http://github.com/team/app/pull/12",
            "https://github.com/team/app/pull/",
            "https://github.com/$(id)/app/pull/1",
            "https://github.com/--x/app/pull/1",
            "https://github.com//app/pull/1",
            "1234567890123456789",
        ] {
            assert_eq!(pull_request(typed), Err(WordError::NoPullRequest(typed.to_owned())), "{typed}");
        }
        assert_eq!(pull_request(" "), Err(WordError::Missing));
        assert_eq!(pull_request("1 2"), Err(WordError::TooMany("2".to_owned())));
    }

    #[test]
    fn branches_are_names() {
        for typed in ["", "main", "origin/feature/one", "v1.2", "größe"] {
            assert_eq!(branch(typed), Ok(()), "{typed}");
        }
        for typed in ["--output=x", "-b", "a;b", "\"a b\"", "$(id)", "a`b", "\"a\nb\"", "\"\"", "a\u{202e}b"] {
            assert!(matches!(branch(typed), Err(WordError::NoName(_))), "{typed}");
        }
        assert!(matches!(branch("a b"), Err(WordError::TooMany(_))));
    }

    #[test]
    fn releases_are_flags_and_a_version() {
        let all =
            Release::parse("--draft v2 --target main --dry-run --tag-match v1.* --prerelease").expect("a release");
        assert_eq!(
            all.to_string(),
            "version: v2\ntarget: main\ntag-match: v1.*\ndry-run: yes\nprerelease: yes\ndraft: yes"
        );
        let none = Release::parse("").expect("a release");
        assert_eq!(none.to_string(), "version: -\ntarget: -\ntag-match: -\ndry-run: no\nprerelease: no\ndraft: no");
        for (typed, expected) in [
            ("--publish", WordError::UnknownFlag("--publish".to_owned())),
            ("--target", WordError::NoValue("--target")),
            ("--target --draft", WordError::NoValue("--target")),
            ("--tag-match -x", WordError::NoName("-x".to_owned())),
            ("--draft --draft", WordError::Twice("--draft")),
            ("--target a --target b", WordError::Twice("--target")),
            ("v1 v2", WordError::TooMany("v2".to_owned())),
            ("v1;id", WordError::NoName("v1;id".to_owned())),
        ] {
            assert_eq!(Release::parse(typed), Err(expected), "{typed}");
        }
    }
}
