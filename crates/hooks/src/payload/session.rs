//! The life of a session: start, replacement, compaction, tree, end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tau_ai::Usage;

use super::{Merges, Output, Stop, Transforms};
use crate::changes::Changes;
use crate::dialect::{SkipRestore, Terms};
use crate::messages::Messages;
use crate::occasion::{Occasion, OnOccasion};

/// A session is ready.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStartEvent {
    /// Why.
    pub reason: SessionStartReason,
    /// The session file before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_session_file: Option<String>,
}

/// Why a session started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionStartReason {
    /// The program started.
    Startup,
    /// Extensions were reloaded.
    Reload,
    /// The user began a new session.
    New,
    /// The user went back to an old session.
    Resume,
    /// The user forked a session.
    Fork,
}

impl SessionStartReason {
    /// What `session_switch` calls it; `None` when no other session was opened, and for a fork.
    pub fn as_switch(self) -> Option<SwitchReason> {
        match self {
            Self::New => Some(SwitchReason::New),
            Self::Resume => Some(SwitchReason::Resume),
            Self::Startup | Self::Reload | Self::Fork => None,
        }
    }
}

/// The session is about to end.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionShutdownEvent {
    /// Why.
    pub reason: SessionShutdownReason,
    /// The session file that comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_session_file: Option<String>,
}

/// Why a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionShutdownReason {
    /// The program ends.
    Quit,
    /// Extensions are reloaded.
    Reload,
    /// A new session begins.
    New,
    /// Another session is opened.
    Resume,
    /// The session is forked.
    Fork,
}

/// The session got another name.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionInfoChangedEvent {
    /// The name; absent when it was cleared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Another session is about to replace this one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionBeforeSwitchEvent {
    /// `new` or `resume`.
    pub reason: SwitchReason,
    /// The session file to open, for `resume`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_session_file: Option<String>,
}

/// Why a session is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SwitchReason {
    /// A new session.
    New,
    /// An old session.
    Resume,
}

/// Another session replaced the one before.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSwitchEvent {
    /// `new` or `resume`.
    pub reason: SwitchReason,
    /// The session file before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_session_file: Option<String>,
}

/// The session is about to be forked.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionBeforeForkEvent {
    /// The entry to fork at.
    pub entry_id: String,
    /// Whether that entry is left out (`before`) or kept (`at`).
    pub position: ForkPosition,
}

/// Whether the entry at which a session is forked is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ForkPosition {
    /// Left out.
    Before,
    /// Kept.
    At,
}

/// The session was forked.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionForkEvent {
    /// The session file before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_session_file: Option<String>,
}

/// The conversation is about to be compacted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionBeforeCompactEvent {
    /// What would be summarised and what kept.
    pub preparation: CompactionPreparation,
    /// The entries of the branch.
    pub branch_entries: Vec<Value>,
    /// What the user asked the summary to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// Why.
    pub reason: CompactReason,
    /// Whether a failed request is repeated afterwards.
    pub will_retry: bool,
}

/// What a compaction would summarise and what it would keep.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactionPreparation {
    /// The first entry that is kept.
    pub first_kept_entry_id: String,
    /// The messages that a summary will stand for.
    pub messages_to_summarize: Messages,
    /// The beginning of a turn whose end is kept; summarised by itself.
    pub turn_prefix_messages: Messages,
    /// Whether the cut lies within a turn.
    pub is_split_turn: bool,
    /// Size of the context now, in tokens.
    pub tokens_before: u64,
    /// The summary of the compaction before, which the new one will go on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_summary: Option<String>,
    /// What extensions kept beside the summary before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_preserve_data: Option<Value>,
    /// The files that tools touched in what is summarised.
    pub file_ops: FileOps,
    /// The settings that apply.
    pub settings: CompactionNumbers,
}

/// Files that tools touched, each once, in the order of the first touch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileOps {
    /// Files that were read.
    pub read: Vec<String>,
    /// Files that were written.
    pub written: Vec<String>,
    /// Files that were edited.
    pub edited: Vec<String>,
}

/// When a conversation is compacted and how much of it stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactionNumbers {
    /// Whether it happens by itself.
    pub enabled: bool,
    /// Tokens kept free for the answer.
    pub reserve_tokens: u64,
    /// Tokens of recent history left as they are.
    pub keep_recent_tokens: u64,
}

