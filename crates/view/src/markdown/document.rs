//! A parsed document.

/// A block, or the blank lines between two.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    /// At least one blank line in the source.
    Space,
    Heading {
        level: usize,
        text: Vec<Inline>,
    },
    Paragraph(Vec<Inline>),
    /// Text of a list item without blank lines.
    Text(Vec<Inline>),
    Formula(Formula),
    Code {
        language: Option<String>,
        text: String,
        /// The character of its fences; indented code has none.
        fence: Option<char>,
    },
    List(List),
    Table(Table),
    Quote(Vec<Block>),
    Rule,
    /// Markup that is shown as it is written.
    Html(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct List {
    /// The first number of an ordered list.
    pub(super) start: Option<u64>,
    /// Items are separated by blank lines.
    pub(super) loose: bool,
    pub(super) items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    /// Bullet or number as written.
    pub(super) marker: String,
    /// For a task: whether it is done.
    pub(super) checked: Option<bool>,
    pub(super) blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub(super) header: Vec<Vec<Inline>>,
    pub(super) rows: Vec<Vec<Vec<Inline>>>,
    /// As written, for when there is no room for a table.
    pub(super) raw: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Inline {
    /// May contain line breaks.
    Text(String),
    /// A character that was escaped with a backslash.
    Escape(char),
    Strong(Vec<Inline>),
    Emphasis(Vec<Inline>),
    Strikethrough(Vec<Inline>),
    Code(String),
    Link {
        text: Vec<Inline>,
        /// The text as written.
        label: String,
        url: String,
    },
    Break,
    Formula(Formula),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Formula {
    /// With its delimiters.
    pub(super) raw: String,
    pub(super) text: String,
    /// On lines of its own.
    pub(super) display: bool,
    /// Its end has not arrived yet.
    pub(super) pending: bool,
}
