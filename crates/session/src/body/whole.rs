//! The entries that hold nearly all bytes of a session, read in one pass over their line.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use tau_ai::{JsonMap, Message, MessageContent, json};

use super::{BASE, CustomMessageEntry, EntryBody, EntryKind, MessageEntry};

#[derive(Deserialize)]
struct MessageLine<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    message: Message,
    #[serde(flatten)]
    extra: JsonMap,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CustomMessageLine<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    custom_type: String,
    content: MessageContent,
    display: Option<Value>,
    details: Option<Value>,
    #[serde(flatten)]
    extra: JsonMap,
}

/// The fields that no version of the body knows.
fn unknown(mut extra: JsonMap) -> JsonMap {
    extra.retain(|key, _| !BASE.contains(&key.as_str()));
    extra
}

impl EntryBody {
    /// The body of the entry `id` from its line, which has nothing that must be reported. `None` when the kind has no such
    /// way, or when the line is another one or out of the ordinary in any way: [`Self::read`] takes a closer look.
    pub(crate) fn read_whole(kind: EntryKind, id: &str, text: &str) -> Option<Self> {
        match kind {
            EntryKind::Message => {
                let MessageLine { id: found, message, extra } = serde_json::from_str(text).ok()?;
                let (message, extra) = (Arc::new(message), unknown(extra));
                (found == id).then_some(Self::Message(MessageEntry { message, extra }))
            }
            EntryKind::CustomMessage => {
                let CustomMessageLine { id: found, custom_type, content, display, details, extra } =
                    serde_json::from_str(text).ok()?;
                let (display, extra) = (display.as_ref().is_some_and(json::is_truthy), unknown(extra));
                (found == id).then_some(Self::CustomMessage(CustomMessageEntry {
                    custom_type,
                    content,
                    display,
                    details,
                    extra,
                }))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn field() -> impl Strategy<Value = String> {
        let name = prop_oneof![
            Just("id"),
            Just("type"),
            Just("parentId"),
            Just("timestamp"),
            Just("message"),
            Just("customType"),
            Just("content"),
            Just("display"),
            Just("details"),
            Just("new"),
            Just("role"),
        ];
        let value = prop_oneof![
            3 => Just(r#""a""#), 3 => Just(r#"{"role":"user","content":"x","timestamp":1,"a":{"b":1.5e2}}"#),
            3 => Just(r#"[{"type":"text","text":"x"}]"#), 1 => Just("null"), 1 => Just("true"), 1 => Just("1e999"),
            1 => Just(r#""\ud800""#), 1 => Just("{}"), 1 => Just("0"), 1 => Just(r#"{"b":1,"b":2}"#), 1 => Just("12345678901234567890123"),
            1 => Just(r#"{"role":"toolResult"}"#), 1 => Just(r#"{"role":"future","content":[1]}"#),
        ];
        (name, value).prop_map(|(name, value)| format!("{name:?}:{value}"))
    }

    /// Mostly what a line has, in any order, with anything among it.
    fn line() -> impl Strategy<Value = String> {
        let ordinary = prop_oneof![
            Just(vec![r#""id":"a""#, r#""message":{"role":"assistant","content":[{"type":"text","text":"é\n"}]}"#]),
            Just(vec![r#""id":"a""#, r#""customType":"c""#, r#""content":"x""#, r#""display":1"#]),
        ];
        let fields = (ordinary, prop::collection::vec(field(), 0..4))
            .prop_map(|(ordinary, more)| ordinary.into_iter().map(str::to_owned).chain(more).collect::<Vec<_>>());
        fields.prop_shuffle().prop_map(|fields| format!("{{{}}}", fields.join(",")))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn one_pass_reads_what_the_close_look_reads(line in line()) {
            for kind in [EntryKind::Message, EntryKind::CustomMessage] {
                if let Some(body) = EntryBody::read_whole(kind, "a", &line) {
                    let (closely, changes) = EntryBody::read(kind, &line).expect("read");
                    prop_assert_eq!(changes, json::Changes::default());
                    // The order of fields too.
                    prop_assert_eq!(format!("{body:?}"), format!("{closely:?}"));
                }
            }
        }
    }

    #[test]
    fn an_ordinary_line_is_read_in_one_pass_and_another_one_is_not_taken_for_it() {
        let line =
            r#"{"type":"message","id":"a","parentId":null,"timestamp":"","message":{"role":"user","content":"x"}}"#;
        assert!(matches!(EntryBody::read_whole(EntryKind::Message, "a", line), Some(EntryBody::Message(_))));
        assert!(EntryBody::read_whole(EntryKind::Message, "b", line).is_none());
        let line = r#"{"customType":"c","content":"x","display":true,"type":"custom_message","id":"a"}"#;
        assert!(matches!(
            EntryBody::read_whole(EntryKind::CustomMessage, "a", line),
            Some(EntryBody::CustomMessage(_))
        ));
    }
}
