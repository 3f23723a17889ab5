//! The items of an answer while they arrive.

use serde_json::{Value, json};

use crate::wire::driver::Emitter;
use crate::wire::strict::Grammars;
use crate::{JsonMap, ToolCallBlock, tool_args};

/// An item that is being received.
pub(super) struct Slot {
    /// Its place in the answer, as the server counts, if it counts.
    place: Option<u64>,
    /// Another item has taken its place.
    lost: bool,
    /// Its block.
    pub block: usize,
    pub kind: Kind,
}

/// How the JSON text of a call with a plain text ends.
const PLAIN_END: &str = "\"}";

/// What it is.
pub(super) enum Kind {
    Text,
    Thinking,
    Call(Call),
}

/// A tool call.
pub(super) struct Call {
    pub id: String,
    pub name: String,
    namespace: Option<Value>,
    arguments: Arguments,
}

/// What a call is given.
enum Arguments {
    /// The text of a JSON object.
    Json(String),
    /// A text, which is the only argument.
    Plain { name: String, text: String, shown: Shown },
}

/// How much of the JSON text of a plain argument was shown.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Nothing,
    Begin,
    All,
}

/// What an item is, if it is of a kind that becomes a block.
pub(super) enum ItemKind {
    Text,
    Thinking,
    Function,
    Custom,
}

impl ItemKind {
    pub fn of(item: &Value) -> Option<Self> {
        match item["type"].as_str()? {
            "message" => Some(Self::Text),
            "reasoning" => Some(Self::Thinking),
            "function_call" => Some(Self::Function),
            "custom_tool_call" => Some(Self::Custom),
            _ => None,
        }
    }
}

/// Text of a field; empty when there is none.
fn text<'i>(item: &'i Value, field: &str) -> &'i str {
    item[field].as_str().unwrap_or_default()
}

impl Slot {
    /// Begins the block of an item.
    pub async fn open(
        place: Option<u64>,
        item: &Value,
        kind: ItemKind,
        grammars: &Grammars<'_>,
        emitter: &Emitter,
    ) -> Self {
        let builder = &emitter.builder;
        let (kind, (block, begun)) = match kind {
            ItemKind::Text => (Kind::Text, builder.text_start()),
            ItemKind::Thinking => (Kind::Thinking, builder.thinking_start()),
            kind @ (ItemKind::Function | ItemKind::Custom) => {
                let call = Call::of(item, matches!(kind, ItemKind::Custom), grammars, emitter);
                let begun = builder.tool_call_start(&call.id, &call.name);
                (Kind::Call(call), begun)
            }
        };
        emitter.emit(begun).await;
        let mut slot = Self { place, lost: false, block, kind };
        if let Kind::Call(call) = &mut slot.kind {
            let given = call.arguments.grow(text(item, call.arguments.field()));
            grow_call(block, given, emitter).await;
        }
        slot
    }

    /// Whether what comes for a place is for this item.
    pub fn is_at(&self, place: Option<u64>) -> bool {
        !self.lost && self.place == place
    }

    /// Its place is taken.
    pub fn lose(&mut self) {
        self.lost = true;
    }

    /// More of a text or a reasoning.
    pub async fn grow(&self, delta: &str, emitter: &Emitter) {
        let builder = &emitter.builder;
        match self.kind {
            Kind::Text => emitter.emit(builder.text_delta(self.block, delta)).await,
            Kind::Thinking => emitter.emit(builder.thinking_delta(self.block, delta)).await,
            Kind::Call(_) => {}
        }
    }

    /// More of what a call is given; `plain` when it is a text.
    pub async fn grow_arguments(&mut self, delta: &str, plain: bool, emitter: &Emitter) {
        if let Kind::Call(call) = &mut self.kind
            && call.arguments.is_plain() == plain
        {
            let given = call.arguments.grow(delta);
            grow_call(self.block, given, emitter).await;
        }
    }

    /// All that a call is given.
    pub async fn complete_arguments(&mut self, all: &str, plain: bool, emitter: &Emitter) {
        if let Kind::Call(call) = &mut self.kind
            && call.arguments.is_plain() == plain
        {
            let given = call.arguments.complete(all) + call.arguments.end();
            grow_call(self.block, given, emitter).await;
        }
    }

    /// Ends the block, with the finished item unless the stream ended without one.
    pub async fn close(self, item: Option<&Value>, emitter: &Emitter) {
        let (block, builder) = (self.block, &emitter.builder);
        let end = match self.kind {
            Kind::Text => {
                let signature = item.and_then(|item| item["id"].as_str().map(|id| signature(id, &item["phase"])));
                builder.text_end_as(block, item.and_then(said), signature)
            }
            Kind::Thinking => builder.thinking_end_as(block, item.and_then(thought), item.map(Value::to_string), false),
            Kind::Call(mut call) => {
                // The provider says itself when it has cut a call off.
                let is_whole = item.is_some_and(|item| item["status"] != "incomplete");
                if let Some(item) = item {
                    let all = text(item, call.arguments.field());
                    let given = if all.is_empty() { String::new() } else { call.arguments.complete(all) };
                    grow_call(block, given + call.arguments.end(), emitter).await;
                    call.namespace = item.get("namespace").cloned().or(call.namespace);
                }
                builder.tool_call_end(block, call.finish(is_whole))
            }
        };
        emitter.emit(end).await;
    }
}

