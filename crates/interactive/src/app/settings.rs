//! The page of settings: those that do something in tau, and what a change leads to.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::AgentSession;
use tau_agent::settings::{Layer, QueueMode, Settings};

use super::App;
use crate::dialogs::{Entry, SettingRow, SettingsPanel};
use crate::told::{Said, Told};

/// A setting of the page.
struct Row {
    key: &'static str,
    label: &'static str,
    doc: &'static str,
    values: fn() -> Vec<Value>,
    /// What it is when no file says anything.
    usual: fn() -> Value,
}

fn flags() -> Vec<Value> {
    vec![json!(true), json!(false)]
}

fn queue() -> Vec<Value> {
    vec![json!("one-at-a-time"), json!("all")]
}

const fn flag(key: &'static str, label: &'static str, doc: &'static str, usual: fn() -> Value) -> Row {
    Row { key, label, doc, values: flags, usual }
}

/// The settings of the page, in the order of the reference.
static ROWS: &[Row] = &[
    flag("compaction.enabled", "Auto-compact", "Compact the conversation when the context is nearly full", || {
        json!(true)
    }),
    flag("images.autoResize", "Auto-resize images", "Make large images smaller before they are sent", || json!(true)),
    flag("images.blockImages", "Block images", "Never send images to the model", || json!(false)),
    flag("enableSkillCommands", "Skill commands", "Suggest skills among the commands while you type", || json!(true)),
    flag("showHardwareCursor", "Show hardware cursor", "Show the cursor of the terminal in the editor", || {
        json!(false)
    }),
    Row {
        key: "editorPaddingX",
        label: "Editor padding",
        doc: "Empty columns beside the text of the editor",
        values: || (0..=3).map(Value::from).collect(),
        usual: || json!(0),
    },
    Row {
        key: "outputPad",
        label: "Output padding",
        doc: "Empty columns beside messages",
        values: || vec![json!(0), json!(1)],
        usual: || json!(1),
    },
    Row {
        key: "autocompleteMaxVisible",
        label: "Autocomplete max items",
        doc: "How many suggestions are shown at once",
        values: || [3, 5, 7, 10, 15, 20].map(Value::from).to_vec(),
        usual: || json!(5),
    },
    Row {
        key: "steeringMode",
        label: "Steering mode",
        doc: "How many prompts that wait are sent with the next request of a run",
        values: queue,
        usual: || json!("one-at-a-time"),
    },
    Row {
        key: "followUpMode",
        label: "Follow-up mode",
        doc: "How many prompts that wait for the end of a run are sent then",
        values: queue,
        usual: || json!("one-at-a-time"),
    },
    flag(
        "terminal.showTerminalProgress",
        "Terminal progress",
        "Show in the tab or the task bar that work is under way",
        || json!(false),
    ),
    Row {
        key: "httpIdleTimeoutMs",
        label: "HTTP idle timeout",
        doc: "How many milliseconds a provider may be silent, from the next start on",
        values: || {
            vec![json!(30_000), json!(60_000), json!(120_000), json!(300_000), json!(600_000), json!("disabled")]
        },
        usual: || json!(600_000),
    },
    flag("retry.enabled", "Auto-retry", "Repeat requests that fail for a moment", || json!(true)),
    flag("hideThinkingBlock", "Hide thinking", "Do not show what the model thinks", || json!(false)),
    Row {
        key: "quietStartup",
        label: "Quiet startup",
        doc: "Begin without the lines on top",
        values: || vec![json!(true), json!("header"), json!(false)],
        usual: || json!(false),
    },
    Row {
        key: "defaultProjectTrust",
        label: "Default project trust",
        doc: "What happens in a project that has files which need trust",
        values: || ["ask", "always", "never"].map(Value::from).to_vec(),
        usual: || json!("ask"),
    },
    Row {
        key: "doubleEscapeAction",
        label: "Double-escape action",
        doc: "What escape does when it is pressed twice on an empty editor",
        values: || ["tree", "fork", "none"].map(Value::from).to_vec(),
        usual: || json!("tree"),
    },
    Row {
        key: "treeFilterMode",
        label: "Tree filter mode",
        doc: "Which entries /tree shows at first",
        values: || ["default", "no-tools", "user-only", "labeled-only", "all"].map(Value::from).to_vec(),
        usual: || json!("default"),
    },
    flag(
        "branchSummary.skipPrompt",
        "Skip branch summary prompt",
        "Go to another place of the tree without offering a summary",
        || json!(false),
    ),
    Row {
        key: "defaultThinkingLevel",
        label: "Default thinking level",
        doc: "How much a model thinks in new sessions",
        values: || ["off", "minimal", "low", "medium", "high", "xhigh", "max"].map(Value::from).to_vec(),
        usual: || json!("medium"),
    },
    Row {
        key: "theme",
        label: "Theme",
        doc: "The colours; /theme shows each while you choose",
        values: || vec![json!("light/dark"), json!("dark"), json!("light"), json!("system")],
        usual: || json!("light/dark"),
    },
    Row {
        key: "tau.toolExecution",
        label: "Tool execution",
        doc: "Whether the tool calls of one message run one after another, or at once",
        values: || vec![json!("sequential"), json!("parallel")],
        usual: || json!("sequential"),
    },
];

