//! Messages: of the user, of the model, and of extensions.

use tau_view::markdown::{DefaultStyle, Options};

use super::paint::{self, Fences, Margin, boxed, estimate, one_line, tag};
use super::picture;
use crate::look::{Look, MarkdownTheme, SharedLook};
use crate::picture::Image;
use crate::screen::{Content, Line, Mark};
use crate::style::italic;

/// What a model wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What it says.
    Answer,
    /// What it thinks.
    Thinking,
}

impl Kind {
    pub(super) fn options(self, look: &Look) -> Options {
        let style = DefaultStyle { color: true, italic: true, ..DefaultStyle::default() };
        match self {
            Self::Answer => look.markdown(),
            Self::Thinking => Options { default_style: style, ..look.markdown() },
        }
    }

    pub(super) fn theme(self, look: &Look) -> MarkdownTheme<'_> {
        match self {
            Self::Answer => MarkdownTheme::new(look),
            Self::Thinking => MarkdownTheme::with_text(look, "thinkingText"),
        }
    }
}

/// What a model wrote, complete.
#[derive(Clone)]
pub struct Message {
    look: SharedLook,
    kind: Kind,
    text: String,
}

impl Message {
    /// Markdown text. White space around it is left out, and so is a message that has nothing else.
    pub fn new(look: SharedLook, kind: Kind, text: &str) -> Self {
        Self { look, kind, text: text.trim().to_owned() }
    }

    /// Text that is laid out exactly as it is.
    pub(super) fn exactly(look: SharedLook, kind: Kind, text: String) -> Self {
        Self { look, kind, text }
    }
}

impl Content for Message {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        let margin = Margin::new(look.padding, width);
        let text = paint::markdown(&self.text, margin.inner, self.kind.options(&look), &mut self.kind.theme(&look));
        if text.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![Line::empty()];
        let mut fences = Fences::default();
        lines.extend(text.iter().map(|line| fences.line(line, margin)));
        lines
    }

    fn estimate(&self, width: usize) -> usize {
        if self.text.is_empty() { 0 } else { 1 + estimate(&self.text, width) }
    }
}

/// Stands for thinking that is hidden. Without a label it takes no row.
#[derive(Clone)]
pub struct HiddenThinking {
    look: SharedLook,
    label: String,
}

impl HiddenThinking {
    /// With this label.
    pub fn new(look: SharedLook, label: impl Into<String>) -> Self {
        Self { look, label: label.into() }
    }
}

impl Content for HiddenThinking {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        let label = one_line(&self.label);
        if label.is_empty() {
            return Vec::new();
        }
        let text = look.styles.fg("thinkingText", &italic(&label));
        let mut lines = vec![Line::empty()];
        lines.extend(Margin::new(look.padding, width).styled(&text));
        lines
    }

    fn estimate(&self, width: usize) -> usize {
        if self.label.is_empty() { 0 } else { 1 + estimate(&self.label, width) }
    }
}

/// Why an answer ends where it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndNote {
    /// It was as long as an answer can be.
    Length,
    /// Somebody stopped it, after so many attempts to repeat it.
    Aborted {
        /// How many.
        retries: u32,
    },
    /// The request failed.
    Failed(String),
}

impl EndNote {
    /// The note as content.
    pub fn content(self, look: SharedLook) -> impl Content + 'static {
        NoteAtEnd { look, note: self }
    }

    fn text(&self) -> String {
        match self {
            Self::Length => "Response was truncated before completion.".to_owned(),
            Self::Aborted { retries: 0 } => "Operation aborted".to_owned(),
            Self::Aborted { retries } => {
                format!("Aborted after {retries} retry {}", paint::plural(*retries as usize, "attempt", "attempts"))
            }
            Self::Failed(reason) => format!("Error: {}", paint::clean(reason.trim())),
        }
    }
}

struct NoteAtEnd {
    look: SharedLook,
    note: EndNote,
}

impl Content for NoteAtEnd {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        let mut lines = vec![Line::empty()];
        lines.extend(Margin::new(look.padding, width).wrapped(&look, "error", &self.note.text()));
        lines
    }

    fn estimate(&self, width: usize) -> usize {
        1 + estimate(&self.note.text(), width)
    }
}

/// What the user wrote.
#[derive(Clone)]
pub struct User {
    look: SharedLook,
    text: String,
    images: Vec<Image>,
}

impl User {
    /// Markdown text, shown with the list markers and backslashes that it was written with.
    pub fn new(look: SharedLook, text: &str) -> Self {
        Self { look, text: text.trim().to_owned(), images: Vec::new() }
    }

