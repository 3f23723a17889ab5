//! Parsing of WHATWG URLs.

use rquickjs::{Ctx, Object};
use url::{Url, quirks};

use crate::ops::table::ops;

ops! {
    /// Parsing of WHATWG URLs.
    pub static OPS: watched;

    /// The parts of a URL; nothing when it is none.
    fn urlParse(input, base) -> "UrlParts | undefined" = url_parse, Pure;
    /// A URL with another part.
    fn urlSet(href, part, value) -> "UrlParts | undefined" = url_set, Pure;
    /// A domain in letters of ASCII.
    fn domainToAscii(domain) = domain_to_ascii, Pure;
    /// A domain as people write it.
    fn domainToUnicode(domain) = domain_to_unicode, Pure;
}

fn parse(input: &str, base: Option<&str>) -> Option<Url> {
    match base {
        Some(base) => Url::parse(base).ok()?.join(input).ok(),
        None => Url::parse(input).ok(),
    }
}

/// The URL with one part replaced. A value that does not fit leaves the URL as it was; `None` is an unknown part
/// or an href that cannot be parsed.
fn set(href: &str, part: &str, value: &str) -> Option<Url> {
    let mut url = Url::parse(href).ok()?;
    let kept = match part {
        "href" => return Url::parse(value).ok(),
        "protocol" => quirks::set_protocol(&mut url, value),
        "username" => quirks::set_username(&mut url, value),
        "password" => quirks::set_password(&mut url, value),
        "host" => quirks::set_host(&mut url, value),
        "hostname" => quirks::set_hostname(&mut url, value),
        "port" => quirks::set_port(&mut url, value),
        "pathname" => {
            quirks::set_pathname(&mut url, value);
            Ok(())
        }
        "search" => {
            quirks::set_search(&mut url, value);
            Ok(())
        }
        "hash" => {
            quirks::set_hash(&mut url, value);
            Ok(())
        }
        _ => return None,
    };
    // Setters ignore what they cannot use.
    kept.ok().map_or_else(|| Url::parse(href).ok(), |()| Some(url))
}

fn components<'js>(ctx: &Ctx<'js>, url: &Url) -> rquickjs::Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("href", quirks::href(url))?;
    object.set("origin", quirks::origin(url))?;
    object.set("protocol", quirks::protocol(url))?;
    object.set("username", quirks::username(url))?;
    object.set("password", quirks::password(url))?;
    object.set("host", quirks::host(url))?;
    object.set("hostname", quirks::hostname(url))?;
    object.set("port", quirks::port(url))?;
    object.set("pathname", quirks::pathname(url))?;
    object.set("search", quirks::search(url))?;
    object.set("hash", quirks::hash(url))?;
    Ok(object)
}

fn url_parse<'js>(ctx: Ctx<'js>, input: String, base: Option<String>) -> rquickjs::Result<Option<Object<'js>>> {
    parse(&input, base.as_deref()).map(|url| components(&ctx, &url)).transpose()
}

fn url_set<'js>(ctx: Ctx<'js>, href: String, part: String, value: String) -> rquickjs::Result<Option<Object<'js>>> {
    set(&href, &part, &value).map(|url| components(&ctx, &url)).transpose()
}

fn domain_to_ascii(domain: String) -> String {
    quirks::domain_to_ascii(&domain)
}

fn domain_to_unicode(domain: String) -> String {
    quirks::domain_to_unicode(&domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_replaced_or_left_alone() {
        let set = |part, value| set("http://a.b:80/c?d#e", part, value).map(String::from);
        assert_eq!(set("port", "8080").as_deref(), Some("http://a.b:8080/c?d#e"));
        assert_eq!(set("port", "x").as_deref(), Some("http://a.b/c?d#e"));
        assert_eq!(set("search", "").as_deref(), Some("http://a.b/c#e"));
        assert_eq!(set("href", "nonsense"), None);
        assert_eq!(set("color", "red"), None);
    }

    #[test]
    fn a_base_completes_relative_input() {
        let parse = |input, base| parse(input, base).map(String::from);
        assert_eq!(parse("../x", Some("http://a/b/c/d")).as_deref(), Some("http://a/b/x"));
        assert_eq!(parse("../x", None), None);
    }
}
