//! The examples of a page.

use std::path::{Path, PathBuf};

/// A fenced block.
pub struct Block {
    /// The page, from the root of the repository.
    pub page: String,
    /// The line of the fence, from 1.
    pub line: usize,
    pub language: String,
    pub text: String,
}

impl Block {
    /// Where it is, for messages.
    pub fn place(&self) -> String {
        format!("{}:{}", self.page, self.line)
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README and all pages of the manual.
pub fn pages() -> Vec<String> {
    let docs = std::fs::read_dir(root().join("docs")).expect("docs");
    let names = docs.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.push("README.md".to_owned());
    pages.sort();
    pages
}

/// The examples of a page in their order; blocks without a language are none.
pub fn blocks(page: &str) -> Vec<Block> {
    let text = std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some(block), _) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, Some(language)) => {
                let (page, language) = (page.to_owned(), language.to_owned());
                open = Some(Block { page, line: index + 1, language, text: String::new() });
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{page}: a block does not end");
    blocks.retain(|block| !block.language.is_empty());
    blocks
}
