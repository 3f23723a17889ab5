//! A conversation that is cheap to hand out and safe to change.
//!
//! Handlers of `context` get their own copy of the history. Copying a vector of ten thousand messages for
//! every request would make long sessions slow, so the list is persistent: a copy shares everything, and only
//! what a handler touches is duplicated. An edit is therefore never seen by the session, by the next turn or
//! by another holder of the list.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use imbl::Vector;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tau_ai::Message;

use crate::changes::{Changes, Prefix};

/// A persistent list of messages; cloning costs the same at any length.
#[derive(Debug, Clone, Default)]
pub struct Messages(Vector<Arc<HistoryMessage>>);

/// A message together with the session entry it comes from.
#[derive(Debug)]
pub struct HistoryMessage {
    /// The session entry, if it has one.
    pub entry_id: Option<String>,
    message: Arc<Message>,
    written: OnceLock<Text>,
    for_model: OnceLock<Option<Arc<Message>>>,
}

/// What is known of the JSON form of a message.
#[derive(Debug, Clone, Copy)]
struct Text {
    hash: u64,
    /// In bytes.
    len: usize,
}

impl HistoryMessage {
    /// Wraps a message.
    pub fn new(message: impl Into<Arc<Message>>, entry_id: Option<String>) -> Self {
        Self { entry_id, message: message.into(), written: OnceLock::new(), for_model: OnceLock::new() }
    }

    /// The message.
    pub fn message(&self) -> &Arc<Message> {
        &self.message
    }

    /// What providers get of it, converted once: a request that comes later knows it again.
    pub fn for_model(&self, convert: impl FnOnce(&Arc<Message>) -> Option<Arc<Message>>) -> Option<Arc<Message>> {
        self.for_model.get_or_init(|| convert(&self.message)).clone()
    }

    /// Hash of the message's JSON form, computed once.
    pub fn hash(&self) -> u64 {
        self.text().hash
    }

    fn text(&self) -> Text {
        *self.written.get_or_init(|| text_of(&self.message))
    }
}

impl Messages {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The message at `index`. It belongs to whoever asks, so that the list need not keep it in memory.
    pub fn get(&self, index: usize) -> Option<Arc<Message>> {
        self.0.get(index).map(|item| Arc::clone(&item.message))
    }

    /// The message at `index` with its session entry.
    pub fn item(&self, index: usize) -> Option<&Arc<HistoryMessage>> {
        self.0.get(index)
    }

