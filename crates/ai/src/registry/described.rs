//! What a `models.json` must look like, for files that cannot be read as a whole: the part with the mistake is left out, and
//! the user reads which key it is and what belongs there.

use serde_json::Value;
use url::Url;

use super::config::{LARGEST_COUNT, ProviderConfig};
use super::provider_error::{ModelsPart, ProviderError};
use crate::provider_names::provider_name;
use crate::{JsonMap, ThinkingLevel};

/// What a value must be.
enum Shape {
    Text,
    /// An address.
    Address,
    /// `true` or `false`.
    Flag,
    Number,
    /// A number of tokens.
    Tokens,
    /// As [`Shape::Tokens`], zero included.
    Bound,
    /// An object of whatever.
    Object,
    /// An object of texts.
    Texts,
    /// Texts, or `null`, by thinking level.
    Levels,
    List(&'static Shape),
    /// A text of these.
    Word(&'static [&'static str]),
    /// An object with these keys, and with others if it is open.
    Fields {
        fields: &'static [Field],
        is_open: bool,
    },
}

/// A key that an object may have.
struct Field {
    name: &'static str,
    shape: Shape,
    /// Whether it must be there.
    is_required: bool,
    /// Whether `null` is as if it were not there.
    takes_null: bool,
}

const fn may(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_required: false, takes_null: true }
}

const fn solid(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_required: false, takes_null: false }
}

const fn must(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_required: true, takes_null: false }
}

const PROVIDER: &[Field] = &[
    may("name", Shape::Text),
    may("baseUrl", Shape::Text),
    may("api", Shape::Text),
    may("apiKey", Shape::Text),
    solid("headers", Shape::Texts),
    may("authHeader", Shape::Flag),
    may("compat", Shape::Object),
    may("oauthServer", Shape::Fields { fields: SERVER, is_open: false }),
];

const SERVER: &[Field] = &[
    may("name", Shape::Text),
    must("clientId", Shape::Text),
    may("authorizationUrl", Shape::Address),
    may("deviceAuthorizationUrl", Shape::Address),
    must("tokenUrl", Shape::Address),
    solid("scopes", Shape::List(&Shape::Text)),
    may("redirectUrl", Shape::Address),
    solid("parameters", Shape::Texts),
];

const MODEL: Shape = Shape::Fields {
    fields: &[
        solid("id", Shape::Text),
        may("name", Shape::Text),
        may("api", Shape::Text),
        may("baseUrl", Shape::Text),
        may("reasoning", Shape::Flag),
        may("thinkingLevelMap", Shape::Levels),
        may("input", Shape::List(&Shape::Word(&["text", "image"]))),
        may("cost", Shape::Fields { fields: COST, is_open: true }),
        may("contextWindow", Shape::Tokens),
        may("maxTokens", Shape::Tokens),
        solid("headers", Shape::Texts),
    ],
    is_open: true,
};

const COST: &[Field] = &[
    may("input", Shape::Number),
    may("output", Shape::Number),
    may("cacheRead", Shape::Number),
    may("cacheWrite", Shape::Number),
    may("tiers", Shape::List(&Shape::Fields { fields: TIER, is_open: true })),
];

const TIER: &[Field] = &[
    solid("inputTokensAbove", Shape::Bound),
    solid("input", Shape::Number),
    solid("output", Shape::Number),
    solid("cacheRead", Shape::Number),
    solid("cacheWrite", Shape::Number),
];

/// A mistake. The value is not part of it: it may be a secret.
struct Wrong {
    path: String,
    expected: String,
    found: &'static str,
}

/// Reads the entry of a provider without the parts that cannot be read, each of which is an error. There is none when the
/// entry as a whole is left out.
pub(super) fn readable(name: &str, entry: &Value) -> (Option<ProviderConfig>, Vec<ProviderError>) {
    let path = below("providers", name);
    let error = |wrong: Wrong, part: ModelsPart| ProviderError::Entry {
        path: wrong.path,
        expected: wrong.expected,
        found: wrong.found,
        provider: provider_name(name).to_owned(),
        part,
    };
    let whole = Shape::Fields { fields: PROVIDER, is_open: true };
    if let Err(wrong) = check(entry, &whole, &path) {
        return (None, vec![error(wrong, ModelsPart::Provider)]);
    }
    let mut entry = entry.as_object().cloned().unwrap_or_default();
    let mut errors = Vec::new();
    if let Some(models) = entry.get_mut("models").filter(|models| !models.is_null()) {
        let path = below(&path, "models");
        let Value::Array(models) = models else {
            return (None, vec![error(wrong(&path, "a list of models", models), ModelsPart::Provider)]);
        };
        let mut at = 0;
        models.retain(|model| {
            let checked = check(model, &MODEL, &format!("{path}[{at}]"));
            at += 1;
            let id = model.get("id").and_then(Value::as_str).map(str::to_owned);
            checked.map_err(|wrong| errors.push(error(wrong, ModelsPart::Model(id)))).is_ok()
        });
    }
    if let Some(changes) = entry.get_mut("modelOverrides") {
        let path = below(&path, "modelOverrides");
        let Value::Object(changes) = changes else {
            return (None, vec![error(wrong(&path, "an object", changes), ModelsPart::Provider)]);
        };
        changes.retain(|id, change| {
            let checked = check(change, &MODEL, &below(&path, id));
            checked.map_err(|wrong| errors.push(error(wrong, ModelsPart::Change(id.to_owned())))).is_ok()
        });
    }
    match serde_json::from_value(Value::Object(entry)) {
        Ok(config) => (Some(config), errors),
        Err(_) => {
            let wrong = Wrong { path, expected: "the entry of a provider".to_owned(), found: "something else" };
            errors.push(error(wrong, ModelsPart::Provider));
            (None, errors)
        }
    }
}

