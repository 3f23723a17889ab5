//! Compiled schemas, kept for the next call.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use jsonschema::{Draft, Validator};
use parking_lot::Mutex;
use serde_json::Value;

use super::references::{self, Unresolved};
use super::weight;

/// Enough for every tool of several sessions with their sub-schemas; past it the cache starts anew.
const CAPACITY: usize = 1024;

type Compiled = Result<Arc<Validator>, Arc<str>>;

// Schemas are data, so equal schemas share an entry whichever session they come from.
static CACHE: LazyLock<Mutex<HashMap<Value, Compiled>>> = LazyLock::new(Mutex::default);

/// The validator for `schema`. References to other documents are never followed.
pub(super) fn validator(schema: &Value) -> Result<Arc<Validator>, String> {
    if let Some(known) = CACHE.lock().get(schema) {
        return known.clone().map_err(|reason| reason.to_string());
    }
    let compiled: Compiled = compile(schema).map(Arc::new).map_err(Arc::from);
    let mut cache = CACHE.lock();
    if cache.len() >= CAPACITY {
        cache.clear();
    }
    cache.insert(schema.clone(), compiled.clone());
    compiled.map_err(|reason| reason.to_string())
}

/// [`validator`] for a whole schema, with the schema that it checks: references that lead nowhere refuse the values that
/// are checked against them, and nothing else.
pub(super) fn root_validator(schema: &Value) -> Result<(Arc<Validator>, Cow<'_, Value>), String> {
    let reason = match validator(schema) {
        Ok(validator) => return Ok((validator, Cow::Borrowed(schema))),
        Err(reason) => reason,
    };
    let Some(usable) = references::without_dead(schema) else { return Err(reason) };
    Ok((validator(&usable)?, Cow::Owned(usable)))
}

/// The longest error that is shown as it is, in bytes.
const LONGEST: usize = 500;

fn compile(schema: &Value) -> Result<Validator, String> {
    if let Some(problem) = weight::problem(schema) {
        return Err(problem);
    }
    let options = || {
        jsonschema::options()
            .should_validate_formats(true)
            .offline()
            .with_keyword(references::KEYWORD, |_, target, _| {
                Ok(Box::new(Unresolved(target.as_str().unwrap_or_default().to_owned())))
            })
    };
    let error = match options().build(schema) {
        Ok(validator) => return Ok(validator),
        Err(error) => error,
    };
    // Tuples written as a list under `items` were legal up to draft 7, and schema builders still emit them.
    if schema.get("$schema").is_none()
        && let Ok(validator) = options().with_draft(Draft::Draft7).build(schema)
    {
        return Ok(validator);
    }
    let place = error.instance_path().as_str();
    let said = error.to_string();
    // It quotes the part of the schema that is wrong, which may be all of it.
    let said = if said.len() > LONGEST { error.masked_with("this").to_string() } else { said };
    Err(if place.is_empty() { said } else { format!("{said} at {place}") })
}
