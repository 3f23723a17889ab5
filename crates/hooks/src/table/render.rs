//! How the payload of an event is made for handlers in other languages.

use std::any::Any;
use std::fmt;

use serde_json::Value;

use crate::messages::Messages;

/// How a payload is made for handlers in other languages.
#[derive(Debug, Clone, Copy)]
pub enum Render {
    /// As JSON, all of it.
    Whole,
    /// A part of it is made when a handler looks there. `None` for the payload of another event.
    Late(fn(&dyn Any) -> Option<Late>),
    /// It is a list of messages in the field `messages`, which are made when a handler looks at them. `None` for the payload
    /// of another event.
    Messages(fn(&dyn Any) -> Option<&Messages>),
}

/// A payload with a part that is made when a handler looks at it.
pub struct Late {
    /// The payload as JSON, with `null` for that part.
    pub fields: Value,
    /// Where the part stands. All these places show the same value.
    pub places: &'static [&'static [&'static str]],
    /// Makes the part.
    pub make: Box<dyn Fn() -> Value + Send>,
}

impl fmt::Debug for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Late").field("fields", &self.fields).field("places", &self.places).finish_non_exhaustive()
    }
}

/// A payload that can be taken apart.
pub(crate) trait TakeApart: Any {
    fn take_apart(&self) -> Late;
}

/// A payload that is a list of messages.
pub(crate) trait HoldsMessages: Any {
    fn messages(&self) -> &Messages;
}

/// For the `render` column of a row: `Late`.
pub(crate) fn take_apart<P: TakeApart>(payload: &dyn Any) -> Option<Late> {
    payload.downcast_ref::<P>().map(P::take_apart)
}

/// For the `render` column of a row: `Messages`.
pub(crate) fn messages_of<P: HoldsMessages>(payload: &dyn Any) -> Option<&Messages> {
    payload.downcast_ref::<P>().map(P::messages)
}
