//! The page of settings: those that do something in tau, and what a change leads to.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::AgentSession;
use tau_agent::settings::{Key, KeyPath, Layer, Settings, keys, setting};
use tau_hooks::QueueMode;

use super::App;
use super::mode::{mode_named, name_of};
use crate::dialogs::{Entry, SettingRow, SettingsPanel};
use crate::told::{Said, Told};

/// A setting of the page.
struct Row {
    key: &'static str,
    label: &'static str,
    doc: &'static str,
    values: fn() -> Vec<Value>,
    /// It has no use where images cannot be shown.
    needs_images: bool,
}

impl Row {
    /// What it is when no file says anything; the first value where that depends on something.
    fn usual(&self) -> Value {
        let default = setting(self.key).and_then(|row| row.default.value());
        default.or_else(|| (self.values)().into_iter().next()).unwrap_or_default()
    }
}

fn flags() -> Vec<Value> {
    vec![json!(true), json!(false)]
}

fn queue() -> Vec<Value> {
    vec![json!("one-at-a-time"), json!("all")]
}

const fn flag(key: Key<bool>, label: &'static str, doc: &'static str) -> Row {
    Row { key: key.name(), label, doc, values: flags, needs_images: false }
}

/// The settings of the page, in the order of the reference.
static ROWS: &[Row] = &[
    flag(keys::COMPACTION_ENABLED, "Auto-compact", "Compact the conversation when the context is nearly full"),
    Row { needs_images: true, ..flag(keys::SHOW_IMAGES, "Show images", "Show images in the conversation") },
    Row {
        key: keys::IMAGE_WIDTH_CELLS.name(),
        label: "Image width",
        doc: "The most columns that an image takes",
        values: || [60, 80, 120].map(Value::from).to_vec(),
        needs_images: true,
    },
    flag(keys::IMAGES_AUTO_RESIZE, "Auto-resize images", "Make large images smaller before they are sent"),
    flag(keys::IMAGES_BLOCK, "Block images", "Never send images to the model"),
    flag(keys::ENABLE_SKILL_COMMANDS, "Skill commands", "Suggest skills among the commands while you type"),
    flag(keys::SHOW_HARDWARE_CURSOR, "Show hardware cursor", "Show the cursor of the terminal in the editor"),
    Row {
        key: keys::EDITOR_KEYS.name(),
        label: "Editor keys",
        doc: "Whether the editor has keys of its own only, or those of vi too",
        values: || vec![json!("default"), json!("vi")],
        needs_images: false,
    },
    Row {
        key: keys::EDITOR_PADDING_X.name(),
        label: "Editor padding",
        doc: "Empty columns beside the text of the editor",
        values: || (0..=3).map(Value::from).collect(),
        needs_images: false,
    },
    Row {
        key: keys::OUTPUT_PAD.name(),
        label: "Output padding",
        doc: "Empty columns beside messages",
        values: || vec![json!(0), json!(1)],
        needs_images: false,
    },
    Row {
        key: keys::AUTOCOMPLETE_MAX_VISIBLE.name(),
        label: "Autocomplete max items",
        doc: "How many suggestions are shown at once",
        values: || [3, 5, 7, 10, 15, 20].map(Value::from).to_vec(),
        needs_images: false,
    },
    Row {
        key: keys::STEERING_MODE.name(),
        label: "Steering mode",
        doc: "How many prompts that wait are sent with the next request of a run",
        values: queue,
        needs_images: false,
    },
    Row {
        key: keys::FOLLOW_UP_MODE.name(),
        label: "Follow-up mode",
        doc: "How many prompts that wait for the end of a run are sent then",
        values: queue,
        needs_images: false,
    },
    flag(keys::TERMINAL_PROGRESS, "Terminal progress", "Show in the tab or the task bar that work is under way"),
    Row {
        key: keys::HTTP_IDLE_TIMEOUT_MS.name(),
        label: "HTTP idle timeout",
        doc: "How many milliseconds a provider may be silent, from the next start on",
        values: || {
            vec![json!(30_000), json!(60_000), json!(120_000), json!(300_000), json!(600_000), json!("disabled")]
        },
        needs_images: false,
    },
    Row {
        key: keys::CACHE_WARMING.name(),
        label: "Cache warming",
        doc: "Keep long prompts in the provider's cache: during runs, or for half an hour after them too",
        values: || ["off", "streaming", "idle"].map(Value::from).to_vec(),
        needs_images: false,
    },
    flag(keys::RETRY_ENABLED, "Auto-retry", "Repeat requests that fail for a moment"),
    flag(keys::HIDE_THINKING_BLOCK, "Hide thinking", "Do not show what the model thinks"),
    Row {
        key: keys::QUIET_STARTUP.name(),
        label: "Quiet startup",
        doc: "Begin without the lines on top",
        values: || vec![json!(true), json!("header"), json!(false)],
        needs_images: false,
    },
    Row {
        key: keys::DEFAULT_PROJECT_TRUST.name(),
        label: "Default project trust",
        doc: "What happens in a project that has files which need trust",
        values: || ["ask", "always", "never"].map(Value::from).to_vec(),
        needs_images: false,
    },
    Row {
        key: keys::DOUBLE_ESCAPE_ACTION.name(),
        label: "Double-escape action",
        doc: "What escape does when it is pressed twice on an empty editor",
        values: || ["tree", "fork", "none"].map(Value::from).to_vec(),
        needs_images: false,
    },
    Row {
        key: keys::TREE_FILTER_MODE.name(),
        label: "Tree filter mode",
        doc: "Which entries /tree shows at first",
        values: || ["default", "no-tools", "user-only", "labeled-only", "all"].map(Value::from).to_vec(),
        needs_images: false,
    },
    flag(
        keys::BRANCH_SUMMARY_SKIP_PROMPT,
        "Skip branch summary prompt",
        "Go to another place of the tree without offering a summary",
    ),
    Row {
        key: keys::DEFAULT_THINKING_LEVEL.name(),
        label: "Default thinking level",
        doc: "How much a model thinks in new sessions",
        values: || ["off", "minimal", "low", "medium", "high", "xhigh", "max"].map(Value::from).to_vec(),
        needs_images: false,
    },
    Row {
        key: TUI_MODE,
        label: "TUI mode",
        doc: "Leave what is done to the scrollback of the terminal, or take the whole screen",
        values: || vec![json!("regular"), json!("fullscreen")],
        needs_images: false,
    },
    Row {
        key: keys::FULLSCREEN_EXIT_OUTPUT.name(),
        label: "Fullscreen exit output",
        doc: "What full-screen mode leaves on the screen: the last lines of the conversation, or only how to continue it",
        values: || vec![json!("transcript"), json!("resume-hint")],
        needs_images: false,
    },
    Row {
        key: keys::FULLSCREEN_SCROLLBAR.name(),
        label: "Fullscreen scrollbar",
        doc: "When full-screen mode and the pager show a scrollbar; auto: for a second after scrolling",
        values: || vec![json!("auto"), json!("always"), json!("hidden")],
        needs_images: false,
    },
    flag(
        keys::FULLSCREEN_COPY_ON_SELECT,
        "Fullscreen copy on select",
        "Copy what is selected with the mouse at once, not only with the key that copies",
    ),
    Row {
        key: keys::FULLSCREEN_WHEEL_SCROLL_LINES.name(),
        label: "Fullscreen wheel scrolling",
        doc: "How many lines a step of the wheel scrolls; auto: more while it turns fast",
        values: || vec![json!("auto"), json!(1), json!(2), json!(3), json!(5), json!(10)],
        needs_images: false,
    },
    Row {
        key: keys::FULLSCREEN_MOUSE.name(),
        label: "Fullscreen mouse",
        doc: "Take the mouse from the terminal, or only its wheel; shift+drag selects as the terminal does in any case",
        values: || vec![json!(true), json!("wheel"), json!(false)],
        needs_images: false,
    },
    Row {
        key: keys::THEME.name(),
        label: "Theme",
        doc: "The colours; /theme shows each while you choose",
        values: || vec![json!("light/dark"), json!("dark"), json!("light"), json!("system")],
        needs_images: false,
    },
    Row {
        key: keys::TOOL_EXECUTION.name(),
        label: "Tool execution",
        doc: "Whether the tool calls of one message run one after another, or at once",
        values: || vec![json!("sequential"), json!("parallel")],
        needs_images: false,
    },
];

