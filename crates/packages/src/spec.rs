//! What a dependency asks for.

use nodejs_semver::{Range, Version};
use url::Url;

use crate::source::{GitSource, Source, split_name};

/// The right side of a dependency.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Spec {
    /// A range of versions.
    Range(Range),
    /// A name that the registry gives to one version.
    Tag(String),
    /// Another package under this name.
    Alias(String, Box<Spec>),
    /// An archive.
    Archive(Url),
    /// A repository.
    Git(GitSource),
    /// Something that makes no sense outside of a project of Node.
    Unsupported(&'static str),
}

impl Spec {
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Some(alias) = text.strip_prefix("npm:") {
            let (name, spec) = split_name(alias);
            return Self::Alias(name.to_owned(), Box::new(Self::parse(spec.unwrap_or_default())));
        }
        if ["file:", "link:", "portal:", "workspace:", "catalog:", "./", "../", "/", "~/"]
            .iter()
            .any(|prefix| text.starts_with(prefix))
        {
            return Self::Unsupported("it names a folder of the machine it was made on");
        }
        if let Some(git) = repository(text) {
            return git;
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            return Url::parse(text).map_or(Self::Unsupported("it is no address"), Self::Archive);
        }
        if text.is_empty() || text == "*" {
            return Self::Range(Range::any());
        }
        match Range::parse(text) {
            Ok(range) => Self::Range(range),
            Err(_) if text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) => {
                Self::Tag(text.to_owned())
            }
            Err(_) => Self::Unsupported("it is no version, range or tag"),
        }
    }

    /// Whether a package of this name and version is what is asked for. `tagged` is the version that the tag stands for,
    /// when that is known; otherwise any version will do for a tag, as in npm.
    pub(crate) fn accepts(&self, name: &str, version: &str, asked: &str) -> bool {
        match self {
            Self::Range(range) => {
                name == asked && Version::parse(version).is_ok_and(|version| range.satisfies(&version))
            }
            Self::Tag(_) => name == asked,
            Self::Alias(real, spec) => spec.accepts(name, version, real),
            Self::Archive(_) | Self::Git(_) => name == asked,
            Self::Unsupported(_) => false,
        }
    }

    /// The name of the package in the registry, and what is asked of it.
    pub(crate) fn in_registry<'a>(&'a self, asked: &'a str) -> Option<(&'a str, &'a Spec)> {
        match self {
            Self::Range(_) | Self::Tag(_) => Some((asked, self)),
            Self::Alias(real, spec) => spec.in_registry(real),
            _ => None,
        }
    }
}

/// The spellings of repositories among dependencies.
fn repository(text: &str) -> Option<Spec> {
    let plain = text.strip_prefix("git+").unwrap_or(text);
    let is_git = text.starts_with("git+")
        || ["git://", "ssh://", "git@", "github:", "gitlab:", "bitbucket:"]
            .iter()
            .any(|prefix| text.starts_with(prefix))
        || (plain.starts_with("http") && plain.split('#').next().is_some_and(|address| address.ends_with(".git")));
    let is_short = || {
        let (path, _) = text.split_once('#').unwrap_or((text, ""));
        path.split_once('/').is_some_and(|(owner, name)| {
            let is_word =
                |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
            is_word(owner) && is_word(name) && !owner.starts_with(['.', '-'])
        })
    };
    if !is_git && !is_short() {
        return None;
    }
    let plain =
        if plain.starts_with("file:") { return Some(Spec::Unsupported("it is a local repository")) } else { plain };
    if plain.split_once('#').is_some_and(|(_, fragment)| fragment.starts_with("semver:")) {
        return Some(Spec::Unsupported("ranges of tags of a repository are not supported"));
    }
    let shorthand = if plain.contains("://") { plain.to_owned() } else { format!("git:{plain}") };
    match Source::parse(&shorthand) {
        Source::Git(git) if Source::Git(git.clone()).check().is_ok() => Some(Spec::Git(git)),
        _ => Some(Spec::Unsupported("it is no address of a repository")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        let range = |text: &str| Spec::Range(Range::parse(text).expect(text));
        let cases = [
            ("^1.2", range("^1.2")),
            (">=1 <2 || 3.x", range(">=1 <2 || 3.x")),
            ("", Spec::Range(Range::any())),
            ("next", Spec::Tag("next".to_owned())),
            ("npm:@me/b@2", Spec::Alias("@me/b".to_owned(), Box::new(range("2")))),
            ("https://x.example/a.tgz", Spec::Archive(Url::parse("https://x.example/a.tgz").expect("address"))),
        ];
        for (text, expected) in cases {
            assert_eq!(Spec::parse(text), expected, "{text}");
        }
        for text in ["git+ssh://git@x.example/a/b.git#v1", "me/b", "github:me/b#x", "git+https://x.example/a/b.git"] {
            assert!(matches!(Spec::parse(text), Spec::Git(_)), "{text}");
        }
        for text in ["file:../x", "workspace:*", "git+file:///x", "me/b#semver:^1", "a b c!", "git+ssh://-oX/a/b"] {
            assert!(matches!(Spec::parse(text), Spec::Unsupported(_)), "{text}: {:?}", Spec::parse(text));
        }
    }

    #[test]
    fn acceptance() {
        let cases = [
            ("^1.0.0", "a", "1.9.0", true),
            ("^1.0.0", "a", "2.0.0", false),
            ("^1.0.0", "a", "1.0.0-beta.1", false),
            ("^1.0.0-beta.1", "a", "1.0.0-beta.2", true),
            ("npm:b@^1", "b", "1.2.0", true),
            ("npm:b@^1", "a", "1.2.0", false),
            ("*", "a", "3.0.0", true),
        ];
        for (spec, name, version, expected) in cases {
            assert_eq!(Spec::parse(spec).accepts(name, version, "a"), expected, "{spec} {name}@{version}");
        }
    }

    proptest::proptest! {
        #[test]
        fn anything_can_be_asked(text in "[a-z0-9@:./#^~<>=|* -]{0,24}") {
            let _ = Spec::parse(&text);
        }
    }
}
