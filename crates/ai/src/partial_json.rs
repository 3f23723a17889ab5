//! Reads JSON that is still arriving.

use serde_json::Value;

/// The value of a piece of JSON text that may stop anywhere: open strings, arrays and objects are closed,
/// an unfinished key or literal is dropped. Text that is no JSON at all gives an empty object.
pub fn parse(text: &str) -> Value {
    if let Ok(value) = serde_json::from_str(text) {
        return value;
    }
    // Every prefix that can be completed ends right after a value or an opening bracket, so trying the cut
    // points from the right finds the longest one. Bounded by the length of the unfinished last member.
    let mut cut = text.len();
    loop {
        if let Some(value) = completed(&text[..cut]) {
            return value;
        }
        match text[..cut].char_indices().next_back() {
            Some((at, _)) => cut = at,
            None => return Value::Object(serde_json::Map::new()),
        }
    }
}

/// Closes what is open at the end of `text` and parses the outcome.
fn completed(text: &str) -> Option<Value> {
    let mut open = Vec::new();
    let mut in_string = false;
    let mut escaped = false;
    for byte in text.bytes() {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'{') => open.push('}'),
            (false, b'[') => open.push(']'),
            (false, b'}' | b']') => {
                open.pop();
            }
            _ => {}
        }
    }
    if escaped {
        return None;
    }
    let mut whole = text.trim_end().to_owned();
    if in_string {
        whole = format!("{text}\"");
    } else if whole.ends_with(',') {
        whole.pop();
    }
    whole.extend(open.iter().rev());
    serde_json::from_str(&whole).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unfinished_text_gives_what_is_certain() {
        for (text, value) in [
            (r#"{"a":1,"b":"x"}"#, json!({"a": 1, "b": "x"})),
            (r#"{"a":1,"b":"x"#, json!({"a": 1, "b": "x"})),
            (r#"{"a":1,"b":"#, json!({"a": 1})),
            (r#"{"a":1,"b"#, json!({"a": 1})),
            (r#"{"a":[1,{"c":"d\"#, json!({"a": [1, {"c": "d"}]})),
            (r#"{"a":tr"#, json!({})),
            ("", json!({})),
            ("nonsense", json!({})),
        ] {
            assert_eq!(parse(text), value, "{text}");
        }
    }
}