/// What sessions have a switch of their own for.
const COMPACTION: &str = keys::COMPACTION_ENABLED.name();
const RETRY: &str = keys::RETRY_ENABLED.name();
const STEERING: &str = keys::STEERING_MODE.name();
const FOLLOW_UP: &str = keys::FOLLOW_UP_MODE.name();

/// The mode that the screen has, which flags and keys change too.
const TUI_MODE: &str = keys::TUI_MODE.name();

/// The settings as they are.
fn read(session: &AgentSession, mode: &'static str, has_images: bool) -> Vec<SettingRow> {
    let settings = session.settings().snapshot();
    let row = |row: &Row| {
        let value = now(session, &settings, row.key, mode);
        let path = KeyPath::dotted(row.key);
        let in_file = settings.get(&path).cloned();
        let origin = match settings.why(&path) {
            Some(origin) if value.is_none() || value == in_file => {
                format!("{} settings, {}", origin.layer, origin.path.display())
            }
            _ if value.is_some() => "chosen in this session".to_owned(),
            _ => "default".to_owned(),
        };
        SettingRow {
            key: row.key,
            label: row.label,
            doc: row.doc,
            values: (row.values)(),
            value: value.or(in_file).unwrap_or_else(|| row.usual()),
            origin,
        }
    };
    ROWS.iter().filter(|row| has_images || !row.needs_images).map(row).collect()
}

