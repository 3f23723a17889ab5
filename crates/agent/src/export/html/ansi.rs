//! Output of programs: colours of terminals become classes, every other control sequence goes away.

use std::borrow::Cow;

use vte::{Params, Parser, Perform};

use super::block::Span;
use super::palette::Palette;

/// A colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Colour {
    /// One of the sixteen that a theme defines.
    Theme(u8),
    /// Red, green and blue.
    Exact(u8, u8, u8),
}

/// How text looks.
#[derive(Debug, Clone, Default, PartialEq)]
struct Look {
    fore: Option<Colour>,
    back: Option<Colour>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    strike: bool,
}

/// The pieces of `text` as it would look on a terminal.
pub(super) fn ansi<'a>(palette: &mut Palette, text: &'a str) -> Vec<Span<'a>> {
    if !text.contains(['\x1b', '\r', '\u{9b}']) {
        return vec![Span::new("", text)];
    }
    let mut writer =
        Writer { spans: Vec::new(), palette, look: Look::default(), pending: String::new(), returned: false };
    Parser::new().advance(&mut writer, text.as_bytes());
    writer.flush();
    writer.spans
}

struct Writer<'a> {
    spans: Vec<Span<'static>>,
    palette: &'a mut Palette,
    look: Look,
    pending: String,
    /// The last character was a carriage return.
    returned: bool,
}

impl Writer<'_> {
    fn push(&mut self, character: char) {
        if std::mem::take(&mut self.returned) && character != '\n' {
            self.pending.push('\n');
        }
        self.pending.push(character);
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.pending);
        if text.is_empty() {
            return;
        }
        let class = self.class();
        match self.spans.last_mut() {
            Some(last) if *last.class == *class => last.text.to_mut().push_str(&text),
            _ => self.spans.push(Span { class: Cow::Owned(class), text: Cow::Owned(text) }),
        }
    }

    /// The classes of the present look.
    fn class(&mut self) -> String {
        let look = &self.look;
        let mut classes = Vec::new();
        for (colour, back) in [(look.fore, false), (look.back, true)] {
            let class = if back { 'b' } else { 'f' };
            match colour {
                None => {}
                Some(Colour::Theme(index)) => classes.push(format!("{class}{index}")),
                Some(Colour::Exact(r, g, b)) => {
                    self.palette.add(back, (r, g, b));
                    classes.push(format!("{class}-{r:02x}{g:02x}{b:02x}"));
                }
            }
        }
        let flags = [
            (look.bold, "bold"),
            (look.dim, "dim"),
            (look.italic, "italic"),
            (look.underline, "under"),
            (look.strike, "strike"),
        ];
        classes.extend(flags.into_iter().filter(|(on, _)| *on).map(|(_, class)| class.to_owned()));
        classes.join(" ")
    }

    fn select(&mut self, params: &Params) {
        // Colours come as `38;5;1` and as `38:5:1`.
        let codes: Vec<u16> = params.iter().flatten().copied().collect();
        let mut rest = codes.as_slice();
        while let [code, tail @ ..] = rest {
            rest = tail;
            let look = &mut self.look;
            match code {
                0 => *look = Look::default(),
                1 => look.bold = true,
                2 => look.dim = true,
                3 => look.italic = true,
                4 => look.underline = true,
                9 => look.strike = true,
                22 => (look.bold, look.dim) = (false, false),
                23 => look.italic = false,
                24 => look.underline = false,
                29 => look.strike = false,
                30..=37 => look.fore = Some(Colour::Theme((code - 30) as u8)),
                38 => (look.fore, rest) = colour(rest, look.fore),
                39 => look.fore = None,
                40..=47 => look.back = Some(Colour::Theme((code - 40) as u8)),
                48 => (look.back, rest) = colour(rest, look.back),
                49 => look.back = None,
                90..=97 => look.fore = Some(Colour::Theme((code - 82) as u8)),
                100..=107 => look.back = Some(Colour::Theme((code - 92) as u8)),
                _ => {}
            }
        }
    }
}

/// The colour behind 38 or 48, and what follows it; `old` when there is none.
fn colour(codes: &[u16], old: Option<Colour>) -> (Option<Colour>, &[u16]) {
    let byte = |value: u16| u8::try_from(value).unwrap_or(u8::MAX);
    match codes {
        [5, index, rest @ ..] => (Some(indexed(byte(*index))), rest),
        [2, r, g, b, rest @ ..] => (Some(Colour::Exact(byte(*r), byte(*g), byte(*b))), rest),
        _ => (old, &[]),
    }
}

/// A colour of the table of 256: sixteen of the theme, a cube, and greys.
fn indexed(index: u8) -> Colour {
    match index {
        0..=15 => Colour::Theme(index),
        16..=231 => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + step * 40 };
            let index = index - 16;
            Colour::Exact(level(index / 36), level(index / 6 % 6), level(index % 6))
        }
        232..=255 => {
            let grey = 8 + (index - 232) * 10;
            Colour::Exact(grey, grey, grey)
        }
    }
}

impl Perform for Writer<'_> {
    fn print(&mut self, character: char) {
        self.push(character);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\r' => self.returned = true,
            b'\n' | b'\t' => self.push(char::from(byte)),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _ignore: bool, action: char) {
        if action == 'm' && intermediates.is_empty() {
            self.flush();
            self.select(params);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::{Face, block};
    use super::super::markup::Markup;
    use super::*;

    fn html(text: &str) -> (String, String) {
        let (mut out, mut palette) = (Markup::default(), Palette::default());
        block(&mut out, Face::Output, &ansi(&mut palette, text));
        let out = out.finish();
        let inner = out.strip_prefix("<pre><samp>").and_then(|out| out.strip_suffix("</samp></pre>\n"));
        (inner.expect("a block").to_owned(), palette.css())
    }

    #[test]
    fn colours_become_classes() {
        let (out, css) = html("a\x1b[1;31mb<\x1b[0mc\x1b[38;5;196;48:2:1:2:3md\x1b[39;49me\x1b[97;104mf");
        assert_eq!(
            out,
            "a<span class=\"f1 bold\">b&lt;</span>c<span class=\"f-ff0000 b-010203\">d</span>e<span class=\"f15 b12\">f</span>"
        );
        assert_eq!(css, ".f-ff0000{color:#ff0000}\n.b-010203{background-color:#010203}\n");
    }

    #[test]
    fn other_sequences_go_away_and_returns_are_lines() {
        let link = "\x1b]8;;https://a\x07b\x1b]8;;\x07\x1b[2J\x1b[Hc\r\nd 10%\rd 20%\x1b[m\x1b[38m!\x08";
        assert_eq!(html(link).0, "bc\nd 10%\nd 20%!");
        assert_eq!(html("\x1b[999999999;38;5;m\x1b[").0, "");
    }
}
