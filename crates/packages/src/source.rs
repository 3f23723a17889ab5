//! The spellings of a package source: `npm:`, repositories, and paths.

use std::fmt;

use crate::error::PackageError;

/// A package source, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A package of a registry.
    Npm(NpmSource),
    /// A repository.
    Git(GitSource),
    /// A package that is part of the program: `builtin:name`.
    Builtin(String),
    /// A file or folder, as it was written.
    Local(String),
}

/// `npm:name` or `npm:name@version`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NpmSource {
    /// The name, with its scope.
    pub name: String,
    /// A version, a range, a tag, or `npm:other@range`.
    pub version: Option<String>,
}

/// A repository that git can fetch.
#[derive(Clone, PartialEq, Eq)]
pub struct GitSource {
    /// What is passed to git; it may hold a password, so it is never shown.
    pub url: String,
    /// The host, without user and port.
    pub host: String,
    /// Owner and name, without `.git`.
    pub path: String,
    /// A branch, a tag or a commit.
    pub reference: Option<String>,
}

impl Source {
    /// Reads a source. What is neither `npm:` nor `builtin:` nor a repository is a path.
    pub fn parse(source: &str) -> Self {
        let source = source.trim();
        if source.starts_with("builtin:") {
            return Self::Builtin(source.to_owned());
        }
        if let Some(spec) = source.strip_prefix("npm:") {
            let (name, version) = split_name(spec.trim());
            return Self::Npm(NpmSource { name: name.to_owned(), version: version.map(str::to_owned) });
        }
        git(source).map_or_else(|| Self::Local(source.to_owned()), Self::Git)
    }

    /// What tells two spellings of one package from two packages; for a path, the path.
    pub fn identity(&self) -> String {
        match self {
            Self::Npm(npm) => format!("npm:{}", npm.name),
            Self::Git(git) => format!("git:{}/{}", git.host, git.path),
            Self::Builtin(name) => name.clone(),
            Self::Local(path) => format!("local:{path}"),
        }
    }

    /// Whether it names exactly one version of an npm package, so that there is nothing to update.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Npm(npm) => npm.version.as_deref().is_some_and(|text| nodejs_semver::Version::parse(text).is_ok()),
            Self::Git(_) | Self::Builtin(_) | Self::Local(_) => false,
        }
    }

    /// Whether there is nothing to fetch: it is part of the program, or a path.
    pub fn is_here(&self) -> bool {
        matches!(self, Self::Builtin(_) | Self::Local(_))
    }

    /// Whether installing it could lead out of the folders for packages, or pass something to git that it would take for
    /// an option.
    ///
    /// # Errors
    /// [`PackageError::Source`], which says what is wrong.
    pub fn check(&self) -> Result<(), PackageError> {
        let refuse = |why: &str| Err(PackageError::Source { source_text: self.to_string(), why: why.to_owned() });
        match self {
            Self::Npm(npm) if !is_package_name(&npm.name) => refuse("this is no name of an npm package"),
            Self::Git(git) if !is_safe_path(&git.host) || git.host.contains('/') || !is_safe_path(&git.path) => {
                refuse("host and path must be plain names")
            }
            Self::Git(git) if git.host.starts_with('-') || git.url.starts_with('-') => {
                refuse("an address may not begin with a dash")
            }
            Self::Git(git) if git.reference.as_deref().is_some_and(|name| !is_reference(name)) => {
                refuse("this is no name of a branch, a tag or a commit")
            }
            _ => Ok(()),
        }
    }
}

/// As it is shown: without passwords.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Npm(NpmSource { name, version: Some(version) }) => write!(f, "npm:{name}@{version}"),
            Self::Npm(NpmSource { name, version: None }) => write!(f, "npm:{name}"),
            Self::Git(GitSource { host, path, reference: Some(reference), .. }) => {
                write!(f, "git:{host}/{path}@{reference}")
            }
            Self::Git(GitSource { host, path, reference: None, .. }) => write!(f, "git:{host}/{path}"),
            Self::Builtin(text) | Self::Local(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for GitSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitSource")
            .field("host", &self.host)
            .field("path", &self.path)
            .field("reference", &self.reference)
            .finish_non_exhaustive()
    }
}

impl GitSource {
    /// The address without user and password, as it may be written down.
    pub(crate) fn public_url(&self) -> String {
        without_credentials(&self.url)
    }
}

/// `name@version` in two; the first character may be the `@` of a scope.
pub(crate) fn split_name(spec: &str) -> (&str, Option<&str>) {
    let at = spec.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
    match at {
        Some(at) => (&spec[..at], Some(&spec[at + 1..]).filter(|version| !version.is_empty())),
        None => (spec, None),
    }
}

