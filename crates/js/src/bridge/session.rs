//! `ctx.sessionManager`, as far as it reads. Entries cross one by one, when somebody looks at them.

use std::sync::Arc;

use rquickjs::{Ctx, IntoJs, Value};
use serde_json::Value as Data;
use tau_session::{Entry, Session};

use super::extract::Caller;
use super::refused;
use crate::ops::table::ops;
use crate::ops::{Json, List, OpError, defect};

ops! {
    /// `ctx.
    pub(crate) static OPS: always;

    /// Asks something about the session of an extension.
    fn sessionGet(id, name, argument) = session_get, Recorded;
}

fn entry(entry: &Entry) -> Data {
    entry.to_value().map(Data::Object).unwrap_or_default()
}

fn ids(entries: impl Iterator<Item = Arc<Entry>>) -> List<String> {
    List(entries.map(|entry| entry.id().as_str().to_owned()).collect())
}

fn optional<'js>(js: &Ctx<'js>, value: Option<impl IntoJs<'js>>) -> rquickjs::Result<Value<'js>> {
    match value {
        Some(value) => value.into_js(js),
        None => Ok(Value::new_undefined(js.clone())),
    }
}

fn answer<'js>(js: &Ctx<'js>, session: &Session, name: &str, argument: Option<&str>) -> rquickjs::Result<Value<'js>> {
    let path = |path: &std::path::Path| path.to_string_lossy().into_owned();
    match name {
        "cwd" => path(session.cwd()).into_js(js),
        "dir" => optional(js, session.file().and_then(|file| file.parent()).map(path)),
        "id" => session.id().into_js(js),
        "file" => optional(js, session.file().map(path)),
        "leaf" => match session.leaf() {
            Some(leaf) => leaf.as_str().into_js(js),
            None => Ok(Value::new_null(js.clone())),
        },
        "entry" => optional(js, session.entry(argument.unwrap_or_default()).map(|found| Json(entry(&found)))),
        "label" => optional(js, session.label(argument.unwrap_or_default())),
        "labels" => {
            let labels = session.labels();
            Json(labels.into_iter().map(|(id, label)| (id.as_str().to_owned(), Data::from(label))).collect())
                .into_js(js)
        }
        "name" => optional(js, session.session_name()),
        "header" => {
            let header = session.header().to_value();
            let wrong = |error| defect(js, &format!("the header of a session cannot be written as JSON: {error}"));
            Json(Data::Object(header.map_err(wrong)?)).into_js(js)
        }
        "count" => session.entries().len().into_js(js),
        "entries" => ids(session.entries().into_iter()).into_js(js),
        "branch" => ids(session.branch_path(argument).into_iter()).into_js(js),
        "children" => ids(session.children(argument.unwrap_or_default()).into_iter()).into_js(js),
        // For walking the tree without a call per node: every entry's id and its parent's.
        "parents" => {
            let parents = session.entries().into_iter().map(|entry| {
                let parent = entry.parent_id().map(|parent| parent.as_str().to_owned());
                Data::Array(vec![entry.id().as_str().into(), parent.map_or(Data::Null, Data::from)])
            });
            Json(parents.collect()).into_js(js)
        }
        "context" => {
            let context = session.context();
            let message = |item: tau_session::ContextItem| tau_ai::to_json(&*item.message);
            Json(serde_json::json!({
                "messages": context.messages.into_iter().map(message).collect::<Vec<_>>(),
                "thinkingLevel": context.choices.thinking_level.unwrap_or_else(|| "off".to_owned()),
                "model": context.choices.model.map(|model| serde_json::json!({"provider": model.provider, "modelId": model.model_id})),
            }))
            .into_js(js)
        }
        _ => Err(OpError::message(format!("`{name}` is not known of a session")).throw(js)),
    }
}

fn session_get<'js>(
    js: Ctx<'js>,
    Caller { extension, .. }: Caller,
    name: String,
    argument: Option<String>,
) -> rquickjs::Result<Value<'js>> {
    let host = extension.api.host().map_err(|error| refused(&js, &error))?;
    answer(&js, &host.session(), &name, argument.as_deref())
}