/// Why a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CompactReason {
    /// The user asked.
    Manual,
    /// The context is nearly full.
    Threshold,
    /// The provider refused the context as too large.
    Overflow,
}

/// The conversation was compacted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCompactEvent {
    /// The new entry.
    pub compaction_entry: Value,
    /// Whether the summary is an extension's.
    pub from_extension: bool,
    /// Why.
    pub reason: CompactReason,
    /// Whether a failed request is repeated now.
    pub will_retry: bool,
}

/// The conversation was not compacted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCompactFailedEvent {
    /// Why it was tried.
    pub reason: CompactReason,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Somebody stopped it.
    pub aborted: bool,
    /// Whether a failed request would have been repeated.
    pub will_retry: bool,
    /// Whether an extension was at it.
    pub from_extension: bool,
}

/// The user is about to move to another place of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionBeforeTreeEvent {
    /// Where from, where to, and what would be summarised.
    pub preparation: TreePreparation,
}

/// What a move in the tree would be.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreePreparation {
    /// The entry that was chosen.
    pub target_id: String,
    /// The leaf now.
    pub old_leaf_id: Option<String>,
    /// The last entry that both places have behind them.
    pub common_ancestor_id: Option<String>,
    /// The entries of the branch that is left, oldest first.
    pub entries_to_summarize: Vec<Value>,
    /// Whether the user asked for a summary of them.
    pub user_wants_summary: bool,
    /// What the user asked the summary to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// Whether that replaces the standard instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace_instructions: Option<bool>,
    /// The bookmark the user wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// The user moved to another place of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionTreeEvent {
    /// The leaf now.
    pub new_leaf_id: Option<String>,
    /// The leaf before.
    pub old_leaf_id: Option<String>,
    /// The summary of the branch that was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_entry: Option<Value>,
    /// Whether the summary is an extension's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_extension: Option<bool>,
}

/// Whether to go on, for `session_before_switch`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CancelResult {
    /// `true` stops it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel: Option<bool>,
}

/// Whether and how to fork.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionBeforeForkResult {
    /// `true` stops it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel: Option<bool>,
    /// `true` forks without taking the conversation back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_conversation_restore: Option<bool>,
}

/// Whether and how to compact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionBeforeCompactResult {
    /// `true` stops it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel: Option<bool>,
    /// A summary to use instead of asking the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<CompactionResult>,
}

/// A summary that stands for compacted messages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactionResult {
    /// The summary.
    pub summary: String,
    /// The first entry that is kept; empty to keep none.
    pub first_kept_entry_id: String,
    /// Size of the context before, in tokens. Estimates of extensions may have fractions, which are cut off.
    #[serde(default, deserialize_with = "super::whole")]
    pub tokens_before: u64,
    /// Data of the extension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Tokens spent on the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Data that is kept beside the summary; handlers of the next compaction get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_data: Option<Value>,
}

/// A compaction that took place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactionDone {
    /// The summary.
    pub summary: String,
    /// The first entry that was kept.
    pub first_kept_entry_id: String,
    /// Size of the context before, in tokens.
    pub tokens_before: u64,
    /// Roughly the size of the context now, in tokens.
    pub estimated_tokens_after: u64,
    /// Tokens spent on the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Data of whoever made the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Data that extensions keep beside the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preserve_data: Option<Value>,
}

/// Whether and how to move in the tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionBeforeTreeResult {
    /// `true` stops it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel: Option<bool>,
    /// A summary of the branch that is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<TreeSummary>,
    /// What the summary should look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// Whether that replaces the standard instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace_instructions: Option<bool>,
    /// A bookmark for the summary, or for the target when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A summary of a branch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TreeSummary {
    /// The summary.
    pub summary: String,
    /// Data of the extension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Tokens spent on the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Results that can stop what is about to happen. Within a dialect the last one counts as a whole; between dialects the
/// last field that says something does.
macro_rules! cancellable {
    ($($result:ty => $payload:ty { $($field:ident),* } $({ $($more:tt)* })?)*) => {$(
        impl Output<$payload> for $result {
            const STOPS: Option<Stop<Self>> =
                Some(Stop { said: "cancel: true", is: |result| result.cancel == Some(true) });

            fn is_empty(&self) -> bool {
                *self == Self::default()
            }
            $($($more)*)?
        }

        impl Transforms<$payload> for $result {
            /// It decides about what is about to happen, which stays the same for all who are asked.
            fn apply(&self, _: &mut $payload) -> Changes {
                Changes::none()
            }
        }

        impl Merges for $result {
            const HOW: &'static str = "each field of a later result replaces that of an earlier one";

            fn merge(&mut self, later: Self) {
                $(self.$field = later.$field.or(self.$field.take());)*
            }
        }
    )*};
}