/// Whether a name can be a folder below `node_modules`.
pub(crate) fn is_package_name(name: &str) -> bool {
    let bare = match name.strip_prefix('@') {
        Some(scoped) => match scoped.split_once('/') {
            Some((scope, bare)) if is_name_part(scope) => bare,
            _ => return false,
        },
        None => name,
    };
    is_name_part(bare) && name.len() <= 214 && !matches!(name, "node_modules" | "favicon.ico")
}

fn is_name_part(part: &str) -> bool {
    !part.is_empty()
        && !part.starts_with(['.', '-'])
        && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~!'()*".contains(c))
}

/// Whether a path of plain names stays below the folder it is joined to.
fn is_safe_path(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with('/')
        && !path.contains(['\\', '\0', '%', ':'])
        && path.split('/').all(|part| !part.is_empty() && part != ".." && part != "." && !part.starts_with('-'))
}

/// By the rules of git, roughly: nothing that is an option, a revision expression or a control character.
fn is_reference(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(['-', '/'])
        && !name.contains("..")
        && !name.contains(|c: char| c.is_control() || " ~^:?*[\\".contains(c))
}

const SCHEMES: [&str; 4] = ["https://", "http://", "ssh://", "git://"];

fn scheme_of(url: &str) -> Option<&'static str> {
    SCHEMES.into_iter().find(|scheme| url.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme)))
}

/// The services whose name may stand for their address.
const SERVICES: [(&str, &str); 3] =
    [("github:", "github.com"), ("gitlab:", "gitlab.com"), ("bitbucket:", "bitbucket.org")];

fn git(source: &str) -> Option<GitSource> {
    let shorthand = source.strip_prefix("git:").filter(|rest| !rest.starts_with("//")).map(str::trim);
    if shorthand.is_none() && scheme_of(source).is_none() {
        return None;
    }
    let (address, fragment) = match shorthand.unwrap_or(source).split_once('#') {
        Some((address, fragment)) => (address, Some(fragment)),
        None => (shorthand.unwrap_or(source), None),
    };
    // Everything up to the path, which stays as it is; the host; the path.
    let (front, host, rest) = if let Some(scheme) = scheme_of(address) {
        let after = &address[scheme.len()..];
        let slash = after.find('/')?;
        let authority = &after[..slash];
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let host = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(host, _)| host);
        (format!("{scheme}{authority}/"), host, &after[slash + 1..])
    } else if let Some((user, rest)) = address.split_once('@').filter(|(user, _)| *user == "git") {
        let (host, path) = rest.split_once(':')?;
        (format!("{user}@{host}:"), host, path)
    } else if let Some((name, host)) = SERVICES.into_iter().find(|(name, _)| address.starts_with(name)) {
        (format!("https://{host}/"), host, &address[name.len()..])
    } else {
        let (first, rest) = address.split_once('/')?;
        let plain = first.split(':').next().unwrap_or(first);
        if plain.contains('.') || plain == "localhost" {
            (format!("https://{first}/"), plain, rest)
        } else {
            ("https://github.com/".to_owned(), "github.com", address)
        }
    };
    let (path, at) = match rest.trim_matches('/').split_once('@') {
        Some((path, at)) => (path, Some(at)),
        None => (rest.trim_matches('/'), None),
    };
    let (mut path, mut tree) = (path.trim_end_matches('/').to_owned(), None);
    if matches!(host, "github.com" | "bitbucket.org") {
        // What follows is a place within the repository.
        let parts: Vec<&str> = path.split('/').collect();
        if let ["tree" | "src", reference @ ..] = parts.get(2..).unwrap_or_default()
            && !reference.is_empty()
        {
            tree = Some(reference.join("/"));
        }
        path = parts.into_iter().take(2).collect::<Vec<_>>().join("/");
    }
    let url = format!("{front}{path}");
    let path = path.strip_suffix(".git").unwrap_or(&path).to_owned();
    if !path.contains('/') || host.is_empty() {
        return None;
    }
    let reference = fragment.or(at).filter(|name| !name.is_empty()).map(str::to_owned).or(tree);
    Some(GitSource { url, host: host.to_owned(), path, reference })
}

