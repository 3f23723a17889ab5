//! How registries are reached: `.npmrc` files and variables, as npm understands them.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use url::Url;

use crate::error::PackageError;
use crate::npmrc;

/// Where packages come from unless something else is said.
const DEFAULT_REGISTRY: &str = "https://registry.npmjs.org/";
/// Where the file for everybody on a machine may be.
const GLOBAL_FILES: [&str; 3] = ["/usr/local/etc/npmrc", "/usr/etc/npmrc", "/etc/npmrc"];
/// What may stand behind an address in a key.
const AUTH_FIELDS: [&str; 4] = ["_authToken", "_auth", "username", "_password"];

/// The settings of npm that matter here. Values may be secret, so only keys are shown.
#[derive(Clone, Default)]
pub(crate) struct NpmConfig {
    values: BTreeMap<String, Vec<String>>,
}

impl NpmConfig {
    /// Reads everything, what counts least first: the file of the machine, the user's, those of `projects`, variables.
    pub(crate) fn load(home: &Path, vars: &BTreeMap<String, String>, projects: &[PathBuf]) -> Self {
        let from_vars: Vec<(String, String)> = vars.iter().filter_map(variable).collect();
        let named = |key: &str| {
            let value = from_vars.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str());
            value.filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        let global = named("globalconfig")
            .or_else(|| named("prefix").map(|prefix| prefix.join("etc/npmrc")))
            .or_else(|| GLOBAL_FILES.iter().map(PathBuf::from).find(|file| file.is_file()));
        let user = named("userconfig").unwrap_or_else(|| home.join(".npmrc"));
        let mut config = Self::default();
        for file in global.into_iter().chain([user]).chain(projects.iter().cloned()) {
            if let Ok(text) = fs::read_to_string(&file) {
                config.add(npmrc::parse(&text, vars));
            }
        }
        config.add(from_vars);
        for (key, names) in [
            ("https-proxy", &["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"][..]),
            ("proxy", &["HTTP_PROXY", "http_proxy", "PROXY", "proxy"]),
            ("noproxy", &["NO_PROXY", "no_proxy"]),
            ("extra-ca", &["NODE_EXTRA_CA_CERTS"]),
        ] {
            let value = names.iter().find_map(|name| vars.get(*name)).filter(|value| !value.is_empty());
            if let (Some(value), false) = (value, config.values.contains_key(key)) {
                config.values.insert(key.to_owned(), vec![value.clone()]);
            }
        }
        config
    }

