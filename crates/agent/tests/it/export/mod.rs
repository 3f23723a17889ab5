//! Sessions as pages and as lines.

mod audit;
mod calls;
mod hostile;
mod page;
mod reading;

use std::path::PathBuf;

use tau_session::Session;

/// A session with every kind of entry, several branches, colours, pictures, a difference and unknown things.
fn every_kind() -> Session {
    Session::view(&data("every-entry.jsonl")).expect("a session")
}

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}
