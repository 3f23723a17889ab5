//! What must hold of tokens that a server gives out: they go into headers and files.

use serde_json::Value;

/// Says what is wrong with an answer that gives out tokens. What is missing is for others to say.
pub(super) fn check(said: &Value) -> Result<(), &'static str> {
    for name in ["access_token", "refresh_token", "key"] {
        if said.get(name).and_then(Value::as_str).is_some_and(|token| !is_token(token)) {
            return Err(match name {
                "access_token" => "its \"access_token\" holds a line break or another character that no token has",
                "refresh_token" => "its \"refresh_token\" holds a line break or another character that no token has",
                _ => "its \"key\" holds a line break or another character that no key has",
            });
        }
    }
    match said.get("expires_in") {
        None | Some(Value::Null) => Ok(()),
        Some(seconds)
            if seconds.as_f64().or_else(|| seconds.as_str()?.parse().ok()).is_some_and(|time| time >= 0.0) =>
        {
            Ok(())
        }
        Some(_) => Err("its \"expires_in\" must be a number of seconds, 0 or more"),
    }
}

/// Whether a text is a token: ASCII without control characters, as the protocol wants it.
fn is_token(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}
