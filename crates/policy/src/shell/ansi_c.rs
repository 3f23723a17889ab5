//! `$'…'` and the escapes of `echo -e` and `printf`.

/// What a string with escapes stands for. `None` for what is no text, as `\xff`.
///
/// After a NUL the rest of it does not count.
pub(super) fn decoded(raw: &str) -> Option<String> {
    let mut bytes: Vec<u8> = Vec::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(ch) = chars.next() {
        let mut plain = |ch: char| bytes.extend_from_slice(ch.encode_utf8(&mut [0; 4]).as_bytes());
        if ch != '\\' {
            plain(ch);
            continue;
        }
        let Some(kind) = chars.next() else {
            plain('\\');
            break;
        };
        let mut number = |radix: u32, most: usize, first: Option<char>| {
            let mut value = first.and_then(|digit| digit.to_digit(radix));
            for _ in 0..most {
                let Some(digit) = chars.peek().and_then(|digit| digit.to_digit(radix)) else { break };
                chars.next();
                value = Some(value.unwrap_or_default() * radix + digit);
            }
            value
        };
        match kind {
            'a' => plain('\u{7}'),
            'b' => plain('\u{8}'),
            'e' | 'E' => plain('\u{1b}'),
            'f' => plain('\u{c}'),
            'n' => plain('\n'),
            'r' => plain('\r'),
            't' => plain('\t'),
            'v' => plain('\u{b}'),
            '\\' | '\'' | '"' | '?' => plain(kind),
            'c' => match chars.next() {
                Some(control) => bytes.push((control as u32 & 0x1f) as u8),
                None => return None,
            },
            '0'..='7' => match number(8, 2, Some(kind)).map(|value| (value & 0xff) as u8) {
                Some(0) | None => return String::from_utf8(bytes).ok(),
                Some(byte) => bytes.push(byte),
            },
            'x' => match number(16, 2, None).map(|value| value as u8) {
                None => "\\x".chars().for_each(plain),
                Some(0) => return String::from_utf8(bytes).ok(),
                Some(byte) => bytes.push(byte),
            },
            'u' | 'U' => match number(16, if kind == 'u' { 4 } else { 8 }, None) {
                None => ['\\', kind].into_iter().for_each(plain),
                Some(0) => return String::from_utf8(bytes).ok(),
                Some(code) => plain(char::from_u32(code)?),
            },
            other => ['\\', other].into_iter().for_each(plain),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_bash() {
        let cases = [
            (r"\x72m", Some("rm")),
            (r"\162\155", Some("rm")),
            (r"r\u006d", Some("rm")),
            (r"\U00000072m", Some("rm")),
            (r"a\nb\t\\", Some("a\nb\t\\")),
            (r"it\'s", Some("it's")),
            (r"rm\0hidden", Some("rm")),
            (r"\q\x", Some(r"\q\x")),
            (r"\xff", None),
            (r"\xc3\xa9", Some("é")),
            (r"\cA", Some("\u{1}")),
        ];
        for (raw, wanted) in cases {
            assert_eq!(decoded(raw).as_deref(), wanted, "{raw}");
        }
    }
}
