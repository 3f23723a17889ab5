//! Finding formulas before Markdown is parsed.
//!
//! A formula is full of characters that mean emphasis or tables to Markdown. So each one is replaced by a single
//! private-use character first and put back afterwards; where it turns out to have been code after all, it is put
//! back as it was written.

use std::borrow::Cow;

use super::document::Formula;
use crate::characters::is_space;

const FIRST_PLACEHOLDER: u32 = 0x10_0000;
const LAST_PLACEHOLDER: u32 = 0x10_fffd;

/// The formulas of a text, by placeholder.
#[derive(Debug, Default)]
pub(super) struct Formulas(Vec<Formula>);

impl Formulas {
    /// The formula `ch` stands for.
    pub(super) fn get(&self, ch: char) -> Option<&Formula> {
        self.0.get(usize::try_from(u32::from(ch).checked_sub(FIRST_PLACEHOLDER)?).ok()?)
    }

    /// `text` with the source of its formulas back in place.
    pub(super) fn restore(&self, text: &str) -> String {
        let mut restored = String::with_capacity(text.len());
        for ch in text.chars() {
            match self.get(ch) {
                Some(formula) => restored.push_str(&formula.raw),
                None => restored.push(ch),
            }
        }
        restored
    }

    fn add(&mut self, formula: Formula) -> Option<char> {
        let code = FIRST_PLACEHOLDER + u32::try_from(self.0.len()).ok()?;
        let placeholder = char::from_u32(code).filter(|_| code <= LAST_PLACEHOLDER)?;
        self.0.push(formula);
        Some(placeholder)
    }
}

/// A code fence that is open: its character and length.
pub(super) type Fence = Option<(char, usize)>;

/// A text without its formulas.
pub(super) struct Extracted<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) formulas: Formulas,
    /// Where a formula begins that later text may end, in the source.
    pub(super) open: Option<usize>,
    pub(super) lines: LineMap,
}

/// Where the lines of a text without its formulas begin, there and in the source; empty where both are the same.
#[derive(Debug, Default)]
pub(super) struct LineMap(Vec<(usize, usize)>);

impl LineMap {
    /// The place in the source where the line begins that begins at `start` of the text.
    pub(super) fn source_of(&self, start: usize) -> Option<usize> {
        if self.0.is_empty() {
            return Some(start);
        }
        let found = self.0.binary_search_by_key(&start, |(text, _)| *text).ok()?;
        Some(self.0[found].1)
    }
}

/// Takes the formulas out of `source`: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`.
pub(super) fn extract(source: &str) -> (Cow<'_, str>, Formulas) {
    let extracted = extract_part(source, None);
    (extracted.text, extracted.formulas)
}

/// [`extract`] for a part of a text, which begins in `fence`.
pub(super) fn extract_part(source: &str, fence: Fence) -> Extracted<'_> {
    let marked = source.contains('$') || source.contains("\\(") || source.contains("\\[");
    if !marked || source.chars().any(|ch| u32::from(ch) >= FIRST_PLACEHOLDER) {
        let (text, formulas) = (Cow::Borrowed(source), Formulas::default());
        return Extracted { text, formulas, open: None, lines: LineMap::default() };
    }
    let mut extractor = Extractor { fence, ..Extractor::default() };
    extractor.run(source);
    let Extractor { text, formulas, open, lines, .. } = extractor;
    Extracted { text: Cow::Owned(text), formulas, open, lines }
}

/// The fence that is open after `source`, which begins in `fence`; nothing is known when its last line is not complete
/// and may open or close one.
pub(super) fn fence_after(source: &str, fence: Fence) -> Option<Fence> {
    let complete = source.rfind('\n').map_or(0, |end| end + 1);
    if fence_of(&source[complete..]).is_some() {
        return None;
    }
    let mut extractor = Extractor { fence, ..Extractor::default() };
    extractor.run(&source[..complete]);
    Some(extractor.fence)
}

