//! Reads the code out of what comes back from the browser: by itself, or pasted by the user.

use url::{Url, form_urlencoded};

use super::failure::Failure;

/// An authorization code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Code {
    /// The code itself.
    pub(super) text: String,
    /// The server that the address says it is from.
    pub(super) issuer: Option<String>,
}

/// What an address that came back says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Returned {
    /// The code.
    Code(Code),
    /// Nothing about a login.
    Nothing,
}

/// Reads an address that the browser was sent back to. A refusal of the server `host` is an error.
pub(super) fn returned(url: &Url, host: &str, state: Option<&str>) -> Result<Returned, Failure> {
    of_pairs(url.query_pairs(), host, state)
}

fn of_pairs<'p>(
    pairs: impl Iterator<Item = (std::borrow::Cow<'p, str>, std::borrow::Cow<'p, str>)>,
    host: &str,
    state: Option<&str>,
) -> Result<Returned, Failure> {
    let (mut code, mut given, mut error, mut description, mut issuer) = (None, None, None, None, None);
    for (name, value) in pairs {
        let slot = match &*name {
            "code" => &mut code,
            "state" => &mut given,
            "error" => &mut error,
            "error_description" => &mut description,
            "iss" => &mut issuer,
            _ => continue,
        };
        *slot = Some(value.into_owned());
    }
    if code.is_none() && error.is_none() {
        return Ok(Returned::Nothing);
    }
    if state.is_some() && given.as_deref() != state {
        return Err(Failure::OtherLogin);
    }
    match (error, code.filter(|code| !code.is_empty())) {
        (Some(code), _) => Err(Failure::Refused { host: host.to_owned(), code, description }),
        (None, Some(text)) => Ok(Returned::Code(Code { text, issuer })),
        (None, None) => Err(Failure::NoCode),
    }
}

/// Reads what the user pasted: the whole address, its query, `code#state`, or the code alone.
pub(super) fn pasted(text: &str, host: &str, state: Option<&str>) -> Result<Code, Failure> {
    let text = text.trim();
    let found = match Url::parse(text) {
        Ok(url) if url.has_host() => returned(&url, host, state)?,
        _ if text.contains("code=") || text.contains("error=") => {
            of_pairs(form_urlencoded::parse(text.trim_start_matches('?').as_bytes()), host, state)?
        }
        _ => {
            let (code, given) = text.split_once('#').map_or((text, None), |(code, given)| (code, Some(given)));
            if given.is_some() && state.is_some() && given != state {
                return Err(Failure::OtherLogin);
            }
            let is_code = !code.is_empty() && !code.contains(char::is_whitespace);
            if is_code { Returned::Code(Code { text: code.to_owned(), issuer: None }) } else { Returned::Nothing }
        }
    };
    match found {
        Returned::Code(code) => Ok(code),
        Returned::Nothing => Err(Failure::NoCode),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_code_is_found_in_whatever_was_pasted() {
        let refused = |description: Option<&str>| {
            Err(Failure::Refused {
                host: "corp".to_owned(),
                code: "access_denied".to_owned(),
                description: description.map(str::to_owned),
            })
        };
        for (text, found) in [
            ("  abc \n", Ok("abc")),
            ("http://127.0.0.1:1/callback?code=a%2Fb&state=s", Ok("a/b")),
            ("?state=s&code=abc", Ok("abc")),
            ("code=abc&state=s", Ok("abc")),
            ("abc#s", Ok("abc")),
            ("abc#t", Err(Failure::OtherLogin)),
            ("http://127.0.0.1:1/callback?code=abc&state=t", Err(Failure::OtherLogin)),
            ("http://127.0.0.1:1/callback?code=abc", Err(Failure::OtherLogin)),
            ("http://127.0.0.1:1/callback?code=&state=s", Err(Failure::NoCode)),
            ("http://127.0.0.1:1/callback", Err(Failure::NoCode)),
            ("", Err(Failure::NoCode)),
            ("I do not have one", Err(Failure::NoCode)),
            ("http://127.0.0.1:1/c?error=access_denied&state=s", refused(None)),
            ("http://127.0.0.1:1/c?error=access_denied&error_description=No.&state=s", refused(Some("No."))),
        ] {
            assert_eq!(pasted(text, "corp", Some("s")).map(|code| code.text), found.map(str::to_owned), "{text}");
        }
        let code = |issuer: Option<&str>| Ok(Code { text: "abc".to_owned(), issuer: issuer.map(str::to_owned) });
        assert_eq!(pasted("http://h/c?code=abc", "corp", None), code(None));
        assert_eq!(pasted("http://h/c?code=abc&iss=https%3A%2F%2Fh", "corp", None), code(Some("https://h")));
    }

    proptest! {
        #[test]
        fn nothing_that_is_pasted_is_too_much(text in ".{0,200}") {
            if let Ok(code) = pasted(&text, "corp", Some("s")) {
                prop_assert!(!code.text.is_empty());
            }
        }
    }
}
