//! The functions of Rust that the prelude gets. The script reaches them only through what the prelude makes of them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rquickjs::function::{Func, Opt};
use rquickjs::{Ctx, Exception, IntoJs, Object, Value as JsValue};
use serde_json::{Value, json};
use tau_ai::Sources;
use tau_tools::image::sniff_image;
use tokio::sync::mpsc::UnboundedSender;

use super::{Finished, Links, PRELUDE_NAME};
use crate::engine::host::{Ask, Helper, Target};
use crate::engine::output::OutputItem;
use crate::engine::store::{Store, StoreWrites};
use crate::engine::surface::Surface;

/// How many calls may be open at once. Each takes about a thousand bytes of the script's heap, so this is reached first.
const QUESTIONS: usize = 20_000;
/// How many bytes of arguments they may have together: they are outside of the script's heap.
const ARGUMENTS: usize = 64 * 1024 * 1024;
/// The types of pictures that models take.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// What the functions share.
pub(super) struct Ops {
    surface: Surface,
    /// The tools by their members.
    tools: HashMap<String, String>,
    asks: UnboundedSender<(u64, Ask)>,
    links: Arc<Links>,
    store: RefCell<Store>,
    /// The sizes of the questions without an answer.
    open: RefCell<HashMap<u64, usize>>,
    last: Cell<u64>,
    /// The script said that it is over.
    finished: Finished,
    /// How it ended itself.
    ended: RefCell<Option<Result<(), String>>>,
}

type Thrown<T> = rquickjs::Result<T>;

/// What becomes of a question.
enum Asked {
    /// It is under way, and its answer has this number.
    Number(f64),
    /// Too many are open.
    Refused(String),
}

impl<'js> IntoJs<'js> for Asked {
    fn into_js(self, ctx: &Ctx<'js>) -> Thrown<JsValue<'js>> {
        match self {
            Self::Number(number) => number.into_js(ctx),
            Self::Refused(why) => why.into_js(ctx),
        }
    }
}

impl Ops {
    pub(super) fn new(mut surface: Surface, asks: UnboundedSender<(u64, Ask)>, links: Arc<Links>) -> Self {
        let members = surface.members().into_iter();
        let tools = members.map(|(member, name)| (member.to_owned(), name.to_owned())).collect();
        let store = RefCell::new(std::mem::take(&mut surface.store));
        let (open, last, finished, ended) = Default::default();
        Self { surface, tools, asks, links, store, open, last, finished, ended }
    }

    /// Whether the script ended itself. Its code must not run any more.
    pub(super) fn is_finished(&self) -> bool {
        self.finished.get()
    }

    pub(super) fn finished(&self) -> Finished {
        Rc::clone(&self.finished)
    }

    pub(super) fn ended_by_itself(&self) -> Option<Result<(), String>> {
        self.ended.borrow_mut().take()
    }

    pub(super) fn take_writes(&self) -> StoreWrites {
        self.store.take().into_writes()
    }

    /// How many questions have no answer.
    pub(super) fn open(&self) -> usize {
        self.open.borrow().len()
    }

    pub(super) fn answered(&self, id: u64) {
        if let Some(size) = self.open.borrow_mut().remove(&id) {
            self.links.backlog.fetch_sub(size, Ordering::AcqRel);
        }
    }

    fn end(&self, how: Result<(), String>) {
        if !self.finished.replace(true) {
            *self.ended.borrow_mut() = Some(how);
        }
    }

    /// Asks; gives the number of the question, or a text when too many are open.
    fn ask(&self, ctx: &Ctx<'_>, helper: bool, name: &str, json: Option<String>) -> Thrown<Asked> {
        self.check_running(ctx)?;
        let target = if helper {
            let helper = Helper::named(name).ok_or_else(|| Exception::throw_type(ctx, &format!("no helper {name}")))?;
            Target::Helper(helper)
        } else {
            let tool = self.tools.get(name).ok_or_else(|| Exception::throw_type(ctx, &format!("no tool {name}")))?;
            Target::Tool(tool.clone())
        };
        let size = json.as_ref().map_or(0, String::len) + 64;
        let mut open = self.open.borrow_mut();
        if open.len() >= QUESTIONS || self.links.backlog.load(Ordering::Acquire).saturating_add(size) > ARGUMENTS {
            return Ok(Asked::Refused(format!(
                "too many calls are open: at most {QUESTIONS} with {ARGUMENTS} bytes of arguments; await some of them first"
            )));
        }
        let args = match json {
            None => json!({}),
            Some(json) => parse(&json).map_err(|error| {
                Exception::throw_type(ctx, &format!("{name}: the arguments cannot be read as JSON: {error}"))
            })?,
        };
        let id = self.last.get() + 1;
        self.last.set(id);
        open.insert(id, size);
        self.links.backlog.fetch_add(size, Ordering::AcqRel);
        if self.asks.send((id, Ask { target, args })).is_err() {
            return Err(Exception::throw_message(ctx, "the script is over"));
        }
        #[expect(clippy::cast_precision_loss, reason = "a script does not live to ask so often")]
        Ok(Asked::Number(id as f64))
    }

    fn check_running(&self, ctx: &Ctx<'_>) -> Thrown<()> {
        if self.is_finished() { Err(Exception::throw_message(ctx, "the script is over")) } else { Ok(()) }
    }