/// What holds in this session, whatever files say, for the settings that can differ from them.
fn now(session: &AgentSession, settings: &Settings, key: &str, mode: &str) -> Option<Value> {
    let value = match key {
        COMPACTION => json!(session.compacts_by_itself()),
        RETRY => json!(session.retries_by_itself()),
        STEERING => json!(session.steering_mode().as_str()),
        FOLLOW_UP => json!(session.follow_up_mode().as_str()),
        TUI_MODE => json!(mode),
        _ => return None,
    };
    let usual = ROWS.iter().find(|row| row.key == key).map(Row::usual);
    // What is as usual and in no file is nobody's choice.
    (settings.get(KeyPath::dotted(key)).is_some() || Some(&value) != usual.as_ref()).then_some(value)
}

impl App {
    /// Opens the page.
    pub(super) fn choose_settings(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let mode = self.modes.current.clone();
        let has_images = self.capabilities.draws_images().is_some();
        let rows = move || read(&session, name_of(mode.get()), has_images);
        self.panels.open(Entry::own(SettingsPanel::new(rows)), false);
        self.screen.changed();
    }

    /// Changes a setting in the file that says what it is, else in the user's.
    pub(super) fn change_setting(&mut self, key: &'static str, value: Value) {
        let Some(session) = self.session.clone() else { return };
        if key == TUI_MODE && !self.choose_mode(mode_named(value.as_str().unwrap_or_default())) {
            return;
        }
        let teller = self.teller.clone();
        self.tasks.spawn(async move {
            let done = change(&session, key, value).await;
            teller.tell(match done {
                Ok(()) => Told::Settings,
                Err(why) => Told::Done(Said::Error(why)),
            });
        });
    }
}

async fn change(session: &Arc<AgentSession>, key: &'static str, value: Value) -> Result<(), String> {
    let mode = || QueueMode::parse(value.as_str().unwrap_or_default());
    let done = match (key, value.as_bool(), mode()) {
        (COMPACTION, Some(on), _) => session.set_auto_compaction(on).await,
        (RETRY, Some(on), _) => session.set_auto_retry(on).await,
        (STEERING, _, Some(mode)) => session.set_steering_mode(mode).await,
        (FOLLOW_UP, _, Some(mode)) => session.set_follow_up_mode(mode).await,
        _ => {
            let (store, path) = (Arc::clone(session.settings()), KeyPath::dotted(key));
            let layer = store.snapshot().why(&path).map_or(Layer::Global, |origin| origin.layer);
            let theme = value.as_str().filter(|_| key == keys::THEME.name()).map(str::to_owned);
            let written = tokio::task::spawn_blocking(move || store.set(layer, path, Some(value))).await;
            written.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
            // It takes the place of what was chosen otherwise.
            if let Some(theme) = theme {
                session.use_theme(&theme);
            }
            return Ok(());
        }
    };
    done.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use tau_agent::settings::setting;

    use super::ROWS;

    #[test]
    fn every_value_of_the_page_is_one_that_the_setting_takes() {
        for row in ROWS {
            let known = setting(row.key).expect("a setting of the table");
            let values = (row.values)();
            assert!(values.iter().all(|value| known.kind.accepts(value)), "{}", row.key);
            assert!(values.contains(&row.usual()), "{}", row.key);
        }
    }
}
