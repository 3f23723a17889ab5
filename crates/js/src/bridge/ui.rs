//! `ctx.ui`: dialogs, notices, the status line, and factories that a front end may mount.

use std::sync::Arc;
use std::time::Duration;

use rquickjs::{Ctx, IntoJs, Value};
use serde_json::{Value as Data, json};
use tau_hooks::dialogs::{
    DialogAnswer, DialogKind, UiCall, UiHandle, WidgetContent, WidgetPlacement, WorkingIndicator,
};
use tau_hooks::{ActionError, Ctx as HookCtx, DialogOptions, Mode, ThemeInfo};
use tau_view::theme::{Color, ColorTheme};
use tokio_util::sync::CancellationToken;

use super::extract::Speaking;
use super::{Bridge, Extension};
use crate::ops::table::{Promised, ops, typed};
use crate::ops::{Json, OpError};

ops! {
    /// `ctx.
    pub(crate) static OPS: always;

    /// Opens a dialog and waits for its answer.
    fn uiAsk(id, call, kind, args) = ui_ask, Recorded;
    /// Tells the user interface something.
    fn uiTell(id, call, name, args) = ui_tell, Refused;
    /// The theme in use, unless it is the one that is known already.
    fn uiTheme(id, call, known) = ui_theme, Recorded;
    /// All themes.
    fn uiThemes(id, call) = ui_themes, Recorded;
    /// Changes the theme; gives why it cannot.
    fn uiSetTheme(id, call, name) = ui_set_theme, Refused;
    /// A theme that is built in.
    fn builtinTheme(name) = builtin_theme, Pure;
    /// The text in the editor.
    fn uiEditorText(id, call) = ui_editor_text, Recorded;
    /// Whether there is a user to ask.
    fn uiAvailable(id, call) = ui_available, Recorded;
    /// Whether there is a terminal.
    fn uiTerminal(id, call) = ui_terminal, Recorded;
}

impl Bridge {
    /// The session whose user the extension speaks to. A user interface outlives sessions: who kept it from one that was
    /// replaced speaks in the next.
    pub(super) fn speaking(&self, extension: &Extension, call: u32) -> Result<HookCtx, ActionError> {
        match self.context(extension, call, false) {
            Err(ActionError::Stale) => {
                let next = self.successor(extension).and_then(|id| self.get(id)).ok_or(ActionError::Stale)?;
                next.api.ctx(CancellationToken::new(), false)
            }
            now => now,
        }
    }
}

fn dialog(bridge: &Bridge, id: u32, kind: &str, args: &Data) -> Option<DialogKind> {
    let text = |name: &str| args[name].as_str().map(str::to_owned);
    let title = text("title").unwrap_or_default();
    Some(match kind {
        "select" => DialogKind::Select { title, options: serde_json::from_value(args["options"].clone()).ok()? },
        "confirm" => DialogKind::Confirm { title, message: text("message").unwrap_or_default() },
        "input" => DialogKind::Input { title, placeholder: text("placeholder") },
        "editor" => DialogKind::Editor { title, prefill: text("prefill") },
        "custom" => {
            let function = u32::try_from(args["function"].as_u64()?).ok()?;
            let blocked = serde_json::from_value(args["blocked"].clone()).ok();
            DialogKind::Custom { handle: UiHandle(bridge.callback(id, function, None)), blocked }
        }
        _ => return None,
    })
}

/// What a theme is made of in JavaScript.
fn theme_data(theme: &ThemeInfo) -> Data {
    let color = |color: Color| match color {
        Color::Indexed(index) => Data::from(index),
        other => Data::from(other.to_string()),
    };
    let colors = |list: &mut dyn Iterator<Item = (&str, Color)>| -> Data {
        list.map(|(name, value)| (name.to_owned(), color(value))).collect::<serde_json::Map<_, _>>().into()
    };
    json!({
        "serial": theme.serial(),
        "name": theme.colors.name,
        "appearance": theme.colors.appearance.map(tau_view::theme::Appearance::as_str),
        "path": theme.path,
        "sourceInfo": theme.source_info,
        "fg": colors(&mut theme.colors.foregrounds()),
        "bg": colors(&mut theme.colors.backgrounds()),
    })
}

