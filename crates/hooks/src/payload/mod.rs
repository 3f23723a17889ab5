//! What handlers get and what they may return, a module per part of the pipeline.
//!
//! Field names and meanings are those of the published extension API. A result type knows how it changes the
//! payload that the next handler sees ([`Output::apply`]), how results add up ([`Output::merge`]) and whether
//! it ends the round ([`Output::stops`]); *when* these are used is the fold rule of the event's table row.

mod agent;
mod boundary;
mod foreign;
mod input;
mod mcp;
mod message;
mod model;
mod provider;
mod resources;
mod session;
mod tool;
mod ui;

pub use agent::*;
pub use boundary::*;
pub use foreign::*;
pub use input::*;
pub use mcp::*;
pub use message::*;
pub use model::*;
pub use provider::*;
pub use resources::*;
pub use session::*;
pub use tool::*;
pub use ui::*;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::changes::Changes;
use crate::dialect::Terms;
use crate::handle::Handle;
use crate::owner::Owner;

/// What a handler returned for an event with payload `P`.
pub trait Output<P>: Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Results that are not JSON objects are malformed.
    const OBJECT: bool = true;

    /// Says nothing: the same as returning no result.
    fn is_empty(&self) -> bool {
        false
    }

    /// Ends the round: blocked, cancelled or handled.
    fn stops(&self) -> bool {
        false
    }

    /// Rejects results that are well-formed but not allowed for this payload.
    fn check(&self, _payload: &P) -> Result<(), String> {
        Ok(())
    }

    /// Changes the payload for the handlers that follow and, for transforming events, for the pipeline.
    fn apply(&self, _payload: &mut P) -> Changes {
        Changes::none()
    }

    /// Adds a field of the payload that the handler changed in place.
    ///
    /// # Errors
    /// When the field is not what it must be.
    fn edit(_result: Option<Self>, field: &str, _value: serde_json::Value) -> Result<Option<Self>, String> {
        Err(format!("`{field}` cannot be changed in place"))
    }

    /// Takes over a live object of the extension.
    ///
    /// # Errors
    /// When the result has no such field.
    fn attach(&mut self, field: &str, _object: Handle) -> Result<(), String> {
        Err(format!("`{field}` is no live object"))
    }

    /// What its author must have meant and the result does not do, in words for them.
    fn meant(&self) -> Option<String> {
        None
    }

    /// Notes whose result this is, for results that are put together and must still tell whose part is whose.
    fn attribute(&mut self, _owner: &Owner) {}

    /// The payload as handlers of a dialect see it, where its own type can show the difference; `None` when it cannot.
    fn shown(_payload: &P, _terms: &Terms) -> Option<P> {
        None
    }

    /// Keeps what counts of a result under the rules of a dialect, in the terms of the event table.
    ///
    /// # Errors
    /// When it cannot be said in them.
    fn adopt(&mut self, _payload: &P, _terms: &Terms) -> Result<(), String> {
        Ok(())
    }

    /// What the results of a group come to, for the groups that follow and for the pipeline.
    fn conclude(&mut self, _terms: &Terms) {}

    /// Takes from the result of a later handler what adds to this one, where the first of its kind counts.
    fn add(&mut self, _later: Self) {}

    /// Adds the result of a later handler.
    fn merge(&mut self, later: Self) {
        *self = later;
    }
}

/// The result of events whose handlers only observe: whatever a handler returns is ignored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Nothing {}

impl<'de> Deserialize<'de> for Nothing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer)?;
        Ok(Self {})
    }
}

impl<P> Output<P> for Nothing {
    const OBJECT: bool = false;
    fn is_empty(&self) -> bool {
        true
    }
}

/// The payload of events that carry nothing but their name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Empty {}

/// Tells a field that is `null` from one that is absent.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A field that is `null` is as good as one that is absent.
pub(crate) fn default_if_null<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A count that a program may have divided; nothing is none.
pub(crate) fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(Option::<serde_json::Number>::deserialize(deserializer)?.map_or(0, |number| {
        // A float that is out of range becomes the nearest number that is in it.
        number.as_u64().unwrap_or_else(|| number.as_f64().unwrap_or_default() as u64)
    }))
}
