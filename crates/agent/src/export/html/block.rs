//! Texts that keep their lines: code, output of programs, differences. Long ones fold behind their beginning.

use std::borrow::Cow;

use tau_view::code::{Token, highlight};

use super::markup::Markup;

/// More lines than this fold.
const MOST_LINES: usize = 40;
/// More bytes than this fold, whatever their lines.
const MOST_BYTES: usize = 12_000;
/// What stays of a text that folds.
const KEPT_LINES: usize = 15;
const KEPT_BYTES: usize = 3_000;
/// Longer code has no colours: each of them costs more bytes than the text that has it.
const MOST_COLOURED: usize = 256 * 1024;

/// A piece of such a text.
#[derive(Debug, PartialEq)]
pub(super) struct Span<'a> {
    /// The classes of its element; empty without one.
    pub(super) class: Cow<'static, str>,
    pub(super) text: Cow<'a, str>,
}

impl<'a> Span<'a> {
    pub(super) fn new(class: &'static str, text: &'a str) -> Self {
        Self { class: Cow::Borrowed(class), text: Cow::Borrowed(text) }
    }
}

/// What a text is.
#[derive(Clone, Copy)]
pub(super) enum Face<'a> {
    /// Output of a program.
    Output,
    /// Code, in the language that somebody named.
    Code(&'a str),
    /// What changed.
    Diff,
}

/// The pieces of code in a language; one piece when the language is unknown.
pub(super) fn code<'a>(text: &'a str, language: &str) -> Vec<Span<'a>> {
    if matches!(language, "diff" | "patch") {
        return diff(text);
    }
    match Some(text).filter(|text| text.len() <= MOST_COLOURED).and_then(|text| highlight(text, language)) {
        Some(pieces) => pieces.into_iter().map(|(token, text)| Span::new(class(token), text)).collect(),
        None => vec![Span::new("", text)],
    }
}

fn class(token: Token) -> &'static str {
    match token {
        Token::Plain => "",
        Token::Comment => "com",
        Token::Keyword => "key",
        Token::Function => "fun",
        Token::Variable => "var",
        Token::String => "str",
        Token::Number => "num",
        Token::Type => "typ",
    }
}

/// What changed, by the first character of each line.
pub(super) fn diff(text: &str) -> Vec<Span<'_>> {
    let line = |line: &'_ str| match line.as_bytes().first() {
        Some(b'+') => "added",
        Some(b'-') => "removed",
        _ => "",
    };
    text.split_inclusive('\n').map(|text| Span::new(line(text), text)).collect()
}

/// The whole text.
pub(super) fn block(out: &mut Markup, face: Face<'_>, spans: &[Span<'_>]) {
    open(out, face);
    pieces(out, spans);
    close(out, face);
}

/// The pieces alone, for a place within a line.
pub(super) fn pieces(out: &mut Markup, spans: &[Span<'_>]) {
    spans.iter().for_each(|span| piece(out, &span.class, &span.text));
}

/// The text, of which all but the beginning is folded when it is long. It stays text of the page: browsers find it.
pub(super) fn folded(out: &mut Markup, face: Face<'_>, spans: &[Span<'_>]) {
    let bytes: usize = spans.iter().map(|span| span.text.len()).sum();
    let lines = lines(spans);
    if lines <= MOST_LINES && bytes <= MOST_BYTES {
        block(out, face, spans);
        return;
    }
    let (mut kept_lines, mut kept_bytes) = (0, 0);
    let mut rest = spans.iter().enumerate();
    open(out, face);
    let (at, cut, more) = loop {
        let Some((at, span)) = rest.next() else { break (spans.len(), 0, None) };
        let text = &*span.text;
        let by_line = text.match_indices('\n').nth(KEPT_LINES - 1 - kept_lines).map(|(end, _)| end + 1);
        let by_bytes =
            (text.len() > KEPT_BYTES - kept_bytes).then(|| text.floor_char_boundary(KEPT_BYTES - kept_bytes));
        if let Some(cut) = by_line.into_iter().chain(by_bytes).min() {
            let kept = &text[..cut];
            piece(out, &span.class, kept);
            // Within a line there is no number of lines to tell.
            let more = kept.ends_with('\n').then(|| lines - kept_lines - kept.matches('\n').count());
            break (at, cut, more);
        }
        kept_lines += text.matches('\n').count();
        kept_bytes += text.len();
        piece(out, &span.class, text);
    };
    close(out, face);
    let first = spans.get(at).map(|span| Span { class: span.class.clone(), text: Cow::Borrowed(&span.text[cut..]) });
    let rest: Vec<&Span<'_>> = first.iter().chain(spans.get(at + 1..).unwrap_or_default()).collect();
    out.raw("<details class=\"more\"><summary>");
    match more {
        None => out.raw("The rest"),
        Some(1) => out.raw("1 more line"),
        Some(more) => out.show(more).raw(" more lines"),
    };
    out.raw("</summary>\n");
    open(out, face);
    rest.into_iter().for_each(|span| piece(out, &span.class, &span.text));
    close(out, face);
    out.raw("</details>\n");
}

/// How many lines there are; an end of a line at the end begins no other.
fn lines(spans: &[Span<'_>]) -> usize {
    let ends: usize = spans.iter().map(|span| span.text.matches('\n').count()).sum();
    let is_ended = spans.iter().rev().find(|span| !span.text.is_empty()).is_none_or(|span| span.text.ends_with('\n'));
    ends + usize::from(!is_ended)
}

fn open(out: &mut Markup, face: Face<'_>) {
    match face {
        Face::Output => out.raw("<pre><samp>"),
        Face::Code("") => out.raw("<pre class=\"code\"><code>"),
        Face::Code(language) => out.raw("<pre class=\"code\"").attribute("title", language).raw("><code>"),
        Face::Diff => out.raw("<pre class=\"diff\"><code>"),
    };
}

fn close(out: &mut Markup, face: Face<'_>) {
    out.raw(if matches!(face, Face::Output) { "</samp></pre>\n" } else { "</code></pre>\n" });
}

fn piece(out: &mut Markup, class: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    if class.is_empty() {
        out.text(text);
    } else {
        out.raw("<span").attribute("class", class).element(">", text, "</span>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(spans: &[Span<'_>]) -> String {
        let mut out = Markup::default();
        folded(&mut out, Face::Output, spans);
        out.finish()
    }

    #[test]
    fn a_long_text_folds_behind_its_beginning_and_keeps_its_colours() {
        let text = |from: usize, to: usize| (from..=to).map(|line| format!("{line}\n")).collect::<String>();
        let forty = text(1, 40);
        assert_eq!(shown(&[Span::new("", &forty)]), format!("<pre><samp>{forty}</samp></pre>\n"));
        let (first, second) = (text(1, 10), text(11, 41));
        let expected = format!(
            "<pre><samp>{first}<span class=\"f1\">{}</span></samp></pre>\n<details class=\"more\"><summary>26 more lines\
             </summary>\n<pre><samp><span class=\"f1\">{}</span></samp></pre>\n</details>\n",
            text(11, 15),
            text(16, 41)
        );
        assert_eq!(shown(&[Span::new("", &first), Span::new("f1", &second)]), expected);
    }

    #[test]
    fn one_endless_line_folds_too() {
        let line = "é".repeat(MOST_BYTES);
        let page = shown(&[Span::new("", &line)]);
        let (kept, rest) = page.split_once("<details class=\"more\"><summary>The rest</summary>").expect("a fold");
        let count = |text: &str| text.matches('é').count();
        assert_eq!((count(kept), count(kept) + count(rest)), (KEPT_BYTES / 2, MOST_BYTES));
    }
}