    /// All messages.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Message> + ExactSizeIterator {
        self.0.iter().map(|item| &*item.message)
    }

    /// All messages with their session entries.
    pub fn items(&self) -> impl DoubleEndedIterator<Item = &Arc<HistoryMessage>> + ExactSizeIterator {
        self.0.iter()
    }

    /// The message at `index`, for changing it in this list alone.
    pub fn edit(&mut self, index: usize) -> Option<&mut Message> {
        let slot = self.0.get_mut(index)?;
        if Arc::get_mut(slot).is_none() {
            *slot = Arc::new(HistoryMessage::new(Arc::clone(&slot.message), slot.entry_id.clone()));
        }
        let item = Arc::get_mut(slot)?;
        (item.written, item.for_model) = (OnceLock::new(), OnceLock::new());
        Some(Arc::make_mut(&mut item.message))
    }

    /// Adds a message that has no session entry.
    pub fn push(&mut self, message: impl Into<Arc<Message>>) {
        self.0.push_back(Arc::new(HistoryMessage::new(message, None)));
    }

    /// Adds a message with its session entry.
    pub fn push_item(&mut self, item: Arc<HistoryMessage>) {
        self.0.push_back(item);
    }

    /// Inserts a message before `index`, or at the end when the list is shorter.
    pub fn insert(&mut self, index: usize, message: impl Into<Arc<Message>>) {
        let index = index.min(self.0.len());
        self.0.insert(index, Arc::new(HistoryMessage::new(message, None)));
    }

    /// Keeps the messages for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&Message) -> bool) {
        self.0.retain(|item| keep(&item.message));
    }

    /// The list without the message at `index`.
    #[must_use]
    pub fn without(mut self, index: usize) -> Self {
        if index < self.0.len() {
            self.0.remove(index);
        }
        self
    }

    /// Keeps the first `length` messages.
    pub fn truncate(&mut self, length: usize) {
        if length < self.0.len() {
            self.0.truncate(length);
        }
    }

    /// Removes the first `count` messages.
    pub fn drop_front(&mut self, count: usize) {
        self.0 = self.0.split_off(count.min(self.0.len()));
    }

    /// The messages behind `Arc`s, for a request.
    pub fn to_arcs(&self) -> Vec<Arc<Message>> {
        self.0.iter().map(|item| Arc::clone(&item.message)).collect()
    }

    /// Whether both lists share all their storage, which is enough to know them equal. Never walks the list.
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }

    /// A list of new messages that takes over every message of `before` that is still there unchanged, so
    /// that session entries and hashes survive a handler that returned plain values.
    pub fn reusing(before: &Self, messages: Vec<Message>) -> Self {
        let mut cursor = 0;
        let mut places = None;
        let list = messages.into_iter().map(|message| {
            // Handlers nearly always keep the order, so the next message is usually the wanted one; a message
            // that was moved back is simply treated as new.
            let is_at = |index: usize| before.0.get(index).is_some_and(|item| *item.message == message);
            let found = if is_at(cursor) {
                Some(cursor)
            } else {
                let places: &HashMap<u64, Vec<usize>> = places.get_or_insert_with(|| before.places());
                let same = |index: &&usize| **index >= cursor && is_at(**index);
                places.get(&text_of(&message).hash).and_then(|places| places.iter().find(same)).copied()
            };
            match found {
                Some(index) => {
                    cursor = index + 1;
                    Arc::clone(&before.0[index])
                }
                None => Arc::new(HistoryMessage::new(message, None)),
            }
        });
        Self(list.collect())
    }

    /// Where messages are, by hash.
    fn places(&self) -> HashMap<u64, Vec<usize>> {
        let mut places = HashMap::<u64, Vec<usize>>::new();
        for (index, item) in self.0.iter().enumerate() {
            places.entry(item.hash()).or_default().push(index);
        }
        places
    }

    /// Without so many at both ends.
    fn middle(&self, front: usize, back: usize) -> Vec<&Arc<HistoryMessage>> {
        self.0.iter().skip(front).take(self.len() - front - back).collect()
    }

    /// What differs between two states of a list.
    pub fn changes(&self, after: &Self) -> Changes {
        let mut changes = Changes::none();
        if self.is_same(after) {
            return changes;
        }
        let same = |(a, b): &(&Arc<HistoryMessage>, &Arc<HistoryMessage>)| {
            Arc::ptr_eq(a, b) || Arc::ptr_eq(&a.message, &b.message) || a.message == b.message
        };
        let front = self.0.iter().zip(after.0.iter()).take_while(same).count();
        let rest = self.len().min(after.len()) - front;
        let back = self.0.iter().rev().zip(after.0.iter().rev()).take(rest).take_while(same).count();
        if front == self.len() && front == after.len() {
            return changes;
        }
        let [was, is] = [self, after].map(|list| list.middle(front, back));
        changes.field("messages", size_of_what_is_only_in(&was, &is), size_of_what_is_only_in(&is, &was));
        let kept: HashSet<*const Message> = after.0.iter().skip(front).map(|item| Arc::as_ptr(&item.message)).collect();
        let gone = was.iter().filter(|item| !kept.contains(&Arc::as_ptr(&item.message)));
        changes.entry_ids = gone.filter_map(|item| item.entry_id.clone()).collect();
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        for item in self.0.iter().take(front) {
            hasher.update(&item.hash().to_le_bytes());
        }
        changes.unchanged_prefix = Some(Prefix { length: front, hash: hasher.digest() });
        changes
    }
}

/// How long the JSON forms of the items are that `others` has not: what is in both is not measured.
fn size_of_what_is_only_in(items: &[&Arc<HistoryMessage>], others: &[&Arc<HistoryMessage>]) -> usize {
    let place = |item: &HistoryMessage| Arc::as_ptr(&item.message);
    let mut left = HashMap::<*const Message, usize>::new();
    others.iter().for_each(|item| *left.entry(place(item)).or_default() += 1);
    let is_only_here = |item: &&&Arc<HistoryMessage>| match left.get_mut(&place(item)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    items.iter().filter(is_only_here).map(|item| item.text().len).sum()
}

fn text_of(message: &Message) -> Text {
    let bytes = serde_json::to_vec(message).unwrap_or_else(|error| {
        tau_ai::broken(&format!("a message cannot be written as JSON: {error}"));
        Vec::new()
    });
    Text { hash: xxhash_rust::xxh3::xxh3_64(&bytes), len: bytes.len() }
}

impl PartialEq for Messages {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || (self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a == b))
    }
}