/// The limit of a dialog. Zero is none, as is one that is longer than any clock runs.
fn timeout(milliseconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(milliseconds / 1_000.0).ok().filter(|timeout| !timeout.is_zero())
}

fn indicator(args: &Data) -> Option<WorkingIndicator> {
    let frames: Option<Vec<String>> = serde_json::from_value(args["frames"].clone()).ok();
    // No clock runs for longer than the limit, and a front end adds this to the time it is.
    let interval = args["intervalMs"].as_u64().map(|ms| Duration::from_millis(ms.min(u32::MAX.into())));
    (frames.is_some() || interval.is_some()).then_some(WorkingIndicator { frames, interval })
}

struct Answer(DialogAnswer);

typed! {
    Answer = "unknown", out "any";
}

impl<'js> IntoJs<'js> for Answer {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        match self.0 {
            DialogAnswer::Value(text) => text.into_js(ctx),
            DialogAnswer::Confirmed(yes) => yes.into_js(ctx),
            DialogAnswer::Custom(value) => Json(value).into_js(ctx),
            DialogAnswer::Cancelled => Ok(Value::new_undefined(ctx.clone())),
        }
    }
}

fn ui_ask<'js>(
    js: Ctx<'js>,
    Speaking { bridge, id, ctx, .. }: Speaking,
    kind: String,
    args: Json,
) -> rquickjs::Result<Promised<'js, Answer>> {
    let kind = dialog(&bridge, id, &kind, &args.0).ok_or_else(|| {
        OpError::type_error("ERR_INVALID_ARG_TYPE", format!("ctx.ui.{kind}: wrong arguments")).throw(&js)
    })?;
    let token = args.0["token"].as_u64().and_then(|token| u32::try_from(token).ok());
    let options =
        DialogOptions { timeout: args.0["timeout"].as_f64().and_then(timeout), cancel: bridge.tokens.get(token) };
    let core = bridge.core(&js)?;
    core.host().spawn(&js, async move { Ok(Answer(ctx.ui().ask(kind, options).await)) })
}

fn ui_tell<'js>(
    js: Ctx<'js>,
    Speaking { bridge, id, extension, ctx, .. }: Speaking,
    name: String,
    args: Json,
) -> rquickjs::Result<()> {
    let ui = ctx.ui();
    let text = |value: &Data| value.as_str().map(str::to_owned);
    // A notice and a pasted text are not kept under a name: the next one does not take their place.
    if name.starts_with("set") {
        let key = args.0["key"].as_str().unwrap_or_default();
        let removed = ["text", "lines", "function"].iter().all(|content| args.0[*content].is_null());
        match removed && !key.is_empty() {
            true => bridge.forget(&extension, &name, key),
            false => bridge.count(&js, &extension, &name, key)?,
        }
    }
    if name == "setStatus" {
        ui.set_status(args.0["key"].as_str().unwrap_or_default(), args.0["text"].as_str());
        return Ok(());
    }
    let handle = || {
        let function = args.0["function"].as_u64().and_then(|function| u32::try_from(function).ok())?;
        Some(UiHandle(bridge.callback(id, function, None)))
    };
    let call = match name.as_str() {
        "notify" => {
            // Extensions may pass anything for a level; what is no text is taken as not given.
            let level = serde_json::from_value(args.0["level"].clone()).unwrap_or_default();
            UiCall::Notify { message: text(&args.0["text"]).unwrap_or_default(), level }
        }
        "setWidget" => UiCall::SetWidget {
            key: text(&args.0["key"]).unwrap_or_default(),
            content: match serde_json::from_value(args.0["lines"].clone()) {
                Ok(lines) => Some(WidgetContent::Lines(lines)),
                Err(_) => handle().map(WidgetContent::Handle),
            },
            placement: serde_json::from_value::<Option<WidgetPlacement>>(args.0["placement"].clone())
                .unwrap_or_default(),
        },
        "setTitle" => UiCall::SetTitle(text(&args.0["text"]).unwrap_or_default()),
        "setEditorText" => UiCall::SetEditorText(text(&args.0["text"]).unwrap_or_default()),
        "pasteToEditor" => UiCall::PasteToEditor(text(&args.0["text"]).unwrap_or_default()),
        "setWorkingMessage" => UiCall::SetWorkingMessage(text(&args.0["text"])),
        "setWorkingVisible" => UiCall::SetWorkingVisible(args.0["value"].as_bool().unwrap_or(true)),
        "setWorkingIndicator" => UiCall::SetWorkingIndicator(indicator(&args.0)),
        "setHiddenThinkingLabel" => UiCall::SetHiddenThinkingLabel(text(&args.0["text"])),
        "setToolsExpanded" => UiCall::SetToolsExpanded(args.0["value"].as_bool().unwrap_or(false)),
        "setFooter" => UiCall::SetFooter(handle()),
        "setHeader" => UiCall::SetHeader(handle()),
        "setEditorComponent" => UiCall::SetEditorComponent(handle()),
        "addAutocompleteProvider" => match handle() {
            Some(handle) => UiCall::AddAutocompleteProvider(handle),
            None => return Ok(()),
        },
        "onTerminalInput" => match handle() {
            Some(handle) => UiCall::OnTerminalInput(handle),
            None => return Ok(()),
        },
        _ => return Err(OpError::message(format!("`{name}` is not a member of ctx.ui")).throw(&js)),
    };
    ui.call(call);
    Ok(())
}