async fn grow_call(block: usize, given: String, emitter: &Emitter) {
    if !given.is_empty() {
        emitter.emit(emitter.builder.tool_call_delta(block, &given)).await;
    }
}

impl Call {
    /// Whether its only argument is a text.
    pub fn is_plain(&self) -> bool {
        self.arguments.is_plain()
    }

    fn of(item: &Value, plain: bool, grammars: &Grammars<'_>, emitter: &Emitter) -> Self {
        let name = text(item, "name").to_owned();
        let mut id = text(item, "call_id").to_owned();
        if id.is_empty() {
            // Results must name their call, so it gets an id even when the server has none.
            id = format!("call_{}", emitter.ids.id("tool call").simple());
        }
        if let Some(own) = item["id"].as_str().filter(|own| !own.is_empty()) {
            id = format!("{id}|{own}");
        }
        let arguments = if plain {
            let argument = grammars.argument(&name).unwrap_or("input").to_owned();
            Arguments::Plain { name: argument, text: String::new(), shown: Shown::Nothing }
        } else {
            Arguments::Json(String::new())
        };
        Self { id, name, namespace: item.get("namespace").cloned(), arguments }
    }

    /// The call. A text that may go on is no argument.
    fn finish(self, is_whole: bool) -> ToolCallBlock {
        let text = match self.arguments {
            Arguments::Json(text) => text,
            Arguments::Plain { name, text, .. } => {
                let mut whole = Value::Object(JsonMap::from_iter([(name, json!(text))])).to_string();
                if !is_whole {
                    whole.truncate(whole.len() - PLAIN_END.len());
                }
                whole
            }
        };
        let mut call = tool_args::finished_call(self.id, self.name, &text);
        if let Some(namespace) = self.namespace.filter(|namespace| !namespace.is_null()) {
            call.extra.insert("namespace".to_owned(), namespace);
        }
        call
    }
}

impl Arguments {
    fn is_plain(&self) -> bool {
        matches!(self, Self::Plain { .. })
    }

    /// The field of an item that holds them.
    fn field(&self) -> &'static str {
        if self.is_plain() { "input" } else { "arguments" }
    }

    /// Adds a piece; gives the JSON text that it adds.
    fn grow(&mut self, delta: &str) -> String {
        match self {
            Self::Json(text) => {
                text.push_str(delta);
                delta.to_owned()
            }
            Self::Plain { .. } if delta.is_empty() => String::new(),
            Self::Plain { name, text, shown } => {
                text.push_str(delta);
                let escaped = json!(delta).to_string();
                let inner = &escaped[1..escaped.len() - 1];
                match std::mem::replace(shown, Shown::Begin) {
                    Shown::Nothing => format!("{{{}:\"{inner}", json!(name)),
                    Shown::Begin => inner.to_owned(),
                    // It was said to be complete: the finished call has the rest.
                    Shown::All => {
                        *shown = Shown::All;
                        String::new()
                    }
                }
            }
        }
    }

    /// Takes the whole, which wins over the pieces; gives the JSON text that it adds to them, if it begins as they do.
    fn complete(&mut self, all: &str) -> String {
        let (Self::Json(text) | Self::Plain { text, .. }) = self;
        match all.strip_prefix(text.as_str()) {
            Some(rest) => self.grow(rest),
            None => {
                all.clone_into(text);
                String::new()
            }
        }
    }

    /// The JSON text that ends it.
    fn end(&mut self) -> &'static str {
        match self {
            Self::Plain { shown: shown @ Shown::Begin, .. } => {
                *shown = Shown::All;
                PLAIN_END
            }
            _ => "",
        }
    }
}

/// What a finished message says; `None` when it does not say it again.
fn said(item: &Value) -> Option<String> {
    let parts = item["content"].as_array()?.iter().filter_map(|part| {
        let field = if part["type"] == "output_text" { "text" } else { "refusal" };
        part[field].as_str()
    });
    Some(parts.collect())
}

/// What a finished reasoning says: its summary, else its content.
fn thought(item: &Value) -> Option<String> {
    let joined = |field: &str| {
        let parts: Vec<&str> = item[field].as_array()?.iter().map(|part| text(part, "text")).collect();
        Some(parts.join("\n\n")).filter(|text| !text.is_empty())
    };
    joined("summary").or_else(|| joined("content"))
}

/// The signature of a text.
fn signature(id: &str, phase: &Value) -> String {
    let mut signature = json!({"v": 1, "id": id});
    if phase.as_str().is_some_and(|phase| !phase.is_empty()) {
        signature["phase"] = phase.clone();
    }
    signature.to_string()
}
