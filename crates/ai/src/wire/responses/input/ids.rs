//! Ids of calls and items.
//!
//! A call of this interface has two ids, its own and that of its item, which are kept as `call|item`. Calls of other models
//! and interfaces have ids in any form.

use std::borrow::Cow;

use crate::wire::turns::narrow_id;
use crate::{AssistantMessage, Model};

/// The longest id that the interface takes, in characters.
const MAX_ID: usize = 64;
/// Stands between the ids of a call and its item.
const SEPARATOR: char = '|';

/// Where an answer comes from, seen from the model that is asked now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The same model.
    Same,
    /// Another model of the same provider and interface.
    Sibling,
    /// Anything else.
    Foreign,
}

impl Origin {
    pub fn of(answer: &AssistantMessage, model: &Model) -> Self {
        if crate::provider_name(&answer.provider) != model.provider || answer.api != model.api {
            Self::Foreign
        } else if answer.model == model.id {
            Self::Same
        } else {
            Self::Sibling
        }
    }
}

/// The ids of a call: its own, and that of its item if the model may know it.
pub(super) fn call_ids<'i>(
    id: &'i str,
    origin: Origin,
    keeps_items: bool,
    prefix: &str,
) -> (Cow<'i, str>, Option<Cow<'i, str>>) {
    let (call, item) = id.split_once(SEPARATOR).map_or((id, None), |(call, item)| (call, Some(item)));
    match origin {
        Origin::Same => (Cow::Borrowed(call), item.filter(|item| item.starts_with(prefix)).map(Cow::Borrowed)),
        // Without items the separator is a character like any other that is not allowed.
        _ if item.is_none() || !keeps_items => (narrow_id(id, MAX_ID), None),
        Origin::Sibling => (narrow_id(call, MAX_ID), None),
        Origin::Foreign => {
            let made = item.filter(|_| prefix == FUNCTION).map(|item| Cow::Owned(made_id(FUNCTION, &[item])));
            (narrow_id(call, MAX_ID), made)
        }
    }
}

/// How ids of function calls begin.
pub(super) const FUNCTION: &str = "fc_";
/// How ids of calls with plain text begin.
pub(super) const CUSTOM: &str = "ctc_";

/// An id that the same things always give.
pub(super) fn made_id(prefix: &str, of: &[&str]) -> String {
    format!("{prefix}{:016x}", xxhash_rust::xxh3::xxh3_64(of.join("\0").as_bytes()))
}

/// The id of a message; too long ones get another.
pub(super) fn message_id(id: &str) -> Cow<'_, str> {
    if id.chars().count() <= MAX_ID { Cow::Borrowed(id) } else { Cow::Owned(made_id("msg_", &[id])) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_named_where_their_model_gave_the_name() {
        let ids = |id, origin, keeps_items, prefix| {
            let (call, item) = call_ids(id, origin, keeps_items, prefix);
            (call.into_owned(), item.map(Cow::into_owned))
        };
        let own = |call: &str, item: Option<&str>| (call.to_owned(), item.map(str::to_owned));
        assert_eq!(ids("call_1|fc_2", Origin::Same, false, FUNCTION), own("call_1", Some("fc_2")));
        assert_eq!(ids("call+1|other", Origin::Same, true, FUNCTION), own("call+1", None));
        assert_eq!(ids("call_1|fc_2", Origin::Same, true, CUSTOM), own("call_1", None));
        assert_eq!(ids("call_1|ctc_2", Origin::Same, true, CUSTOM), own("call_1", Some("ctc_2")));
        assert_eq!(ids("call+1|fc_2", Origin::Sibling, true, FUNCTION), own("call_1", None));
        let (call, item) = ids("call+1|x+/=", Origin::Foreign, true, FUNCTION);
        assert_eq!((&*call, item.as_deref().map(|item| (&item[..3], item.len()))), ("call_1", Some(("fc_", 19))));
        assert_eq!(ids("call+1|x+/=", Origin::Foreign, true, FUNCTION), (call, item));
        assert_eq!(ids("call_1|x+", Origin::Foreign, true, CUSTOM), own("call_1", None));
        assert_eq!(ids("call_1|fc_2", Origin::Foreign, false, FUNCTION), own("call_1_fc_2", None));
        assert_eq!(ids("toolu_1", Origin::Foreign, true, FUNCTION), own("toolu_1", None));
    }

    #[test]
    fn long_ids_of_messages_get_another() {
        assert_eq!(message_id("msg_1"), "msg_1");
        let long = "m".repeat(65);
        assert_eq!(message_id(&long).len(), 20);
        assert_ne!(message_id(&long), message_id(&"n".repeat(65)));
    }
}