/// Takes out models that have no id, each of which is an error.
pub(super) fn without_nameless(name: &str, config: &mut ProviderConfig) -> Vec<ProviderError> {
    let path = below(&below("providers", name), "models");
    let (mut errors, mut at) = (Vec::new(), 0);
    config.models.iter_mut().for_each(|models| {
        models.retain(|model| {
            let is_named = !model.id.is_empty();
            if !is_named {
                errors.push(ProviderError::Entry {
                    path: format!("{path}[{at}].id"),
                    expected: "the id of a model".to_owned(),
                    found: "nothing",
                    provider: provider_name(name).to_owned(),
                    part: ModelsPart::Model(None),
                });
            }
            at += 1;
            is_named
        });
    });
    errors
}

/// The place of a key in the object at a place.
fn below(path: &str, key: &str) -> String {
    let is_plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    // Written as JSON, it has no control character.
    if is_plain { format!("{path}.{key}") } else { format!("{path}[{}]", Value::from(key)) }
}

fn wrong(path: &str, expected: impl Into<String>, value: &Value) -> Wrong {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Wrong { path: path.to_owned(), expected: expected.into(), found }
}

fn other(path: &str, expected: impl Into<String>, found: &'static str) -> Wrong {
    Wrong { path: path.to_owned(), expected: expected.into(), found }
}

fn check(value: &Value, shape: &Shape, path: &str) -> Result<(), Wrong> {
    let is = |fits: bool, expected: &str| if fits { Ok(()) } else { Err(wrong(path, expected, value)) };
    let object = || value.as_object().ok_or_else(|| wrong(path, "an object", value));
    match shape {
        Shape::Text => is(value.is_string(), "a text in double quotes"),
        Shape::Address => match value.as_str() {
            Some(text) if Url::parse(text).is_err() => Err(other(path, "an address", "another text")),
            text => is(text.is_some(), "an address"),
        },
        Shape::Flag => is(value.is_boolean(), "true or false"),
        Shape::Number => is(value.is_number(), "a number"),
        Shape::Tokens => tokens(value, path),
        Shape::Bound => match value.as_u64() {
            Some(_) => Ok(()),
            None if value.is_number() => Err(other(path, "a whole number such as 200000", "another number")),
            None => Err(wrong(path, "a whole number such as 200000", value)),
        },
        Shape::Object => object().map(drop),
        Shape::Texts => each(object()?, path, |value, path| check(value, &Shape::Text, path)),
        Shape::Levels => {
            each(
                object()?,
                path,
                |value, path_of_level| {
                    if value.is_null() { Ok(()) } else { check(value, &Shape::Text, path_of_level) }
                },
            )
            .and_then(|()| levels(object()?, path))
        }
        Shape::List(shape) => {
            let list = value.as_array().ok_or_else(|| wrong(path, "a list", value))?;
            list.iter().enumerate().try_for_each(|(at, value)| check(value, shape, &format!("{path}[{at}]")))
        }
        Shape::Word(words) => match value.as_str() {
            Some(word) if words.contains(&word) => Ok(()),
            Some(_) => Err(other(path, one_of(words), "another text")),
            None => Err(wrong(path, one_of(words), value)),
        },
        Shape::Fields { fields, is_open } => {
            let object = object()?;
            for field in *fields {
                let path = below(path, field.name);
                match object.get(field.name) {
                    Some(Value::Null) if field.takes_null => {}
                    Some(value) => check(value, &field.shape, &path)?,
                    None if field.is_required => {
                        return Err(other(&path, "a value for this key", "nothing"));
                    }
                    None => {}
                }
            }
            let known = |key: &&String| fields.iter().any(|field| field.name == **key);
            match object.keys().find(|key| !is_open && !known(key)) {
                Some(key) => {
                    let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
                    let expected = format!("one of the keys {}", known.join(", "));
                    Err(other(&below(path, key), expected, "another one"))
                }
                None => Ok(()),
            }
        }
    }
}

fn tokens(value: &Value, path: &str) -> Result<(), Wrong> {
    let expected = "a whole number above 0";
    match value.as_f64() {
        Some(number) if number >= 1.0 && number.fract() == 0.0 && number <= LARGEST_COUNT => Ok(()),
        Some(number) if number > LARGEST_COUNT => Err(other(path, expected, "one that is too large")),
        Some(_) => Err(other(path, expected, "another number")),
        None => Err(wrong(path, expected, value)),
    }
}

fn each(object: &JsonMap, path: &str, check: impl Fn(&Value, &str) -> Result<(), Wrong>) -> Result<(), Wrong> {
    object.iter().try_for_each(|(key, value)| check(value, &below(path, key)))
}

fn levels(object: &JsonMap, path: &str) -> Result<(), Wrong> {
    let Some(key) = object.keys().find(|key| ThinkingLevel::parse(key).is_none()) else { return Ok(()) };
    let expected = format!("a thinking level as the key, {}", one_of(&ThinkingLevel::ALL.map(ThinkingLevel::as_str)));
    Err(other(&below(path, key), expected, "another one"))
}

fn one_of(words: &[&str]) -> String {
    format!("one of {}", words.join(", "))
}
