//! What scripts ask on behalf of components.

use std::sync::Arc;
use std::time::Duration;

use rquickjs::{Ctx, IntoJs as _, Value};
use serde_json::{Value as Data, json};
use tau_hooks::dialogs::UiCall;
use tau_hooks::mount::{Lend, OverlayOptions, Wish, Written};

use super::super::extract::{Bridged, Caller, Speaking};
use super::{JsListener, JsMount};
use crate::engine::Loan;
use crate::ops::table::{Promised, ops};
use crate::ops::{Json, OpError, OrNull};

/// The number of all that is suggested.
const ALL: u32 = 0;

/// How long an extension waits for the terminal.
const PATIENCE: Duration = Duration::from_secs(5);

ops! {
    /// Components on the screen.
    pub(in crate::bridge) static OPS: always;

    /// A component wants something of the place where it stands.
    fn mountWish(number, what, value) = wish, Pure;
    /// The columns that an overlay has.
    fn mountWidth(overlay, columns, rows) = width, Pure;
    /// Where an overlay lies that has so many lines.
    fn mountBounds(overlay, lines, columns, rows) -> "Rect" = bounds, Pure;
    /// A block of the conversation looks different now.
    fn blockRedraw(block) = block_redraw, Pure;
    /// Shows a component over the screen.
    fn uiShowOverlay(id, call, factory) = show_overlay, Refused;
    /// Listens to what the user types.
    fn uiOnTerminalInput(id, call, handler) = on_terminal_input, Refused;
    /// Does so no more.
    fn uiOffTerminalInput(id, handler) = off_terminal_input, Refused;
    /// Leaves the terminal to another program, or takes it back; whether that is done.
    fn uiLend(id, wants) = lend, Refused;
    /// What a provider of completions suggests; zero is all of them.
    fn uiSuggest(id, number, written, force) -> "Promise<Suggested | null>" = suggest, Recorded;
}

fn text(value: Json) -> String {
    value.0.as_str().map(str::to_owned).unwrap_or_default()
}

fn wish(Bridged(bridge): Bridged, number: u32, what: String, value: Json) -> rquickjs::Result<()> {
    // One that is gone from the screen wants nothing any more.
    let Some(stage) = bridge.mounts().stage(number) else { return Ok(()) };
    let wish = match what.as_str() {
        "redraw" => Wish::Redraw,
        "done" => Wish::Done(value.0),
        "hide" => Wish::Hide(value.0 == Data::Bool(true)),
        "focus" => Wish::Focus,
        "unfocus" => Wish::Unfocus,
        "submit" => Wish::Submit(text(value)),
        "changed" => Wish::Changed(text(value)),
        "action" => Wish::Action(text(value)),
        "shortcut" => Wish::Shortcut(text(value)),
        _ => return Ok(()),
    };
    stage.wish(wish);
    Ok(())
}

/// How a component lies over the screen. Of what is of no use nothing is taken.
fn options(overlay: Json) -> OverlayOptions {
    serde_json::from_value(overlay.0).unwrap_or_default()
}

fn width(overlay: Json, columns: usize, rows: usize) -> rquickjs::Result<usize> {
    Ok(options(overlay).room(columns, rows).0)
}

fn bounds<'js>(js: Ctx<'js>, overlay: Json, lines: usize, columns: usize, rows: usize) -> rquickjs::Result<Value<'js>> {
    let rect = options(overlay).place(lines, columns, rows);
    // The height is that of all lines, also of those that are not in sight.
    let bounds = json!({"row": rect.row, "col": rect.column, "width": rect.width, "height": lines});
    Json(bounds).into_js(&js)
}

fn block_redraw(Bridged(bridge): Bridged, block: String) {
    let redraw = bridge.mounts().redraws.borrow().get(&*block).cloned();
    if let Some(redraw) = redraw {
        (redraw.0)();
    }
}

fn show_overlay(speaking: Speaking, factory: u32) {
    let callback = speaking.bridge.callback(speaking.id, factory, None);
    let (engine, extension) = (speaking.bridge.engine.clone(), speaking.extension.modules);
    speaking.ctx.ui().call(UiCall::ShowOverlay(JsMount::handle(callback, engine, extension)));
}

fn on_terminal_input(js: Ctx<'_>, speaking: Speaking, handler: u32) -> rquickjs::Result<()> {
    speaking.bridge.count(&js, &speaking.extension, "onTerminalInput", &handler.to_string())?;
    let handle = JsListener::handle(speaking.bridge.callback(speaking.id, handler, None));
    speaking.bridge.mounts().listeners.borrow_mut().insert(handler, handle.clone());
    speaking.ctx.ui().call(UiCall::OnTerminalInput(handle));
    Ok(())
}

fn off_terminal_input(Caller { bridge, extension, .. }: Caller, handler: u32) {
    bridge.forget(&extension, "onTerminalInput", &handler.to_string());
    let handle = bridge.mounts().listeners.borrow_mut().remove(&handler);
    // After the end of the session there is no listener left to take back.
    if let (Some(handle), Ok(ctx)) = (handle, bridge.speaking(&extension, 0)) {
        ctx.ui().call(UiCall::OffTerminalInput(handle));
    }
}

fn lend(js: Ctx<'_>, Caller { bridge, extension, .. }: Caller, wants: bool) -> rquickjs::Result<bool> {
    let Ok(ctx) = bridge.speaking(&extension, 0) else { return Ok(false) };
    let core = bridge.core(&js)?;
    let (limits, activity) = (Arc::clone(core.limits()), Arc::clone(core.host().activity()));
    let lend = Lend::new(wants);
    ctx.ui().call(UiCall::Lend(lend.clone()));
    if !wants {
        // From here on the screen has the standard streams again.
        activity.give_terminal_back(Some(extension.modules));
    }
    let is_done = limits.paused(|| lend.wait(PATIENCE));
    match wants {
        true if is_done => activity.lend(extension.modules, Box::new(Lent(lend))),
        // It goes on without it, so it must not get it later.
        true => lend.end(),
        false => {}
    }
    Ok(is_done)
}

/// The terminal that an extension has.
struct Lent(Lend);

impl Loan for Lent {
    fn is_held(&self) -> bool {
        self.0.is_held()
    }

    fn end(&self) {
        self.0.end();
    }
}

fn suggest<'js>(
    js: Ctx<'js>,
    Caller { bridge, extension, .. }: Caller,
    number: u32,
    written: Json,
    force: bool,
) -> rquickjs::Result<Promised<'js, OrNull<Json>>> {
    let provider = match number {
        ALL => extension.facts().suggests.clone().map(|source| source.0),
        _ => bridge.mounts().suggests.borrow().get(&number).cloned(),
    };
    let wrong = |_| OpError::type_error("ERR_INVALID_ARG_TYPE", "getSuggestions: wrong arguments").throw(&js);
    let written: Written = serde_json::from_value(written.0).map_err(wrong)?;
    bridge.core(&js)?.host().spawn(&js, async move {
        let Some(provider) = provider else { return Ok(OrNull(None)) };
        let found = provider.suggest(written, force).await;
        let found = found.map_err(|error| OpError::message(error.to_string()))?;
        Ok(OrNull(found.map(|found| Json(json!(found)))))
    })
}
