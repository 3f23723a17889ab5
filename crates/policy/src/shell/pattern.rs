//! Patterns of the shell against strings that are known.

/// Whether a pattern matches a whole string. `None` for what only a shell with options understands.
pub(super) fn matches(pattern: &str, text: &str) -> Option<bool> {
    if ["@(", "!(", "?(", "+(", "*(", "[["].iter().any(|start| pattern.contains(start)) {
        return None;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    Some(matches_at(&pattern, &text))
}

/// By the greedy way with one place to return to: linear for each star.
fn matches_at(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        let one = match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
                continue;
            }
            Some('?') => Some(p + 1),
            Some('[') => class(pattern, p, text[t]),
            Some('\\') => (pattern.get(p + 1) == Some(&text[t])).then_some(p + 2),
            Some(ch) => (*ch == text[t]).then_some(p + 1),
            None => None,
        };
        match (one, star) {
            (Some(next), _) => (p, t) = (next, t + 1),
            (None, Some((at, from))) => {
                star = Some((at, from + 1));
                (p, t) = (at + 1, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[p.min(pattern.len())..].iter().all(|ch| *ch == '*')
}

/// The place after a set of characters that has this one.
fn class(pattern: &[char], start: usize, ch: char) -> Option<usize> {
    let mut at = start + 1;
    let is_not = matches!(pattern.get(at), Some('!' | '^'));
    at += usize::from(is_not);
    let (first, mut found) = (at, false);
    loop {
        let low = match pattern.get(at) {
            None => return (ch == '[').then_some(start + 1),
            Some(']') if at > first => break,
            Some(low) => *low,
        };
        match (pattern.get(at + 1), pattern.get(at + 2)) {
            (Some('-'), Some(high)) if *high != ']' => {
                found |= (low..=*high).contains(&ch);
                at += 3;
            }
            _ => {
                found |= low == ch;
                at += 1;
            }
        }
    }
    (found != is_not).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        let cases = [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abbd", false),
            ("?[a-c]", "xb", true),
            ("?[!a-c]", "xb", false),
            ("[]]", "]", true),
            ("[", "[", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("*.tar.*", "x.tar.gz", true),
            ("", "", true),
            ("", "a", false),
        ];
        for (pattern, text, wanted) in cases {
            assert_eq!(matches(pattern, text), Some(wanted), "{pattern} {text}");
        }
        assert_eq!(matches("@(a|b)", "a"), None);
    }
}
