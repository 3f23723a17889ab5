//! `reasoning_details`: reasoning in a form that goes back to the server untouched.
//!
//! Routers stream it in pieces next to (or instead of) readable reasoning. It is kept as JSON text in the
//! signature of the thinking block it belongs to.

use serde_json::Value;

use crate::Model;

/// Details collected so far.
#[derive(Default)]
pub(super) struct Details(Vec<Value>);

impl Details {
    /// Adds a piece and tells whether it was one. Consecutive pieces of text or summary are one entry; encrypted
    /// entries stay apart.
    pub fn push(&mut self, detail: Value) -> bool {
        let growing = match detail.get("type").and_then(Value::as_str) {
            Some("reasoning.text") => "text",
            Some("reasoning.summary") => "summary",
            Some("reasoning.encrypted") => "",
            _ => return false,
        };
        let Value::Object(detail) = detail else { return false };
        match self.0.last_mut() {
            Some(Value::Object(last)) if !growing.is_empty() && last.get("type") == detail.get("type") => {
                for (key, value) in detail {
                    match (last.get_mut(&key), value) {
                        (Some(Value::String(old)), Value::String(more)) if key == growing => old.push_str(&more),
                        (None | Some(Value::Null), value) => {
                            last.insert(key, value);
                        }
                        _ => {}
                    }
                }
            }
            _ => self.0.push(Value::Object(detail)),
        }
        true
    }

    /// Takes everything as the signature of a thinking block.
    pub fn take_signature(&mut self) -> Option<String> {
        (!self.0.is_empty()).then(|| Value::Array(std::mem::take(&mut self.0)).to_string())
    }
}

/// The details in a signature, when it holds some.
pub(super) fn from_signature(signature: &str) -> Option<Vec<Value>> {
    if !signature.starts_with('[') {
        return None;
    }
    let details: Vec<Value> = serde_json::from_str(signature).ok()?;
    let known =
        |detail: &Value| detail.get("type").and_then(Value::as_str).is_some_and(|kind| kind.starts_with("reasoning."));
    (!details.is_empty() && details.iter().all(known)).then_some(details)
}

/// The encrypted detail that earlier versions kept with a call.
pub(super) fn of_call(signature: &str) -> Option<Value> {
    let detail: Value = serde_json::from_str(signature).ok()?;
    let has = |key: &str| detail.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    (detail["type"] == "reasoning.encrypted" && has("id") && has("data")).then_some(detail)
}

/// The field in which a server takes back reasoning that came in `field`: one sends it in another than it takes.
pub(super) fn field<'f>(model: &Model, field: &'f str) -> &'f str {
    if model.provider == "opencode-go" && field == "reasoning" { "reasoning_content" } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pieces_of_text_join_and_survive_the_signature() {
        let mut details = Details::default();
        for piece in [
            json!({"type": "reasoning.text", "text": "I ", "index": 0}),
            json!({"type": "reasoning.text", "text": "think", "signature": "sig"}),
            json!({"type": "reasoning.encrypted", "data": "AA", "id": "1"}),
            json!({"type": "reasoning.encrypted", "data": "BB", "id": "2"}),
            json!({"type": "unknown"}),
            json!("nonsense"),
        ] {
            details.push(piece);
        }
        let signature = details.take_signature().expect("a signature");
        assert_eq!(
            from_signature(&signature),
            Some(vec![
                json!({"type": "reasoning.text", "text": "I think", "index": 0, "signature": "sig"}),
                json!({"type": "reasoning.encrypted", "data": "AA", "id": "1"}),
                json!({"type": "reasoning.encrypted", "data": "BB", "id": "2"}),
            ])
        );
        assert_eq!(details.take_signature(), None);
        assert_eq!(from_signature("reasoning_content"), None);
        assert_eq!(from_signature("[1]"), None);
    }
}
