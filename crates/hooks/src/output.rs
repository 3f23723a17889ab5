//! Results from outside are parsed and judged in this one place.

use std::any::Any;

use serde_json::Value;

use crate::dialect::Terms;
use crate::error::HandlerError;
use crate::handler::AnyOutput;
use crate::payload::Output;
use crate::table::{Event, Failure, Fold};

/// Something about a result that changes nothing and that the author of the handler should know.
pub(crate) enum Remark<'a> {
    /// The event has no such field.
    Unknown(&'a str),
    /// The answer of a gate has this field, which the event does not have, and none that it has: it blocks nothing.
    Undecided(&'a str),
    /// The field was changed in place, which the dialect does not take.
    Idle(&'a str),
    /// The result is well-formed and does not do what its author must have meant, in these words.
    Meant(&'a str),
    /// A part of the result could not be read and is left out, in these words.
    LeftOut(&'a str),
}

/// The result of a handler in its event's type, as far as it counts under the rules of the handler's dialect. `tell` gets
/// what has no effect.
///
/// Nothing, `null` and an object without fields say nothing about what is allowed; anything that is not an
/// object, or has a field of the wrong type, is malformed.
pub(crate) fn parse_output<E: Event>(
    any: AnyOutput,
    payload: &E::Payload,
    terms: &Terms,
    mut tell: impl FnMut(Remark<'_>),
) -> Result<Option<E::Output>, HandlerError> {
    if terms.rule.fold == Fold::Observe {
        return Ok(None);
    }
    let output = match any {
        AnyOutput::Edited { result, fields } => {
            let mut output = read::<E>(result.map_or(AnyOutput::Empty, AnyOutput::Json), payload, terms, &mut tell)?;
            for (field, value) in fields {
                if terms.takes_change(&field) {
                    output = E::Output::edit(output, &field, value).map_err(HandlerError::Malformed)?;
                } else {
                    tell(Remark::Idle(&field));
                }
            }
            output
        }
        any => read::<E>(any, payload, terms, &mut tell)?,
    };
    let Some(mut output) = output else { return Ok(None) };
    output.meant().as_deref().into_iter().for_each(|text| tell(Remark::Meant(text)));
    output.adopt(payload, terms).map_err(HandlerError::Malformed)?;
    Ok(Some(output))
}

fn read<E: Event>(
    any: AnyOutput,
    payload: &E::Payload,
    terms: &Terms,
    tell: &mut impl FnMut(Remark<'_>),
) -> Result<Option<E::Output>, HandlerError> {
    let output = match any {
        AnyOutput::Empty | AnyOutput::Edited { .. } => return Ok(None),
        AnyOutput::Malformed(why) => return Err(HandlerError::Malformed(why)),
        AnyOutput::Typed(output) => typed::<E>(output)?,
        AnyOutput::Partly(output, left_out) => {
            left_out.iter().for_each(|text| tell(Remark::LeftOut(text)));
            typed::<E>(output)?
        }
        // What counts is what the handler did to the object it was given.
        AnyOutput::Json(_) if !E::ID.row().has_output() || E::ID.row().fold == Fold::Mutate => return Ok(None),
        AnyOutput::Json(value) if !E::Output::OBJECT => serde_json::from_value(value).map_err(malformed)?,
        AnyOutput::Json(Value::Null) => return Ok(None),
        AnyOutput::Json(Value::Object(fields)) => {
            let fields = match terms.rule.accept {
                Some(accept) => accept(fields),
                None => fields,
            };
            let mut strange: Vec<String> = Vec::new();
            if let Some(known) = E::ID.row().output_fields() {
                let unknown = |name: &&String| !known.contains(*name) || !terms.rule.knows(name);
                strange.extend(fields.keys().filter(unknown).cloned());
            }
            let decides = E::ID.row().failure != Failure::Block || strange.len() < fields.len();
            let empty = fields.is_empty();
            let output: Result<E::Output, _> = serde_json::from_value(Value::Object(fields));
            // An answer that means nothing blocks where the event needs one of its fields.
            let means_nothing = || output.as_ref().ok().and_then(|output| output.check(payload).err());
            if let Some(why) = means_nothing().filter(|_| !decides && !empty) {
                let names = strange.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let text = format!("{why}; it has only fields that `{}` does not know: {names}", terms.rule.name);
                return Err(HandlerError::Malformed(text));
            }
            let remark = if decides { Remark::Unknown } else { Remark::Undecided };
            strange.iter().for_each(|name| tell(remark(name)));
            match output {
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

fn typed<E: Event>(output: Box<dyn Any + Send>) -> Result<E::Output, HandlerError> {
    let other = |_| HandlerError::Malformed(format!("the result is not of the type that `{}` takes", E::ID));
    output.downcast::<E::Output>().map(|output| *output).map_err(other)
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