fn ui_theme<'js>(js: Ctx<'js>, Speaking { ctx, .. }: Speaking, known: f64) -> rquickjs::Result<Value<'js>> {
    match ctx.host().theme().filter(|theme| theme.serial() as f64 != known) {
        Some(theme) => Json(theme_data(&theme)).into_js(&js),
        None => Ok(Value::new_undefined(js.clone())),
    }
}

fn ui_themes<'js>(js: Ctx<'js>, Speaking { ctx, .. }: Speaking) -> rquickjs::Result<Value<'js>> {
    Json(ctx.host().themes().iter().map(|theme| theme_data(theme)).collect()).into_js(&js)
}

fn ui_set_theme(Speaking { ctx, .. }: Speaking, name: String) -> rquickjs::Result<Option<String>> {
    Ok(ctx.host().set_theme(&name).err().map(|error| error.to_string()))
}

fn builtin_theme<'js>(js: Ctx<'js>, name: String) -> rquickjs::Result<Value<'js>> {
    match ColorTheme::builtin(&name) {
        Some(colors) => Json(theme_data(&ThemeInfo::new(Arc::new(colors), None, None))).into_js(&js),
        None => Ok(Value::new_undefined(js.clone())),
    }
}

fn ui_editor_text(Speaking { ctx, .. }: Speaking) -> rquickjs::Result<String> {
    Ok(ctx.ui().editor_text())
}

fn ui_available(Speaking { ctx, .. }: Speaking) -> rquickjs::Result<bool> {
    Ok(ctx.has_ui())
}

