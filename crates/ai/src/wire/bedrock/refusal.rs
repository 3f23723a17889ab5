//! How failures of Bedrock are worded.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::wire::error::WireError;
use crate::wire::frames;

const RETENTION_PAGE: &str = "https://docs.aws.amazon.com/bedrock/latest/userguide/data-retention.html";

/// The words of a body, with the name of the exception if the body has it.
pub(super) fn wording(status: u16, body: &Value) -> String {
    let kind = ["__type", "code"].iter().find_map(|key| body.get(key)?.as_str());
    match (kind, message(body)) {
        (Some(kind), Some(message)) => explained(short_name(kind), message),
        (None, Some(message)) => format!("{status} {message}"),
        _ => format!("{status} {body}"),
    }
}

/// A refusal with the name of its exception, which AWS puts into a header.
pub(super) fn named(error: WireError) -> WireError {
    match error {
        WireError::Refused { status, text, retry_after, headers } => {
            let name = kind(&headers);
            let text = match (name, text.strip_prefix(&format!("{status} "))) {
                (Some(name), Some(words)) => explained(name, words),
                _ => text,
            };
            WireError::Refused { status, text, retry_after, headers }
        }
        other => other,
    }
}

/// The name of the exception in the headers of a refusal.
pub(super) fn kind(headers: &BTreeMap<String, String>) -> Option<&str> {
    headers.get("x-amzn-errortype").map(|kind| short_name(kind)).filter(|name| !name.is_empty())
}

/// A failure that the stream reports.
pub(super) fn in_stream(event: &str, data: &str) -> String {
    let data: Value = serde_json::from_str(data).unwrap_or_default();
    if event == frames::ERROR {
        let text = |key: &str| data[key].as_str().unwrap_or_default();
        return match (text("code"), text("message")) {
            (code, "") => code.to_owned(),
            ("", message) => message.to_owned(),
            (code, message) => format!("{code}: {message}"),
        };
    }
    let (body, mut name) = (&data[event], event.to_owned());
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let words = message(body).map_or_else(|| body.to_string(), str::to_owned);
    explained(&name, &words)
}

fn message(body: &Value) -> Option<&str> {
    ["message", "Message"].iter().find_map(|key| body.get(key)?.as_str())
}

/// `com.amazon#SomeException:http://…` is known as `SomeException`.
fn short_name(kind: &str) -> &str {
    let kind = kind.split(':').next().unwrap_or_default();
    kind.rsplit('#').next().unwrap_or_default().trim()
}

fn explained(name: &str, words: &str) -> String {
    let name = match name {
        "InternalServerException" => "Internal server error",
        "ModelStreamErrorException" => "Model stream error",
        "ValidationException" => "Validation error",
        "ThrottlingException" => "Throttling error",
        "ServiceUnavailableException" => "Service unavailable",
        other => other,
    };
    let hint = if words.to_lowercase().contains("data retention mode") {
        format!(" See {RETENTION_PAGE} for supported data retention modes.")
    } else {
        String::new()
    };
    format!("{name}: {words}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn exceptions_have_names() {
        assert_eq!(
            wording(400, &json!({"__type": "com.amazon#ValidationException", "Message": "No"})),
            "Validation error: No"
        );
        assert_eq!(wording(403, &json!({"message": "No"})), "403 No");
        assert_eq!(wording(500, &json!([1])), "500 [1]");
        let throttled = r#"{"throttlingException":{"message":"Slow down"}}"#;
        assert_eq!(in_stream("throttlingException", throttled), "Throttling error: Slow down");
        assert_eq!(in_stream("newException", r#"{"newException":{"a":1}}"#), r#"NewException: {"a":1}"#);
        assert_eq!(in_stream(":error", r#"{"code":"Oops","message":"Bad"}"#), "Oops: Bad");
        assert_eq!(in_stream(":error", r#"{"code":"Oops","message":""}"#), "Oops");
    }
}