    /// With images below the text.
    pub fn with_images(self, images: Vec<Image>) -> Self {
        Self { images, ..self }
    }
}

impl Content for User {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        // Where there is no background, a sign tells the user's words from the model's.
        let sign = if look.styles.on("userMessageBg").is_empty() { "> " } else { "" };
        let inner = Margin::new(look.padding, width).inner;
        let sign = if inner > 2 * sign.len() { sign } else { "" };
        let options = Options {
            preserve_list_markers: true,
            preserve_escapes: true,
            default_style: DefaultStyle { color: true, ..DefaultStyle::default() },
            ..look.markdown()
        };
        let mut theme = MarkdownTheme::with_text(&look, "userMessageText");
        let mut rows = paint::markdown(&self.text, inner - sign.len(), options, &mut theme);
        for (index, row) in rows.iter_mut().enumerate() {
            let before = if index == 0 { sign } else { &"  "[..sign.len()] };
            row.insert_str(0, before);
        }
        let mut lines = boxed(&look, "userMessageBg", &rows, width);
        mark(&mut lines[1..]);
        lines.extend(picture::all(&look, &self.images, width));
        lines
    }

    fn estimate(&self, width: usize) -> usize {
        3 + estimate(&self.text, width) + self.images.len() * picture::ROWS
    }
}

/// Marks lines as a prompt.
fn mark(lines: &mut [Line]) {
    match lines {
        [] => {}
        [line] => *line = std::mem::take(line).marked(Mark::Whole),
        [first, .., last] => {
            *first = std::mem::take(first).marked(Mark::Start);
            *last = std::mem::take(last).marked(Mark::End);
        }
    }
}

/// A message of an extension.
#[derive(Clone)]
pub struct Custom {
    look: SharedLook,
    name: String,
    text: String,
    images: Vec<Image>,
}

impl Custom {
    /// With the name of its type, and its text as Markdown.
    pub fn new(look: SharedLook, name: impl Into<String>, text: &str) -> Self {
        Self { look, name: name.into(), text: text.trim().to_owned(), images: Vec::new() }
    }

    /// With images below the text.
    pub fn with_images(self, images: Vec<Image>) -> Self {
        Self { images, ..self }
    }
}

impl Content for Custom {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        let mut rows = in_box(&look, &tag(&look, &self.name), width);
        if !self.text.is_empty() {
            rows.push(String::new());
            rows.extend(box_markdown(&look, &self.text, width));
        }
        let mut lines = boxed(&look, "customMessageBg", &rows, width);
        lines.extend(picture::all(&look, &self.images, width));
        lines
    }

    fn estimate(&self, width: usize) -> usize {
        5 + estimate(&self.text, width) + self.images.len() * picture::ROWS
    }
}

/// The text of a skill that a prompt begins with.
#[derive(Clone)]
pub struct Skill {
    look: SharedLook,
    name: String,
    text: String,
    expanded: bool,
    expand_key: String,
}

impl Skill {
    /// A skill, whose text shows when it is expanded.
    pub fn new(look: SharedLook, name: &str, text: &str, expanded: bool, expand_key: &str) -> Self {
        let (name, text, expand_key) = (name.to_owned(), text.trim().to_owned(), expand_key.to_owned());
        Self { look, name, text, expanded, expand_key }
    }
}

impl Content for Skill {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        let name = look.styles.fg("customMessageText", &one_line(&self.name));
        let mut title = format!("{} {name}", tag(&look, "skill"));
        if let (false, Some(hint)) = (self.expanded, paint::to_expand(&self.expand_key)) {
            title = format!("{title} {}", paint::hint(&look, &hint));
        }
        let mut rows = in_box(&look, &title, width);
        if self.expanded && !self.text.is_empty() {
            rows.push(String::new());
            rows.extend(box_markdown(&look, &self.text, width));
        }
        boxed(&look, "customMessageBg", &rows, width)
    }

    fn estimate(&self, width: usize) -> usize {
        4 + if self.expanded { 1 + estimate(&self.text, width) } else { 0 }
    }
}

/// A text wrapped for a box.
pub(super) fn in_box(look: &Look, text: &str, width: usize) -> Vec<String> {
    tau_view::wrap::wrap_text(text, Margin::new(look.padding, width).inner)
}

/// Markdown laid out for a box.
pub(super) fn box_markdown(look: &Look, text: &str, width: usize) -> Vec<String> {
    let options = Options { default_style: DefaultStyle { color: true, ..DefaultStyle::default() }, ..look.markdown() };
    let mut theme = MarkdownTheme::with_text(look, "customMessageText");
    paint::markdown(text, Margin::new(look.padding, width).inner, options, &mut theme)
}
