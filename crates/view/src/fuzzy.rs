//! Ranking candidates by how well a typed query matches them.

use crate::characters::is_space;

/// How well `query` matches `text`: its characters must occur in this order, ignoring case. Lower is better;
/// `None` does not match.
///
/// Runs of adjacent characters and beginnings of words count for a match, gaps and late positions against it. A
/// query of letters and digits (`opus4`) also matches with the two swapped (`4opus`), a little worse.
pub fn fuzzy_match(query: &str, text: &str) -> Option<f64> {
    let query = query.to_lowercase();
    let text: Vec<u16> = text.to_lowercase().encode_utf16().collect();
    score(&query, &text).or_else(|| Some(score(&swapped(&query)?, &text)? + 5.0))
}

fn score(query: &str, text: &[u16]) -> Option<f64> {
    let query: Vec<u16> = query.encode_utf16().collect();
    if query.is_empty() {
        return Some(0.0);
    }
    let mut score = 0.0;
    let mut last: Option<usize> = None;
    let mut run = 0;
    for &wanted in &query {
        let from = last.map_or(0, |last| last + 1);
        let index = from + text[from..].iter().position(|&unit| unit == wanted)?;
        match last {
            // Before the first match there is nothing to be adjacent to, except the start of the text.
            _ if index == from && (last.is_some() || index == 0) => {
                run += 1;
                score -= f64::from(run) * 5.0;
            }
            Some(last) => {
                run = 0;
                score += (index - last - 1) as f64 * 2.0;
            }
            None => run = 0,
        }
        if index == 0 || is_boundary(text[index - 1]) {
            score -= 10.0;
        }
        score += index as f64 * 0.1;
        last = Some(index);
    }
    if query == text {
        score -= 100.0;
    }
    Some(score)
}

fn is_boundary(unit: u16) -> bool {
    char::from_u32(unit.into()).is_some_and(|ch| is_space(ch) || matches!(ch, '-' | '_' | '.' | '/' | ':'))
}

/// Letters and digits of `query` the other way round, if it is one run of each.
fn swapped(query: &str) -> Option<String> {
    let digits_first = query.starts_with(|ch: char| ch.is_ascii_digit());
    let split = query.find(|ch: char| ch.is_ascii_digit() != digits_first)?;
    let (head, tail) = query.split_at(split);
    let letters = |part: &str| part.bytes().all(|byte| byte.is_ascii_lowercase());
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    ((letters(head) && digits(tail)) || (digits(head) && letters(tail))).then(|| format!("{tail}{head}"))
}

/// How well all the words of `query`, separated by spaces or slashes, match `text` together; `None` if one does
/// not. A query without words matches everything equally.
pub fn fuzzy_match_words(query: &str, text: &str) -> Option<f64> {
    query
        .split(|ch| is_space(ch) || ch == '/')
        .filter(|word| !word.is_empty())
        .try_fold(0.0, |total, word| Some(total + fuzzy_match(word, text)?))
}
