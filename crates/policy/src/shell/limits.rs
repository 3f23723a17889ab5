//! What is read at all. Parsers see nothing else: some texts take them minutes, or their whole stack.

use crate::evaluation::Reason;

/// The longest text that is read, in bytes.
pub(super) const LENGTH: usize = 64 * 1024;
/// The most here-documents in a text.
pub(super) const HERE_DOCUMENTS: usize = 256;
/// The deepest nesting, of brackets in a text and of scripts in scripts.
pub(super) const DEPTH: usize = 64;
/// The stack that [`DEPTH`] levels need at most, in bytes; threads that judge may have less.
pub(super) const STACK: usize = 64 * 1024 * 1024;
/// How many steps an evaluation makes: simple commands, words, files.
pub(super) const STEPS: usize = 20_000;
/// How many ways a script can have gone are followed apart from each other.
pub(super) const PATHS: usize = 8;
/// How many words one word can become.
pub(super) const WORDS: usize = 64;
/// How often the body of a loop over known words is run.
pub(super) const ITERATIONS: usize = 16;
/// The longest string that is followed, in bytes.
pub(super) const STRING: usize = 64 * 1024;

/// Whether a text may go to the parsers.
pub(super) fn check(text: &str) -> Result<(), Reason> {
    if text.len() > LENGTH {
        return Err(Reason::TooLong { limit: LENGTH });
    }
    if text.matches("<<").count() > HERE_DOCUMENTS {
        return Err(Reason::TooManyHereDocuments { limit: HERE_DOCUMENTS });
    }
    let (mut depth, mut digits, mut before) = (0_usize, 0_usize, ' ');
    for ch in text.chars() {
        match ch {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            '\0' => return Err(Reason::Syntax),
            _ => {}
        }
        if depth > DEPTH {
            return Err(Reason::TooDeep { limit: DEPTH });
        }
        // The parser of words panics at a number of this place that is no i64.
        let is_number = digits > 0 || matches!(before, '{' | '.' | '~' | '+' | '-');
        digits = if ch.is_ascii_digit() && is_number { digits + 1 } else { 0 };
        if digits > 18 {
            return Err(Reason::Syntax);
        }
        before = ch;
    }
    Ok(())
}
