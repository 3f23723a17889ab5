//! Colours of source code, found by the scanner of [`tau_view::code`].

use std::sync::Arc;

use tau_view::code::{Scanner, Token};
use tau_view::markdown::CodeLines;

use crate::look::Highlighter;
use crate::style::{ColorDepth, Styles};

/// Longer lines have no colours, in bytes: nobody reads them, and each colour takes more bytes than the text that has it.
const LONGEST_LINE: usize = 4 << 10;
/// What lies deeper in a block has no colours, in bytes.
const MOST_BYTES: usize = 256 << 10;

/// Colours code in the languages that tau knows, and differences.
#[derive(Debug, Clone, Copy, Default)]
pub struct CodeColours;

impl Highlighter for CodeColours {
    fn lines(&self, language: &str, styles: &Styles) -> Option<Box<dyn CodeLines>> {
        // Without colours the text stays as it is, at no cost.
        if styles.depth() == ColorDepth::None {
            return None;
        }
        let kind = match language {
            "diff" | "patch" => Kind::Difference,
            _ => Kind::Code(Scanner::new(language)?),
        };
        Some(Box::new(Coloured { kind, styles: Arc::new(styles.clone()), bytes: 0 }))
    }
}

#[derive(Clone)]
struct Coloured {
    kind: Kind,
    styles: Arc<Styles>,
    /// How much of the block has come.
    bytes: usize,
}

#[derive(Clone, Copy)]
enum Kind {
    Code(Scanner),
    Difference,
}

impl CodeLines for Coloured {
    fn line(&mut self, line: &str) -> String {
        self.bytes = self.bytes.saturating_add(line.len() + 1);
        if self.bytes > MOST_BYTES {
            return line.to_owned();
        }
        let scanner = match &mut self.kind {
            Kind::Code(scanner) => scanner,
            Kind::Difference => return self.styles.fg(changed(line), line),
        };
        // What a long line opens is followed, too.
        let pieces = scanner.line(line);
        if line.len() > LONGEST_LINE {
            return line.to_owned();
        }
        let colour = |(token, text): (Token, &str)| match name(token) {
            Some(name) => self.styles.fg(name, text),
            None => text.to_owned(),
        };
        pieces.into_iter().map(colour).collect()
    }

    fn fork(&self) -> Box<dyn CodeLines> {
        Box::new(self.clone())
    }
}

/// The colour of a piece in a theme.
fn name(token: Token) -> Option<&'static str> {
    Some(match token {
        Token::Plain => return None,
        Token::Comment => "syntaxComment",
        Token::Keyword => "syntaxKeyword",
        Token::Function => "syntaxFunction",
        Token::Variable => "syntaxVariable",
        Token::String => "syntaxString",
        Token::Number => "syntaxNumber",
        Token::Type => "syntaxType",
    })
}

/// The colour of a line of a difference.
fn changed(line: &str) -> &'static str {
    match line.as_bytes().first() {
        Some(b'+') => "toolDiffAdded",
        Some(b'-') => "toolDiffRemoved",
        _ => "toolDiffContext",
    }
}

#[cfg(test)]
mod tests {
    use tau_view::theme::ColorTheme;

    use super::*;

    fn styles(depth: ColorDepth) -> Styles {
        Styles::new(&ColorTheme::builtin("dark").expect("a theme"), depth)
    }

    fn lines(language: &str) -> Box<dyn CodeLines> {
        CodeColours.lines(language, &styles(ColorDepth::True)).expect("a known language")
    }

    #[test]
    fn code_has_the_colours_of_the_theme() {
        let styles = styles(ColorDepth::True);
        let mut rust = lines("rust");
        let expected = [
            styles.fg("syntaxKeyword", "fn"),
            styles.fg("syntaxFunction", "f"),
            styles.fg("syntaxType", "u8"),
            styles.fg("syntaxNumber", "1"),
        ];
        let [keyword, function, kind, number] = &expected;
        assert_eq!(rust.line("fn f() -> u8 { 1 }"), format!("{keyword} {function}() -> {kind} {{ {number} }}"));
        assert_eq!(rust.line("/* a"), styles.fg("syntaxComment", "/* a"));
        let mut fork = rust.fork();
        assert_eq!(rust.line("*/ x"), format!("{} x", styles.fg("syntaxComment", "*/")));
        assert_eq!(fork.line("b"), styles.fg("syntaxComment", "b"));
        let mut diff = lines("diff");
        assert_eq!(diff.line("+a"), styles.fg("toolDiffAdded", "+a"));
        assert_eq!(diff.line("-a"), styles.fg("toolDiffRemoved", "-a"));
    }

    #[test]
    fn without_colours_and_in_unknown_languages_nothing_is_looked_at() {
        assert!(CodeColours.lines("rust", &styles(ColorDepth::None)).is_none());
        assert!(CodeColours.lines("txt", &styles(ColorDepth::True)).is_none());
    }

    #[test]
    fn long_lines_and_the_rest_of_long_blocks_stay_plain_and_what_they_open_is_followed() {
        let styles = styles(ColorDepth::True);
        let mut js = lines("js");
        let long = format!("{} /*", "1 ".repeat(LONGEST_LINE / 2));
        assert_eq!(js.line(&long), long);
        assert_eq!(js.line("if"), styles.fg("syntaxComment", "if"));
        assert_eq!(js.line("*/"), styles.fg("syntaxComment", "*/"));
        let short = "if ".repeat(LONGEST_LINE / 4);
        while js.line(&short) != short {}
        assert_eq!(js.line("if"), "if");
        assert_eq!(js.fork().line("if"), "if");
    }
}
