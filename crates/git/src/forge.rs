//! The address of a remote: without secrets, and what forge it leads to.

/// A repository on a forge: GitHub, one of an enterprise, or another one that names repositories in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forge {
    /// The host, in lower case and without a port.
    pub host: String,
    /// Who owns it: a user, an organisation, or a path of groups.
    pub owner: String,
    /// The name of the repository, without `.git`.
    pub name: String,
}

impl Forge {
    /// What the address of a remote leads to; `None` for a path and for what names no owner.
    pub fn of(url: &str) -> Option<Self> {
        let Address { host, path, .. } = Address::parse(url)?;
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let (owner, name) = path.rsplit_once('/')?;
        // GitHub takes ssh at the port of https under another name.
        let host = match host.to_ascii_lowercase() {
            host if host == "ssh.github.com" || host == "www.github.com" => "github.com".to_owned(),
            host => host,
        };
        let is_part = |part: &str| !part.is_empty() && part != "." && part != ".." && part != "~";
        let is_one = owner.split('/').chain([name]).all(is_part) && !host.is_empty();
        let is_plain = |text: &str| !text.chars().any(|ch| ch.is_control() || ch.is_whitespace());
        let is_one = is_one && [host.as_str(), owner, name].into_iter().all(is_plain);
        is_one.then(|| Self { host, owner: owner.to_owned(), name: name.to_owned() })
    }

    /// `owner/name`.
    pub fn slug(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    /// Whether this is github.com. Those of enterprises have other hosts.
    pub fn is_github(&self) -> bool {
        self.host == "github.com"
    }
}

/// The parts of an address.
struct Address<'a> {
    /// `https://`; empty for the short form of ssh.
    scheme: &'a str,
    user: Option<&'a str>,
    host: &'a str,
    /// The port with its colon.
    port: &'a str,
    path: &'a str,
}

impl<'a> Address<'a> {
    /// Takes an address apart; `None` for a path.
    fn parse(url: &'a str) -> Option<Self> {
        if let Some((name, rest)) = url.split_once("://") {
            if name.eq_ignore_ascii_case("file") {
                return None;
            }
            let (scheme, _) = url.split_at(name.len() + 3);
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            let (user, place) = user_of(authority);
            let (host, port) = match place.rfind(':').filter(|colon| !place[*colon..].contains(']')) {
                Some(colon) => place.split_at(colon),
                None => (place, ""),
            };
            // A password with a slash in it looks like this: nothing of such an address is what it seems.
            let is_port = port.bytes().skip(1).all(|byte| byte.is_ascii_digit());
            return is_port.then_some(Self { scheme, user, host, port, path });
        }
        // The short form of ssh has a colon before any slash; `::` belongs to a helper of git.
        let (place, path) =
            url.split_once(':').filter(|(place, path)| !place.contains('/') && !path.starts_with(':'))?;
        let (user, host) = user_of(place);
        (!host.is_empty()).then_some(Self { scheme: "", user, host, port: "", path })
    }
}

/// What stands before the last `@`.
fn user_of(authority: &str) -> (Option<&str>, &str) {
    authority.rsplit_once('@').map_or((None, authority), |(user, place)| (Some(user), place))
}

/// An address that can be shown: without a password, without the user of the web, who may be a token, and without a query.
/// The user of ssh stays.
pub(crate) fn without_secrets(url: &str) -> String {
    let Some(Address { scheme, user, host, port, path }) = Address::parse(url) else {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let is_plain = scheme.is_empty() || scheme.eq_ignore_ascii_case("file");
        return if is_plain { shown(url) } else { shown(&format!("{scheme}://{}", user_of(rest).1)) };
    };
    let is_web = scheme.to_ascii_lowercase().starts_with("http") || scheme.to_ascii_lowercase().starts_with("ftp");
    let user = user.and_then(|user| user.split(':').next()).filter(|_| !is_web);
    let path = if is_web { path.split(['?', '#']).next().unwrap_or_default() } else { path };
    let colon = if scheme.is_empty() { ":" } else { "" };
    let at = if user.is_some() { "@" } else { "" };
    shown(&format!("{scheme}{}{at}{host}{port}{colon}{path}", user.unwrap_or_default()))
}

