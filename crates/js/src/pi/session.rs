//! Sessions that JavaScript holds by number. Trees are read in JavaScript, from entries that cross once.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Array, Ctx, IntoJs, Object, Value};
use serde::Deserialize;
use serde_json::Value as JsonValue;
use tau_ai::{Message, MessageContent, Usage};
use tau_session::{Entry, EntryBody, Session, SessionError};

use crate::engine::Charge;
use crate::ops::OpHost;
use crate::ops::table::{Host, ops, typed};
use crate::ops::{Json, OpError, Resources, charge};

ops! {
    /// Sessions that JavaScript holds by number.
    pub(crate) static OPS: watched;

    /// Everything about a session that never changes, but for the file, which may not be there yet.
    fn piSessionHead(rid) -> "{ header: SessionHeader; file: string | undefined; cwd: string }" = pi_session_head, Recorded;
    /// How many entries there are, and the leaf.
    fn piSessionState(rid) -> "[count: number, leaf: string | null | undefined]" = pi_session_state, Recorded;
    /// The entries from a position on, in the order of the file.
    fn piSessionEntries(rid, from) -> "SessionEntry[]" = pi_session_entries, Recorded;
    /// Appends an entry.
    fn piSessionAppend(rid, draft: "EntryDraft") -> "SessionEntry" = pi_session_append, Refused;
    /// Moves the leaf in memory; null moves it before all entries.
    fn piSessionLeaf(rid, id) = pi_session_leaf, Pure;
}

/// A session as a resource.
pub(super) struct SessionHandle(
    pub(super) Arc<Session>,
    /// What was read and appended counts as long as this is there.
    RefCell<Option<Charge>>,
);

impl SessionHandle {
    /// A session of which `counted` is in memory.
    pub(super) fn new(session: Arc<Session>, counted: Option<Charge>) -> Self {
        Self(session, RefCell::new(counted))
    }

    fn count(&self, more: Charge) {
        match &mut *self.1.borrow_mut() {
            Some(all) => all.add(more),
            none => *none = Some(more),
        }
    }
}

/// A session that JavaScript gets: its number, its working directory, its folder and its id.
pub(crate) struct Numbered(pub(crate) u32, pub(crate) String, pub(crate) String, pub(crate) String);

impl Numbered {
    /// Gives a session from elsewhere a number.
    pub(crate) fn add(resources: &Resources, session: Arc<Session>) -> Self {
        let dir = path_text(session.file().and_then(Path::parent)).unwrap_or_default();
        let (cwd, id) = (session.cwd().to_string_lossy().into_owned(), session.id().to_owned());
        Self(resources.add(Rc::new(SessionHandle::new(session, None))), cwd, dir, id)
    }
}

impl<'js> IntoJs<'js> for Numbered {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        let list = Array::new(ctx.clone())?;
        list.set(0, self.0)?;
        for (index, text) in (1..).zip([self.1, self.2, self.3]) {
            list.set(index, text)?;
        }
        Ok(list.into_value())
    }
}

typed! {
    Numbered = "[session: number, cwd: string, dir: string, id: string]";
}

/// A session that JavaScript holds by this number.
pub(crate) fn session_of(resources: &Resources, number: u32) -> Result<Arc<Session>, OpError> {
    Ok(Arc::clone(&resources.get::<SessionHandle>(number)?.0))
}

/// What is appended, by the type of the entry.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Draft {
    Message {
        message: Arc<Message>,
    },
    ThinkingLevelChange {
        thinking_level: String,
    },
    ModelChange {
        provider: String,
        model_id: String,
    },
    Usage {
        kind: String,
        provider: String,
        model: String,
        usage: Usage,
        note: Option<String>,
    },
    Compaction {
        summary: String,
        first_kept_entry_id: Option<String>,
        tokens_before: f64,
        details: Option<JsonValue>,
        usage: Option<Usage>,
        from_hook: Option<bool>,
    },
    BranchSummary {
        from_id: Option<String>,
        summary: String,
        details: Option<JsonValue>,
        usage: Option<Usage>,
        from_hook: Option<bool>,
    },
    Custom {
        custom_type: String,
        data: Option<JsonValue>,
    },
    CustomMessage {
        custom_type: String,
        content: MessageContent,
        #[serde(default, deserialize_with = "tau_ai::json::truthy")]
        display: bool,
        details: Option<JsonValue>,
    },
    SessionInfo {
        name: String,
    },
    Label {
        target_id: String,
        label: Option<String>,
    },
    ContextEdit {
        target_id: String,
        content: Option<MessageContent>,
    },
}