    fn add(&mut self, settings: Vec<(String, String)>) {
        let mut begun: Vec<String> = Vec::new();
        for (key, value) in settings {
            let list = key.strip_suffix("[]").map(str::to_owned);
            match list {
                // A list of a file takes the place of that of another one.
                Some(key) if begun.contains(&key) => self.values.entry(key).or_default().push(value),
                Some(key) => {
                    self.values.insert(key.clone(), vec![value]);
                    begun.push(key);
                }
                None => drop(self.values.insert(key, vec![value])),
            }
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        let value = self.values.get(key)?.last()?.as_str();
        Some(value).filter(|value| !value.is_empty() && *value != "null")
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.text(key)?.parse().ok()
    }

    /// The registry of a package, with a slash at its end.
    pub(crate) fn registry_of(&self, name: &str) -> Result<Url, PackageError> {
        let scope = name.strip_prefix('@').and_then(|name| name.split_once('/')).map(|(scope, _)| scope);
        let of_scope = scope.and_then(|scope| self.text(&format!("@{scope}:registry")));
        let text = of_scope.or_else(|| self.text("registry")).unwrap_or(DEFAULT_REGISTRY);
        let mut text = text.to_owned();
        if !text.ends_with('/') {
            text.push('/');
        }
        let url = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        url.ok_or_else(|| PackageError::Malformed {
            what: "the setting `registry` of .npmrc".to_owned(),
            why: format!("\"{}\" is no http or https address", crate::source::without_credentials(&text)),
        })
    }

    /// The header that authenticates a request, when the settings have something for this very address or for a folder
    /// above it. `registry` is the one that the address was learned from: its credentials count on its own host.
    pub(crate) fn authorization(&self, url: &Url, registry: Option<&Url>) -> Option<String> {
        let own = self.authorization_at(url);
        let same_host = |registry: &&Url| {
            registry.host() == url.host()
                && registry.port_or_known_default() == url.port_or_known_default()
                && registry.scheme() == url.scheme()
        };
        own.or_else(|| self.authorization_at(registry.filter(same_host)?))
    }

    fn authorization_at(&self, url: &Url) -> Option<String> {
        let host = url.host_str()?;
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let mut path = url.path().to_owned();
        loop {
            for key in [format!("//{host}{path}"), format!("//{host}{}", path.trim_end_matches('/'))] {
                let field = |field: &str| self.text(&format!("{key}:{field}"));
                if AUTH_FIELDS.iter().any(|name| field(name).is_some()) {
                    return header(field);
                }
            }
            let shorter = path.trim_end_matches('/').rfind('/')?;
            path.truncate(shorter + 1);
        }
    }

    /// The proxy for a scheme.
    pub(crate) fn proxy(&self, https: bool) -> Option<&str> {
        let is_on = |value: &&str| *value != "false";
        let plain = self.text("proxy").or_else(|| self.text("http-proxy"));
        if https { self.text("https-proxy").or(plain).filter(is_on) } else { plain.filter(is_on) }
    }

    /// Hosts that are reached without a proxy, with commas between them.
    pub(crate) fn no_proxy(&self) -> Option<String> {
        let list = self.values.get("noproxy").or_else(|| self.values.get("no-proxy"))?;
        Some(list.join(",")).filter(|list| !list.is_empty())
    }

    /// Certificates that are trusted in place of those of the system: PEM texts.
    pub(crate) fn authorities(&self) -> Result<Vec<String>, PackageError> {
        let mut texts = Vec::new();
        if let Some(file) = self.text("cafile") {
            texts.push(read_certificates(Path::new(file))?);
        } else if let Some(list) = self.values.get("ca") {
            let present = list.iter().filter(|text| !text.is_empty() && *text != "null");
            texts.extend(present.map(|text| text.replace("\\n", "\n")));
        }
        Ok(texts)
    }

    /// Certificates that are trusted besides: PEM texts.
    pub(crate) fn more_authorities(&self) -> Vec<String> {
        self.text("extra-ca").and_then(|file| fs::read_to_string(file).ok()).into_iter().collect()
    }

    /// Whether certificates are checked.
    pub(crate) fn strict_ssl(&self) -> bool {
        self.text("strict-ssl") != Some("false")
    }

    /// How often a request that failed for a passing reason is repeated, and the first pause in milliseconds.
    pub(crate) fn retries(&self) -> (u32, u64) {
        let count = self.number("fetch-retries").and_then(|count| u32::try_from(count).ok());
        (count.unwrap_or(2).min(10), self.number("fetch-retry-mintimeout").unwrap_or(1000).min(60_000))
    }
}

fn header<'a>(field: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    if let Some(token) = field("_authToken") {
        return Some(format!("Bearer {token}"));
    }
    if let Some(both) = field("_auth") {
        return Some(format!("Basic {both}"));
    }
    let password = BASE64.decode(field("_password")?).ok()?;
    let both = [field("username")?.as_bytes(), b":", &password].concat();
    Some(format!("Basic {}", BASE64.encode(both)))
}

fn read_certificates(file: &Path) -> Result<String, PackageError> {
    fs::read_to_string(file).map_err(|error| PackageError::Malformed {
        what: format!("the file {} that `cafile` in .npmrc names", file.display()),
        why: error.to_string(),
    })
}

/// A setting that is given as a variable.
fn variable((name, value): (&String, &String)) -> Option<(String, String)> {
    const PREFIX: &str = "npm_config_";
    let head = name.get(..PREFIX.len())?;
    if !head.eq_ignore_ascii_case(PREFIX) || value.is_empty() {
        return None;
    }
    let key = &name[PREFIX.len()..];
    if key.starts_with("//") || key.starts_with('@') {
        return Some((key.to_owned(), value.clone()));
    }
    let lower = key.to_ascii_lowercase();
    let (first, rest) = lower.split_at_checked(1)?;
    Some((format!("{first}{}", rest.replace('_', "-")), value.clone()))
}

