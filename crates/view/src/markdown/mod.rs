//! Markdown as styled lines.
//!
//! A theme is a set of named hooks that turn plain text into styled text. The lines come out wrapped, with the
//! blank lines of the source kept between blocks; margins and backgrounds are the caller's.

mod autolink;
mod blocks;
mod document;
mod inline;
mod list;
mod math;
mod measures;
mod outline;
mod parse;
mod pending;
mod references;
mod renderer;
mod resume;
mod spine;
mod stream;
mod table;

pub use stream::MarkdownStream;

/// The hooks of a theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// A heading; also bold, and underlined at the first level.
    Heading,
    /// The text of a link; also underlined.
    Link,
    /// The address after a link's text.
    LinkUrl,
    /// Inline code.
    Code,
    /// A line of a code block that is not highlighted.
    CodeBlock,
    /// The fences around a code block.
    CodeBlockBorder,
    /// A quoted line; also italic.
    Quote,
    /// The bar before a quoted line.
    QuoteBorder,
    /// A horizontal rule.
    Rule,
    /// Bullet or number of a list item.
    ListBullet,
    /// Strong emphasis.
    Bold,
    /// Emphasis.
    Italic,
    /// Deleted text.
    Strikethrough,
    /// Underlined text.
    Underline,
    /// Text without a style of its own, if [`DefaultStyle::color`] is set.
    Text,
}

impl Style {
    /// Its name in themes written in JavaScript.
    pub fn name(self) -> &'static str {
        match self {
            Self::Heading => "heading",
            Self::Link => "link",
            Self::LinkUrl => "linkUrl",
            Self::Code => "code",
            Self::CodeBlock => "codeBlock",
            Self::CodeBlockBorder => "codeBlockBorder",
            Self::Quote => "quote",
            Self::QuoteBorder => "quoteBorder",
            Self::Rule => "hr",
            Self::ListBullet => "listBullet",
            Self::Bold => "bold",
            Self::Italic => "italic",
            Self::Strikethrough => "strikethrough",
            Self::Underline => "underline",
            Self::Text => "color",
        }
    }
}

/// Turns style names into styled text.
pub trait Theme {
    /// What may go wrong in a theme; [`std::convert::Infallible`] for most.
    type Error;

    /// `text` in this style.
    fn apply(&mut self, style: Style, text: &str) -> Result<String, Self::Error>;

    /// The highlighted lines of a code block; `None` leaves it to [`Style::CodeBlock`]. `language` is what stands
    /// after the opening fence.
    fn highlight(&mut self, code: &str, language: Option<&str>) -> Result<Option<Vec<String>>, Self::Error> {
        let _ = (code, language);
        Ok(None)
    }

    /// Colours a code block line by line, for text that is still growing; the lines must be those that
    /// [`Theme::highlight`] gives. Without it, a coloured block is coloured as a whole each time it grows.
    fn code_lines(&mut self, language: Option<&str>) -> Option<Box<dyn CodeLines>> {
        let _ = language;
        None
    }
}

/// Colours the lines of a code block, one after the other.
pub trait CodeLines: Send {
    /// The next line, without its end.
    fn line(&mut self, line: &str) -> String;

    /// Another one in the same state.
    fn fork(&self) -> Box<dyn CodeLines>;
}

/// How text without a style of its own looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DefaultStyle {
    /// Goes through [`Style::Text`].
    pub color: bool,
    /// Is bold.
    pub bold: bool,
    /// Is italic.
    pub italic: bool,
    /// Is struck through.
    pub strikethrough: bool,
    /// Is underlined.
    pub underline: bool,
}

/// How to render.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What stands before each line of a code block.
    pub code_block_indent: String,
    /// Links are OSC 8 hyperlinks; otherwise their address follows in parentheses.
    pub hyperlinks: bool,
    /// Formulas become Unicode text where that is possible.
    pub latex: bool,
    /// List items keep the markers they were written with; otherwise they are renumbered, and bullets are `-`.
    pub preserve_list_markers: bool,
    /// Escaped characters keep their backslash.
    pub preserve_escapes: bool,
    /// Text without a style of its own.
    pub default_style: DefaultStyle,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            code_block_indent: "  ".to_owned(),
            hyperlinks: false,
            latex: true,
            preserve_list_markers: false,
            preserve_escapes: false,
            default_style: DefaultStyle::default(),
        }
    }
}

/// `text` as lines of at most `width` columns. Tabs must be expanded before.
///
/// # Errors
/// What the theme fails with.
pub fn render<T: Theme>(text: &str, width: usize, options: &Options, theme: &mut T) -> Result<Vec<String>, T::Error> {
    let blocks = parse::parse(text);
    renderer::Renderer::new(options, theme).document(&blocks, width)
}
