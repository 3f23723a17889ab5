//! Which proxy a request goes through, by where it is set: what fails there is no fault of the server.

use std::fmt;

use hyper_util::client::proxy::matcher::Matcher;
use url::Url;

use crate::SetupError;

/// The variables for each scheme of an address; an empty one counts as set, as in other programs.
const VARIABLES: [(&str, [&str; 2]); 2] =
    [("https", ["HTTPS_PROXY", "https_proxy"]), ("http", ["HTTP_PROXY", "http_proxy"])];
/// The variables for every scheme.
const EVERY: [&str; 2] = ["ALL_PROXY", "all_proxy"];
/// The hosts that need no proxy.
const NONE: [&str; 2] = ["NO_PROXY", "no_proxy"];
/// What a proxy speaks.
const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

/// The proxy of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyUsed {
    /// The setting or the variable with its address.
    pub set_by: String,
    /// Where it is, without a password.
    pub host: String,
}

impl fmt::Display for ProxyUsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.host, self.set_by)
    }
}

/// The proxy for an address: the configured one, else that of the environment.
///
/// # Errors
/// When its address cannot be used. Such a proxy would be passed by.
pub(crate) fn of(
    url: &Url,
    configured: Option<&str>,
    env: impl Fn(&str) -> Option<String>,
) -> Result<Option<ProxyUsed>, SetupError> {
    let first = |names: &[&str]| names.iter().find_map(|name| Some(((*name).to_owned(), env(name)?)));
    let set = match configured {
        Some(address) => Some(("httpProxy".to_owned(), address.to_owned())),
        None => {
            let own = VARIABLES.iter().find(|(scheme, _)| *scheme == url.scheme());
            let own = own.and_then(|(_, names)| first(names)).filter(|(_, address)| !address.is_empty());
            own.or_else(|| first(&EVERY))
        }
    };
    let Some((set_by, address)) = set.filter(|(_, address)| !address.trim().is_empty()) else { return Ok(None) };
    if is_excluded(url, first(&NONE).map(|(_, hosts)| hosts).unwrap_or_default()) {
        return Ok(None);
    }
    // The address may hold a password, so it is not quoted.
    let unusable = |why: &str| SetupError(format!("the proxy address in {set_by} cannot be used: {why}"));
    let address = address.trim();
    let whole = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let proxy = Url::parse(&whole).map_err(|_| unusable("write it as http://host:port"))?;
    if !SCHEMES.contains(&proxy.scheme()) {
        return Err(unusable("it must begin with http://, https://, socks5:// or socks4://"));
    }
    let host = proxy.host_str().filter(|host| !host.is_empty()).ok_or_else(|| unusable("it names no host"))?;
    let port = proxy.port().map(|port| format!(":{port}")).unwrap_or_default();
    Ok(Some(ProxyUsed { set_by, host: format!("{host}{port}") }))
}

/// Whether the hosts without a proxy include that of the address.
fn is_excluded(url: &Url, hosts: String) -> bool {
    let matcher = Matcher::builder().all("http://proxy.invalid").no(hosts).build();
    url.as_str().parse().is_ok_and(|uri| matcher.intercept(&uri).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(address: &str, configured: Option<&str>, variables: &[(&str, &str)]) -> Result<String, String> {
        let env = |name: &str| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned());
        let found = of(&Url::parse(address).expect("an address"), configured, env);
        found.map(|used| used.map(|used| used.to_string()).unwrap_or_default()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_proxy_is_known_by_where_it_is_set() {
        let https = "https://api.example.com/v1";
        let cases = [
            (https, None, &[][..], ""),
            (https, None, &[("HTTPS_PROXY", "http://me:secret@box:3128")], "box:3128 (HTTPS_PROXY)"),
            (https, None, &[("https_proxy", "box")], "box (https_proxy)"),
            (https, None, &[("HTTP_PROXY", "http://box")], ""),
            ("http://api.example.com", None, &[("HTTP_PROXY", "http://box")], "box (HTTP_PROXY)"),
            (https, None, &[("ALL_PROXY", "socks5://box:1080")], "box:1080 (ALL_PROXY)"),
            (https, Some("http://box"), &[], "box (httpProxy)"),
            (https, Some("http://box"), &[("NO_PROXY", ".example.com")], ""),
            (https, None, &[("HTTPS_PROXY", "ftp://box"), ("no_proxy", "*")], ""),
            (https, None, &[("HTTPS_PROXY", "")], ""),
        ];
        for (address, configured, variables, expected) in cases {
            assert_eq!(used(address, configured, variables).as_deref(), Ok(expected), "{variables:?}");
        }
    }

    #[test]
    fn a_proxy_that_would_be_passed_by_is_an_error() {
        for (value, why) in [
            ("ftp://me:secret@box", "it must begin with http://, https://, socks5:// or socks4://"),
            (":::", "write it as http://host:port"),
        ] {
            let text = used("https://api.example.com", None, &[("HTTPS_PROXY", value)]).expect_err("an error");
            assert_eq!(text, format!("the proxy address in HTTPS_PROXY cannot be used: {why}"));
        }
    }
}
