//! Compaction: a summary takes the place of the older part of a conversation.

mod serialize;

pub use serialize::serialize_conversation;
