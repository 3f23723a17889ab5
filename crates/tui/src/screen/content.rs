//! What blocks are made of.

use tau_view::wrap::wrap_text;

use super::line::Line;

/// Something that can be laid out in lines.
///
/// Lines are asked for once for each width and kept. Content that changes is replaced by new content.
pub trait Content: Send {
    /// The lines for a screen of `width` columns.
    fn lines(&self, width: usize) -> Vec<Line>;

    /// About how many lines there are at `width` columns, without laying anything out.
    fn estimate(&self, width: usize) -> usize;
}

/// Styled text that is wrapped between words.
#[derive(Debug, Clone)]
pub struct Text {
    text: String,
}

impl Text {
    /// Text with its colours and links in it. Text from elsewhere goes through [`tau_view::untrusted::output`]
    /// before it gets styles of its own.
    pub fn new(text: impl Into<String>) -> Text {
        Text { text: text.into() }
    }
}

impl Content for Text {
    fn lines(&self, width: usize) -> Vec<Line> {
        wrap_text(&self.text, width).iter().map(|line| Line::new(line, width)).collect()
    }

    fn estimate(&self, width: usize) -> usize {
        self.text.len() / width.max(1) + 1
    }
}

/// Lines that are as they are; what does not fit is cut off.
#[derive(Debug, Clone)]
pub struct Fixed {
    lines: Vec<Line>,
}

impl Fixed {
    /// These lines.
    pub fn new(lines: Vec<Line>) -> Fixed {
        Fixed { lines }
    }
}

impl Content for Fixed {
    fn lines(&self, width: usize) -> Vec<Line> {
        self.lines.iter().map(|line| line.clamped(width)).collect()
    }

    fn estimate(&self, _: usize) -> usize {
        self.lines.len()
    }
}
