//! A component in JavaScript, as the screen holds it.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rquickjs::{Array, Ctx, IntoJs as _, Object, Value};
use serde_json::{Value as Json, json};
use tau_hooks::mount::{
    Component, Drawn, Interrupted, Mouse, MouseKind, SharedModel, Signal, Space, Stage, Turn, WorkingStatus,
};
use tau_hooks::{BoxFuture, HandlerError};
use tokio::sync::oneshot;

use super::super::callback::{self, ended, failure, gone};
use super::super::guest::HasBridge as _;
use super::LIMIT;
use crate::engine::{Activity, Core, ExtensionId, Fault, WeakEngine};
use crate::pi::editor::model::EditorModel;

/// How long a turn may hold the engine's thread, for instance because it waits for a child process.
const HOLDS: Duration = Duration::from_secs(2);

/// What a component wants, as the engine tells it in a number.
mod flag {
    pub(super) const RELEASES: u32 = 1;
    pub(super) const MOUSE: u32 = 2;
    pub(super) const CUT: u32 = 4;
    pub(super) const WORKING: u32 = 8;
    pub(super) const SCROLL_KEYS: u32 = 16;
}

/// A component that lives in an engine under a number.
pub(super) struct JsComponent {
    engine: WeakEngine,
    extension: ExtensionId,
    number: u32,
    /// What its factory said of it.
    flags: i32,
}

impl JsComponent {
    pub(super) fn new(engine: WeakEngine, extension: ExtensionId, number: u32) -> Self {
        Self { engine, extension, number, flags: super::CAPTURES }
    }

    /// The same, with what its factory said of it.
    pub(super) fn coming(mut self, flags: i32) -> Self {
        self.flags = flags;
        self
    }
}

/// The component is gone from the screen.
impl Drop for JsComponent {
    fn drop(&mut self) {
        let (number, extension) = (self.number, self.extension);
        if let Some(engine) = self.engine.upgrade() {
            // An engine that has ended holds no components.
            let _ = engine.post(move |core| {
                core.bridge().mounts().stages.borrow_mut().remove(&number);
                let done =
                    core.attempt(extension, LIMIT, |js| core.entry(js, "disposeMounted")?.call::<_, ()>((number,)));
                if let Err(fault) = done {
                    core.report(callback::explained(fault, Some(LIMIT)));
                }
            });
        }
    }
}

impl Component for JsComponent {
    fn turn(&self, turn: Turn) -> BoxFuture<Result<Drawn, Interrupted>> {
        let (number, extension) = (self.number, self.extension);
        let Some(engine) = self.engine.upgrade() else {
            return Box::pin(async { Err(Interrupted { told: 0, error: ended() }) });
        };
        Box::pin(async move {
            let activity = Arc::clone(engine.activity());
            let (sender, result) = oneshot::channel();
            let stretch = engine.stretch();
            let guard = engine.stop_on_drop(stretch);
            let begun = Arc::<Mutex<Option<Instant>>>::default();
            let begins = Arc::clone(&begun);
            let posted = engine.post(move |core| {
                *begins.lock() = Some(Instant::now());
                let mut done = Err(Interrupted { told: 0, error: ended() });
                core.in_tagged_stretch(stretch, || done = take(core, extension, number, &turn));
                // The screen may have lost interest.
                let _ = sender.send(done);
            });
            // The handle must not keep the engine alive while the component is at work.
            drop(engine);
            if posted.is_err() {
                return Err(Interrupted { told: 0, error: gone(&activity) });
            }
            let mut answer = std::pin::pin!(activity.answer(result));
            let answer = tokio::select! {
                biased;
                answer = &mut answer => answer,
                () = held(&begun, &activity) => {
                    // This ends what it waits for, too.
                    drop(guard);
                    return answer.await.unwrap_or_else(|| Err(Interrupted { told: 0, error: gone(&activity) }));
                }
            };
            guard.disarm();
            answer.unwrap_or_else(|| Err(Interrupted { told: 0, error: gone(&activity) }))
        })
    }

    fn captures(&self) -> bool {
        self.flags & super::CAPTURES != 0
    }

    fn is_out_of_sight(&self) -> bool {
        self.flags & super::OUT_OF_SIGHT != 0
    }

    fn is_hidden(&self) -> bool {
        self.flags & super::HIDDEN != 0
    }

    fn dispose(&self) {}
}

/// Completes when a turn has held the thread for too long. The user may work with another program for any time.
async fn held(begun: &Mutex<Option<Instant>>, activity: &Activity) {
    loop {
        if activity.has_terminal() {
            *begun.lock() = Some(Instant::now());
        }
        let left = begun.lock().map_or(HOLDS, |begun| HOLDS.saturating_sub(begun.elapsed()));
        if left.is_zero() {
            return;
        }
        tokio::time::sleep(left.max(Duration::from_millis(1))).await;
    }
}

