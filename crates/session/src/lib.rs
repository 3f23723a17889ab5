//! The session tree in JSONL v3: append, branch, fork, migrate, list.
//!
//! A session is a file of JSON lines: a header, then entries that name their parent and so form a tree.
//! Entries are only ever added. [`Session`] keeps a small record per line. The body of an entry is read when somebody looks
//! at it: of a small file from memory, of a large one from the disk, where those that were read last are kept up to a limit
//! ([`Memory`]). Every method may be called from any thread, and no reader waits for a writer.
//!
//! This crate must not know hooks or the agent, read settings or the environment: where sessions live and
//! when they become files is said by the caller.

mod body;
mod clock;
mod context;
mod entry;
mod error;
mod export;
mod file;
mod fork;
mod header;
mod id;
mod json;
mod line;
mod lines;
mod list;
mod load;
mod location;
mod marks;
mod migrate;
mod notice;
mod paid;
mod place;
mod private;
mod problem;
mod repair;
mod seen;
mod session;
mod store;
mod tools;
mod tree;

pub use body::{
    BranchSummary, Compaction, ContextEdit, CustomEntry, CustomMessageEntry, ENTRY_TYPES, EntryBody, EntryField,
    EntryKind, EntryType, LabelEntry, MessageEntry, ModelChange, Replacement, SessionInfoEntry, ThinkingLevelChange,
    UsageEntry,
};
pub use context::{
    Choices, ContextItem, ModelChoice, ProjectedEntry, SessionContext, message_of, project, project_part,
};
pub use entry::{Body, Entry};
pub use error::SessionError;
pub use header::Header;
pub use id::EntryId;
pub use list::{SessionIndex, SessionInfo, SessionList, find_sessions, list_sessions, most_recent, session_dirs};
pub use location::session_dir_for;
pub use marks::{LEAF_MARKER, MessageRole};
pub use notice::FileNotice;
pub use paid::Paid;
pub use problem::{Problem, ProblemReason};
pub use repair::{Fix, Repaired, repair};
pub use session::{NewSession, Session};
pub use store::Memory;
pub use tools::RecordedTools;
pub use tree::{SessionTree, TreeNode};

/// The version of the file format that is written.
pub const FORMAT_VERSION: u64 = 3;
