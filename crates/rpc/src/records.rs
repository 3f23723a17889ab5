//! What tau writes beside events and dialogs: responses and errors of extensions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The answer to a command, as a client reads it. There is one for each command.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// The `id` of the command; absent when it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// The `type` of the command; `parse` when the line was no command.
    pub command: String,
    /// Whether it was done.
    pub success: bool,
    /// What the command gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub data: Option<Box<RawValue>>,
    /// Why it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// An extension failed. Its handler's failure changed nothing but what `docs/events.md` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename = "extension_error", rename_all = "camelCase")]
pub struct ExtensionError {
    /// The extension's file, or what else it is known by.
    pub extension_path: String,
    /// The event it handled, `command`, or what else was going on.
    pub event: String,
    /// What went wrong.
    pub error: String,
}

/// A hook of an older dialect or a script failed. The failure changed nothing but what `docs/dialects.md` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename = "hook_error", rename_all = "camelCase")]
pub struct HookError {
    /// The hook's file, or what else it is known by.
    pub hook_path: String,
    /// The event it handled, by the name of its dialect, `command`, or what else was going on.
    pub event: String,
    /// What went wrong.
    pub error: String,
}

/// Written by hand: the order of the members is what people read.
#[derive(Serialize)]
struct Line<'a, T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    r#type: &'static str,
    command: &'a str,
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl<'a, T: Serialize> Line<'a, T> {
    fn new(id: Option<&'a Value>, command: &'a str) -> Self {
        Self { id, r#type: "response", command, success: true, data: None, error: None }
    }

    fn bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }
}

/// The response to a command that was done, with its line end. `data` is absent for [`Done`](crate::Done).
///
/// # Errors
/// When the data is no JSON.
pub fn success_line<T: Serialize>(
    id: Option<&Value>,
    command: &str,
    data: Option<&T>,
) -> Result<Vec<u8>, serde_json::Error> {
    Line { data, ..Line::new(id, command) }.bytes()
}

/// The response to a command that was not done, with its line end.
pub fn failure_line(id: Option<&Value>, command: &str, error: &str) -> Vec<u8> {
    let line = Line::<()> { success: false, error: Some(error), ..Line::new(id, command) };
    // Texts and an id that was read as JSON are always JSON.
    line.bytes().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn responses_are_lines() {
        let text = |line: Vec<u8>| String::from_utf8(line).unwrap();
        let id = json!("a\n");
        assert_eq!(
            text(success_line::<()>(Some(&id), "prompt", None).unwrap()),
            "{\"id\":\"a\\n\",\"type\":\"response\",\"command\":\"prompt\",\"success\":true}\n"
        );
        assert_eq!(
            text(success_line(None, "cycle_model", Some(&None::<()>)).unwrap()),
            "{\"type\":\"response\",\"command\":\"cycle_model\",\"success\":true,\"data\":null}\n"
        );
        assert_eq!(
            text(failure_line(Some(&json!(7)), "x", "no")),
            "{\"id\":7,\"type\":\"response\",\"command\":\"x\",\"success\":false,\"error\":\"no\"}\n"
        );
    }
}