#[derive(Default)]
struct Extractor {
    text: String,
    formulas: Formulas,
    fence: Fence,
    open: Option<usize>,
    lines: LineMap,
}

impl Extractor {
    fn run(&mut self, source: &str) {
        let mut rest = source;
        while !rest.is_empty() {
            let at = source.len() - rest.len();
            self.lines.0.push((self.text.len(), at));
            let line_end = rest.find('\n').map_or(rest.len(), |index| index + 1);
            let (line, after) = rest.split_at(line_end);
            match (self.fence, fence_of(line)) {
                (None, Some(opening)) => self.fence = Some(opening),
                (Some((mark, length)), Some(closing))
                    if closing.0 == mark && closing.1 >= length && line.trim().len() == closing.1 =>
                {
                    self.fence = None;
                }
                (None, None) => {
                    let block = block_formula(rest);
                    if matches!(block, BlockFormula::Open(_)) {
                        self.open.get_or_insert(at);
                    }
                    match block.placed(&mut self.formulas) {
                        Some((placeholder, length)) => {
                            self.text.push(placeholder);
                            self.text.push('\n');
                            rest = &rest[length..];
                        }
                        None => {
                            extract_line(line, &mut self.text, &mut self.formulas);
                            rest = after;
                        }
                    }
                    continue;
                }
                _ => {}
            }
            self.text.push_str(line);
            rest = after;
        }
    }
}

/// The run of backticks or tildes that makes `line` a code fence, which may stand in a list or a quote.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let body = line.trim_start_matches([' ', '>', '-', '*', '+']);
    let mark = body.chars().next().filter(|ch| matches!(ch, '`' | '~'))?;
    let length = body.len() - body.trim_start_matches(mark).len();
    let info = &body[length..];
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length))
}

/// What [`block_formula`] finds.
enum BlockFormula {
    None,
    /// With the length of its source.
    Closed(Formula, usize),
    /// Later text may make it one, or end it; where it is shown as one, it takes the rest of the text.
    Open(Option<Formula>),
}

impl BlockFormula {
    fn placed(self, formulas: &mut Formulas) -> Option<(char, usize)> {
        let (formula, length) = match self {
            Self::Closed(formula, length) => (formula, length),
            Self::Open(Some(formula)) => {
                let length = formula.raw.len();
                (formula, length)
            }
            Self::None | Self::Open(None) => return None,
        };
        Some((formulas.add(formula)?, length))
    }
}

/// A formula that starts the line `rest` begins with and ends a line.
fn block_formula(rest: &str) -> BlockFormula {
    let indent = rest.len() - rest.trim_start_matches(' ').len();
    let body = &rest[indent..];
    let delimiters = [("$$", "$$"), ("\\[", "\\]")];
    let Some((opening, closing)) = delimiters.into_iter().find(|(open, _)| body.starts_with(open)) else {
        return BlockFormula::None;
    };
    let inner = &body[opening.len()..];
    for (index, _) in inner.match_indices(closing) {
        let tail = &inner[index + closing.len()..];
        let blank = tail.trim_start_matches([' ', '\t']);
        if !blank.is_empty() && !blank.starts_with('\n') {
            continue;
        }
        let text = inner[..index].trim();
        if text.is_empty() {
            return BlockFormula::None;
        }
        let length = rest.len() - blank.len() + usize::from(blank.starts_with('\n'));
        let raw = rest[..length].to_owned();
        return BlockFormula::Closed(Formula { raw, text: text.to_owned(), display: true, pending: false }, length);
    }
    let pending = closing == "\\]" || looks_like_math(inner);
    let formula = || Formula { raw: rest.to_owned(), text: inner.to_owned(), display: true, pending: true };
    BlockFormula::Open(pending.then(formula))
}

