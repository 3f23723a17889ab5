//! What an entry says: one table of the kinds of entries and their fields.

mod new;
mod whole;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tau_ai::json::Changes;
use tau_ai::{JsonMap, Message, MessageContent, Usage};

use crate::EntryId;
use crate::json::{ObjectWriter, RawFields};

/// The fields that every entry has.
pub(crate) const BASE: [&str; 4] = ["type", "id", "parentId", "timestamp"];

/// The base fields of an entry that is being written.
pub(crate) struct Base<'a> {
    pub(crate) id: &'a EntryId,
    pub(crate) parent_id: Option<&'a EntryId>,
    pub(crate) timestamp: &'a str,
}

impl Base<'_> {
    pub(crate) fn write(&self, object: &mut ObjectWriter) -> Result<(), serde_json::Error> {
        object.field("id", self.id)?;
        object.field("parentId", &self.parent_id)?;
        object.field("timestamp", self.timestamp)
    }
}

/// How a field is read is the name of a method of [`RawFields`]; all but `optional` ones are always written.
macro_rules! write_field {
    (optional, $object:ident, $key:literal, $value:expr) => {
        if let Some(value) = &$value {
            $object.field($key, value)?;
        }
    };
    ($how:ident, $object:ident, $key:literal, $value:expr) => {
        $object.field($key, &$value)?
    };
}

/// A type of entry, for the manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryType {
    /// The type as it is written.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// Its own fields, beside those that every entry has.
    pub fields: &'static [EntryField],
}

/// A field of an entry, for the manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryField {
    /// The name as it is written.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// An entry without it can be read.
    pub may_be_absent: bool,
}

