//! The session tree in JSONL v3: append, branch, fork, migrate, list.
//!
//! Must not know hooks or the agent.
