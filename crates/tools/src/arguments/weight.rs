//! How much work one look at a value can be: references that multiply make a small schema endless.

use std::collections::HashMap;

use serde_json::Value;

use crate::paths::percent_decode;

/// So many parts of a schema may look at one value. Schemas that people write stay far below.
const MOST: u64 = 20_000;

/// Keywords whose schemas look at the value itself, not at something in it.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const SINGLE: [&str; 4] = ["not", "if", "then", "else"];

/// What is wrong with a schema whose references multiply.
pub(super) fn problem(schema: &Value) -> Option<String> {
    let mut look = Look { root: schema, names: HashMap::new(), known: HashMap::new() };
    look.is_too_much().then(|| format!("its references multiply: more than {MOST} parts of it would look at one value"))
}

struct Look<'s> {
    root: &'s Value,
    /// What references other than paths name.
    names: HashMap<&'s str, &'s Value>,
    /// How many parts look at a value of a schema, by its place in memory. One that is being counted counts as one.
    known: HashMap<*const Value, u64>,
}

/// So many parts within each other look at one value at most.
const DEEPEST: usize = 256;

impl<'s> Look<'s> {
    /// Whether any part of the schema is too much work. Data that looks like a schema counts, too: it does no harm.
    fn is_too_much(&mut self) -> bool {
        let mut parts = Vec::new();
        // Without recursion: what an extension gives may nest deep.
        let mut left = vec![self.root];
        while let Some(node) = left.pop() {
            match node {
                Value::Object(map) => {
                    for key in ["$id", "id", "$anchor", "$dynamicAnchor"] {
                        if let Some(Value::String(name)) = map.get(key) {
                            self.names.insert(name.as_str(), node);
                        }
                    }
                    parts.push(node);
                    left.extend(map.values());
                }
                Value::Array(items) => left.extend(items),
                _ => {}
            }
        }
        parts.into_iter().any(|part| self.weight(part, 0) > MOST)
    }

    fn weight(&mut self, node: &'s Value, depth: usize) -> u64 {
        let Value::Object(map) = node else { return 1 };
        if let Some(known) = self.known.get(&std::ptr::from_ref(node)) {
            return *known;
        }
        if depth > DEEPEST {
            return MOST + 1;
        }
        self.known.insert(node, 1);
        let mut all: u64 = 1;
        for key in ["$ref", "$dynamicRef"] {
            if let Some(target) = map.get(key).and_then(Value::as_str).and_then(|target| self.target(target)) {
                all = all.saturating_add(self.weight(target, depth + 1));
            }
        }
        for key in LISTS {
            for part in map.get(key).and_then(Value::as_array).into_iter().flatten() {
                all = all.saturating_add(self.weight(part, depth + 1));
            }
        }
        for key in SINGLE {
            if let Some(part) = map.get(key) {
                all = all.saturating_add(self.weight(part, depth + 1));
            }
        }
        for part in map.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(|parts| parts.values())
        {
            all = all.saturating_add(self.weight(part, depth + 1));
        }
        self.known.insert(node, all);
        all
    }

    fn target(&self, target: &str) -> Option<&'s Value> {
        let (document, fragment) = target.split_once('#').unwrap_or((target, ""));
        let base = if document.is_empty() { self.root } else { self.names.get(document).copied()? };
        if fragment.is_empty() || fragment.starts_with('/') {
            base.pointer(&percent_decode(fragment))
        } else {
            self.names.get(fragment).copied()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn doubling(depth: usize, refer: impl Fn(usize) -> Value) -> Value {
        let mut defs = Map::new();
        for at in 0..depth {
            defs.insert(
                format!("a{at}"),
                json!({"$anchor": format!("n{at}"), "allOf": [refer(at + 1), refer(at + 1)]}),
            );
        }
        defs.insert(format!("a{depth}"), json!({"$anchor": format!("n{depth}"), "type": "string"}));
        json!({"type": "object", "$defs": defs, "properties": {"x": refer(0)}})
    }

    #[test]
    fn references_that_multiply_are_found_and_others_are_not() {
        let by_path = |at: usize| json!({"$ref": format!("#/$defs/a{at}")});
        let by_name = |at: usize| json!({"$ref": format!("#n{at}")});
        assert!(problem(&doubling(60, by_path)).is_some() && problem(&doubling(60, by_name)).is_some());
        assert_eq!(problem(&doubling(8, by_path)), None);
        let circle = json!({"$defs": {"n": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/n"}}]}},
            "properties": {"x": {"$ref": "#/$defs/n"}, "y": {"$ref": "#"}}});
        assert_eq!(problem(&circle), None);
        assert_eq!(problem(&json!({"$ref": "#/nowhere"})), None);
    }
}
