//! How deep a source nests, told before anything reads it that calls itself for each level.
//!
//! Parser, transforms and code generator recurse, and none of them looks at the stack. A level takes a token at least
//! that can hold something, so the number of those bounds the depth, whatever they mean ([`most`]), and they get a stack
//! for so many. [`too_deep`] tells more exactly where a source is too deep to be compiled: only the tokens count that
//! something open can still hold; the end of a statement, of an item and of a pair of brackets takes back what was counted
//! inside. Telling these apart is not certain, because that takes a parser.

/// How many tokens may lie between a statement and something in it.
pub(super) const MAX: usize = 20_000;

/// How deep a source may nest at most: how many tokens it has that can hold something, if none of them were comments or
/// text. A start that compiles reads much source for this, so it looks at each byte once.
pub(super) fn most(source: &str) -> usize {
    let bytes = source.as_bytes();
    let (mut count, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match BYTES[usize::from(byte)] {
            Byte::Word => {
                while bytes.get(at).is_some_and(|byte| matches!(BYTES[usize::from(*byte)], Byte::Word)) {
                    at += 1;
                }
                count += usize::from(is_open_word(&bytes[start..at]));
            }
            Byte::Holds => count += 1,
            Byte::Nothing => {}
        }
    }
    count
}

/// The offset of the first token of a source that lies deeper than [`MAX`], if any.
pub(super) fn too_deep(source: &str) -> Option<usize> {
    Scanner::new(source.as_bytes()).run(MAX)
}

/// How many tokens lie around the deepest token, and its offset.
pub(super) fn deepest(source: &str) -> (usize, usize) {
    let mut scanner = Scanner::new(source.as_bytes());
    // Nothing is too deep.
    scanner.run(usize::MAX);
    scanner.deepest
}

/// What a byte is for [`most`].
#[derive(Clone, Copy)]
enum Byte {
    /// A part of a word.
    Word,
    /// A token that can hold something.
    Holds,
    /// Neither.
    Nothing,
}

static BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Holds; 256];
    let mut byte = 0;
    while byte < 256 {
        if is_word(byte as u8) {
            bytes[byte] = Byte::Word;
        } else if (byte as u8).is_ascii_whitespace() || matches!(byte as u8, b',' | b';' | b')' | b']' | b'}') {
            bytes[byte] = Byte::Nothing;
        }
        byte += 1;
    }
    bytes
};

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\' | 0x80..)
}

/// Whether an expression, a type or a statement is still to come after a word.
const fn is_open_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"abstract"
            | b"accessor"
            | b"as"
            | b"asserts"
            | b"async"
            | b"await"
            | b"case"
            | b"catch"
            | b"class"
            | b"const"
            | b"declare"
            | b"default"
            | b"delete"
            | b"do"
            | b"else"
            | b"enum"
            | b"export"
            | b"extends"
            | b"finally"
            | b"for"
            | b"from"
            | b"function"
            | b"get"
            | b"if"
            | b"implements"
            | b"import"
            | b"in"
            | b"infer"
            | b"instanceof"
            | b"interface"
            | b"is"
            | b"keyof"
            | b"let"
            | b"module"
            | b"namespace"
            | b"new"
            | b"of"
            | b"readonly"
            | b"return"
            | b"satisfies"
            | b"set"
            | b"static"
            | b"throw"
            | b"try"
            | b"type"
            | b"typeof"
            | b"unique"
            | b"using"
            | b"var"
            | b"void"
            | b"while"
            | b"with"
            | b"yield"
    )
}

/// Words that go on with what came before them, also on a new line.
const CONTINUING_WORDS: &[&[u8]] = &[
    b"as",
    b"catch",
    b"else",
    b"extends",
    b"finally",
    b"from",
    b"implements",
    b"in",
    b"instanceof",
    b"is",
    b"of",
    b"satisfies",
    b"while",
];

/// Words whose parentheses have a statement behind them.
const HEADS: &[&[u8]] = &[b"await", b"for", b"if", b"while", b"with"];

/// The token in front.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The end of something that has a value, or is a type.
    Value,
    /// A word that [`is_open_word`].
    Word,
    /// `.`: the next word is a name.
    Dot,
    /// `}` of a block or an object.
    Brace,
    /// `;`, or nothing.
    End,
    /// An operator, an opening bracket, or the parenthesis of a head.
    Open,
}

/// What is open.
#[derive(Clone, Copy, Default)]
struct Level {
    bracket: u8,
    /// Tokens since the last statement or item of this level began.
    tokens: usize,
    /// Those of them that stand before the statement itself, such as `else` and `if (…)`: no comma ends what they open.
    prefix: usize,
    /// `<` without its `>`: a comma behind one may divide type arguments.
    angles: usize,
    /// The parentheses belong to a word of [`HEADS`].
    head: bool,
}

