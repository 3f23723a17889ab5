//! What clients read of an event.

use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use tau_agent::{SessionEvent, Update};
use tau_hooks::payload::{Snapshot, StreamUpdate};
use tau_launch::args::Args;

/// What `message_update` carries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Partials {
    /// What arrived.
    #[default]
    Deltas,
    /// That, and the whole message so far, for clients of earlier versions.
    Cumulative,
}

impl Partials {
    /// As the command line wants it.
    pub(crate) fn of(args: &Args) -> Self {
        if args.cumulative_updates { Self::Cumulative } else { Self::Deltas }
    }
}

/// An event with the whole message so far, when it is one of a growing message.
pub(crate) struct Told<'a>(pub(crate) &'a SessionEvent, pub(crate) Partials);

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self(SessionEvent::MessageUpdate(Update(item)), Partials::Cumulative) => {
                let mut map = serializer.serialize_map(Some(4))?;
                map.serialize_entry("type", "message_update")?;
                map.serialize_entry("usage", &*item.partial.usage_json().map_err(S::Error::custom)?)?;
                map.serialize_entry("message", &Snapshot(item.partial.clone()))?;
                map.serialize_entry("assistantMessageEvent", &StreamUpdate(item.clone()))?;
                map.end()
            }
            Self(event, _) => event.serialize(serializer),
        }
    }
}
