//! Where packages come from, and where they are once they are installed.

use std::path::{Path, PathBuf};

use crate::settings::Environment;

/// A package source, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// A package of a registry.
    Npm { name: String, version: Option<String> },
    /// A repository.
    Git { host: String, path: String },
    /// A file or folder.
    Local(String),
}

/// Folder below the agent folder where packages that were tried on the command line are installed.
const TRIED: &str = "tmp/extensions/npm/f35b2129/node_modules";

impl Source {
    /// Reads a source: `npm:name@version`, `git:…` or the address of a repository, else a path.
    pub(super) fn parse(source: &str) -> Self {
        let source = source.trim();
        if let Some(spec) = source.strip_prefix("npm:") {
            let spec = spec.trim();
            // The first character may be the `@` of a scope.
            let at = spec.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
            let (name, version) = at.map_or((spec, None), |at| (&spec[..at], Some(spec[at + 1..].to_owned())));
            return Self::Npm { name: name.to_owned(), version };
        }
        git(source).unwrap_or_else(|| Self::Local(source.to_owned()))
    }

    /// What tells two sources of the same package apart from two packages.
    pub(super) fn identity(&self, env: &Environment, base: &Path) -> String {
        match self {
            Self::Npm { name, .. } => format!("npm:{name}"),
            Self::Git { host, path } => format!("git:{host}/{path}"),
            Self::Local(path) => format!("local:{}", env.resolve(path, base).display()),
        }
    }

    /// Where the package can be, the likeliest place first. `base` is the folder of the settings file, or where the
    /// command line's paths start.
    pub(super) fn places(&self, env: &Environment, base: &Path) -> Vec<PathBuf> {
        match self {
            Self::Npm { name, .. } if is_safe(name) => {
                vec![base.join("npm/node_modules").join(name), env.agent_dir().join(TRIED).join(name)]
            }
            Self::Git { host, path } if is_safe(host) && is_safe(path) => vec![base.join("git").join(host).join(path)],
            Self::Npm { .. } | Self::Git { .. } => Vec::new(),
            Self::Local(path) => vec![env.resolve(path, base)],
        }
    }
}

/// Names that lead out of the folder for packages are never followed.
fn is_safe(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('/')
        && !name.contains(['\\', '\0', '%'])
        && name.split('/').all(|part| !part.is_empty() && part != ".." && part != ".")
}

fn git(source: &str) -> Option<Source> {
    let has_scheme =
        |url: &str| ["https://", "http://", "ssh://", "git://"].iter().any(|scheme| url.starts_with(scheme));
    let (url, shorthand) = match source.strip_prefix("git:").filter(|rest| !rest.starts_with("//")) {
        Some(rest) => (rest.trim(), true),
        None if has_scheme(source) => (source, false),
        None => return None,
    };
    let url = url.split_once('#').map_or(url, |(url, _)| url);
    let (host, path) = if let Some((_, rest)) = url.split_once("://") {
        let rest = rest.rsplit_once('@').filter(|(user, _)| !user.contains('/')).map_or(rest, |(_, rest)| rest);
        let (host, path) = rest.split_once('/')?;
        (host.split(':').next().unwrap_or(host), path)
    } else if let Some(rest) = url.strip_prefix("git@") {
        rest.split_once(':')?
    } else if let Some(path) = url.strip_prefix("github:") {
        ("github.com", path)
    } else {
        let (first, rest) = url.split_once('/')?;
        match first.contains('.') || first == "localhost" {
            true => (first, rest),
            false if shorthand => ("github.com", url),
            false => return None,
        }
    };
    let path = path.split_once('@').map_or(path, |(path, _)| path).trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let path = match host {
        // What follows is a place within the repository.
        "github.com" | "bitbucket.org" => path.split('/').take(2).collect::<Vec<_>>().join("/"),
        _ => path.to_owned(),
    };
    path.contains('/').then(|| Source::Git { host: host.to_owned(), path: path.trim_end_matches(".git").to_owned() })
}

#[cfg(test)]
mod tests {
    use std::path::Component;

    use super::*;

    #[test]
    fn sources() {
        let npm = |name: &str, version: Option<&str>| Source::Npm {
            name: name.to_owned(),
            version: version.map(str::to_owned),
        };
        let git = |host: &str, path: &str| Source::Git { host: host.to_owned(), path: path.to_owned() };
        let local = |path: &str| Source::Local(path.to_owned());
        let cases = [
            ("npm:pi-tool", npm("pi-tool", None)),
            ("npm:pi-tool@1.2.3", npm("pi-tool", Some("1.2.3"))),
            (" npm: @me/pi-tool@^1 ", npm("@me/pi-tool", Some("^1"))),
            ("git:github.com/me/tool@v1", git("github.com", "me/tool")),
            ("git:me/tool", git("github.com", "me/tool")),
            ("git:git@github.com:me/tool.git@main", git("github.com", "me/tool")),
            ("https://github.com/me/tool.git", git("github.com", "me/tool")),
            ("https://github.com/me/tool/tree/main#x", git("github.com", "me/tool")),
            ("ssh://git@git.example.org:2222/team/sub/tool", git("git.example.org", "team/sub/tool")),
            ("./tool", local("./tool")),
            ("~/tools/one", local("~/tools/one")),
            ("github:me/tool", local("github:me/tool")),
            ("https://example.org", local("https://example.org")),
        ];
        for (source, expected) in cases {
            assert_eq!(Source::parse(source), expected, "{source}");
        }
    }

    proptest::proptest! {
        /// Whatever is written, an installed package lies below a folder for packages.
        #[test]
        fn installed_packages_stay_where_packages_are(rest in "[a-z@:./%\\\\~-]{0,24}", kind in 0..3_usize) {
            let source = format!("{}{rest}", ["npm:", "git:", "https://"][kind]);
            let env = Environment::new("/home/ada", "/work");
            let parsed = Source::parse(&source);
            if !matches!(parsed, Source::Local(_)) {
                for place in parsed.places(&env, Path::new("/base")) {
                    let inside = ["/base/npm/node_modules", "/base/git", "/home/ada/.pi/agent/tmp"];
                    proptest::prop_assert!(inside.iter().any(|folder| place.starts_with(folder)), "{source}: {place:?}");
                    let climbs = place.components().any(|part| part == Component::ParentDir);
                    proptest::prop_assert!(!climbs, "{source}: {place:?}");
                }
            }
        }
    }

    #[test]
    fn no_source_leads_out_of_the_folder_of_packages() {
        let env = Environment::new("/home/ada", "/work");
        for source in ["npm:../../x", "npm:/etc", "npm:a/../../x", "npm:", "git:../x/y", "git:example.org/../../etc"] {
            assert_eq!(Source::parse(source).places(&env, Path::new("/base")), Vec::<PathBuf>::new(), "{source}");
        }
        let places = Source::parse("npm:@me/tool").places(&env, Path::new("/base"));
        assert_eq!(places[0], Path::new("/base/npm/node_modules/@me/tool"));
    }
}
