//! `ctx.ui`: dialogs, notices, the status line, and factories that a front end may mount.

use std::sync::Arc;
use std::time::Duration;

use rquickjs::{Ctx, IntoJs, Value};
use serde_json::{Value as Data, json};
use tau_hooks::dialogs::{DialogAnswer, DialogKind, UiCall, WidgetContent, WidgetPlacement, WorkingIndicator};
use tau_hooks::mount::UiHandle;
use tau_hooks::{ActionError, Ctx as HookCtx, DialogOptions, Mode, ThemeInfo};
use tau_view::theme::{Appearance, Color, ColorTheme};
use tokio_util::sync::CancellationToken;

use super::extract::{Bridged, Speaking};
use super::mount::{JsMount, JsWrap};
use super::{Bridge, Extension};
use crate::ops::table::{Promised, Typed, ops, record};
use crate::ops::{Json, List, OpError, Words};

ops! {
    /// `ctx.
    pub(crate) static OPS: always;

    /// Lets the user choose.
    fn uiSelect(id, call, title, options, waiting) = select, Recorded;
    /// Lets the user confirm.
    fn uiConfirm(id, call, title, message, waiting) = confirm, Recorded;
    /// Lets the user write a line.
    fn uiInput(id, call, title, placeholder, waiting) = input, Recorded;
    /// Lets the user write a text.
    fn uiEditor(id, call, title, prefill) = editor, Recorded;
    /// Shows a component until it is done.
    fn uiCustom(id, call, factory, overlays, blocked) = custom, Recorded;
    /// Shows a notice.
    fn uiNotify(id, call, text, level) = notify, Refused;
    /// Shows a text in the status line.
    fn uiSetStatus(id, call, key, text) = set_status, Refused;
    /// Shows lines or a component beside the editor.
    fn uiSetWidget(id, call, key, lines, factory, placement) = set_widget, Refused;
    /// Names the terminal.
    fn uiSetTitle(id, call, text) = set_title, Refused;
    /// Shows in the tab or the task bar that work is under way, or not any more.
    fn uiSetProgress(id, call, works) = set_progress, Refused;
    /// Replaces the text in the editor.
    fn uiSetEditorText(id, call, text) = set_editor_text, Refused;
    /// Puts a text into the editor as if it was pasted.
    fn uiPasteToEditor(id, call, text) = paste_to_editor, Refused;
    /// Says what is shown while the session works.
    fn uiSetWorkingMessage(id, call, text) = set_working_message, Refused;
    /// Says whether it is shown that the session works.
    fn uiSetWorkingVisible(id, call, visible) = set_working_visible, Refused;
    /// Says how it is shown that the session works.
    fn uiSetWorkingIndicator(id, call, options) = set_working_indicator, Refused;
    /// Says what stands in the place of thinking that is hidden.
    fn uiSetHiddenThinkingLabel(id, call, text) = set_hidden_thinking_label, Refused;
    /// Shows the results of tools in full, or not.
    fn uiSetToolsExpanded(id, call, expanded) = set_tools_expanded, Refused;
    /// Replaces the footer.
    fn uiSetFooter(id, call, factory) = set_footer, Refused;
    /// Replaces the header.
    fn uiSetHeader(id, call, factory) = set_header, Refused;
    /// Replaces the editor.
    fn uiSetEditorComponent(id, call, factory) = set_editor_component, Refused;
    /// Adds a provider of completions.
    fn uiAddAutocompleteProvider(id, call, factory) = add_autocomplete_provider, Refused;
    /// The theme in use, unless it is the one that is known already.
    fn uiTheme(id, call, known) -> "ThemeData | undefined" = ui_theme, Recorded;
    /// All themes.
    fn uiThemes(id, call) -> "ThemeData[]" = ui_themes, Recorded;
    /// The names of all themes.
    fn themeNames() = theme_names, Recorded;
    /// Changes the theme; gives why it cannot.
    fn uiSetTheme(id, call, name) = ui_set_theme, Refused;
    /// Shows everything in these colours; gives the number of their theme, or why that cannot be.
    fn uiShowTheme(id, call, name, appearance, colors) -> "number | string" = ui_show_theme, Refused;
    /// A theme that is built in.
    fn builtinTheme(name) -> "ThemeData | undefined" = builtin_theme, Pure;
    /// The text in the editor.
    fn uiEditorText(id, call) = ui_editor_text, Recorded;
    /// Whether there is a user to ask.
    fn uiAvailable(id, call) = ui_available, Recorded;
    /// Whether somebody shows components.
    fn uiMounts(id, call) = ui_mounts, Recorded;
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

record! {
    /// How a dialog is ended before it is answered.
    #[derive(Default)]
    struct Waiting {
        /// A token that JavaScript cancels.
        token: Option<u32>,
        /// Milliseconds.
        #[serde(default)]
        timeout: Data,
    }
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
        "appearance": theme.colors.appearance.map(Appearance::as_str),
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

/// Asks, and gives a promise of the answer.
fn ask<'js, T: for<'a> IntoJs<'a> + 'static>(
    js: &Ctx<'js>,
    Speaking { bridge, ctx, .. }: Speaking,
    kind: DialogKind,
    waiting: Waiting,
    answer: fn(DialogAnswer) -> T,
) -> rquickjs::Result<Promised<'js, T>> {
    let cancel = bridge.tokens.get(waiting.token);
    let options = DialogOptions { timeout: waiting.timeout.as_f64().and_then(timeout), cancel };
    let core = bridge.core(js)?;
    core.host().spawn(js, async move { Ok(answer(ctx.ui().ask(kind, options).await)) })
}

/// The text of a dialog; none when it was closed.
fn text_of(answer: DialogAnswer) -> Option<String> {
    match answer {
        DialogAnswer::Value(text) => Some(text),
        _ => None,
    }
}

fn select<'js>(
    js: Ctx<'js>,
    speaking: Speaking,
    title: Words,
    options: Json,
    Typed(waiting): Typed<Waiting>,
) -> rquickjs::Result<Promised<'js, Option<String>>> {
    let options = serde_json::from_value(options.0);
    let wrong = |_| OpError::type_error("ERR_INVALID_ARG_TYPE", "ctx.ui.select: wrong arguments").throw(&js);
    let kind = DialogKind::Select { title: title.text(), options: options.map_err(wrong)? };
    ask(&js, speaking, kind, waiting, text_of)
}

