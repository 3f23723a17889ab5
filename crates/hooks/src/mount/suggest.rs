//! Those who suggest how a text in the editor goes on.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::HandlerError;
use crate::future::BoxFuture;

/// What is in the editor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    /// The lines.
    pub lines: Vec<String>,
    /// The line of the cursor, from zero.
    pub cursor_line: usize,
    /// The column of the cursor, in UTF-16 units from the start of its line.
    pub cursor_col: usize,
}

/// Something that is suggested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedItem {
    /// What is written when it is chosen.
    pub value: String,
    /// What is shown.
    pub label: String,
    /// A few words about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// What is suggested for a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggested {
    /// The best first.
    pub items: Vec<SuggestedItem>,
    /// The end of the text before the cursor, in place of which one is written.
    pub prefix: String,
}

/// Suggests how a text goes on.
pub trait Suggests: Send + Sync {
    /// What is suggested; `force` says that the user asked for it. Dropping the future says that nobody waits any more.
    ///
    /// # Errors
    /// What the provider failed with.
    fn suggest(&self, written: Written, force: bool) -> BoxFuture<Result<Option<Suggested>, HandlerError>>;

    /// Whether it is asked what an item makes of the text; otherwise what it stands around says that.
    fn applies(&self) -> bool {
        false
    }

    /// What choosing an item makes of the text, which is `written` then; nothing leaves it to what it stands around. `prefix`
    /// came with the item.
    ///
    /// # Errors
    /// What the provider failed with.
    fn apply(
        &self,
        written: Written,
        item: SuggestedItem,
        prefix: String,
    ) -> BoxFuture<Result<Option<Written>, HandlerError>> {
        let _ = (written, item, prefix);
        Box::pin(async { Ok(None) })
    }

    /// The number that it has in its engine, for others of that one.
    fn number(&self) -> Option<u32> {
        None
    }

    /// Characters behind which suggestions are asked for, beside the usual ones.
    fn triggers(&self) -> Vec<char> {
        Vec::new()
    }
}

/// All that a front end suggests.
#[derive(Clone)]
pub struct SuggestSource(pub Arc<dyn Suggests>);

impl fmt::Debug for SuggestSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SuggestSource")
    }
}

/// Compared by identity.
impl PartialEq for SuggestSource {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SuggestSource {}

/// Makes a provider around the one before.
pub trait WrapSuggests: Send + Sync {
    /// The provider that takes the place of `current`, and may ask it.
    ///
    /// # Errors
    /// What the factory failed with; `current` stays.
    fn wrap(&self, current: Arc<dyn Suggests>) -> BoxFuture<Result<Arc<dyn Suggests>, HandlerError>>;
}

/// A provider of an extension, as it is passed to front ends.
#[derive(Clone)]
pub struct SuggestHandle(pub Arc<dyn WrapSuggests>);

impl fmt::Debug for SuggestHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SuggestHandle")
    }
}

/// Compared by identity.
impl PartialEq for SuggestHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