/// Whether an unfinished `$$` is more than two dollar signs.
fn looks_like_math(text: &str) -> bool {
    const OPERATORS: &str = "_^=+*/<>()[]|±≤≥≠≈∈→⇒∞∫∑√-";
    let command =
        text.match_indices('\\').any(|(index, _)| text[index + 1..].starts_with(|ch: char| ch.is_ascii_alphabetic()));
    command || text.contains(|ch| OPERATORS.contains(ch))
}

fn extract_line(line: &str, text: &mut String, formulas: &mut Formulas) {
    let mut rest = line;
    while let Some(next) = rest.find(['`', '\\', '$']) {
        text.push_str(&rest[..next]);
        rest = &rest[next..];
        let found = match rest.as_bytes()[0] {
            b'`' => Err(code_span(rest)),
            _ => inline_formula(rest).ok_or(if rest.starts_with('\\') { escape_length(rest) } else { 1 }),
        };
        let length = match found {
            Ok((formula, length)) => match formulas.add(formula) {
                Some(placeholder) => {
                    text.push(placeholder);
                    rest = &rest[length..];
                    continue;
                }
                None => length,
            },
            Err(length) => length,
        };
        text.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    text.push_str(rest);
}

/// The length of a backslash with the character it escapes.
fn escape_length(rest: &str) -> usize {
    1 + rest[1..].chars().next().map_or(0, char::len_utf8)
}

/// The length of the code span at the start of `rest`, or of its backticks if it does not end in this line.
fn code_span(rest: &str) -> usize {
    let run = rest.len() - rest.trim_start_matches('`').len();
    let mut from = run;
    while let Some(index) = rest[from..].find('`') {
        let start = from + index;
        let length = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        from = start + length;
        if length == run {
            return from;
        }
    }
    run
}

fn inline_formula(rest: &str) -> Option<(Formula, usize)> {
    let (opening, closing) = [("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"), ("$", "$")]
        .into_iter()
        .find(|(opening, _)| rest.starts_with(opening))?;
    let body = &rest[opening.len()..];
    if opening == "$" && body.starts_with(is_space) {
        return None;
    }
    let Some(end) = closing_delimiter(body, closing) else {
        // Without its end it is shown as written; a dollar sign alone is one.
        let raw = rest.trim_end_matches('\n');
        return opening.starts_with('\\').then(|| {
            let text = raw[opening.len()..].to_owned();
            (Formula { raw: raw.to_owned(), text, display: false, pending: true }, raw.len())
        });
    };
    let text = &body[..end];
    let length = opening.len() + end + closing.len();
    if text.is_empty() || (opening == "$" && !is_dollar_math(text, &rest[length..])) {
        return None;
    }
    let raw = rest[..length].to_owned();
    Some((Formula { raw, text: text.to_owned(), display: false, pending: false }, length))
}

/// Where `closing` stands in `text` without being escaped.
fn closing_delimiter(text: &str, closing: &str) -> Option<usize> {
    text.match_indices(closing).map(|(index, _)| index).find(|&index| {
        let backslashes = text[..index].bytes().rev().take_while(|&byte| byte == b'\\').count();
        backslashes % 2 == 0
    })
}

/// Tells a formula between single dollar signs from prices and shell variables.
fn is_dollar_math(text: &str, after: &str) -> bool {
    let starts = |pattern: fn(char) -> bool| after.starts_with(pattern);
    if text.ends_with(is_space) || text.contains('`') || starts(|ch| ch.is_ascii_digit()) {
        return false;
    }
    let name = text.trim_end_matches(|ch: char| !ch.is_ascii_alphanumeric() && ch != '_' && !is_space(ch));
    let variable = text[name.len()..].chars().count() <= 1
        && name.starts_with(|ch: char| ch.is_ascii_uppercase() || ch == '_')
        && name.chars().all(|ch| ch.is_ascii_uppercase() || ch.is_ascii_digit() || ch == '_');
    !(variable && starts(|ch| ch.is_ascii_alphabetic() || ch == '_'))
}