impl FromIterator<Message> for Messages {
    fn from_iter<T: IntoIterator<Item = Message>>(messages: T) -> Self {
        Self(messages.into_iter().map(|message| Arc::new(HistoryMessage::new(message, None))).collect())
    }
}

impl FromIterator<Arc<HistoryMessage>> for Messages {
    fn from_iter<T: IntoIterator<Item = Arc<HistoryMessage>>>(items: T) -> Self {
        Self(items.into_iter().collect())
    }
}

impl Serialize for Messages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for message in self.iter() {
            list.serialize_element(message)?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Messages {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Message>::deserialize(deserializer)?.into_iter().collect())
    }
}

impl JsonSchema for Messages {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Messages".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Message>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tau_ai::UserMessage;

    fn list(count: usize) -> Messages {
        (0..count)
            .map(|n| {
                let message = Message::User(UserMessage::new(format!("m{n}")));
                Arc::new(HistoryMessage::new(message, Some(format!("e{n}"))))
            })
            .collect()
    }

    fn set_text(message: &mut Message, text: &str) {
        if let Message::User(user) = message {
            user.content = text.into();
        }
    }

    #[test]
    fn an_edit_is_seen_by_its_own_list_only() {
        let history = list(3);
        let mut copy = history.clone();
        set_text(copy.edit(1).expect("message 1"), "changed");
        assert_eq!(history.get(1).as_deref().map(Message::role), Some("user"));
        assert_ne!(history.get(1), copy.get(1));
        assert_eq!(history.get(0), copy.get(0));
    }

    #[test]
    fn changes_name_the_entries_and_the_unchanged_front() {
        let history = list(4);
        let mut copy = history.clone();
        set_text(copy.edit(2).expect("message 2"), "changed!");
        let changes = history.changes(&copy);
        assert_eq!(changes.fields, ["messages"]);
        assert_eq!(changes.entry_ids, ["e2"]);
        assert_eq!(changes.byte_delta, 6);
        assert_eq!(changes.unchanged_prefix.map(|prefix| prefix.length), Some(2));
        assert_eq!(history.changes(&history.clone()), Changes::none());
    }

    #[test]
    fn what_is_moved_weighs_nothing_and_what_stands_there_twice_does() {
        let history = list(5);
        let of = |places: &[usize]| places.iter().filter_map(|at| history.item(*at).cloned()).collect::<Messages>();
        let size =
            |at: usize| i64::try_from(crate::changes::json_len(&*history.get(at).expect("a message"))).expect("a size");
        let delta = |places: &[usize]| history.changes(&of(places)).byte_delta;
        assert_eq!(delta(&[0, 3, 2, 1, 4]), 0);
        assert_eq!(delta(&[0, 2, 1, 2, 3, 4]), size(2));
        assert_eq!(delta(&[0, 2, 4]), -size(1) - size(3));
        assert_eq!(delta(&[]), -(0..5).map(size).sum::<i64>());
        assert_eq!(history.changes(&of(&[0, 2, 1, 4])).entry_ids, ["e3"]);
    }

    #[test]
    fn plain_values_that_are_unchanged_keep_their_entry() {
        let history = list(4);
        let mut values: Vec<Message> = history.iter().cloned().collect();
        values.remove(1);
        let rebuilt = Messages::reusing(&history, values);
        let ids: Vec<_> = rebuilt.items().map(|item| item.entry_id.clone().unwrap_or_default()).collect();
        assert_eq!(ids, ["e0", "e2", "e3"]);
    }

    #[test]
    fn a_long_front_part_may_be_gone() {
        let history = list(500);
        let values = history.iter().skip(400).cloned().collect();
        let rebuilt = Messages::reusing(&history, values);
        let ids: Vec<_> = rebuilt.items().map(|item| item.entry_id.clone().unwrap_or_default()).collect();
        assert_eq!(ids, (400..500).map(|n| format!("e{n}")).collect::<Vec<_>>());
    }
}