struct Scanner<'a> {
    source: &'a [u8],
    at: usize,
    levels: Vec<Level>,
    top: Level,
    /// Of all levels.
    tokens: usize,
    /// Elements of JSX that are open; text in them may look like the end of a statement.
    elements: usize,
    before: Before,
    /// The last word was one of [`HEADS`].
    after_head: bool,
    /// There was a line break after the last token.
    new_line: bool,
    deepest: (usize, usize),
}

impl<'a> Scanner<'a> {
    fn new(source: &'a [u8]) -> Self {
        Self {
            source,
            at: 0,
            levels: Vec::new(),
            top: Level::default(),
            tokens: 0,
            elements: 0,
            before: Before::End,
            after_head: false,
            new_line: true,
            deepest: (0, 0),
        }
    }

    /// Reads all of it, or up to the first token with more than `most` around it, and gives the offset of that one.
    fn run(&mut self, most: usize) -> Option<usize> {
        if self.source.starts_with(b"#!") {
            self.skip_line();
        }
        while let Some(&byte) = self.source.get(self.at) {
            let start = self.at;
            self.at += 1;
            match byte {
                b'\n' => self.new_line = true,
                byte if byte.is_ascii_whitespace() => {}
                b'/' if self.peek() == Some(b'/') => self.skip_line(),
                b'/' if self.peek() == Some(b'*') => self.skip_comment(),
                byte if is_word(byte) => self.word(start),
                b'"' | b'\'' => {
                    self.begin_value();
                    self.skip_string(byte);
                    self.end_token(Before::Value);
                }
                b'`' => {
                    self.count();
                    self.template();
                }
                b'}' if self.top.bracket == b'$' => {
                    self.close();
                    self.template();
                }
                _ => self.punctuation(byte),
            }
            let depth = self.tokens + self.elements;
            if depth > most {
                return Some(start);
            }
            if depth > self.deepest.0 {
                self.deepest = (depth, start);
            }
        }
        None
    }

    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    /// The byte before the one that was taken.
    fn last(&self) -> Option<u8> {
        self.source.get(self.at.checked_sub(2)?).copied()
    }

    fn count(&mut self) {
        self.top.tokens += 1;
        self.tokens += 1;
    }

    fn end_token(&mut self, before: Before) {
        self.before = before;
        self.after_head = false;
        self.new_line = false;
    }

    /// Nothing of this level is open any more.
    fn end_statement(&mut self) {
        self.tokens -= self.top.tokens;
        self.top = Level { bracket: self.top.bracket, head: self.top.head, ..Level::default() };
    }

    /// A token that begins something: two values in a row are two statements.
    fn begin_value(&mut self) {
        let in_statements = matches!(self.top.bracket, 0 | b'{');
        let ended = match self.before {
            Before::End | Before::Brace => true,
            Before::Value => self.new_line && in_statements,
            _ => false,
        };
        if ended {
            self.end_statement();
        }
        self.count();
    }

    fn word(&mut self, start: usize) {
        while self.peek().is_some_and(is_word) {
            self.at += 1;
        }
        let word = &self.source[start..self.at];
        if self.before == Before::Dot {
            self.count();
            return self.end_token(Before::Value);
        }
        if CONTINUING_WORDS.contains(&word) {
            self.count();
        } else {
            self.begin_value();
        }
        let open = is_open_word(word);
        if matches!(word, b"case" | b"default") {
            self.end_statement();
        }
        if matches!(word, b"else" | b"do") {
            self.top.prefix = self.top.tokens;
        }
        // `for await (…)` keeps its head.
        let head = HEADS.contains(&word) && (word != b"await" || self.after_head);
        self.end_token(if open { Before::Word } else { Before::Value });
        self.after_head = head;
    }

    fn punctuation(&mut self, byte: u8) {
        let next = self.peek();
        match byte {
            b'(' | b'[' | b'{' => self.open(byte),
            b')' | b']' | b'}' => {
                let head = byte == b')' && self.top.head;
                self.close();
                self.end_token(match byte {
                    b'}' => Before::Brace,
                    _ if head => Before::Open,
                    _ => Before::Value,
                });
                if head {
                    self.top.prefix = self.top.tokens;
                }
            }
            b';' => {
                // What follows tells whether a statement ended, or only the first part of one.
                self.count();
                self.end_token(Before::End);
            }
            b',' => {
                self.count();
                if self.top.angles == 0 {
                    self.tokens -= self.top.tokens - self.top.prefix;
                    self.top.tokens = self.top.prefix;
                }
                self.end_token(Before::Open);
            }
            b'/' if !self.divides() && !self.closes_element() && self.skip_expression() => {
                self.begin_value();
                self.end_token(Before::Value);
            }
            _ => {
                self.begin();
                self.angle(byte, next);
                let last = self.last();
                let after_value = self.before == Before::Value;
                // `x! / y` and `x++ / y` divide, `!/x/` does not.
                let doubled = matches!(byte, b'+' | b'-') && next == Some(byte);
                self.at += usize::from(doubled);
                self.end_token(match byte {
                    b'.' if last != Some(b'.') => Before::Dot,
                    b'!' if after_value && next != Some(b'=') => Before::Value,
                    _ if doubled && after_value => Before::Value,
                    _ => Before::Open,
                });
            }
        }
    }