impl fmt::Debug for NpmConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> NpmConfig {
        let mut config = NpmConfig::default();
        config.add(npmrc::parse(text, &BTreeMap::new()));
        config
    }

    fn url(text: &str) -> Url {
        Url::parse(text).expect("an address")
    }

    #[test]
    fn registries_and_scopes() {
        assert!(config("registry=ftp://x").registry_of("a").is_err());
        let config = config("registry=https://one.example/npm\n@me:registry=http://two.example:8080/\n");
        let of = |name: &str| config.registry_of(name).map(|url| url.to_string());
        assert_eq!(of("a"), Ok("https://one.example/npm/".to_owned()));
        assert_eq!(of("@you/a"), Ok("https://one.example/npm/".to_owned()));
        assert_eq!(of("@me/a"), Ok("http://two.example:8080/".to_owned()));
        assert_eq!(NpmConfig::default().registry_of("a").map(|url| url.to_string()), Ok(DEFAULT_REGISTRY.to_owned()));
    }

    #[test]
    fn credentials_belong_to_their_address() {
        let config = config(
            "//one.example/npm/:_authToken=one\n//one.example/npm/deep:_auth=ZGVlcA==\n//two.example:8080/:username=ada\n\
             //two.example:8080/:_password=c2VjcmV0\n_authToken=nobody\n",
        );
        let of = |text: &str| config.authorization(&url(text), None);
        assert_eq!(of("https://one.example/npm/pkg"), Some("Bearer one".to_owned()));
        assert_eq!(of("https://one.example/npm/deep/pkg"), Some("Basic ZGVlcA==".to_owned()));
        assert_eq!(of("https://one.example/other"), None);
        assert_eq!(of("https://one.example.evil.example/npm/pkg"), None);
        assert_eq!(of("http://two.example:8080/pkg"), Some("Basic YWRhOnNlY3JldA==".to_owned()));
        assert_eq!(of("http://two.example/pkg"), None);
        let registry = url("https://one.example/npm/");
        let learned = |text: &str| config.authorization(&url(text), Some(&registry));
        assert_eq!(learned("https://one.example/tarballs/a.tgz"), Some("Bearer one".to_owned()));
        assert_eq!(learned("http://one.example/tarballs/a.tgz"), None);
        assert_eq!(learned("https://cdn.example/a.tgz"), None);
        assert!(!format!("{config:?}").contains("c2VjcmV0"));
    }

    #[test]
    fn variables_and_files_in_their_order() {
        let home = tempfile::tempdir().expect("temp dir");
        let project = home.path().join("project.npmrc");
        fs::write(
            home.path().join(".npmrc"),
            "registry=https://user.example/\nproxy=http://p.example:1\nca[]=a\nca[]=b\n",
        )
        .expect("write");
        fs::write(&project, "registry=https://project.example/\nca[]=c\n").expect("write");
        let vars = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            let owned = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            owned.chain([("npm_config_globalconfig".to_owned(), "/nowhere".to_owned())]).collect()
        };
        let load = |pairs, projects: &[PathBuf]| NpmConfig::load(home.path(), &vars(pairs), projects);
        let registry = |config: &NpmConfig| config.registry_of("a").map(|url| url.to_string()).expect("a registry");
        assert_eq!(registry(&load(&[], &[])), "https://user.example/");
        let with_project = load(&[("HTTPS_PROXY", "http://env.example:2")], std::slice::from_ref(&project));
        assert_eq!(registry(&with_project), "https://project.example/");
        assert_eq!(with_project.authorities(), Ok(vec!["c".to_owned()]));
        assert_eq!(
            (with_project.proxy(true), with_project.proxy(false)),
            (Some("http://env.example:2"), Some("http://p.example:1"))
        );
        let all = load(
            &[("NPM_CONFIG_REGISTRY", "https://env.example/"), ("npm_config_strict_ssl", "false"), ("NO_PROXY", "a,b")],
            &[project],
        );
        assert_eq!(registry(&all), "https://env.example/");
        assert_eq!((all.strict_ssl(), all.no_proxy()), (false, Some("a,b".to_owned())));
        let token = load(&[("npm_config_//x.example/:_authToken", "t")], &[]);
        assert_eq!(token.authorization(&url("https://x.example/a"), None), Some("Bearer t".to_owned()));
    }
}