fn confirm<'js>(
    js: Ctx<'js>,
    speaking: Speaking,
    title: Words,
    message: Words,
    Typed(waiting): Typed<Waiting>,
) -> rquickjs::Result<Promised<'js, bool>> {
    let kind = DialogKind::Confirm { title: title.text(), message: message.text() };
    ask(&js, speaking, kind, waiting, |answer| matches!(answer, DialogAnswer::Confirmed(true)))
}

fn input<'js>(
    js: Ctx<'js>,
    speaking: Speaking,
    title: Words,
    placeholder: Words,
    Typed(waiting): Typed<Waiting>,
) -> rquickjs::Result<Promised<'js, Option<String>>> {
    let kind = DialogKind::Input { title: title.text(), placeholder: placeholder.0 };
    ask(&js, speaking, kind, waiting, text_of)
}

fn editor<'js>(
    js: Ctx<'js>,
    speaking: Speaking,
    title: Words,
    prefill: Words,
) -> rquickjs::Result<Promised<'js, Option<String>>> {
    let kind = DialogKind::Editor { title: title.text(), prefill: prefill.0 };
    ask(&js, speaking, kind, Waiting::default(), text_of)
}

fn custom<'js>(
    js: Ctx<'js>,
    speaking: Speaking,
    factory: u32,
    overlays: bool,
    blocked: Json,
) -> rquickjs::Result<Promised<'js, ()>> {
    let handle = speaking.mount(factory);
    let kind = DialogKind::Custom { handle, overlays, blocked: serde_json::from_value(blocked.0).ok() };
    let ui = speaking.ctx.ui().clone();
    speaking.bridge.core(&js)?.host().spawn(&js, async move {
        match ui.ask(kind, DialogOptions::default()).await {
            DialogAnswer::Failed(why) => Err(OpError::message(why)),
            // What it was done with never left JavaScript.
            _ => Ok(()),
        }
    })
}

impl Speaking {
    /// The session keeps what the call gave it, under a name, until it is given nothing.
    fn keeps(&self, js: &Ctx<'_>, what: &str, key: &str, is_removed: bool) -> rquickjs::Result<()> {
        if is_removed && !key.is_empty() {
            self.bridge.forget(&self.extension, what, key);
            return Ok(());
        }
        self.bridge.count(js, &self.extension, what, key)
    }

    /// A function of the extension that a front end may call.
    fn handle(&self, function: Option<u32>) -> Option<UiHandle> {
        function.map(|function| self.mount(function))
    }

    /// A factory of components.
    fn mount(&self, function: u32) -> UiHandle {
        let callback = self.bridge.callback(self.id, function, None);
        JsMount::handle(callback, self.bridge.engine.clone(), self.extension.modules)
    }
}

