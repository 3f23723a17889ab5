//! References inside of a schema.

use serde_json::Value;

/// What a reference names inside of the schema that has it; `None` for what is elsewhere or not there.
pub(crate) fn resolve<'a>(reference: &str, root: &'a Value) -> Option<&'a Value> {
    let path = reference.strip_prefix('#')?;
    // In a fragment, characters may be written by their numbers.
    let path = if path.contains('%') { unescaped(path)? } else { path.to_owned() };
    if path.is_empty() {
        return Some(root);
    }
    root.pointer(&path).filter(|found| found.is_object() || found.is_boolean())
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The schema behind a chain of references. One that ends nowhere, or in itself, stays as it is.
pub(crate) fn follow<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut seen: Vec<&Value> = Vec::new();
    let mut current = schema;
    while let Some(reference) = current["$ref"].as_str() {
        if seen.iter().any(|known| std::ptr::eq(*known, current)) {
            break;
        }
        let Some(target) = resolve(reference, root) else { break };
        seen.push(current);
        current = target;
    }
    current
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_followed_inside_of_the_schema() {
        let root = json!({"$defs": {"a/b": {"type": "string"}, "loop": {"$ref": "#/$defs/loop"}, "n": 1}});
        assert_eq!(resolve("#/$defs/a~1b", &root), Some(&json!({"type": "string"})));
        assert_eq!(resolve("#/%24defs/a~1b", &root), Some(&json!({"type": "string"})));
        assert_eq!(resolve("#", &root), Some(&root));
        for nowhere in ["#/$defs/n", "#/nothing", "http://x#/$defs", "#%2"] {
            assert_eq!(resolve(nowhere, &root), None, "{nowhere}");
        }
        let looped = json!({"$ref": "#/$defs/loop"});
        assert_eq!(follow(&looped, &root), &json!({"$ref": "#/$defs/loop"}));
    }
}