fn shown(url: &str) -> String {
    tau_view::untrusted::plain(url).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owner_and_name_are_found_in_every_form_of_an_address() {
        let cases = [
            ("https://github.com/owner/name.git", "github.com owner name"),
            ("https://github.com/owner/name", "github.com owner name"),
            ("https://github.com/owner/name/", "github.com owner name"),
            ("https://user:secret@github.com/owner/my.site.git", "github.com owner my.site"),
            ("https://GitHub.com/Owner/.github", "github.com Owner .github"),
            ("git@github.com:owner/na.me.git", "github.com owner na.me"),
            ("github-work:owner/name", "github-work owner name"),
            ("ssh://git@ssh.github.com:443/owner/name.git", "github.com owner name"),
            ("ssh://git@ghe.example.org:2222/team/app", "ghe.example.org team app"),
            ("git@ghe.example.org:/team/app.git", "ghe.example.org team app"),
            ("https://gitlab.com/group/sub/app.git", "gitlab.com group/sub app"),
            ("git://git.example.org/a/b", "git.example.org a b"),
            ("https://[::1]:8080/a/b", "[::1] a b"),
            ("https://github.com/a/b?token=secret#x", "github.com a b"),
        ];
        for (url, wanted) in cases {
            let Forge { host, owner, name } = Forge::of(url).unwrap_or_else(|| panic!("{url}"));
            assert_eq!(format!("{host} {owner} {name}"), wanted, "{url}");
        }
        let none = [
            "",
            "/srv/git/a/b.git",
            "../a/b",
            "file:///srv/a/b",
            "https://github.com/",
            "https://github.com/owner",
            "git@github.com:name.git",
            "C:\\a\\b",
            "ext::sh -c x% /a/b",
            "https://github.com/../b",
            "host:a b/c",
            "https://user:sec/ret@github.com/a/b",
        ];
        for url in none {
            assert_eq!(Forge::of(url), None, "{url}");
        }
        assert!(Forge::of("git@github.com:a/b").is_some_and(|forge| forge.is_github() && forge.slug() == "a/b"));
    }

    #[test]
    fn secrets_are_not_in_addresses() {
        let cases = [
            ("https://user:secret@example.org/a/b.git", "https://example.org/a/b.git"),
            ("https://ghp_secret@github.com:8443/a/b", "https://github.com:8443/a/b"),
            ("https://example.org/a/b?access_token=secret#secret", "https://example.org/a/b"),
            ("ssh://git:secret@example.org:22/a", "ssh://git@example.org:22/a"),
            ("git@example.org:a/b", "git@example.org:a/b"),
            ("https://a@b:secret@example.org/x", "https://example.org/x"),
            ("https://user:sec/ret@example.org/x", "https://example.org/x"),
            ("file:///srv/a@b", "file:///srv/a@b"),
            ("/srv/a b", "/srv/a b"),
            ("https://example.org/a\u{1b}]0;x\u{7}b", "https://example.org/ab"),
        ];
        for (url, wanted) in cases {
            assert_eq!(without_secrets(url), wanted, "{url}");
        }
    }

    proptest::proptest! {
        /// Whatever stands in an address, it can be shown, and a password is not in it.
        #[test]
        fn any_address_is_fine(url: String, path in "[a-z/:@?#.]{0,12}") {
            let _forge = Forge::of(&url);
            proptest::prop_assert!(!without_secrets(&url).contains('\n'));
            for scheme in ["https", "ssh", "http", "git"] {
                let shown = without_secrets(&format!("{scheme}://user:SECRET@example.org/{path}"));
                proptest::prop_assert!(!shown.contains("SECRET"), "{}", shown);
            }
        }
    }
}
