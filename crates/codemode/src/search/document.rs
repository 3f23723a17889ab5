//! What is searched of a tool.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use tau_tools::ToolSpec;

use super::words::words;
use crate::declarations::follow;

/// How many schemas of one tool are read: foreign ones may have any size.
const SCHEMAS: usize = 2048;

/// What is searched of a tool.
#[derive(Debug, Clone)]
pub struct Document {
    /// The tool.
    pub name: String,
    pub(super) name_words: HashSet<String>,
    /// The words of the name without what says whose tool it is.
    pub(super) local_words: HashSet<String>,
    pub(super) text: HashMap<String, u32>,
    pub(super) length: u32,
    pub(super) namespace_words: HashSet<String>,
}

impl Document {
    /// Of a tool: its name; its description, the names of its arguments and what is said about them; its namespace.
    pub fn of(spec: &ToolSpec) -> Self {
        let mut texts = vec![spec.description.as_str()];
        let mut reader = Reader { root: &spec.parameters, seen: Vec::new(), left: SCHEMAS };
        reader.read(&spec.parameters, &mut texts);
        let mut text: HashMap<String, u32> = HashMap::new();
        let mut length = 0;
        for word in texts.iter().flat_map(|text| words(text)) {
            *text.entry(word).or_default() += 1;
            length += 1;
        }
        let local = spec.name.rsplit("__").next().unwrap_or(&spec.name);
        let namespace_words = spec.namespace.iter().flat_map(|namespace| {
            let about = [namespace.description.as_deref(), namespace.instructions.as_deref()];
            words(&namespace.name).into_iter().chain(about.into_iter().flatten().flat_map(words))
        });
        Self {
            name: spec.name.clone(),
            name_words: words(&spec.name).into_iter().collect(),
            local_words: words(local).into_iter().collect(),
            text,
            length,
            namespace_words: namespace_words.collect(),
        }
    }
}

/// Collects the texts of a schema.
struct Reader<'a> {
    root: &'a Value,
    /// What was reached through a reference: it is read once.
    seen: Vec<*const Value>,
    left: usize,
}

impl<'a> Reader<'a> {
    fn read(&mut self, schema: &'a Value, texts: &mut Vec<&'a str>) {
        if !schema.is_object() || self.left == 0 {
            return;
        }
        self.left -= 1;
        let target = follow(schema, self.root);
        if !std::ptr::eq(target, schema) && !self.seen.contains(&std::ptr::from_ref(target)) {
            self.seen.push(std::ptr::from_ref(target));
            self.read(target, texts);
        }
        texts.extend(schema["description"].as_str());
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            texts.push(name);
            self.read(property, texts);
        }
        self.read(&schema["items"], texts);
        for name in ["anyOf", "oneOf", "allOf"] {
            for variant in schema[name].as_array().into_iter().flatten() {
                self.read(variant, texts);
            }
        }
    }
}
