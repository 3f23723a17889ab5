//! Languages of elements and attributes.

use super::{Pieces, Token, cost};

/// What a line begins in.
#[derive(Clone, Copy, Default)]
pub(super) enum Inside {
    #[default]
    Nothing,
    Comment,
    Tag(Tag),
    /// The value of an attribute, up to this quote.
    Value(char, Tag),
}

/// A tag that is not closed yet.
#[derive(Clone, Copy, Default)]
pub(super) struct Tag {
    /// The name of the element has come.
    has_name: bool,
}

impl Inside {
    /// What the end of a line is that ends in this.
    pub(super) fn line_end(self) -> Token {
        match self {
            Self::Nothing | Self::Tag(_) => Token::Plain,
            Self::Comment => Token::Comment,
            Self::Value(..) => Token::String,
        }
    }
}

/// Adds the pieces of the next line.
pub(super) fn line(inside: &mut Inside, line: &str, pieces: &mut Pieces<'_>) {
    let mut at = 0;
    while at < line.len() {
        cost::one();
        let (token, length) = next(&line[at..], inside);
        pieces.push(token, length);
        at += length;
    }
}

/// What stands here, and how many bytes it has: at least one character.
fn next(rest: &str, inside: &mut Inside) -> (Token, usize) {
    match *inside {
        Inside::Comment => (Token::Comment, comment(rest, inside)),
        Inside::Value(quote, tag) => (Token::String, value(rest, quote, tag, inside)),
        Inside::Tag(tag) => in_tag(rest, tag, inside),
        Inside::Nothing if rest.starts_with("<!--") => (Token::Comment, comment(rest, inside)),
        Inside::Nothing => {
            if is_tag(rest) {
                *inside = Inside::Tag(Tag::default());
            }
            let end = match inside {
                Inside::Tag(_) => 1,
                _ => {
                    let first = rest.chars().next().map_or(1, char::len_utf8);
                    rest[first..].find('<').map_or(rest.len(), |next| first + next)
                }
            };
            (Token::Plain, end)
        }
    }
}

fn is_tag(text: &str) -> bool {
    text.strip_prefix('<').is_some_and(|name| {
        let signs = |c: char| {
            cost::one();
            matches!(c, '/' | '!' | '?')
        };
        name.trim_start_matches(signs).starts_with(char::is_alphabetic)
    })
}

fn comment(rest: &str, inside: &mut Inside) -> usize {
    let end = rest.find("-->").map(|end| end + "-->".len());
    *inside = if end.is_some() { Inside::Nothing } else { Inside::Comment };
    end.unwrap_or(rest.len())
}

/// The bytes of a value behind the quote that opened it.
fn value(rest: &str, quote: char, tag: Tag, inside: &mut Inside) -> usize {
    let end = rest.find(quote).map(|end| end + 1);
    *inside = if end.is_some() { Inside::Tag(tag) } else { Inside::Value(quote, tag) };
    end.unwrap_or(rest.len())
}

fn in_tag(rest: &str, tag: Tag, inside: &mut Inside) -> (Token, usize) {
    let is_name = |character: char| character.is_alphanumeric() || "-_:.".contains(character);
    let first = rest.chars().next().unwrap_or('>');
    match first {
        '>' => {
            *inside = Inside::Nothing;
            (Token::Plain, 1)
        }
        '"' | '\'' => (Token::String, 1 + value(&rest[1..], first, tag, inside)),
        _ if is_name(first) => {
            *inside = Inside::Tag(Tag { has_name: true });
            let token = if tag.has_name { Token::Variable } else { Token::Keyword };
            (token, rest.find(|c| !is_name(c)).unwrap_or(rest.len()))
        }
        _ => (Token::Plain, first.len_utf8()),
    }
}