    /// A token that does not begin a word: behind `;` it begins a statement.
    fn begin(&mut self) {
        if self.before == Before::End {
            self.end_statement();
        }
        self.count();
    }

    /// Follows types and elements.
    fn angle(&mut self, byte: u8, next: Option<u8>) {
        let last = self.last();
        match byte {
            b'<' if next == Some(b'/') => self.elements = self.elements.saturating_sub(1),
            b'<' => {
                self.top.angles += 1;
                if !matches!(self.before, Before::Value | Before::Brace)
                    && next.is_some_and(|next| is_word(next) || next == b'>')
                {
                    self.elements += 1;
                }
            }
            b'>' if last == Some(b'/') => self.elements = self.elements.saturating_sub(1),
            b'>' if last != Some(b'=') => self.top.angles = self.top.angles.saturating_sub(1),
            _ => {}
        }
    }

    fn open(&mut self, bracket: u8) {
        self.begin();
        let head = bracket == b'(' && self.after_head;
        self.push(bracket, head);
        self.end_token(if bracket == b'{' { Before::End } else { Before::Open });
    }

    fn push(&mut self, bracket: u8, head: bool) {
        self.levels.push(self.top);
        self.top = Level { bracket, head, ..Level::default() };
    }

    /// A closing bracket without its opening one closes nothing: better too deep than not deep enough.
    fn close(&mut self) {
        let opening = match self.source[self.at - 1] {
            b')' => b'(',
            b']' => b'[',
            _ if self.top.bracket == b'$' => b'$',
            _ => b'{',
        };
        if self.top.bracket == opening
            && let Some(outer) = self.levels.pop()
        {
            self.tokens -= self.top.tokens;
            self.top = outer;
        }
        self.count();
    }

    /// Whether `/` divides here.
    fn divides(&self) -> bool {
        match self.before {
            Before::Value => true,
            Before::Brace => !self.new_line,
            _ => false,
        }
    }

    /// Whether `/` belongs to `</name>`.
    fn closes_element(&self) -> bool {
        self.last() == Some(b'<')
    }

    fn skip_line(&mut self) {
        self.at = self.find(self.at, |byte| byte == b'\n');
    }

    fn skip_comment(&mut self) {
        let mut at = self.at + 1;
        while at < self.source.len() && !self.source[at..].starts_with(b"*/") {
            self.new_line |= self.source[at] == b'\n';
            at += 1;
        }
        self.at = (at + 2).min(self.source.len());
    }

    /// To behind the quote, or to the end of the line, where a string ends in any case.
    fn skip_string(&mut self, quote: u8) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => return,
                b'\\' => self.at += 1,
                _ => {}
            }
            self.at += 1;
            if byte == quote {
                return;
            }
        }
    }

    /// A regular expression, if one ends on this line.
    fn skip_expression(&mut self) -> bool {
        let (mut at, mut in_class) = (self.at, false);
        while let Some(&byte) = self.source.get(at) {
            match byte {
                b'\n' => return false,
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.at = self.find(at + 1, |byte| !is_word(byte));
                    return true;
                }
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// The text of a template, up to its end or the next expression in it.
    fn template(&mut self) {
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'`' => return self.end_token(Before::Value),
                b'$' if self.peek() == Some(b'{') => {
                    self.at += 1;
                    self.count();
                    self.push(b'$', false);
                    return self.end_token(Before::Open);
                }
                _ => {}
            }
        }
    }

    fn find(&self, from: usize, is: impl Fn(u8) -> bool) -> usize {
        let rest = self.source.get(from..).unwrap_or_default();
        rest.iter().position(|byte| is(*byte)).map_or(self.source.len(), |found| from + found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tokens_that_can_hold_something_are_numbered() {
        for (source, expected) in [
            ("", 0),
            ("a, b; ) ] }\n\t", 0),
            ("( [ { + . < `", 7),
            ("if (a) return typeof b;", 4),
            ("iff returned $if if_ élse \\u0069f abstracted", 0),
            ("x.y => async function() {}", 7),
            ("yield", 1),
        ] {
            assert_eq!(most(source), expected, "{source}");
        }
    }
}
