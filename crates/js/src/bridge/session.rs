//! `ctx.sessionManager`, as far as it reads. Entries cross one by one, when somebody looks at them.

use std::path::Path;
use std::sync::Arc;

use rquickjs::Ctx;
use serde_json::{Value as Data, json};
use tau_session::{ContextItem, Entry, Session};

use super::extract::Caller;
use super::refused;
use crate::ops::table::Signature;
use crate::ops::table::{Arguments, Param, ops};
use crate::ops::{Json, List, OrNull, Pair, defect};

ops! {
    /// `ctx.sessionManager`, as far as it reads.
    pub(crate) static OPS: always;

    /// The id of the session; throws when it is over.
    fn sessionId(id) = id, Recorded;
    /// Its working directory.
    fn sessionCwd(id) = cwd, Recorded;
    /// The folder of its file.
    fn sessionDir(id) = dir, Recorded;
    /// Its file.
    fn sessionFile(id) = file, Recorded;
    /// The entry that the next one follows.
    fn sessionLeaf(id) = leaf, Recorded;
    /// An entry.
    fn sessionEntry(id, entry) -> "SessionEntry | undefined" = entry, Recorded;
    /// The label of an entry.
    fn sessionLabel(id, entry) = label, Recorded;
    /// All labels, by the id of their entry.
    fn sessionLabels(id) -> "Record<string, string>" = labels, Recorded;
    /// The name of the session.
    fn sessionName(id) = name, Recorded;
    /// The header of its file.
    fn sessionHeader(id) -> "SessionHeader" = header, Recorded;
    /// How many entries there are.
    fn sessionCount(id) = count, Recorded;
    /// The ids of all entries.
    fn sessionEntries(id) = entries, Recorded;
    /// The ids of the entries on the way to an entry, or to the leaf.
    fn sessionBranch(id, from) = branch, Recorded;
    /// The ids of the entries that follow an entry.
    fn sessionChildren(id, entry) = children, Recorded;
    /// The id of each entry and of its parent, for walking the tree without a call per node.
    fn sessionParents(id) = parents, Recorded;
    /// The conversation as the model gets it.
    fn sessionContext(id) -> "SessionContext" = context, Recorded;
}

/// The session of the extension that calls.
struct Own(Arc<Session>);

impl<'js> Param<'js> for Own {
    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let Caller { extension, .. } = Caller::take(arguments)?;
        let host = extension.api.host().map_err(|error| refused(arguments.ctx(), &error))?;
        Ok(Self(host.session()))
    }

    fn describe(signature: &mut Signature) {
        Caller::describe(signature);
    }
}

fn ids(entries: impl IntoIterator<Item = Arc<Entry>>) -> List<String> {
    List(entries.into_iter().map(|entry| entry.id().as_str().to_owned()).collect())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn id(Own(session): Own) -> String {
    session.id().to_owned()
}

fn cwd(Own(session): Own) -> String {
    text(session.cwd())
}

fn dir(Own(session): Own) -> Option<String> {
    session.file().and_then(Path::parent).map(text)
}

fn file(Own(session): Own) -> Option<String> {
    session.file().map(text)
}

fn leaf(Own(session): Own) -> OrNull<String> {
    OrNull(session.leaf().map(|leaf| leaf.as_str().to_owned()))
}

fn entry(Own(session): Own, entry: String) -> Option<Json> {
    session.entry(&entry).map(|entry| Json(entry.to_value().map(Data::Object).unwrap_or_default()))
}

fn label(Own(session): Own, entry: String) -> Option<String> {
    session.label(&entry)
}

fn labels(Own(session): Own) -> Json {
    Json(session.labels().into_iter().map(|(id, label)| (id.as_str().to_owned(), Data::from(label))).collect())
}

fn name(Own(session): Own) -> Option<String> {
    session.session_name()
}

fn header(js: Ctx<'_>, Own(session): Own) -> rquickjs::Result<Json> {
    let wrong = |error| defect(&js, &format!("the header of a session cannot be written as JSON: {error}"));
    Ok(Json(Data::Object(session.header().to_value().map_err(wrong)?)))
}

fn count(Own(session): Own) -> usize {
    session.entries().len()
}

fn entries(Own(session): Own) -> List<String> {
    ids(session.entries())
}

fn branch(Own(session): Own, from: Option<String>) -> List<String> {
    ids(session.branch_path(from.as_deref()))
}

fn children(Own(session): Own, entry: String) -> List<String> {
    ids(session.children(&entry))
}

fn parents(Own(session): Own) -> List<Pair<String, OrNull<String>>> {
    let parents = session.entries().into_iter().map(|entry| {
        let parent = entry.parent_id().map(|parent| parent.as_str().to_owned());
        Pair(entry.id().as_str().to_owned(), OrNull(parent))
    });
    List(parents.collect())
}

fn context(Own(session): Own) -> Json {
    let context = session.context();
    let message = |item: ContextItem| tau_ai::to_json(&*item.message);
    Json(json!({
        "messages": context.messages.into_iter().map(message).collect::<Vec<_>>(),
        "thinkingLevel": context.choices.thinking_level.unwrap_or_else(|| "off".to_owned()),
        "model": context.choices.model.map(|model| json!({"provider": model.provider, "modelId": model.model_id})),
    }))
}
