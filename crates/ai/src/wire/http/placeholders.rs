//! Addresses that name a part which only the customer knows: `{CLOUDFLARE_ACCOUNT_ID}`.

use std::borrow::Cow;

use crate::StreamRequest;
use crate::wire::error::WireError;

/// An address with the settings of the provider in the place of their names. What no setting can be called stays.
///
/// # Errors
/// When a setting that it names is missing.
pub(super) fn filled<'u>(url: &'u str, request: &StreamRequest) -> Result<Cow<'u, str>, WireError> {
    let mut filled = String::new();
    let mut rest = url;
    while let Some((before, name, after)) = next(rest) {
        let value = request.options.env.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
        let provider = &request.model.provider;
        let value = value.ok_or_else(|| {
            WireError::Config(format!("The base URL of provider {provider} needs {name}, which is not set"))
        })?;
        filled.push_str(before);
        filled.push_str(value);
        rest = after;
    }
    if filled.is_empty() {
        return Ok(Cow::Borrowed(url));
    }
    filled.push_str(rest);
    Ok(Cow::Owned(filled))
}

/// What stands before the first name in braces, the name, and what follows.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| at + from) {
        let inside = &text[open + 1..];
        let fits = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
        let length = inside.bytes().take_while(fits).count();
        if inside.starts_with(|first: char| first.is_ascii_uppercase()) && inside[length..].starts_with('}') {
            return Some((&text[..open], &inside[..length], &inside[length + 1..]));
        }
        from = open + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn only_names_of_settings_are_placeholders() {
        assert_eq!(next("https://a/{ACCOUNT_1}/b"), Some(("https://a/", "ACCOUNT_1", "/b")));
        assert_eq!(next("https://a/{{A}}"), Some(("https://a/{", "A", "}")));
        for text in ["https://a/b", "https://a/{1}", "https://a/{id}/{", "https://a/{}/{A", "https://a/{A-B}"] {
            assert_eq!(next(text), None, "{text}");
        }
    }
}