/// The settings as they are.
fn read(session: &AgentSession) -> Vec<SettingRow> {
    let settings = session.settings().snapshot();
    let row = |row: &Row| {
        let value = now(session, &settings, row.key);
        let in_file = settings.get(row.key).cloned();
        let origin = match settings.why(row.key) {
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
            value: value.or(in_file).unwrap_or_else(row.usual),
            origin,
        }
    };
    ROWS.iter().map(row).collect()
}

/// What holds in this session, whatever files say, for the settings that can differ from them.
fn now(session: &AgentSession, settings: &Settings, key: &str) -> Option<Value> {
    let value = match key {
        "compaction.enabled" => json!(session.compacts_by_itself()),
        "retry.enabled" => json!(session.retries_by_itself()),
        "steeringMode" => json!(session.steering_mode().as_str()),
        "followUpMode" => json!(session.follow_up_mode().as_str()),
        _ => return None,
    };
    let usual = ROWS.iter().find(|row| row.key == key).map(|row| (row.usual)());
    // What is as usual and in no file is nobody's choice.
    (settings.get(key).is_some() || Some(&value) != usual.as_ref()).then_some(value)
}

impl App {
    /// Opens the page.
    pub(super) fn choose_settings(&mut self) {
        let Some(session) = self.session.clone() else { return };
        self.panels.open(Entry::own(SettingsPanel::new(move || read(&session))), false);
        self.screen.changed();
    }

    /// Changes a setting in the file that says what it is, else in the user's.
    pub(super) fn change_setting(&mut self, key: &'static str, value: Value) {
        let Some(session) = self.session.clone() else { return };
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
        ("compaction.enabled", Some(on), _) => session.set_auto_compaction(on).await,
        ("retry.enabled", Some(on), _) => session.set_auto_retry(on).await,
        ("steeringMode", _, Some(mode)) => session.set_steering_mode(mode).await,
        ("followUpMode", _, Some(mode)) => session.set_follow_up_mode(mode).await,
        _ => {
            let store = Arc::clone(session.settings());
            let layer = store.snapshot().why(key).map_or(Layer::Global, |origin| origin.layer);
            let theme = value.as_str().filter(|_| key == "theme").map(str::to_owned);
            let written = tokio::task::spawn_blocking(move || store.set(layer, key, Some(value))).await;
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
    use tau_agent::settings::{KNOWN_KEYS, SHARED_KEYS};

    use super::ROWS;

    #[test]
    fn every_value_of_the_page_is_one_that_the_setting_takes() {
        for row in ROWS {
            let known = KNOWN_KEYS.iter().chain(SHARED_KEYS).find(|known| known.key == row.key);
            let known = known.unwrap_or_else(|| panic!("there is no setting {}", row.key));
            let values = (row.values)();
            assert!(values.iter().all(|value| known.kind.accepts(value)), "{}", row.key);
            assert!(values.contains(&(row.usual)()), "{}", row.key);
        }
    }
}
