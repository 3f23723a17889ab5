//! What handlers get and what they may return, a module per part of the pipeline.
//!
//! Field names and meanings are those of the published extension API. A result type knows how it changes the
//! payload that the next handler sees ([`Transforms`]), how results add up ([`Merges`], [`Adds`]) and whether
//! it ends the round ([`Output::STOPS`]); *when* these are used is the fold rule of the event's table row.

mod agent;
mod boundary;
mod foreign;
mod input;
mod mcp;
mod message;
mod model;
mod provider;
mod resources;
mod results;
#[cfg(feature = "samples")]
mod sample;
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
pub use results::*;
#[cfg(feature = "samples")]
pub use sample::{EventVisitor, Sample};
pub use session::*;
pub use tool::*;
pub use ui::*;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

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
    const STOPS: Option<Stop<Self>> = None;

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

#[cfg(feature = "samples")]
mod samples {
    use super::*;
    use crate::payload::sample::Sample;

    impl Sample for Empty {
        fn sample() -> Self {
            Self {}
        }
    }
}
