//! Results from outside are parsed and judged in this one place.

use serde_json::Value;

use crate::handler::{AnyOutput, HandlerError};
use crate::payload::Output;
use crate::table::{Event, Fold};

/// The result of a handler in its event's type. `unknown` is told of every field the event does not have.
///
/// Nothing, `null` and an object without fields say nothing about what is allowed; anything that is not an
/// object, or has a field of the wrong type, is malformed.
pub(crate) fn parse_output<E: Event>(
    any: AnyOutput,
    payload: &E::Payload,
    mut unknown: impl FnMut(&str),
) -> Result<Option<E::Output>, HandlerError> {
    let output = match any {
        AnyOutput::Edited { result, fields } => {
            let result = parse_output::<E>(result.map_or(AnyOutput::Empty, AnyOutput::Json), payload, unknown)?;
            let edit = |result, (field, value): (String, Value)| E::Output::edit(result, &field, value);
            match fields.into_iter().try_fold(result, edit).map_err(HandlerError::Malformed)? {
                Some(output) => output,
                None => return Ok(None),
            }
        }
        AnyOutput::Empty => return Ok(None),
        AnyOutput::Typed(output) => *output
            .downcast::<E::Output>()
            .map_err(|_| HandlerError::Malformed(format!("the result is not of the type that `{}` takes", E::ID)))?,
        // What counts is what the handler did to the object it was given.
        AnyOutput::Json(_) if !E::ID.row().has_output() || E::ID.row().fold == Fold::Mutate => return Ok(None),
        AnyOutput::Json(value) if !E::Output::OBJECT => serde_json::from_value(value).map_err(malformed)?,
        AnyOutput::Json(Value::Null) => return Ok(None),
        AnyOutput::Json(Value::Object(fields)) => {
            if let Some(known) = E::ID.row().output_fields() {
                fields.keys().filter(|name| !known.contains(*name)).for_each(|name| unknown(name));
            }
            let empty = fields.is_empty();
            match serde_json::from_value(Value::Object(fields)) {
                Ok(output) => output,
                Err(_) if empty => return Ok(None),
                Err(error) => return Err(malformed(error)),
            }
        }
        AnyOutput::Json(value) => {
            return Err(HandlerError::Malformed(format!("an object is needed, not {}", describe(&value))));
        }
    };
    output.check(payload).map_err(HandlerError::Malformed)?;
    Ok(Some(output))
}

fn malformed(error: serde_json::Error) -> HandlerError {
    let text = error.to_string();
    let nearest = nearest_variant(&text).map(|nearest| format!("; did you mean `{nearest}`?"));
    HandlerError::Malformed(text + &nearest.unwrap_or_default())
}

/// The nearest of the names in an error that says: unknown variant `a`, expected one of `b`, `c`.
fn nearest_variant(error: &str) -> Option<&str> {
    let (unknown, known) = error.strip_prefix("unknown variant `")?.split_once('`')?;
    crate::table::nearest(unknown, known.split('`').skip(1).step_by(2))
}

fn describe(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::String(_) => "a string".to_owned(),
        other => format!("`{other}`"),
    }
}
