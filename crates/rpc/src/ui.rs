//! What extensions want of the user, in both directions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tau_hooks::dialogs::{NotifyLevel, WidgetPlacement};

/// The `type` of an answer to a dialog.
pub const UI_RESPONSE: &str = "extension_ui_response";

/// What clients of earlier versions write.
const OLDER_UI_RESPONSE: &str = "hook_ui_response";

/// Whether a line of this `type` answers a dialog.
pub fn is_ui_response(kind: &str) -> bool {
    kind == UI_RESPONSE || kind == OLDER_UI_RESPONSE
}

/// Something for the user. `select`, `confirm`, `input` and `editor` are dialogs: tau waits for an answer, but not after
/// `timeout` milliseconds, nor when whoever asked has gone; an answer that comes later does not matter. All others are
/// for the client to show, and nothing is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", rename_all_fields = "camelCase")]
pub enum UiRequest {
    /// One of several options: answered with `value`.
    #[serde(rename = "select")]
    Select {
        /// The question.
        title: String,
        /// What can be chosen.
        options: Vec<String>,
        /// How long the question stands, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    /// Yes or no: answered with `confirmed`.
    #[serde(rename = "confirm")]
    Confirm {
        /// The question.
        title: String,
        /// What it is about.
        message: String,
        /// How long the question stands, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    /// A line of text: answered with `value`.
    #[serde(rename = "input")]
    Input {
        /// The question.
        title: String,
        /// Shown while nothing is typed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        placeholder: Option<String>,
        /// How long the question stands, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    /// A longer text: answered with `value`.
    #[serde(rename = "editor")]
    Editor {
        /// The question.
        title: String,
        /// The text to start with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prefill: Option<String>,
    },
    /// A message.
    #[serde(rename = "notify")]
    Notify {
        /// The text.
        message: String,
        /// `info`, `warning`, `error`, or another word that the extension uses, such as `success`; absent when it does
        /// not say. A client shows what it does not know as `info`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<String>")]
        notify_type: Option<NotifyLevel>,
    },
    /// A text in the status line, under a key.
    #[serde(rename = "setStatus")]
    SetStatus {
        /// The key.
        status_key: String,
        /// The text; absent to remove it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status_text: Option<String>,
    },
    /// Lines next to the editor, under a key.
    #[serde(rename = "setWidget")]
    SetWidget {
        /// The key.
        widget_key: String,
        /// The lines; absent to remove them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        widget_lines: Option<Vec<String>>,
        /// `aboveEditor` or `belowEditor`; absent when the extension does not say, which means `aboveEditor`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<String>")]
        widget_placement: Option<WidgetPlacement>,
    },
    /// The title of the window.
    #[serde(rename = "setTitle")]
    SetTitle {
        /// The title.
        title: String,
    },
    /// The text of the editor.
    #[serde(rename = "set_editor_text")]
    SetEditorText {
        /// The text.
        text: String,
    },
}

/// An answer to a dialog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UiResponse {
    /// The `id` of the request.
    pub id: String,
    /// The answer.
    #[serde(flatten)]
    pub body: UiResponseBody,
}

/// What is answered; one of the three, after the kind of the dialog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UiResponseBody {
    /// The option or the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Yes or no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Value>,
    /// The user left without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<Value>,
}
