//! Languages of words, strings and comments.

use super::languages::{Quote, Words};
use super::{Pieces, Token, cost};

/// How far the end of a name in braces is looked for, in bytes.
const LONGEST_NAME: usize = 256;

/// What a line begins in.
#[derive(Clone, Copy, Default)]
pub(super) enum Inside {
    #[default]
    Nothing,
    Comment,
    Text(&'static Quote),
}

impl Inside {
    /// What the end of a line is that ends in this.
    pub(super) fn line_end(self) -> Token {
        match self {
            Self::Nothing => Token::Plain,
            Self::Comment => Token::Comment,
            Self::Text(_) => Token::String,
        }
    }
}

/// Adds the pieces of the next line.
pub(super) fn line(inside: &mut Inside, line: &str, language: &'static Words, pieces: &mut Pieces<'_>) {
    let mut at = match *inside {
        Inside::Nothing => 0,
        Inside::Comment => {
            let end = comment(line, language, inside);
            pieces.push(Token::Comment, end);
            end
        }
        Inside::Text(quote) => {
            let end = text(line, quote, inside);
            pieces.push(Token::String, end);
            end
        }
    };
    let mut before = line[..at].chars().next_back().unwrap_or('\n');
    while let Some(character) = line[at..].chars().next() {
        cost::one();
        let (token, length) = next(&line[at..], character, before, language, inside);
        let length = length.max(character.len_utf8());
        pieces.push(token, length);
        before = line[at..at + length].chars().next_back().unwrap_or(character);
        at += length;
    }
}

/// What begins here, and how many bytes it has.
fn next(rest: &str, first: char, before: char, language: &'static Words, inside: &mut Inside) -> (Token, usize) {
    if let Some((open, _)) = language.block.filter(|(open, _)| rest.starts_with(open)) {
        return (Token::Comment, open.len() + comment(&rest[open.len()..], language, inside));
    }
    let begins_line_comment = |sign: &&&str| {
        // A `#` within a word is none: `$#`, `a#b`, `#{…}`.
        rest.starts_with(**sign) && (**sign != "#" || before.is_whitespace() || ";()".contains(before))
    };
    if language.line.iter().find(begins_line_comment).is_some() {
        return (Token::Comment, rest.len());
    }
    if let Some(quote) =
        language.quotes.iter().find(|quote| rest.starts_with(quote.open) && is_text(quote, rest, before))
    {
        let length = quote.open.len() + text(&rest[quote.open.len()..], quote, inside);
        let token = if is_key(&rest[length..], language) { Token::Variable } else { Token::String };
        return (token, length);
    }
    if language.sigil == Some(first) {
        let name = rest[1..].find(|c: char| !is_word(c)).unwrap_or(rest.len() - 1);
        let braced = rest
            .strip_prefix("${")
            .and_then(|inner| inner.bytes().take(LONGEST_NAME).inspect(|_| cost::one()).position(|byte| byte == b'}'));
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
        let spaces = |c: char| {
            cost::one();
            c == ' ' || c == '\t'
        };
        let after = after.trim_start_matches(spaces).strip_prefix(sign);
        // `http://` is no key, and `a == b` no value.
        after.is_some_and(|after| !after.starts_with(['/', sign]))
    })
}

/// Whether the quote begins a text here: an apostrophe within a word does not, nor does the name of a lifetime.
fn is_text(quote: &Quote, rest: &str, before: char) -> bool {
    if quote.single {
        let mut inner = rest.chars().skip(1);
        return match inner.next() {
            Some('\\') => true,
            None => false,
            Some(_) => inner.next() == Some('\''),
        };
    }
    quote.open != "'" || !is_word(before)
}

/// The bytes of a comment behind what opened it, up to its end or that of the line.
fn comment(rest: &str, language: &Words, inside: &mut Inside) -> usize {
    let end = language.block.and_then(|(_, close)| Some(rest.find(close)? + close.len()));
    *inside = if end.is_some() { Inside::Nothing } else { Inside::Comment };
    end.unwrap_or(rest.len())
}

/// The bytes of a text behind the quote that opened it, with the one that closes it, or up to the end of the line.
fn text(rest: &str, quote: &'static Quote, inside: &mut Inside) -> usize {
    let mut at = 0;
    // Without its end, it ends with the line.
    *inside = if quote.lines { Inside::Text(quote) } else { Inside::Nothing };
    while let Some(character) = rest[at..].chars().next() {
        cost::one();
        if rest[at..].starts_with(quote.close) {
            *inside = Inside::Nothing;
            return at + quote.close.len();
        }
        at += character.len_utf8();
        if character == '\\' && quote.escapes {
            match rest[at..].chars().next() {
                Some(escaped) => at += escaped.len_utf8(),
                // The end of the line is what is escaped.
                None => *inside = Inside::Text(quote),
            }
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