/// An address without what stands before its host.
pub(crate) fn without_credentials(url: &str) -> String {
    match scheme_of(url) {
        Some(scheme) => {
            let after = &url[scheme.len()..];
            let (authority, path) = after.find('/').map_or((after, ""), |slash| after.split_at(slash));
            let kept = match authority.rsplit_once('@') {
                // The user of an SSH address is no secret, and it does not work without.
                Some((user, host)) if scheme == "ssh://" => {
                    format!("{}@{host}", user.split(':').next().unwrap_or_default())
                }
                Some((_, host)) => host.to_owned(),
                None => authority.to_owned(),
            };
            format!("{scheme}{kept}{path}")
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npm(name: &str, version: Option<&str>) -> Source {
        Source::Npm(NpmSource { name: name.to_owned(), version: version.map(str::to_owned) })
    }

    fn git(url: &str, host: &str, path: &str, reference: Option<&str>) -> Source {
        let reference = reference.map(str::to_owned);
        Source::Git(GitSource { url: url.to_owned(), host: host.to_owned(), path: path.to_owned(), reference })
    }

    #[test]
    fn spellings() {
        let local = |path: &str| Source::Local(path.to_owned());
        let cases = [
            ("npm:pi-tool", npm("pi-tool", None)),
            ("npm:pi-tool@1.2.3", npm("pi-tool", Some("1.2.3"))),
            ("npm:pi-tool@", npm("pi-tool", None)),
            (" npm: @me/pi-tool@^1 ", npm("@me/pi-tool", Some("^1"))),
            ("npm:mine@npm:theirs@2", npm("mine", Some("npm:theirs@2"))),
            ("git:github.com/me/tool@v1", git("https://github.com/me/tool", "github.com", "me/tool", Some("v1"))),
            ("git:me/tool", git("https://github.com/me/tool", "github.com", "me/tool", None)),
            ("git:gitlab:me/tool#x", git("https://gitlab.com/me/tool", "gitlab.com", "me/tool", Some("x"))),
            (
                "git:git@github.com:me/tool.git@main",
                git("git@github.com:me/tool.git", "github.com", "me/tool", Some("main")),
            ),
            ("https://github.com/me/tool.git", git("https://github.com/me/tool.git", "github.com", "me/tool", None)),
            (
                "https://github.com/me/tool/tree/feature/a",
                git("https://github.com/me/tool", "github.com", "me/tool", Some("feature/a")),
            ),
            (
                "https://github.com/me/tool/tree/main#x",
                git("https://github.com/me/tool", "github.com", "me/tool", Some("x")),
            ),
            (
                "ssh://git@git.example.org:2222/team/sub/tool@v2",
                git("ssh://git@git.example.org:2222/team/sub/tool", "git.example.org", "team/sub/tool", Some("v2")),
            ),
            ("git://example.org/a/b", git("git://example.org/a/b", "example.org", "a/b", None)),
            ("git:http://127.0.0.1:80/a/b", git("http://127.0.0.1:80/a/b", "127.0.0.1", "a/b", None)),
            (
                "https://ada:secret@example.org/a/b",
                git("https://ada:secret@example.org/a/b", "example.org", "a/b", None),
            ),
            ("./tool", local("./tool")),
            ("~/tools/one", local("~/tools/one")),
            ("github:me/tool", local("github:me/tool")),
            ("https://example.org", local("https://example.org")),
        ];
        for (source, expected) in cases {
            assert_eq!(Source::parse(source), expected, "{source}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let source = Source::parse("https://ada:secret@example.org/a/b@v1");
        assert!(!format!("{source} {source:?}").contains("secret"));
        let Source::Git(git) = source else { panic!("a repository") };
        assert_eq!(git.public_url(), "https://example.org/a/b");
        assert_eq!(without_credentials("ssh://git:pw@example.org/a"), "ssh://git@example.org/a");
    }

    #[test]
    fn what_could_do_harm_is_refused() {
        for source in [
            "npm:../../x",
            "npm:/etc",
            "npm:a/../../x",
            "npm:",
            "npm:.hidden",
            "npm:node_modules",
            "npm:@me",
            "git:../x/y",
            "git:example.org/../../etc",
            "git:example.org/a/b@--upload-pack=touch",
            "ssh://-oProxyCommand=touch/a/b",
            "git:git@-oProxyCommand=x:a/b",
            "git:example.org/a/b@HEAD~1",
        ] {
            assert!(Source::parse(source).check().is_err(), "{source}");
        }
        for source in ["npm:@me/tool", "npm:a@>=1 <2", "git:me/tool@feature/x", "./x", "git:git@example.org:a/b"] {
            assert_eq!(Source::parse(source).check(), Ok(()), "{source}");
        }
    }

    proptest::proptest! {
        /// Whatever is written: reading it does not fail, and what passes the check is made of plain names.
        #[test]
        fn whatever_passes_stays_inside(rest in "[a-z@:./%\\\\~# -]{0,24}", kind in 0..5_usize) {
            let text = format!("{}{rest}", ["npm:", "git:", "https://", "ssh://", "git:git@"][kind]);
            let source = Source::parse(&text);
            if source.check().is_ok() {
                let path = match &source {
                    Source::Npm(npm) => npm.name.clone(),
                    Source::Git(git) => {
                        proptest::prop_assert!(!git.url.starts_with('-'));
                        format!("{}/{}", git.host, git.path)
                    }
                    Source::Builtin(_) | Source::Local(_) => return Ok(()),
                };
                let plain = std::path::Path::new(&path)
                    .components()
                    .all(|part| matches!(part, std::path::Component::Normal(_)));
                proptest::prop_assert!(plain, "{text}: {path}");
            }
        }
    }
}
