//! Tools whose arguments the provider holds to a form: strict schemas and grammars.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::error::WireError;
use crate::{ConstrainedSampling, GrammarVariants, JsonMap, Strictness, ToolDeclaration};

/// Keywords that strict schemas do not have.
const UNSUPPORTED: [&str; 16] = [
    "$ref",
    "$defs",
    "definitions",
    "allOf",
    "oneOf",
    "patternProperties",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "prefixItems",
    "not",
    "if",
    "then",
    "else",
];
/// What vendors say of more strict tools than they take.
const OVER_LIMITS: [&str; 3] = [
    "The compiled grammar is too large",
    "Too many strict tools (",
    "Schemas contains too many parameters with union types (",
];

/// Whether a keyword with its value is one that a vendor's strict schemas do not have, beside those that none has.
pub(super) type Refuses = fn(&str, &Value) -> bool;

/// The strict schema of a tool that asks for one; `None` for a tool that gets its own schema.
///
/// # Errors
/// When the tool insists, and the server or the schema cannot do it.
pub(super) fn schema(tool: &ToolDeclaration, supported: bool) -> Result<Option<Value>, WireError> {
    schema_of(tool, supported, |_, _| false)
}

/// As [`schema`], for a vendor that refuses more.
///
/// # Errors
/// As [`schema`].
pub(super) fn schema_of(tool: &ToolDeclaration, supported: bool, refuses: Refuses) -> Result<Option<Value>, WireError> {
    let Some(ConstrainedSampling::JsonSchema { strict }) = tool.constrained_sampling else { return Ok(None) };
    let made = if supported {
        strict_schema(&tool.parameters, refuses)
    } else {
        Err("the model has no strict tools".to_owned())
    };
    match made {
        Ok(schema) => Ok(Some(schema)),
        Err(_) if strict == Strictness::Prefer => Ok(None),
        Err(why) => {
            Err(WireError::Config(format!("The tool {:?} needs arguments that strictly fit, but {why}", tool.name)))
        }
    }
}

/// Whether a tool would like a strict schema, and does without where it must.
pub(super) fn prefers(tool: &ToolDeclaration) -> bool {
    tool.constrained_sampling == Some(ConstrainedSampling::JsonSchema { strict: Strictness::Prefer })
}

/// Whether a request was refused because its strict tools are more than the vendor can hold a model to.
pub(super) fn is_over_limits(refused: &WireError) -> bool {
    let WireError::Refused { status: 400, text, .. } = refused else { return false };
    OVER_LIMITS.iter().any(|said| text.contains(said))
}

/// A grammar that a tool's only argument fits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grammar<'t> {
    /// `lark` or `regex`.
    pub syntax: &'static str,
    /// The grammar.
    pub definition: &'t str,
    /// The argument.
    pub argument: &'t str,
}

/// The grammar of a tool that has one, where the server takes grammars.
///
/// # Errors
/// When the tool has no grammar in a form that the server takes, or not exactly one argument, which is a text.
pub(super) fn grammar(tool: &ToolDeclaration, supported: bool) -> Result<Option<Grammar<'_>>, WireError> {
    let Some(ConstrainedSampling::Grammar { variants }) = tool.constrained_sampling.as_ref().filter(|_| supported)
    else {
        return Ok(None);
    };
    let fail = |why: &str| WireError::Config(format!("The tool {:?} cannot have a grammar: {why}", tool.name));
    let GrammarVariants { openai_lark, openai_regex } = variants;
    let given = |text: &'_ Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let (syntax, definition) = match (openai_lark, openai_regex) {
        (Some(lark), _) if given(openai_lark) => ("lark", lark),
        (_, Some(regex)) if given(openai_regex) => ("regex", regex),
        _ => return Err(fail("there is none in a form that the provider takes")),
    };
    let only = tool.parameters["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let [Value::String(argument)] = only else { return Err(fail("it needs exactly one required argument")) };
    if tool.parameters["properties"][argument]["type"] != "string" {
        return Err(fail("its required argument must be a string"));
    }
    Ok(Some(Grammar { syntax, definition, argument }))
}

/// The tools of a request that have grammars, each with its argument.
#[derive(Debug, Default)]
pub(super) struct Grammars<'t>(BTreeMap<&'t str, &'t str>);