    /// Puts something out. Too much of it ends the script, so that catching the error does not help.
    fn put_out(&self, ctx: &Ctx<'_>, item: OutputItem) -> Thrown<()> {
        self.check_running(ctx)?;
        // One that nobody waits for any more is not heard.
        if self.links.stop.load(Ordering::Acquire) {
            return Err(Exception::throw_message(ctx, "the script is over"));
        }
        self.links.output.lock().add(item).map_err(|error| {
            self.end(Err(format!("RangeError: {error}")));
            Exception::throw_range(ctx, &error.to_string())
        })
    }

    fn image(&self, ctx: &Ctx<'_>, base64: &str) -> Thrown<()> {
        let data: String = base64.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        let bytes = STANDARD.decode(&data).map_err(|error| {
            Exception::throw_type(ctx, &format!("image(): the data is no base64, or was cut: {error}"))
        })?;
        let kind = sniff_image(&bytes).filter(|kind| PICTURES.contains(kind));
        let mime_type = kind.ok_or_else(|| {
            Exception::throw_type(ctx, "image(): the data is no picture in the format PNG, JPEG, GIF or WebP")
        })?;
        self.put_out(ctx, OutputItem::Image { data, mime_type })
    }

    fn keep(&self, ctx: &Ctx<'_>, key: String, json: Option<String>) -> Thrown<()> {
        self.check_running(ctx)?;
        let json = json.map(|json| whole(&json).unwrap_or(json));
        self.store.borrow_mut().store(key, json).map_err(|error| Exception::throw_range(ctx, &error.to_string()))
    }
}

/// Reads JSON of a script.
fn parse(json: &str) -> serde_json::Result<Value> {
    match whole(json) {
        Some(whole) => serde_json::from_str(&whole),
        None => serde_json::from_str(json),
    }
}

/// JSON in which halves of characters are replacement characters; `None` when there are none. `JSON.stringify` writes an
/// escape only for half of a pair that has no other half.
fn whole(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let mut text_so_far: Option<String> = None;
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        let escape = bytes.get(at + 1..at + 6);
        let half =
            escape.is_some_and(|e| e[0] == b'u' && e[1] | 32 == b'd' && matches!(e[2] | 32, b'8' | b'9' | b'a'..=b'f'));
        if half {
            let text = text_so_far.get_or_insert_default();
            text.push_str(&json[from..at]);
            text.push('\u{fffd}');
            at += 6;
            from = at;
        } else {
            at += 2;
        }
    }
    text_so_far.map(|text| text + &json[from..])
}

/// The functions as an object for the prelude.
pub(super) fn object<'js>(ctx: &Ctx<'js>, ops: &Rc<Ops>) -> Thrown<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    let of = || Rc::clone(ops);
    let me = of();
    object.set(
        "ask",
        Func::from(move |ctx: Ctx<'js>, helper: bool, name: String, json: Opt<Option<String>>| {
            me.ask(&ctx, helper, &name, json.0.flatten())
        }),
    )?;
    let me = of();
    object.set("text", Func::from(move |ctx: Ctx<'js>, text: String| me.put_out(&ctx, OutputItem::Text(text))))?;
    let me = of();
    object.set("line", Func::from(move |ctx: Ctx<'js>, text: String| me.put_out(&ctx, OutputItem::Console(text))))?;
    let me = of();
    object.set("image", Func::from(move |ctx: Ctx<'js>, data: String| me.image(&ctx, &data)))?;
    let me = of();
    object.set(
        "store",
        Func::from(move |ctx: Ctx<'js>, key: String, json: Opt<Option<String>>| me.keep(&ctx, key, json.0.flatten())),
    )?;
    let me = of();
    object.set("load", Func::from(move |key: String| me.store.borrow().load(&key).cloned()))?;
    let me = of();
    object.set("exit", Func::from(move || me.end(Ok(()))))?;
    let me = of();
    object.set("missing", Func::from(move |object: String, member: String| me.surface.missing(&object, &member)))?;
    let me = of();
    object.set("allTools", Func::from(move || me.surface.all_tools().to_string()))?;
    let members: Vec<&str> = ops.surface.members().into_iter().map(|(member, _)| member).collect();
    object.set("tools", members)?;
    let helpers = Helper::ALL.into_iter().map(Helper::name);
    let helpers: Vec<&str> = helpers.filter(|name| ops.surface.models || !name.starts_with("models.")).collect();
    object.set("helpers", helpers)?;
    object.set("file", PRELUDE_NAME)?;
    sources(&object, &ops.surface.sources)?;
    Ok(object)
}

/// Time and chance, where they are not the system's.
fn sources(object: &Object<'_>, sources: &Sources) -> Thrown<()> {
    if !sources.clock.is_real() {
        let clock = sources.clock.clone();
        #[expect(clippy::cast_precision_loss, reason = "times of the calendar fit")]
        object.set("now", Func::from(move || clock.now_ms() as f64))?;
    }
    if !sources.random.is_real() {
        let random = sources.random.clone();
        object.set(
            "random",
            Func::from(move || {
                let mut bytes = [0; 8];
                random.fill("codemode", &mut bytes);
                // As many bits as a number between 0 and 1 has.
                #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
                let number = (u64::from_le_bytes(bytes) >> 11) as f64;
                number / 9_007_199_254_740_992.0
            }),
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_characters_are_replaced() {
        assert_eq!(whole(r#""a\\ud800\n""#), None);
        assert_eq!(whole(r#""a\ud800b\udfff""#).as_deref(), Some("\"a\u{fffd}b\u{fffd}\""));
        assert_eq!(whole(r#""\u0007\"""#), None);
        assert_eq!(parse(r#"["\\\udabc"]"#).expect("JSON"), json!(["\\\u{fffd}"]));
    }
}