fn notify(Speaking { ctx, .. }: Speaking, text: String, level: Json) {
    // Extensions may pass anything for a level; what is no text is taken as not given.
    let level = serde_json::from_value(level.0).unwrap_or_default();
    ctx.ui().call(UiCall::Notify { message: text, level });
}

fn set_status(js: Ctx<'_>, speaking: Speaking, key: Words, text: Words) -> rquickjs::Result<()> {
    let key = key.text();
    speaking.keeps(&js, "setStatus", &key, text.0.is_none())?;
    speaking.ctx.ui().set_status(&key, text.0.as_deref());
    Ok(())
}

fn set_widget(
    js: Ctx<'_>,
    speaking: Speaking,
    key: Words,
    lines: Json,
    factory: Option<u32>,
    placement: Json,
) -> rquickjs::Result<()> {
    let key = key.text();
    speaking.keeps(&js, "setWidget", &key, lines.0.is_null() && factory.is_none())?;
    let content = match serde_json::from_value(lines.0) {
        Ok(lines) => Some(WidgetContent::Lines(lines)),
        Err(_) => speaking.handle(factory).map(WidgetContent::Handle),
    };
    let placement = serde_json::from_value::<Option<WidgetPlacement>>(placement.0).unwrap_or_default();
    speaking.ctx.ui().call(UiCall::SetWidget { key, content, placement });
    Ok(())
}

fn set_title(js: Ctx<'_>, speaking: Speaking, text: Words) -> rquickjs::Result<()> {
    speaking.keeps(&js, "setTitle", "", text.0.is_none())?;
    speaking.ctx.ui().call(UiCall::SetTitle(text.text()));
    Ok(())
}

fn set_progress(Speaking { ctx, .. }: Speaking, works: bool) {
    ctx.ui().call(UiCall::SetProgress(works));
}

fn set_editor_text(js: Ctx<'_>, speaking: Speaking, text: Words) -> rquickjs::Result<()> {
    speaking.keeps(&js, "setEditorText", "", text.0.is_none())?;
    speaking.ctx.ui().call(UiCall::SetEditorText(text.text()));
    Ok(())
}

fn paste_to_editor(Speaking { ctx, .. }: Speaking, text: Words) {
    ctx.ui().call(UiCall::PasteToEditor(text.text()));
}

fn set_working_message(js: Ctx<'_>, speaking: Speaking, text: Words) -> rquickjs::Result<()> {
    speaking.keeps(&js, "setWorkingMessage", "", text.0.is_none())?;
    speaking.ctx.ui().call(UiCall::SetWorkingMessage(text.0));
    Ok(())
}

fn set_working_visible(Speaking { ctx, .. }: Speaking, visible: Json) {
    ctx.ui().call(UiCall::SetWorkingVisible(visible.0.as_bool().unwrap_or(true)));
}

fn set_working_indicator(js: Ctx<'_>, speaking: Speaking, options: Json) -> rquickjs::Result<()> {
    speaking.keeps(&js, "setWorkingIndicator", "", options.0.is_null())?;
    speaking.ctx.ui().call(UiCall::SetWorkingIndicator(indicator(&options.0)));
    Ok(())
}

fn set_hidden_thinking_label(js: Ctx<'_>, speaking: Speaking, text: Words) -> rquickjs::Result<()> {
    speaking.keeps(&js, "setHiddenThinkingLabel", "", text.0.is_none())?;
    speaking.ctx.ui().call(UiCall::SetHiddenThinkingLabel(text.0));
    Ok(())
}

fn set_tools_expanded(Speaking { ctx, .. }: Speaking, expanded: Json) {
    ctx.ui().call(UiCall::SetToolsExpanded(expanded.0.as_bool().unwrap_or(false)));
}

fn set_footer(js: Ctx<'_>, speaking: Speaking, factory: Option<u32>) -> rquickjs::Result<()> {
    speaking.keeps(&js, "setFooter", "", factory.is_none())?;
    speaking.ctx.ui().call(UiCall::SetFooter(speaking.handle(factory)));
    Ok(())
}

fn set_header(js: Ctx<'_>, speaking: Speaking, factory: Option<u32>) -> rquickjs::Result<()> {
    speaking.keeps(&js, "setHeader", "", factory.is_none())?;
    speaking.ctx.ui().call(UiCall::SetHeader(speaking.handle(factory)));
    Ok(())
}

fn set_editor_component(js: Ctx<'_>, speaking: Speaking, factory: Option<u32>) -> rquickjs::Result<()> {
    speaking.keeps(&js, "setEditorComponent", "", factory.is_none())?;
    speaking.ctx.ui().call(UiCall::SetEditorComponent(speaking.handle(factory)));
    Ok(())
}