cancellable! {
    CancelResult => SessionBeforeSwitchEvent { cancel }

    SessionBeforeForkResult => SessionBeforeForkEvent { cancel, skip_conversation_restore } {
        fn adopt(&mut self, _: &SessionBeforeForkEvent, terms: &Terms) -> Result<(), String> {
            self.cancel = self.cancel.filter(|_| terms.rule.counts("cancel"));
            Ok(())
        }
        fn conclude(&mut self, terms: &Terms) {
            if terms.dialect.skip_restore == SkipRestore::Abort && self.skip_conversation_restore.take() == Some(true) {
                self.cancel = Some(true);
            }
        }
    }

    SessionBeforeCompactResult => SessionBeforeCompactEvent { cancel, compaction }

    SessionBeforeTreeResult => SessionBeforeTreeEvent {
        cancel, summary, custom_instructions, replace_instructions, label
    } {
        fn adopt(&mut self, _: &SessionBeforeTreeEvent, terms: &Terms) -> Result<(), String> {
            let rule = &terms.rule;
            self.custom_instructions = self.custom_instructions.take().filter(|_| rule.counts("customInstructions"));
            self.replace_instructions = self.replace_instructions.filter(|_| rule.counts("replaceInstructions"));
            self.label = self.label.take().filter(|_| rule.counts("label"));
            Ok(())
        }
    }
}

impl OnOccasion for SessionShutdownEvent {
    fn occasion(&self) -> Occasion {
        use SessionShutdownReason::{Fork, New, Quit, Reload, Resume};
        match self.reason {
            Quit | Reload => Occasion::Ordinary,
            New | Resume | Fork => Occasion::Replacement,
        }
    }
}

impl OnOccasion for SessionStartEvent {
    fn occasion(&self) -> Occasion {
        match self.reason {
            SessionStartReason::Startup | SessionStartReason::Reload => Occasion::Beginning,
            SessionStartReason::New | SessionStartReason::Resume | SessionStartReason::Fork => Occasion::Renewal,
        }
    }
}

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::{Sample, object, text};

    impl Sample for SessionStartEvent {
        fn sample() -> Self {
            Self { reason: SessionStartReason::Startup, previous_session_file: None }
        }
    }

    impl Sample for SessionInfoChangedEvent {
        fn sample() -> Self {
            Self { name: None }
        }
    }

    impl Sample for SessionBeforeSwitchEvent {
        fn sample() -> Self {
            Self { reason: SwitchReason::New, target_session_file: None }
        }
    }

    impl Sample for SessionSwitchEvent {
        fn sample() -> Self {
            Self { reason: SwitchReason::New, previous_session_file: None }
        }
    }

    impl Sample for SessionBeforeForkEvent {
        fn sample() -> Self {
            Self { entry_id: text(), position: ForkPosition::At }
        }
    }

    impl Sample for SessionForkEvent {
        fn sample() -> Self {
            Self { previous_session_file: None }
        }
    }

    impl Sample for SessionBeforeCompactEvent {
        fn sample() -> Self {
            Self {
                preparation: CompactionPreparation::default(),
                branch_entries: Vec::new(),
                custom_instructions: None,
                reason: CompactReason::Manual,
                will_retry: false,
            }
        }
    }

    impl Sample for SessionCompactEvent {
        fn sample() -> Self {
            Self { compaction_entry: object(), from_extension: false, reason: CompactReason::Manual, will_retry: false }
        }
    }

    impl Sample for SessionCompactFailedEvent {
        fn sample() -> Self {
            Self {
                reason: CompactReason::Manual,
                error_message: None,
                aborted: true,
                will_retry: false,
                from_extension: false,
            }
        }
    }

    impl Sample for SessionBeforeTreeEvent {
        fn sample() -> Self {
            Self { preparation: TreePreparation::default() }
        }
    }

    impl Sample for SessionTreeEvent {
        fn sample() -> Self {
            Self { new_leaf_id: None, old_leaf_id: None, summary_entry: None, from_extension: None }
        }
    }

    impl Sample for SessionShutdownEvent {
        fn sample() -> Self {
            Self { reason: SessionShutdownReason::Quit, target_session_file: None }
        }
    }
}
