//! Source code as coloured pieces: a scanner that knows comments, strings, numbers and the words of common languages.
//!
//! It reads each character once and has no grammar, so that text of any size and any mistake in it costs the same. It
//! goes line by line, and what it has to know of the lines above is a word or two: a line costs its own length.

mod cost;
mod languages;
mod markup;
mod scan;

use self::languages::{Language, Syntax, Words};

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

/// Reads code line by line. A clone continues from the same line.
#[derive(Clone, Copy)]
pub struct Scanner(Inside);

/// What the next line begins in.
#[derive(Clone, Copy)]
enum Inside {
    Words(&'static Words, scan::Inside),
    Markup(markup::Inside),
}

impl Scanner {
    /// At the first line of code in this language; `None` when it is not known. `language` is a name or an extension of
    /// files, as it stands behind the fence of a code block.
    pub fn new(language: &str) -> Option<Self> {
        let name = language.split([' ', ',', '{', '\t']).next().unwrap_or_default();
        Some(Self(match &languages::find(name)?.syntax {
            Syntax::Words(words) => Inside::Words(words, scan::Inside::default()),
            Syntax::Markup => Inside::Markup(markup::Inside::default()),
        }))
    }

    /// The pieces of the next line in their order, together the whole line. It comes without its end.
    pub fn line<'a>(&mut self, line: &'a str) -> Vec<(Token, &'a str)> {
        let mut pieces = Pieces::new(line);
        self.add(line, &mut pieces);
        pieces.finish()
    }

    fn add(&mut self, line: &str, pieces: &mut Pieces<'_>) {
        match &mut self.0 {
            Inside::Words(words, inside) => scan::line(inside, line, words, pieces),
            Inside::Markup(inside) => markup::line(inside, line, pieces),
        }
    }

    /// What the end of the line is that was read last.
    fn line_end(&self) -> Token {
        match self.0 {
            Inside::Words(_, inside) => inside.line_end(),
            Inside::Markup(inside) => inside.line_end(),
        }
    }
}

/// The pieces of `code` in their order, together the whole text; `None` when the language is not known, see
/// [`Scanner::new`].
pub fn highlight<'a>(code: &'a str, language: &str) -> Option<Vec<(Token, &'a str)>> {
    let mut scanner = Scanner::new(language)?;
    let mut pieces = Pieces::new(code);
    for (at, line) in code.split('\n').enumerate() {
        if at > 0 {
            pieces.push(scanner.line_end(), 1);
        }
        scanner.add(line, &mut pieces);
    }
    Some(pieces.finish())
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

    /// The next so many bytes are this.
    fn push(&mut self, token: Token, length: usize) {
        if token != self.token && length > 0 {
            self.close();
            self.token = token;
        }
        self.end += length;
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
