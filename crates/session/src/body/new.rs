//! Making the bodies of new entries.

use std::sync::Arc;

use serde_json::Value;
use tau_ai::{JsonMap, Message, MessageContent, Usage};

use super::{
    BranchSummary, Compaction, ContextEdit, CustomEntry, CustomMessageEntry, EntryBody, LabelEntry, MessageEntry,
    ModelChange, Replacement, SessionInfoEntry, ThinkingLevelChange, TtsrInjection, UsageEntry,
};

impl EntryBody {
    /// A message of the conversation.
    pub fn message(message: impl Into<Arc<Message>>) -> Self {
        Self::Message(MessageEntry { message: message.into(), extra: JsonMap::new() })
    }

    /// Another thinking level.
    pub fn thinking_level_change(level: impl Into<String>) -> Self {
        Self::ThinkingLevelChange(ThinkingLevelChange { thinking_level: level.into(), extra: JsonMap::new() })
    }

    /// Another model.
    pub fn model_change(provider: impl Into<String>, model_id: impl Into<String>) -> Self {
        let (provider, model_id) = (provider.into(), model_id.into());
        Self::ModelChange(ModelChange { provider, model_id, extra: JsonMap::new() })
    }

    /// A compaction without details, usage and origin; set those on the fields.
    pub fn compaction(summary: impl Into<String>, first_kept_entry_id: Option<&str>, tokens_before: u64) -> Self {
        Self::Compaction(Compaction {
            summary: summary.into(),
            first_kept_entry_id: first_kept_entry_id.map(str::to_owned),
            tokens_before,
            details: None,
            usage: None,
            from_hook: None,
            preserve_data: None,
            extra: JsonMap::new(),
        })
    }

    /// The summary of the branch whose leaf was `from` (`None`: the root), without details, usage and origin.
    pub fn branch_summary(from: Option<&str>, summary: impl Into<String>) -> Self {
        Self::BranchSummary(BranchSummary {
            from_id: from.unwrap_or("root").to_owned(),
            summary: summary.into(),
            details: None,
            usage: None,
            from_hook: None,
            extra: JsonMap::new(),
        })
    }

    /// Rules that the model was told because of what it was writing.
    pub fn ttsr_injection(injected_rules: Vec<String>) -> Self {
        Self::TtsrInjection(TtsrInjection { injected_rules, extra: JsonMap::new() })
    }

    /// State of an extension.
    pub fn custom(custom_type: impl Into<String>, data: Option<Value>) -> Self {
        Self::Custom(CustomEntry { custom_type: custom_type.into(), data, extra: JsonMap::new() })
    }

    /// A message of an extension.
    pub fn custom_message(
        custom_type: impl Into<String>,
        content: impl Into<MessageContent>,
        display: bool,
        details: Option<Value>,
    ) -> Self {
        let (custom_type, content) = (custom_type.into(), content.into());
        Self::CustomMessage(CustomMessageEntry { custom_type, content, display, details, extra: JsonMap::new() })
    }

    /// A bookmark; `None` and the empty string clear it. [`crate::Session::set_label`] checks the target.
    pub fn label(target_id: impl Into<String>, label: Option<&str>) -> Self {
        let label = label.filter(|label| !label.is_empty()).map(str::to_owned);
        Self::Label(LabelEntry { target_id: target_id.into(), label, extra: JsonMap::new() })
    }

    /// A session name, brought into one line; an empty one clears the name.
    pub fn session_info(name: &str) -> Self {
        let lines = name.split(['\r', '\n']).filter(|line| !line.is_empty());
        let name = lines.collect::<Vec<_>>().join(" ").trim().to_owned();
        Self::SessionInfo(SessionInfoEntry { name: Some(name), extra: JsonMap::new() })
    }

    /// Tokens that were spent beside the conversation.
    pub fn usage(
        kind: impl Into<String>,
        provider: impl Into<String>,
        model: impl Into<String>,
        usage: Usage,
        note: Option<String>,
    ) -> Self {
        let (kind, provider, model) = (kind.into(), provider.into(), model.into());
        Self::Usage(UsageEntry { kind, provider, model, usage, note, extra: JsonMap::new() })
    }

    /// A change of what the model sees. [`crate::Session::edit_context`] checks the target.
    pub fn context_edit(target_id: impl Into<String>, content: Option<MessageContent>) -> Self {
        let replacement = content.map(|content| Replacement { content, extra: JsonMap::new() });
        Self::ContextEdit(ContextEdit { target_id: target_id.into(), replacement, extra: JsonMap::new() })
    }
}