fn append(session: &Session, draft: Draft) -> Result<Arc<Entry>, SessionError> {
    let body = match draft {
        Draft::Message { message } => {
            let entry = session.append(EntryBody::message(message))?;
            session.persist()?;
            return Ok(entry);
        }
        Draft::Label { target_id, label } => return session.set_label(&target_id, label.as_deref()),
        Draft::ContextEdit { target_id, content } => return session.edit_context(&target_id, content),
        Draft::ThinkingLevelChange { thinking_level } => EntryBody::thinking_level_change(thinking_level),
        Draft::ModelChange { provider, model_id } => EntryBody::model_change(provider, model_id),
        Draft::Usage { kind, provider, model, usage, note } => EntryBody::usage(kind, provider, model, usage, note),
        Draft::Compaction { summary, first_kept_entry_id, tokens_before, details, usage, from_hook } => {
            // A count of tokens; what is none counts as zero.
            let mut body = EntryBody::compaction(summary, first_kept_entry_id.as_deref(), tokens_before as u64);
            if let EntryBody::Compaction(compaction) = &mut body {
                (compaction.details, compaction.usage, compaction.from_hook) = (details, usage, from_hook);
            }
            body
        }
        Draft::BranchSummary { from_id, summary, details, usage, from_hook } => {
            let mut body = EntryBody::branch_summary(from_id.as_deref(), summary);
            if let EntryBody::BranchSummary(branch) = &mut body {
                (branch.details, branch.usage, branch.from_hook) = (details, usage, from_hook);
            }
            body
        }
        Draft::Custom { custom_type, data } => EntryBody::custom(custom_type, data),
        Draft::CustomMessage { custom_type, content, display, details } => {
            EntryBody::custom_message(custom_type, content, display, details)
        }
        Draft::SessionInfo { name } => EntryBody::session_info(&name),
    };
    session.append(body)
}

pub(super) fn failed(ctx: &Ctx<'_>, error: &SessionError) -> rquickjs::Error {
    OpError::message(error.to_string()).throw(ctx)
}

/// Entries are JSON text already: the engine's own parser makes objects of it.
fn parsed<'js>(ctx: &Ctx<'js>, entry: &Entry) -> rquickjs::Result<Value<'js>> {
    match entry.json() {
        Ok(text) if !has_lone_surrogates(&text) => ctx.json_parse(text.into_owned()),
        _ => {
            let fields = entry.to_value().map_err(|error| OpError::message(error.to_string()).throw(ctx))?;
            crate::convert::to_js(ctx, &JsonValue::Object(fields))
        }
    }
}

/// Whether the text may name halves of surrogate pairs, which are mended elsewhere.
fn has_lone_surrogates(text: &str) -> bool {
    text.contains("\\ud") || text.contains("\\uD")
}

fn path_text(path: Option<&Path>) -> Option<String> {
    path.map(|path| path.to_string_lossy().into_owned())
}

/// The session of a number.
fn session(ctx: &Ctx<'_>, host: &OpHost, rid: u32) -> rquickjs::Result<Arc<Session>> {
    let handle = host.resources().get::<SessionHandle>(rid).map_err(|error| error.throw(ctx))?;
    Ok(Arc::clone(&handle.0))
}

fn pi_session_head<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32) -> rquickjs::Result<Object<'js>> {
    let session = session(&ctx, &host, rid)?;
    let line = session.header().to_line().map_err(|error| failed(&ctx, &error.into()))?;
    let head = Object::new(ctx.clone())?;
    head.set("header", ctx.json_parse(line)?)?;
    head.set("file", path_text(session.file()))?;
    head.set("cwd", session.cwd().to_string_lossy().into_owned())?;
    Ok(head)
}

fn pi_session_state<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32) -> rquickjs::Result<Array<'js>> {
    let session = session(&ctx, &host, rid)?;
    let state = Array::new(ctx.clone())?;
    state.set(0, session.entries().len())?;
    state.set(1, session.leaf().map(|leaf| leaf.to_string()))?;
    Ok(state)
}

fn pi_session_entries<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32, from: usize) -> rquickjs::Result<Array<'js>> {
    let entries = session(&ctx, &host, rid)?.entries();
    let list = Array::new(ctx.clone())?;
    for (index, entry) in entries.iter().skip(from).enumerate() {
        list.set(index, parsed(&ctx, entry)?)?;
    }
    Ok(list)
}

fn pi_session_append<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32, draft: Json) -> rquickjs::Result<Value<'js>> {
    let handle = host.resources().get::<SessionHandle>(rid).map_err(|error| error.throw(&ctx))?;
    let counted = charge(host.memory(), host.account().argument_bytes(), "the session's entry");
    let counted = counted.map_err(|error| error.throw(&ctx))?;
    let draft: Draft = serde_json::from_value(draft.0)
        .map_err(|error| OpError::type_error("ERR_INVALID_ARG_VALUE", error.to_string()).throw(&ctx))?;
    let entry = append(&handle.0, draft).map_err(|error| failed(&ctx, &error))?;
    handle.count(counted);
    parsed(&ctx, &entry)
}

fn pi_session_leaf<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32, id: Option<String>) -> rquickjs::Result<()> {
    let session = session(&ctx, &host, rid)?;
    match id {
        Some(id) => session.set_leaf(&id).map_err(|error| failed(&ctx, &error)),
        None => {
            session.reset_leaf();
            Ok(())
        }
    }
}
