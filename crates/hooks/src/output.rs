//! Results from outside are parsed and judged in this one place.

use std::any::Any;

use serde_json::Value;
use tau_ai::JsonMap;

use crate::dialect::Terms;
use crate::error::HandlerError;
use crate::events::EventId;
use crate::handler::AnyOutput;
use crate::payload::Output;
use crate::table::{Event, Failure};

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

/// Takes what the author of a handler should know.
pub(crate) type Tell<'a> = dyn FnMut(Remark<'_>) + 'a;

/// The result of a handler in its event's type, as far as it counts under the rules of the handler's dialect. `tell` gets
/// what has no effect.
///
/// Nothing, `null` and an object without fields say nothing about what is allowed; anything that is not an
/// object, or has a field of the wrong type, is malformed.
pub(crate) fn parse_output<E: Event>(
    any: AnyOutput,
    payload: &E::Payload,
    terms: &Terms,
    tell: &mut Tell<'_>,
) -> Result<Option<E::Output>, HandlerError> {
    let (any, changed) = any.apart();
    let mut output = read::<E>(any, payload, terms, tell)?;
    if let Some(fields) = changed {
        edit(fields, terms, tell, &mut |field, value| {
            let Some(edit) = E::ID.row().edit else { return Err(format!("`{field}` cannot be changed in place")) };
            edit(&mut output, field, value)
        })?;
    }
    let Some(mut output) = output else { return Ok(None) };
    if let Some(text) = output.meant() {
        tell(Remark::Meant(&text));
    }
    output.adopt(payload, terms).map_err(HandlerError::Malformed)?;
    Ok(Some(output))
}

fn read<E: Event>(
    any: AnyOutput,
    payload: &E::Payload,
    terms: &Terms,
    tell: &mut Tell<'_>,
) -> Result<Option<E::Output>, HandlerError> {
    match Given::of(any, E::ID, E::Output::OBJECT, terms, tell)? {
        Given::Nothing => Ok(None),
        Given::Typed(output) => {
            let Ok(output) = output.downcast::<E::Output>() else { return Err(wrong_type(E::ID)) };
            output.check(payload).map_err(HandlerError::Malformed)?;
            Ok(Some(*output))
        }
        Given::Json(value, fields) => match serde_json::from_value::<E::Output>(value) {
            Ok(output) => {
                fields.judge(output.check(payload), terms, tell)?;
                Ok(Some(output))
            }
            Err(error) => {
                fields.judge_unread(error, tell)?;
                Ok(None)
            }
        },
    }
}

impl AnyOutput {
    /// What was returned, and the fields that were changed in place.
    fn apart(self) -> (Self, Option<JsonMap>) {
        match self {
            Self::Edited { result, fields } => (result.map_or(Self::Empty, Self::Json), Some(fields)),
            any => (any, None),
        }
    }
}

/// Hands the fields that count to `edit`.
fn edit(
    fields: JsonMap,
    terms: &Terms,
    tell: &mut Tell<'_>,
    edit: &mut dyn FnMut(&str, Value) -> Result<(), String>,
) -> Result<(), HandlerError> {
    for (field, value) in fields {
        if terms.takes_change(&field) {
            edit(&field, value).map_err(HandlerError::Malformed)?;
        } else {
            tell(Remark::Idle(&field));
        }
    }
    Ok(())
}

/// What a handler gave, before it is read as the result of its event.
enum Given {
    Nothing,
    /// A result in its event's own type.
    Typed(Box<dyn Any + Send>),
    /// A result to be read, and what is to be said of its fields.
    Json(Value, Fields),
}

impl Given {
    /// `object` is whether results of the event must be objects.
    fn of(
        any: AnyOutput,
        event: EventId,
        object: bool,
        terms: &Terms,
        tell: &mut Tell<'_>,
    ) -> Result<Self, HandlerError> {
        match any {
            AnyOutput::Empty | AnyOutput::Edited { .. } => Ok(Self::Nothing),
            AnyOutput::Fieldless(what) => {
                if event.row().failure == Failure::Block {
                    let name = terms.rule.name;
                    let text = format!(
                        "answered with {what}, which has no field of `{name}`, so it blocked nothing; a handler that decides \
                         nothing returns nothing"
                    );
                    tell(Remark::Meant(&text));
                }
                // It is judged as a plain object without fields is.
                Self::of(AnyOutput::Json(Value::Object(JsonMap::new())), event, object, terms, tell)
            }
            AnyOutput::Malformed(why) => Err(HandlerError::Malformed(why)),
            AnyOutput::Typed(output) => Ok(Self::Typed(output)),
            AnyOutput::Partly(output, left_out) => {
                left_out.iter().for_each(|text| tell(Remark::LeftOut(text)));
                Ok(Self::Typed(output))
            }
            // What counts is what the handler did to the object it was given.
            AnyOutput::Json(_) if !event.row().takes_returned() => Ok(Self::Nothing),
            AnyOutput::Json(value) if !object => Ok(Self::Json(value, Fields::default())),
            AnyOutput::Json(Value::Null) => Ok(Self::Nothing),
            AnyOutput::Json(Value::Object(fields)) => {
                let fields = match terms.rule.accept {
                    Some(accept) => accept(fields),
                    None => fields,
                };
                let about = Fields::of(&fields, event, terms);
                Ok(Self::Json(Value::Object(fields), about))
            }
            AnyOutput::Json(value) => {
                Err(HandlerError::Malformed(format!("an object is needed, not {}", describe(&value))))
            }
        }
    }
}

/// What is to be said of the fields of a result from outside.
#[derive(Default)]
struct Fields {
    /// Those that the event does not have.
    strange: Vec<String>,
    /// The event is a gate and has none of them.
    undecided: bool,
    /// There are none.
    empty: bool,
}

impl Fields {
    fn of(fields: &JsonMap, event: EventId, terms: &Terms) -> Self {
        let row = event.row();
        let mut strange: Vec<String> = Vec::new();
        if let Some(known) = row.output_fields() {
            let unknown = |name: &&String| !known.contains(*name) || !terms.rule.knows(name);
            strange.extend(fields.keys().filter(unknown).cloned());
        }
        let empty = fields.is_empty();
        let undecided = row.failure == Failure::Block && !empty && strange.len() == fields.len();
        Self { strange, undecided, empty }
    }

    /// Judges a result that was read; `allowed` says whether it may be one.
    fn judge(&self, allowed: Result<(), String>, terms: &Terms, tell: &mut Tell<'_>) -> Result<(), HandlerError> {
        // An answer that means nothing blocks where the event needs one of its fields.
        if let (Err(why), true) = (&allowed, self.undecided) {
            let names = self.strange.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let text = format!("{why}; it has only fields that `{}` does not know: {names}", terms.rule.name);
            return Err(HandlerError::Malformed(text));
        }
        self.remark(tell);
        allowed.map_err(HandlerError::Malformed)
    }

    /// Judges a result that could not be read.
    fn judge_unread(&self, error: serde_json::Error, tell: &mut Tell<'_>) -> Result<(), HandlerError> {
        self.remark(tell);
        if self.empty { Ok(()) } else { Err(malformed(error)) }
    }

    fn remark(&self, tell: &mut Tell<'_>) {
        let remark = if self.undecided { Remark::Undecided } else { Remark::Unknown };
        self.strange.iter().for_each(|name| tell(remark(name)));
    }
}

fn wrong_type(event: EventId) -> HandlerError {
    HandlerError::Malformed(format!("the result is not of the type that `{event}` takes"))
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
