//! Addresses that are links without being marked as such.

use super::document::Inline;

/// Splits `text` at the web and mail addresses in it.
pub(super) fn split(text: &str) -> Vec<Inline> {
    let mut parts = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    while at < text.len() {
        let Some((start, end, prefix)) = next_address(text, at) else { break };
        if start > plain {
            parts.push(Inline::Text(text[plain..start].to_owned()));
        }
        let label = text[start..end].to_owned();
        let url = format!("{prefix}{label}");
        parts.push(Inline::Link { text: vec![Inline::Text(label.clone())], label, url });
        plain = end;
        at = end;
    }
    if plain < text.len() {
        parts.push(Inline::Text(text[plain..].to_owned()));
    }
    parts
}

/// The next address from `from` on: start, end, and what its link needs before it.
fn next_address(text: &str, from: usize) -> Option<(usize, usize, &'static str)> {
    // Cheap signs first: nearly all text has none of them.
    let rest = &text[from..];
    if !rest.contains("://") && !rest.contains("www.") && !rest.contains('@') {
        return None;
    }
    rest.char_indices().map(|(index, _)| from + index).find_map(|start| {
        let here = &text[start..];
        if let Some(length) = web_address(here) {
            return Some((start, start + length, if here.starts_with("www.") { "http://" } else { "" }));
        }
        let inside_word = text[..start].ends_with(is_mail_char);
        let length = if inside_word { None } else { mail_address(here) };
        length.map(|length| (start, start + length, "mailto:"))
    })
}

fn web_address(text: &str) -> Option<usize> {
    let scheme = ["https://", "http://", "ftp://", "www."]
        .into_iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme)))?;
    let host = &text[scheme.len()..];
    if !host.starts_with(|ch: char| ch.is_ascii_alphanumeric() || ch == '-') {
        return None;
    }
    let end = host.find(|ch: char| ch.is_whitespace() || ch == '<').unwrap_or(host.len());
    Some(trim_punctuation(&text[..scheme.len() + end]).len())
}

/// Drops what rather belongs to the sentence: punctuation at the end, and a closing parenthesis without its
/// opening one.
fn trim_punctuation(address: &str) -> &str {
    let mut address = address;
    let (mut opened, mut closed) = (address.matches('(').count(), address.matches(')').count());
    loop {
        let trimmed = match address.chars().next_back() {
            Some('(') => {
                opened -= 1;
                &address[..address.len() - 1]
            }
            Some(')') if closed > opened => {
                closed -= 1;
                &address[..address.len() - 1]
            }
            Some('?' | '!' | '.' | ',' | ':' | ';' | '*' | '_' | '\'' | '"' | '~' | '&') => {
                &address[..address.len() - 1]
            }
            _ => return address,
        };
        address = trimmed;
    }
}

fn is_mail_char(ch: char) -> bool {
    ch.is_ascii_alphanumeric() || matches!(ch, '.' | '_' | '+' | '-')
}

fn mail_address(text: &str) -> Option<usize> {
    let local = text.len() - text.trim_start_matches(is_mail_char).len();
    let domain = text[local..].strip_prefix('@').filter(|_| local > 0)?;
    let label = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_');
    let length = domain.find(|ch| !label(ch) && ch != '.').unwrap_or(domain.len());
    let domain = domain[..length].trim_end_matches('.');
    let valid = domain.contains('.')
        && domain.split('.').all(|part| !part.is_empty())
        && domain.ends_with(|ch: char| ch.is_ascii_alphanumeric());
    valid.then_some(local + 1 + domain.len())
}
