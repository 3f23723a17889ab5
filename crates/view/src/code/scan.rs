//! Languages of words, strings and comments.

use super::languages::{Quote, Words};
use super::{Pieces, Token};

/// How far the end of a name in braces is looked for, in bytes.
const LONGEST_NAME: usize = 256;

/// The pieces of `code`.
pub(super) fn scan<'a>(code: &'a str, language: &Words) -> Vec<(Token, &'a str)> {
    let mut pieces = Pieces::new(code);
    let mut at = 0;
    let mut before = '\n';
    while let Some(character) = code[at..].chars().next() {
        let (token, length) = next(&code[at..], character, before, language);
        let end = at + length.max(character.len_utf8());
        pieces.push(token, end);
        before = code[at..end].chars().next_back().unwrap_or(character);
        at = end;
    }
    pieces.finish()
}

/// What begins here, and how many bytes it has.
fn next(rest: &str, first: char, before: char, language: &Words) -> (Token, usize) {
    if let Some((_, close)) = language.block.filter(|(open, _)| rest.starts_with(open)) {
        let inner = language.block.map_or(0, |(open, _)| open.len());
        return (Token::Comment, rest[inner..].find(close).map_or(rest.len(), |end| inner + end + close.len()));
    }
    let begins_line_comment = |sign: &&&str| {
        // A `#` within a word is none: `$#`, `a#b`, `#{…}`.
        rest.starts_with(**sign) && (**sign != "#" || before.is_whitespace() || ";()".contains(before))
    };
    if language.line.iter().find(begins_line_comment).is_some() {
        return (Token::Comment, line_end(rest));
    }
    if let Some(quote) =
        language.quotes.iter().find(|quote| rest.starts_with(quote.open) && is_text(quote, rest, before))
    {
        let length = text(rest, quote);
        let token = if is_key(&rest[length..], language) { Token::Variable } else { Token::String };
        return (token, length);
    }
    if language.sigil == Some(first) {
        let name = rest[1..].find(|c: char| !is_word(c)).unwrap_or(rest.len() - 1);
        let braced = rest.strip_prefix("${").and_then(|inner| {
            inner.bytes().take(LONGEST_NAME).take_while(|byte| *byte != b'\n').position(|byte| byte == b'}')
        });
        return match (name, braced) {
            (_, Some(end)) => (Token::Variable, end + "${}".len()),
            (0, None) => (Token::Plain, 1),
            (name, None) => (Token::Variable, name + 1),
        };
    }
    if first.is_ascii_digit() && !is_word(before) {
        return (Token::Number, number(rest));
    }
    if is_word(first) && !first.is_ascii_digit() || language.at_words && first == '@' {
        let inner = first.len_utf8();
        let part = |c: char| is_word(c) || language.dashes && c == '-';
        let length = inner + rest[inner..].find(|c| !part(c)).unwrap_or(rest.len() - inner);
        return (word(&rest[..length], &rest[length..], before, language), length);
    }
    (Token::Plain, first.len_utf8())
}

fn word(word: &str, after: &str, before: char, language: &Words) -> Token {
    if word.starts_with('@') {
        return Token::Keyword;
    }
    if is_key(after, language) {
        return Token::Variable;
    }
    let is = |list: &[&str]| {
        list.iter().any(|known| if language.any_case { known.eq_ignore_ascii_case(word) } else { *known == word })
    };
    // The member of a value may have the name of a keyword.
    if before != '.' && is(language.keywords) {
        return Token::Keyword;
    }
    if is(language.types) {
        return Token::Type;
    }
    if language.calls && after.trim_start_matches('!').starts_with('(') {
        return Token::Function;
    }
    let mut characters = word.chars();
    let is_capital = characters.next().is_some_and(char::is_uppercase) && characters.any(char::is_lowercase);
    if language.capital_types && is_capital { Token::Type } else { Token::Plain }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Whether what stands before is the key of a value.
fn is_key(after: &str, language: &Words) -> bool {
    language.key.is_some_and(|sign| {
        let after = after.trim_start_matches([' ', '\t']).strip_prefix(sign);
        // `http://` is no key, and `a == b` no value.
        after.is_some_and(|after| !after.starts_with(['/', sign]))
    })
}

fn line_end(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// Whether the quote begins a text here: an apostrophe within a word does not, nor does the name of a lifetime.
fn is_text(quote: &Quote, rest: &str, before: char) -> bool {
    if quote.single {
        let mut inner = rest.chars().skip(1);
        return match inner.next() {
            Some('\\') => true,
            Some('\n') | None => false,
            Some(_) => inner.next() == Some('\''),
        };
    }
    quote.open != "'" || !is_word(before)
}

/// The bytes of a text with its quotes.
fn text(rest: &str, quote: &Quote) -> usize {
    let mut at = quote.open.len();
    while let Some(character) = rest[at..].chars().next() {
        if rest[at..].starts_with(quote.close) {
            return at + quote.close.len();
        }
        match character {
            '\\' if quote.escapes => {
                let escaped = rest[at + 1..].chars().next().map_or(0, char::len_utf8);
                at += 1 + escaped;
            }
            // Without its end, it ends with the line.
            '\n' if !quote.lines => return at,
            _ => at += character.len_utf8(),
        }
    }
    rest.len()
}

/// The bytes of a number: digits, letters of bases and suffixes, a fraction, an exponent with its sign.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let next_is_digit = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let in_exponent = at > 0 && matches!(bytes[at - 1], b'e' | b'E') && !rest.starts_with("0x");
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => at += 1,
            b'.' if next_is_digit => at += 1,
            b'+' | b'-' if in_exponent && next_is_digit => at += 1,
            _ => break,
        }
    }
    at
}
