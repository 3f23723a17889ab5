//! The git repository of a folder, looked at once however many sessions and modules are interested.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;
use tau_git::GitFacts;

static KNOWN: LazyLock<Mutex<HashMap<PathBuf, Weak<GitFacts>>>> = LazyLock::new(Mutex::default);

/// What is known of the repository of a folder. It is shared for as long as somebody holds it.
pub fn facts_of(folder: &Path) -> Arc<GitFacts> {
    let mut known = KNOWN.lock();
    if let Some(facts) = known.get(folder).and_then(Weak::upgrade) {
        return facts;
    }
    known.retain(|_, facts| facts.strong_count() > 0);
    let facts = Arc::new(GitFacts::new(folder));
    known.insert(folder.to_owned(), Arc::downgrade(&facts));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_for_as_long_as_it_is_held() {
        let (one, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let first = facts_of(one.path());
        assert!(Arc::ptr_eq(&first, &facts_of(one.path())));
        assert!(!Arc::ptr_eq(&first, &facts_of(other.path())));
        drop(first);
        let again = facts_of(one.path());
        assert_eq!(Arc::strong_count(&again), 1);
        assert!(!KNOWN.lock().contains_key(other.path()));
    }
}