/// From each row come a struct, a variant of [`EntryBody`] and of [`EntryKind`], and how it is read and
/// written. Fields are written in the order of the row, which is that of the other program; so is the place
/// of the base fields, `first` or `last`.
macro_rules! entries {
    ($(
        $(#[doc = $doc:literal])*
        $wire:literal $variant:ident($body:ident) base $place:ident {
            $( $(#[doc = $field_doc:literal])* $field:ident: $ty:ty = $how:ident $key:literal, )*
        }
    )*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, PartialEq)]
            pub struct $body {
                $( $(#[doc = $field_doc])* pub $field: $ty, )*
                /// Fields this version does not know.
                pub extra: JsonMap,
            }
        )*

        /// What an entry says.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum EntryBody {
            $( $(#[doc = $doc])* $variant($body), )*
            /// An entry of a type this version does not know, or that lacks a field its type needs: all its
            /// fields, `type` included, but without id, parent and timestamp.
            Unknown(JsonMap),
        }

        /// The type of an entry.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EntryKind {
            $( $(#[doc = $doc])* $variant, )*
            /// A type this version does not know.
            Unknown,
        }

        /// Every type of entry with its fields, for the manual.
        pub static ENTRY_TYPES: &[EntryType] = &[$(
            EntryType {
                name: $wire,
                about: concat!($($doc),*),
                fields: &[$( EntryField {
                    name: $key,
                    about: concat!($($field_doc),*),
                    may_be_absent: !matches!(stringify!($how).as_bytes(), b"required"),
                }, )*],
            },
        )*];

        impl EntryKind {
            /// The kind that is written as `name`.
            pub(crate) fn from_name(name: &str) -> Self {
                match name {
                    $( $wire => Self::$variant, )*
                    _ => Self::Unknown,
                }
            }
        }

        impl EntryBody {
            /// The type as it is written; empty when an unknown entry has none.
            pub fn type_name(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $wire, )*
                    Self::Unknown(fields) => fields.get("type").and_then(Value::as_str).unwrap_or_default(),
                }
            }

            /// The kind of the entry.
            pub fn kind(&self) -> EntryKind {
                match self {
                    $( Self::$variant(_) => EntryKind::$variant, )*
                    Self::Unknown(fields) => match fields.get("type").and_then(Value::as_str) {
                        Some(name) => EntryKind::from_name(name),
                        None => EntryKind::Unknown,
                    },
                }
            }

            fn read_as(kind: EntryKind, fields: &mut RawFields<'_>) -> Result<Option<Self>, serde_json::Error> {
                Ok(match kind {
                    $( EntryKind::$variant => {
                        $( let $field = fields.$how($key)?; )*
                        let extra = fields.rest(&BASE)?;
                        Some(Self::$variant($body { $( $field, )* extra }))
                    } )*
                    EntryKind::Unknown => None,
                })
            }

            /// The line of an entry, without a newline.
            pub(crate) fn to_line(&self, base: &Base<'_>) -> Result<String, serde_json::Error> {
                let mut object = ObjectWriter::new();
                object.field("type", self.type_name())?;
                match self {
                    $( Self::$variant(body) => {
                        entries!(@base first $place base object);
                        $( write_field!($how, object, $key, body.$field); )*
                        entries!(@base last $place base object);
                        object.extra(&body.extra, &["type", "id", "parentId", "timestamp" $(, $key)*])?;
                    } )*
                    Self::Unknown(fields) => {
                        base.write(&mut object)?;
                        object.extra(fields, &BASE)?;
                    }
                }
                Ok(object.finish())
            }
        }
    };
    (@base first first $base:ident $object:ident) => { $base.write(&mut $object)? };
    (@base last last $base:ident $object:ident) => { $base.write(&mut $object)? };
    (@base $here:ident $place:ident $base:ident $object:ident) => {};
}

entries! {
    /// A message of the conversation.
    "message" Message(MessageEntry) base first {
        /// The message.
        message: Arc<Message> = required "message",
    }
    /// Another thinking level was chosen.
    "thinking_level_change" ThinkingLevelChange(ThinkingLevelChange) base first {
        /// The level, for example `high`.
        thinking_level: String = required "thinkingLevel",
    }
    /// Another model was chosen.
    "model_change" ModelChange(ModelChange) base first {
        /// The provider's name.
        provider: String = required "provider",
        /// The model's id.
        model_id: String = required "modelId",
    }
    /// A summary stands for everything before a certain entry.
    "compaction" Compaction(Compaction) base first {
        /// The summary.
        summary: String = or_default "summary",
        /// The first entry that is kept beside the summary. `None` keeps nothing; it is written as the
        /// entry's own id.
        first_kept_entry_id: Option<String> = optional "firstKeptEntryId",
        /// Size of the context before compaction, in tokens.
        tokens_before: u64 = count "tokensBefore",
        /// Data of whoever made the summary.
        details: Option<Value> = optional "details",
        /// What making the summary cost.
        usage: Option<Usage> = optional "usage",
        /// An extension made the summary.
        from_hook: Option<bool> = optional "fromHook",
        /// Data that extensions keep beside the summary.
        preserve_data: Option<Value> = optional "preserveData",
    }
    /// A summary of a branch that the user left.
    "branch_summary" BranchSummary(BranchSummary) base first {
        /// The leaf that was left, or `root`.
        from_id: String = or_default "fromId",
        /// The summary.
        summary: String = or_default "summary",
        /// Data of whoever made the summary.
        details: Option<Value> = optional "details",
        /// What making the summary cost.
        usage: Option<Usage> = optional "usage",
        /// An extension made the summary.
        from_hook: Option<bool> = optional "fromHook",
    }
    /// State of an extension; the model never sees it.
    "custom" Custom(CustomEntry) base last {
        /// Whose state.
        custom_type: String = required "customType",
        /// The state.
        data: Option<Value> = optional "data",
    }
    /// A message of an extension; the model sees it as a user message.
    "custom_message" CustomMessage(CustomMessageEntry) base last {
        /// Names the kind of message.
        custom_type: String = required "customType",
        /// What the model sees.
        content: MessageContent = required "content",
        /// Whether a user interface shows it.
        display: bool = truthy "display",
        /// Data for renderers and for restoring state.
        details: Option<Value> = optional "details",
    }
    /// A bookmark on an entry was set or cleared.
    "label" Label(LabelEntry) base first {
        /// The entry.
        target_id: String = required "targetId",
        /// The bookmark's name; `None` clears it.
        label: Option<String> = optional "label",
    }
    /// The session was named.
    "session_info" SessionInfo(SessionInfoEntry) base first {
        /// The name; an empty one clears it.
        name: Option<String> = optional "name",
    }
    /// Tokens that were spent beside the conversation.
    "usage" Usage(UsageEntry) base first {
        /// For what.
        kind: String = required "kind",
        /// The provider's name.
        provider: String = or_default "provider",
        /// The model's id.
        model: String = or_default "model",
        /// Tokens and cost.
        usage: Usage = required "usage",
        /// A remark.
        note: Option<String> = optional "note",
    }
    /// The model was told these rules because of what it was writing.
    "ttsr_injection" TtsrInjection(TtsrInjection) base first {
        /// The names of the rules.
        injected_rules: Vec<String> = required "injectedRules",
    }
    /// From here on the model sees an earlier entry of this branch changed, or not at all.
    "context_edit" ContextEdit(ContextEdit) base first {
        /// The entry.
        target_id: String = required "targetId",
        /// What the model sees in its place; `None` removes it.
        replacement: Option<Replacement> = required "replacement",
    }
}

/// What the model sees in place of an edited entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replacement {
    /// The content.
    pub content: MessageContent,
    /// Fields this version does not know.
    #[serde(flatten)]
    pub extra: JsonMap,
}

impl EntryBody {
    /// Reads the body of an entry from its line, and tells what had to be changed in it.
    ///
    /// # Errors
    /// When the line is no object, or a field that the type requires is missing or of the wrong type.
    pub(crate) fn read(kind: EntryKind, text: &str) -> Result<(Self, Changes), serde_json::Error> {
        let mut fields = RawFields::parse(text)?;
        let body = match Self::read_as(kind, &mut fields)? {
            Some(known) => known,
            None => Self::Unknown(fields.rest(&["id", "parentId", "timestamp"])?),
        };
        Ok((body, fields.changes))
    }
}
