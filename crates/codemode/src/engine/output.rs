//! What a script puts out, within limits.

/// The most characters of text and of image data together.
const CHARACTERS: usize = 16 * 1024 * 1024;
/// The most items.
const ITEMS: usize = 100_000;

/// What a script has put out, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    items: Vec<OutputItem>,
    characters: usize,
}

/// One thing that a script put out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputItem {
    /// A text.
    Text(String),
    /// A line of the console.
    Console(String),
    /// A picture.
    Image {
        /// In base64.
        data: String,
        /// Its type, by its first bytes.
        mime_type: &'static str,
    },
}

/// A script put out too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the output of a script is limited to {CHARACTERS} characters and {ITEMS} items: put out a summary, or write large data \
     to a file with a tool"
)]
pub(super) struct TooMuch;

/// The length of a text as JavaScript counts it.
fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

impl Output {
    /// Adds an item.
    pub(super) fn add(&mut self, item: OutputItem) -> Result<(), TooMuch> {
        let characters = match &item {
            OutputItem::Text(text) | OutputItem::Console(text) => length(text),
            OutputItem::Image { data, .. } => data.len(),
        };
        let characters = self.characters.saturating_add(characters);
        if characters > CHARACTERS || self.items.len() >= ITEMS {
            return Err(TooMuch);
        }
        self.characters = characters;
        self.items.push(item);
        Ok(())
    }

    /// The items.
    pub fn items(&self) -> &[OutputItem] {
        &self.items
    }

    /// The items.
    pub fn into_items(self) -> Vec<OutputItem> {
        self.items
    }
}
