//! Short names for texts that have none of their own.

use sha2::{Digest as _, Sha256};

/// A short name for what texts say together, other for others.
pub(crate) fn id_of(texts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hasher.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}