fn ui_terminal(Speaking { ctx, .. }: Speaking) -> rquickjs::Result<bool> {
    Ok(ctx.mode() == Mode::Tui)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use serde_json::json;
    use tau_agent::extensions::{ExtensionOrigin, FoundExtension, LoadContext, ScriptHost};
    use tau_agent::settings::{Environment, SettingsStore};
    use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind};
    use tau_hooks::events::AgentStart;
    use tau_hooks::payload::Empty;
    use tau_testkit::{Stage, TempHome};
    use tau_tools::Leftovers;

    use crate::JsHost;
    use crate::bridge::Callback;

    /// A module that is loaded, with what it needs to live.
    async fn loaded(source: &str) -> (TempHome, Stage, JsHost) {
        let (home, stage) = (TempHome::new(), Stage::new());
        let path = home.write("component.ts", source);
        let env = Environment::new(home.home(), home.cwd());
        let settings = SettingsStore::open(&env, true).snapshot();
        let with = LoadContext { hooks: Arc::clone(&stage.hooks), env, settings, leftovers: Leftovers::default() };
        let file = FoundExtension::module(path, ExtensionOrigin::UserFolder);
        let host = JsHost::new(None);
        host.load(vec![file], &with).await.remove(0).result.expect("a module that loads");
        (home, stage, host)
    }

    /// What a front end that mounts the component of a module gets from its factory.
    async fn mounted(source: &str) -> serde_json::Value {
        let (_home, stage, _host) = loaded(source).await;
        let mut back_end = stage.hooks.dialogs.subscribe_mounting();
        let front_end = async {
            while let Some(event) = back_end.recv().await {
                let DialogEvent::Opened(request) = event else { continue };
                let DialogKind::Custom { handle, .. } = &request.kind else { continue };
                let factory = Arc::clone(&handle.0).downcast::<Callback>().expect("a function");
                let args = ["tui", "theme", "keybindings", "done"].map(Into::into).to_vec();
                let made = factory.call_json(args).await.expect("a component").unwrap_or_default();
                back_end.answer(request.id(), DialogAnswer::Custom(json!(null))).expect("an open dialog");
                return made;
            }
            json!("no dialog")
        };
        tokio::join!(stage.fire::<AgentStart>(Empty {}), front_end).1
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_component_says_what_the_program_waits_for() {
        let source = "export default (pi) => { pi.on('agent_start', async (_, ctx) => {
  await ctx.ui.custom(() => 1, { blocked: { kind: 'permission', message: 'May it?' } });
  await ctx.ui.custom(() => 1, { overlay: true });
}); };";
        let (_home, stage, _host) = loaded(source).await;
        let mut back_end = stage.hooks.dialogs.subscribe_mounting();
        let front_end = async {
            let mut told = Vec::new();
            while told.len() < 2 {
                let Some(DialogEvent::Opened(request)) = back_end.recv().await else { continue };
                let DialogKind::Custom { blocked, .. } = &request.kind else { continue };
                told.push(json!(blocked));
                back_end.answer(request.id(), DialogAnswer::Custom(json!(null))).expect("an open dialog");
            }
            told
        };
        let told = tokio::join!(stage.fire::<AgentStart>(Empty {}), front_end).1;
        assert_eq!(told, [json!({"kind": "permission", "message": "May it?"}), json!(null)]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_dialog_takes_any_number_as_its_timeout() {
        for (timeout, expected) in [
            ("1e300", None),
            ("Number.MAX_VALUE", None),
            ("Infinity", None),
            ("NaN", None),
            ("-1", None),
            ("0", None),
            ("600_000", Some(Duration::from_secs(600))),
        ] {
            let source = format!(
                "export default (pi) => {{ pi.on('agent_start', async (_, ctx) => {{
                   if (await ctx.ui.confirm('t', 'm', {{ timeout: {timeout} }})) await ctx.ui.confirm('again', 'm');
                 }}); }};"
            );
            let (_home, stage, _host) = loaded(&source).await;
            let mut back_end = stage.hooks.dialogs.subscribe_mounting();
            let front_end = async {
                let mut asked = Vec::new();
                // The engine lives on, so it asks twice.
                while asked.len() < 2 {
                    match back_end.recv().await {
                        Some(DialogEvent::Opened(request)) => {
                            back_end.answer(request.id(), DialogAnswer::Confirmed(true)).expect("an open dialog");
                            asked.push(request.deadline);
                        }
                        Some(_) => {}
                        None => break,
                    }
                }
                asked
            };
            let asked = tokio::select! {
                biased;
                asked = front_end => asked,
                // The handler ended without having asked twice.
                _ = stage.fire::<AgentStart>(Empty {}) => Vec::new(),
            };
            assert_eq!(asked, [expected, None], "{timeout}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn factories_get_the_keybindings_where_they_take_them() {
        let source = |head: &str, parameters: &str| {
            let factory = format!(
                "(function ({parameters}) {{ return {{ got: [...arguments].map((it) => typeof it === 'function' ? 'done' : it) }}; }})"
            );
            format!(
                "// @hook-dialect {head}\nexport default (pi) => {{ pi.on('agent_start', (_, ctx) => ctx.ui.custom{factory}); }};"
            )
        };
        let all = json!({"got": ["tui", "theme", "keybindings", "done"]});
        let short = json!({"got": ["tui", "theme", "done"]});
        for (dialect, parameters, expected) in [
            ("omp", "tui, theme, done", &short),
            ("omp", "tui, theme, keybindings, done", &all),
            ("omp", "", &short),
            ("original", "tui, theme, done", &short),
            ("pi", "tui, theme, done", &all),
            ("pi", "tui, theme, keybindings, done", &all),
        ] {
            assert_eq!(&mounted(&source(dialect, parameters)).await, expected, "{dialect}: {parameters}");
        }
    }
}
