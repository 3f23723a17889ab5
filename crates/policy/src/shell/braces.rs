//! Words with braces.

use brush_parser::word::{BraceExpressionMember, BraceExpressionOrText};

use super::limits;

pub(super) fn has_braces(parts: Option<&[BraceExpressionOrText]>) -> bool {
    parts.is_some_and(|parts| parts.iter().any(|part| matches!(part, BraceExpressionOrText::Expr(_))))
}

/// The words of a word with braces; `None` if they are too many.
pub(super) fn braces(parts: &[BraceExpressionOrText]) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    for part in parts {
        let ends = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => {
                let mut ends = Vec::new();
                for member in members {
                    ends.extend(member_words(member)?);
                }
                ends
            }
        };
        if words.len().saturating_mul(ends.len()) > limits::WORDS {
            return None;
        }
        words = words.iter().flat_map(|word| ends.iter().map(move |end| format!("{word}{end}"))).collect();
    }
    Some(words)
}

fn member_words(member: &BraceExpressionMember) -> Option<Vec<String>> {
    match member {
        BraceExpressionMember::Child(parts) => braces(parts),
        BraceExpressionMember::NumberSequence { start, end, increment } => {
            let numbers = sequence(*start, *end, *increment)?;
            Some(numbers.iter().map(i64::to_string).collect())
        }
        BraceExpressionMember::CharSequence { start, end, increment } => {
            let codes = sequence(i64::from(u32::from(*start)), i64::from(u32::from(*end)), *increment)?;
            codes.into_iter().map(|code| u32::try_from(code).ok().and_then(char::from_u32).map(String::from)).collect()
        }
    }
}

fn sequence(start: i64, end: i64, increment: i64) -> Option<Vec<i64>> {
    let step = i64::try_from(increment.unsigned_abs().max(1)).ok()?;
    let count = usize::try_from(start.abs_diff(end) / step.unsigned_abs()).ok()?.checked_add(1)?;
    let direction = if start <= end { step } else { -step };
    (count <= limits::WORDS).then(|| {
        (0..count)
            .scan(start, |now, _| {
                let this = *now;
                *now = now.saturating_add(direction);
                Some(this)
            })
            .collect()
    })
}
