//! Source code as coloured pieces: a scanner that knows comments, strings, numbers and the words of common languages.
//!
//! It reads each character once and has no grammar, so that text of any size and any mistake in it costs the same.

mod languages;
mod markup;
mod scan;

use self::languages::{Language, Syntax};

/// What a piece of code is; the name of each is the end of the theme's name for its colour, such as `syntaxComment`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Nothing in particular.
    Plain,
    /// A comment.
    Comment,
    /// A word of the language, or the name of an element.
    Keyword,
    /// A name that is called or declared as a function.
    Function,
    /// A variable with a sign in front of it, the key of a value, or the name of an attribute.
    Variable,
    /// A text.
    String,
    /// A number.
    Number,
    /// A type.
    Type,
}

/// The pieces of `code` in their order, together the whole text; `None` when the language is not known. `language` is a
/// name or an extension of files, as it stands behind the fence of a code block.
pub fn highlight<'a>(code: &'a str, language: &str) -> Option<Vec<(Token, &'a str)>> {
    let name = language.split([' ', ',', '{', '\t']).next().unwrap_or_default();
    let language = languages::find(name)?;
    Some(match &language.syntax {
        Syntax::Words(words) => scan::scan(code, words),
        Syntax::Markup => markup::scan(code),
    })
}

/// The language of a file, by its name; `None` when the name does not say.
pub fn language_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let known = |name: &str| languages::find(name).map(Language::name);
    match name.rsplit_once('.') {
        Some((_, extension)) => known(extension),
        // `Makefile`, `Dockerfile`.
        None => known(name).filter(|found| name.eq_ignore_ascii_case(found)),
    }
}

/// Collects pieces; neighbours of one kind become one piece.
struct Pieces<'a> {
    code: &'a str,
    list: Vec<(Token, &'a str)>,
    /// Where the last piece begins, and the text that has no piece yet.
    begin: usize,
    end: usize,
    token: Token,
}

impl<'a> Pieces<'a> {
    fn new(code: &'a str) -> Self {
        Self { code, list: Vec::new(), begin: 0, end: 0, token: Token::Plain }
    }

    /// The text up to `end` is this.
    fn push(&mut self, token: Token, end: usize) {
        if token != self.token {
            self.close();
            self.token = token;
        }
        self.end = end;
    }

    fn close(&mut self) {
        if self.begin < self.end {
            self.list.push((self.token, &self.code[self.begin..self.end]));
        }
        self.begin = self.end;
    }

    fn finish(mut self) -> Vec<(Token, &'a str)> {
        self.close();
        self.list
    }
}

#[cfg(test)]
mod tests;
