//! Languages of elements and attributes.

use super::{Pieces, Token};

/// The pieces of HTML or XML.
pub(super) fn scan(code: &str) -> Vec<(Token, &str)> {
    let mut pieces = Pieces::new(code);
    let mut at = 0;
    while at < code.len() {
        let rest = &code[at..];
        let is_tag = |text: &str| {
            text.strip_prefix('<').is_some_and(|name| {
                name.trim_start_matches(['/', '!', '?']).starts_with(|first: char| first.is_alphabetic())
            })
        };
        if rest.starts_with("<!--") {
            at += rest.find("-->").map_or(rest.len(), |end| end + "-->".len());
            pieces.push(Token::Comment, at);
        } else if is_tag(rest) {
            at = tag(&mut pieces, code, at);
        } else {
            let first = rest.chars().next().map_or(1, char::len_utf8);
            at += rest[first..].find('<').map_or(rest.len(), |next| first + next);
            pieces.push(Token::Plain, at);
        }
    }
    pieces.finish()
}

/// A tag that begins at `at`; gives where it ends.
fn tag(pieces: &mut Pieces<'_>, code: &str, mut at: usize) -> usize {
    let is_name = |character: char| character.is_alphanumeric() || "-_:.".contains(character);
    let mut first = true;
    while let Some(character) = code[at..].chars().next() {
        let begin = at;
        at += character.len_utf8();
        match character {
            '>' => {
                pieces.push(Token::Plain, at);
                return at;
            }
            '"' | '\'' => {
                at = code[at..].find(character).map_or(code.len(), |end| at + end + 1);
                pieces.push(Token::String, at);
            }
            _ if is_name(character) => {
                at = begin + code[begin..].find(|c| !is_name(c)).unwrap_or(code.len() - begin);
                pieces.push(if first { Token::Keyword } else { Token::Variable }, at);
                first = false;
            }
            _ => pieces.push(Token::Plain, at),
        }
    }
    at
}