impl<'t> Grammars<'t> {
    /// Finds them.
    ///
    /// # Errors
    /// As [`grammar`].
    pub fn of(tools: &'t [ToolDeclaration], supported: bool) -> Result<Self, WireError> {
        let argument = |tool: &'t ToolDeclaration| {
            let found = grammar(tool, supported).transpose()?;
            Some(found.map(|found| (&*tool.name, found.argument)))
        };
        tools.iter().filter_map(argument).collect::<Result<_, _>>().map(Self)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The argument of a tool that has a grammar.
    pub fn argument(&self, tool: &str) -> Option<&'t str> {
        self.0.get(tool).copied()
    }
}

/// A schema as strict tools want it: every property is required, what may be left out may be null, and there are no others.
fn strict_schema(schema: &Value, refuses: Refuses) -> Result<Value, String> {
    let mut schema = schema.clone();
    tighten(&mut schema, refuses)?;
    if schema["type"] != "object" {
        return Err("its schema is not of an object".to_owned());
    }
    Ok(schema)
}

fn tighten(schema: &mut Value, refuses: Refuses) -> Result<(), String> {
    let Value::Object(schema) = schema else { return Err("its schema has a part that is true or false".to_owned()) };
    if let Some(keyword) = UNSUPPORTED.into_iter().find(|keyword| schema.contains_key(*keyword)) {
        return Err(format!("its schema has {keyword:?}"));
    }
    if let Some((keyword, value)) = schema.iter().find(|(keyword, value)| refuses(keyword, value)) {
        return Err(format!("its schema has \"{keyword}\": {value}"));
    }
    if let Some(variants) = schema.get_mut("anyOf") {
        let variants = variants.as_array_mut().filter(|variants| !variants.is_empty());
        for variant in variants.ok_or_else(|| "its schema has an empty \"anyOf\"".to_owned())? {
            if is_structured(variant) {
                return Err("its schema has a choice between objects or lists".to_owned());
            }
            tighten(variant, refuses)?;
        }
    }
    if let Some(items) = schema.get_mut("items") {
        tighten(items, refuses)?;
    }
    if schema.get("type") != Some(&json!("object")) {
        return match schema.get("properties") {
            Some(_) => Err("its schema has properties of something that is no object".to_owned()),
            None => Ok(()),
        };
    }
    object(schema, refuses)
}

fn object(schema: &mut JsonMap, refuses: Refuses) -> Result<(), String> {
    if schema.get("additionalProperties").is_some_and(|others| *others != json!(false)) {
        return Err("its schema allows further properties".to_owned());
    }
    let unusable = || "its schema has \"properties\" or \"required\" that are none".to_owned();
    let required: BTreeSet<String> = match schema.remove("required") {
        None => BTreeSet::new(),
        Some(names) => serde_json::from_value(names).map_err(|_| unusable())?,
    };
    let properties = schema.entry("properties").or_insert_with(|| json!({})).as_object_mut().ok_or_else(unusable)?;
    if !required.iter().all(|name| properties.contains_key(name)) {
        return Err("its schema requires a property that it does not have".to_owned());
    }
    for (name, property) in properties.iter_mut() {
        tighten(property, refuses)?;
        if !required.contains(name) && !allows_null(property) {
            *property = json!({"anyOf": [property.take(), {"type": "null"}]});
        }
    }
    let all: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
    schema.insert("required".to_owned(), Value::Array(all));
    schema.insert("additionalProperties".to_owned(), json!(false));
    Ok(())
}

fn has_type(schema: &Value, wanted: &str) -> bool {
    match &schema["type"] {
        Value::String(name) => name == wanted,
        Value::Array(names) => names.iter().any(|name| name == wanted),
        _ => false,
    }
}

fn is_structured(schema: &Value) -> bool {
    let has = |keyword: &str| schema.get(keyword).is_some();
    has_type(schema, "object") || has_type(schema, "array") || has("properties") || has("items")
}