fn add_autocomplete_provider(speaking: Speaking, factory: u32) {
    let callback = speaking.bridge.callback(speaking.id, factory, None);
    let handle = JsWrap::handle(callback, speaking.bridge.engine.clone(), speaking.extension.modules);
    speaking.ctx.ui().call(UiCall::AddAutocompleteProvider(handle));
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

fn theme_names(Bridged(bridge): Bridged) -> rquickjs::Result<List<String>> {
    let extension = bridge.any_extension();
    let ctx = extension.and_then(|extension| bridge.speaking(&extension, 0).ok());
    let themes = ctx.map(|ctx| ctx.host().themes()).unwrap_or_default();
    Ok(List(themes.iter().map(|theme| theme.colors.name.clone()).collect()))
}

fn ui_set_theme(Speaking { ctx, .. }: Speaking, name: String) -> rquickjs::Result<Option<String>> {
    Ok(ctx.host().set_theme(&name).err().map(|error| error.to_string()))
}

fn ui_show_theme<'js>(
    js: Ctx<'js>,
    Speaking { ctx, .. }: Speaking,
    name: Words,
    appearance: String,
    colors: Json,
) -> rquickjs::Result<Value<'js>> {
    let appearance = if appearance == "light" { Appearance::Light } else { Appearance::Dark };
    let Data::Object(colors) = colors.0 else { return "no colours".into_js(&js) };
    let theme = ColorTheme::of_colors(&name.text(), appearance, colors).map_err(|error| error.to_string());
    let shown = theme.and_then(|theme| ctx.host().show_theme(theme).map_err(|error| error.to_string()));
    match shown {
        Ok(serial) => (serial as f64).into_js(&js),
        Err(why) => why.into_js(&js),
    }
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

fn ui_mounts(Speaking { ctx, .. }: Speaking) -> rquickjs::Result<bool> {
    Ok(ctx.ui().can_mount())
}

fn ui_terminal(Speaking { ctx, .. }: Speaking) -> rquickjs::Result<bool> {
    Ok(ctx.mode() == Mode::Tui)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;
    use tau_agent::extensions::{ExtensionOrigin, FoundExtension, load_context};
    use tau_agent::settings::{Environment, SettingsStore};
    use tau_hooks::dialogs::{DialogAnswer, DialogEvent, DialogKind};
    use tau_hooks::events::AgentStart;
    use tau_hooks::mount::{Place, Space, Stage as MountStage, Turn};
    use tau_hooks::payload::Empty;
    use tau_script::ScriptHost as _;
    use tau_testkit::{Stage, TempHome};
    use tau_tools::Leftovers;

    use crate::JsHost;

    /// A module that is loaded, with what it needs to live.
    async fn loaded(source: &str) -> (TempHome, Stage, JsHost) {
        let (home, stage) = (TempHome::new(), Stage::new());
        let path = home.write("component.ts", source);
        let env = Environment::new(home.home(), home.cwd());
        let settings = SettingsStore::open(&env, true).snapshot();
        let with = load_context(&stage.hooks, &env, &settings, Leftovers::default());
        let file = FoundExtension::module(path, ExtensionOrigin::UserFolder).script();
        let host = JsHost::new(None);
        host.load(vec![file], &with).await.remove(0).result.expect("a module that loads");
        (home, stage, host)
    }

    /// What the component of a module shows.
    async fn mounted(source: &str) -> serde_json::Value {
        let (_home, stage, _host) = loaded(source).await;
        let mut back_end = stage.hooks.dialogs.subscribe_mounting();
        let front_end = async {
            while let Some(event) = back_end.recv().await {
                let DialogEvent::Opened(request) = event else { continue };
                let DialogKind::Custom { handle, .. } = &request.kind else { continue };
                let place = Place::Dialog;
                let component = handle.0.mount(MountStage::new(place, |_| ())).await.expect("a component");
                let space = Some(Space { width: 80, columns: 80, rows: 24 });
                let drawn = component.turn(Turn { signals: Vec::new(), space }).await.expect("lines");
                back_end.answer(request.id(), DialogAnswer::Custom(json!(null))).expect("an open dialog");
                let lines = drawn.lines.expect("lines");
                return serde_json::from_str(&lines[0]).expect("JSON");
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
                "(function ({parameters}) {{ const got = JSON.stringify([...arguments].map((it) => typeof it));
                   return {{ render: () => [got] }}; }})"
            );
            format!(
                "// @hook-dialect {head}\nexport default (pi) => {{ pi.on('agent_start', (_, ctx) => ctx.ui.custom{factory}); }};"
            )
        };
        let all = json!(["object", "object", "object", "function"]);
        let short = json!(["object", "object", "function"]);
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
