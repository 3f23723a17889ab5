//! What an answer to a question of a server must be.

use serde_json::Value;
use url::Url;

/// What is wrong with an answer, for the user; nothing when it fits what the server wants.
pub(crate) fn problem(answer: &Value, schema: &Value) -> Option<String> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(number) = answer.as_f64() {
        let least = limit("minimum").filter(|least| number < *least).map(|least| format!("at least {least}"));
        let most = || limit("maximum").filter(|most| number > *most).map(|most| format!("at most {most}"));
        return least.or_else(most).map(|what| format!("it must be {what}"));
    }
    let text = answer.as_str()?;
    #[expect(clippy::cast_precision_loss, reason = "nobody types so much")]
    let length = text.chars().count() as f64;
    let short = limit("minLength").filter(|least| length < *least).map(|least| format!("at least {least} characters"));
    let long = || limit("maxLength").filter(|most| length > *most).map(|most| format!("at most {most} characters"));
    let format = || {
        let (fits, what) = match schema.get("format").and_then(Value::as_str)? {
            "email" => (is_email(text), "an e-mail address"),
            "uri" => (Url::parse(text).is_ok(), "an address such as https://example.com"),
            "date" => (is_date(text), "a date such as 2026-01-31"),
            _ => return None,
        };
        (!fits).then(|| what.to_owned())
    };
    short.or_else(long).or_else(format).map(|what| format!("it must be {what}"))
}

fn is_email(text: &str) -> bool {
    let parts = text.split_once('@');
    parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
        && !text.contains(char::is_whitespace)
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    matches!(parts[..], [year, month, day] if number(year, 4) && number(month, 2) && number(day, 2))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_held_to_what_the_server_wants() {
        for (answer, schema, expected) in [
            (json!(99), json!({"minimum": 1, "maximum": 5}), Some("it must be at most 5")),
            (json!(0.5), json!({"minimum": 1}), Some("it must be at least 1")),
            (json!(3), json!({"minimum": 1, "maximum": 5}), None),
            (json!("ab"), json!({"minLength": 3}), Some("it must be at least 3 characters")),
            (json!("äöü"), json!({"maxLength": 3}), None),
            (json!("abcd"), json!({"maxLength": 3}), Some("it must be at most 3 characters")),
            (json!("3"), json!({"format": "email"}), Some("it must be an e-mail address")),
            (json!("ada@example.com"), json!({"format": "email"}), None),
            (json!("example"), json!({"format": "uri"}), Some("it must be an address such as https://example.com")),
            (json!("31.1."), json!({"format": "date"}), Some("it must be a date such as 2026-01-31")),
            (json!("2026-01-31"), json!({"format": "date"}), None),
            (json!("x"), json!({"format": "other"}), None),
            (json!(true), json!({"minimum": 1}), None),
        ] {
            assert_eq!(problem(&answer, &schema).as_deref(), expected, "{answer} {schema}");
        }
    }
}