fn allows_null(schema: &Value) -> bool {
    let listed = |keyword: &str| schema[keyword].as_array().map(Vec::as_slice).unwrap_or_default();
    has_type(schema, "null")
        || schema.get("const") == Some(&Value::Null)
        || listed("enum").contains(&Value::Null)
        || listed("anyOf").iter().any(allows_null)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(parameters: Value, sampling: Value) -> ToolDeclaration {
        let constrained_sampling = serde_json::from_value(sampling).expect("what a tool asks for");
        ToolDeclaration { name: "t".to_owned(), description: String::new(), parameters, constrained_sampling }
    }

    #[test]
    fn what_may_be_left_out_may_be_null() {
        let own = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string"},
            "b": {"type": "integer", "minimum": 1},
            "c": {"type": ["string", "null"]},
            "d": {"type": "array", "items": {"type": "object", "properties": {"e": {"enum": ["x", null]}}}},
        }});
        let strict = json!({"type": "object", "required": ["a", "b", "c", "d"], "additionalProperties": false, "properties": {
            "a": {"type": "string"},
            "b": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
            "c": {"type": ["string", "null"]},
            "d": {"anyOf": [
                {"type": "array", "items": {"type": "object", "required": ["e"], "additionalProperties": false,
                    "properties": {"e": {"enum": ["x", null]}}}},
                {"type": "null"},
            ]},
        }});
        assert_eq!(strict_schema(&own, |_, _| false), Ok(strict));
    }

    #[test]
    fn a_schema_that_cannot_be_strict_stays_as_it_is_unless_the_tool_insists() {
        for (schema, why) in [
            (json!({"type": "object", "properties": {"a": true}}), "its schema has a part that is true or false"),
            (json!({"type": "object", "$defs": {}}), "its schema has \"$defs\""),
            (json!({"type": "object", "additionalProperties": {}}), "its schema allows further properties"),
            (json!({"type": "object", "required": ["x"]}), "its schema requires a property that it does not have"),
            (json!({"type": "object", "required": 1}), "its schema has \"properties\" or \"required\" that are none"),
            (json!({"properties": {}}), "its schema has properties of something that is no object"),
            (json!({"anyOf": [{"type": "array"}]}), "its schema has a choice between objects or lists"),
            (json!({"type": "string"}), "its schema is not of an object"),
            (json!({"type": "object", "anyOf": []}), "its schema has an empty \"anyOf\""),
        ] {
            assert_eq!(
                super::schema(&tool(schema.clone(), json!({"type": "json_schema", "strict": "prefer"})), true).ok(),
                Some(None)
            );
            let insists = tool(schema, json!({"type": "json_schema", "strict": "require"}));
            let error = super::schema(&insists, true).expect_err("no strict schema").to_string();
            assert_eq!(error, format!("The tool \"t\" needs arguments that strictly fit, but {why}"));
        }
        let insists = tool(json!({"type": "object"}), json!({"type": "json_schema", "strict": "require"}));
        assert!(schema(&insists, false).is_err());
        assert!(schema(&insists, true).is_ok_and(|schema| schema.is_some()));
        assert_eq!(schema(&tool(json!({"type": "object"}), json!(null)), false).ok(), Some(None));
    }

    #[test]
    fn a_grammar_is_of_the_only_argument() {
        let one = json!({"type": "object", "required": ["patch"], "properties": {"patch": {"type": "string"}}});
        let both = json!({"type": "grammar", "variants": {"openai_lark": "start: \"a\"", "openai_regex": "a"}});
        let lark = tool(one.clone(), both);
        let found = grammar(&lark, true).ok().flatten().map(|found| (found.syntax, found.argument));
        assert_eq!(found, Some(("lark", "patch")));
        assert_eq!(grammar(&lark, false).ok(), Some(None), "as any other tool");
        let regex =
            tool(one.clone(), json!({"type": "grammar", "variants": {"openai_regex": "a", "openai_lark": " "}}));
        assert_eq!(grammar(&regex, true).ok().flatten().map(|found| found.syntax), Some("regex"));
        for (schema, variants) in [
            (one, json!({})),
            (json!({"type": "object"}), json!({"openai_regex": "a"})),
            (json!({"required": ["a"], "properties": {"a": {"type": "number"}}}), json!({"openai_regex": "a"})),
        ] {
            let tool = tool(schema, json!({"type": "grammar", "variants": variants}));
            let error = grammar(&tool, true).expect_err("no grammar").to_string();
            assert!(error.starts_with("The tool \"t\" cannot have a grammar: "), "{error}");
        }
    }
}