/// Tells the component what happened, each in a stretch of its own, and lets it draw.
fn take(core: &Rc<Core>, extension: ExtensionId, number: u32, turn: &Turn) -> Result<Drawn, Interrupted> {
    let stage = core.bridge().mounts().stage(number);
    let (mut took_mouse, mut gave_keys_away) = (false, false);
    for (place, signal) in turn.signals.iter().enumerate() {
        if stage.as_ref().is_some_and(Stage::is_done) {
            return Ok(Drawn { untold: turn.signals.len() - place, ..Drawn::default() });
        }
        let (what, value) = written(signal);
        let told = core.attempt(extension, LIMIT, |js| {
            let is_shared = match signal {
                Signal::Model(model) => adopts(js, core, number, model)?,
                _ => false,
            };
            let what = if is_shared { "shared" } else { what };
            let value = crate::convert::to_js(js, &value)?;
            core.entry(js, "tellMounted")?.call::<_, bool>((number, what, value))
        });
        let answer = told.map_err(|fault| Interrupted::at(place, explained(fault)))?;
        took_mouse = answer && matches!(signal, Signal::Mouse(_));
        let untold = turn.signals.len() - place - 1;
        gave_keys_away = !answer && matches!(signal, Signal::Key(_));
        if gave_keys_away && untold > 0 {
            return Ok(Drawn { untold, gave_keys_away, ..Drawn::default() });
        }
    }
    let drawn = match turn.space {
        None => Drawn::default(),
        Some(space) => {
            let drawn = core.attempt(extension, LIMIT, |js| draw(js, core, number, space));
            drawn.map_err(|fault| Interrupted::drawing(turn.signals.len(), explained(fault)))?
        }
    };
    Ok(Drawn { took_mouse, gave_keys_away, ..drawn })
}

/// Whether a component has a model of tau's; then it works on this one from now on.
fn adopts(js: &Ctx<'_>, core: &Core, number: u32, model: &SharedModel) -> rquickjs::Result<bool> {
    let component: Object<'_> = core.entry(js, "mountedComponent")?.call((number,))?;
    let is_one = EditorModel::of(&component).is_some();
    if is_one {
        EditorModel::put(&component, Arc::clone(&model.0))?;
    }
    Ok(is_one)
}

/// A signal in the words of the runtime.
fn written(signal: &Signal) -> (&'static str, Json) {
    match signal {
        Signal::Key(key) => ("key", Json::from(&**key)),
        Signal::Mouse(mouse) => ("mouse", of_mouse(mouse)),
        Signal::Focus(has_focus) => ("focus", (*has_focus).into()),
        Signal::Invalidate => ("invalidate", Json::Null),
        Signal::Expand(expands) => ("expand", (*expands).into()),
        Signal::Branch => ("branch", Json::Null),
        Signal::Text(text) => ("text", text.as_str().into()),
        // For those that have another model, or none.
        Signal::Model(model) => ("text", model.0.lock().expanded_text().into()),
        Signal::Insert(text) => ("insert", text.as_str().into()),
        Signal::Working(None) => ("working", Json::Null),
        Signal::Working(Some(WorkingStatus { indicator, message })) => ("working", json!([indicator, message])),
    }
}

/// An event of the mouse as components know it.
fn of_mouse(mouse: &Mouse) -> Json {
    let (kind, button) = match mouse.kind {
        MouseKind::Press(button) => ("press", Some(button)),
        MouseKind::Release(button) => ("release", Some(button)),
        MouseKind::Click(button, _) => ("click", Some(button)),
        MouseKind::Drag(button) => ("drag", Some(button)),
        MouseKind::Move => ("move", None),
        MouseKind::Wheel(_) => ("wheel", None),
    };
    let button = button.and_then(|button| ["left", "middle", "right"].get(usize::from(button))).unwrap_or(&"none");
    let mut event = json!({
        "type": kind, "button": button, "x": mouse.column, "y": mouse.row,
        "screenX": mouse.screen_column, "screenY": mouse.screen_row,
        "shift": mouse.shift, "alt": mouse.alt, "ctrl": mouse.ctrl, "width": mouse.width, "height": mouse.height,
    });
    match mouse.kind {
        MouseKind::Wheel(lines) => event["wheelDelta"] = lines.into(),
        MouseKind::Click(_, count) => event["clickCount"] = count.into(),
        _ => {}
    }
    event
}

/// The lines of a component.
fn draw<'js>(js: &Ctx<'js>, core: &Core, number: u32, space: Space) -> rquickjs::Result<Drawn> {
    let Space { width, columns, rows } = space;
    let entry = core.entry(js, "drawMounted")?;
    let drawn: Array<'js> = entry.call((number, width.into_js(js)?, columns.into_js(js)?, rows.into_js(js)?))?;
    let (text, flags): (Option<rquickjs::String<'js>>, u32) = (drawn.get(0)?, drawn.get(1)?);
    let overlay: Value<'js> = drawn.get(2)?;
    let overlay = crate::convert::from_js(js, &overlay)?.and_then(|overlay| serde_json::from_value(overlay).ok());
    Ok(Drawn {
        lines: Some(lines_of(text.as_ref())?),
        is_cut: flags & flag::CUT != 0,
        overlay,
        wants_releases: flags & flag::RELEASES != 0,
        takes_scroll_keys: flags & flag::SCROLL_KEYS != 0,
        takes_mouse: flags & flag::MOUSE != 0,
        embeds_working: flags & flag::WORKING != 0,
        took_mouse: false,
        untold: 0,
        gave_keys_away: false,
    })
}

/// The lines of a text. A line end within a line of the component is one, too.
pub(super) fn lines_of(text: Option<&rquickjs::String<'_>>) -> rquickjs::Result<Vec<String>> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let text = crate::raw::text_of(text)?;
    Ok(text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned()).collect())
}

/// A fault of a component, in words that say what its limit is.
pub(super) fn explained(fault: Fault) -> HandlerError {
    failure(callback::explained(fault, Some(LIMIT)), None)
}
