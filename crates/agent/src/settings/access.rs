//! Typed reading of single settings. A value of the wrong type is treated as not set.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tau_ai::{HttpSettings, ThinkingLevel, former_provider_name};

use super::builtin::is_builtin_name;
use super::environment::is_relative;
use super::layers::Settings;
use super::place::Layer;

/// How many queued messages one poll takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QueueMode {
    /// One.
    #[default]
    OneAtATime,
    /// All.
    All,
}

impl QueueMode {
    /// The word in the settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OneAtATime => "one-at-a-time",
            Self::All => "all",
        }
    }

    /// The mode of that word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::OneAtATime, Self::All].into_iter().find(|mode| mode.as_str() == word)
    }
}

/// What happens to images on their way to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSettings {
    /// Shrink images over the size limits.
    pub auto_resize: bool,
    /// Send no images at all.
    pub block_images: bool,
}

/// How failed requests are repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrySettings {
    /// Whether they are.
    pub enabled: bool,
    /// How often at most.
    pub max_retries: u32,
    /// Pause before the first repetition; it doubles each time.
    pub base_delay: Duration,
    /// Longest pause.
    pub max_delay: Duration,
    /// Longest pause that a provider may ask for; after a longer one nothing is repeated. `None` is no limit.
    pub max_wanted: Option<Duration>,
}

/// When the history is summarised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionSettings {
    /// Whether it happens by itself.
    pub enabled: bool,
    /// Tokens kept free for the answer.
    pub reserve_tokens: u64,
    /// Tokens of recent history left as they are.
    pub keep_recent_tokens: u64,
}

/// A kind of file that settings can point to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ResourceKind {
    /// Extension code.
    Extensions,
    /// Skills.
    Skills,
    /// Prompt templates.
    Prompts,
    /// Colour themes.
    Themes,
}

/// One entry of a resource list: a path, or a pattern starting with `!`, `+` or `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceEntry {
    /// The file that has it.
    pub layer: Layer,
    /// The folder that relative paths start at.
    pub base: PathBuf,
    /// The entry as written.
    pub entry: String,
}

impl ResourceKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Extensions, Self::Skills, Self::Prompts, Self::Themes];

    /// The settings key, which is also the name of the folder.
    pub fn key(self) -> &'static str {
        match self {
            Self::Extensions => "extensions",
            Self::Skills => "skills",
            Self::Prompts => "prompts",
            Self::Themes => "themes",
        }
    }
}

impl Settings {
    /// A text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// A boolean.
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.as_bool()
    }

    /// A whole number.
    pub fn count(&self, key: &str) -> Option<u64> {
        self.get(key)?.as_u64()
    }

    /// A list of texts; entries of another type are left out.
    pub fn list(&self, key: &str) -> Option<Vec<String>> {
        Some(texts(self.get(key)?.as_array()?))
    }

    /// A duration in milliseconds.
    pub fn millis(&self, key: &str) -> Option<Duration> {
        self.count(key).map(Duration::from_millis)
    }

    /// How long a handler of the original hooks may take; 0 is no limit.
    pub fn hook_timeout(&self) -> Option<Duration> {
        self.millis("hookTimeout").map(|limit| if limit.is_zero() { super::Limits::NONE } else { limit })
    }

    /// Provider to start with.
    pub fn default_provider(&self) -> Option<&str> {
        self.text("defaultProvider")
    }

    /// Model to start with.
    pub fn default_model(&self) -> Option<&str> {
        self.text("defaultModel")
    }

    /// Thinking level to start with, one of the words of the table of known keys.
    pub fn default_thinking_level(&self) -> Option<&str> {
        let known = super::KNOWN_KEYS.iter().find(|known| known.key == "defaultThinkingLevel")?;
        self.get(known.key).filter(|value| known.kind.accepts(value))?.as_str()
    }

    /// Models offered when cycling, as patterns.
    pub fn enabled_models(&self) -> Option<Vec<String>> {
        self.list("enabledModels")
    }

    /// Tools to start with, as the list says: plain names replace tau's own set, `+name` and `-name` change it. An empty
    /// list switches all built-in tools off.
    pub fn default_tools(&self) -> Option<Vec<String>> {
        self.list(super::tools::KEY)
    }

    /// How steering messages are taken from their queue.
    pub fn steering_mode(&self) -> QueueMode {
        self.queue_mode("steeringMode")
    }

    /// How follow-up messages are taken from their queue.
    pub fn follow_up_mode(&self) -> QueueMode {
        self.queue_mode("followUpMode")
    }

    fn queue_mode(&self, key: &str) -> QueueMode {
        match self.text(key) {
            Some("all") => QueueMode::All,
            _ => QueueMode::OneAtATime,
        }
    }

    /// What happens to images.
    pub fn images(&self) -> ImageSettings {
        ImageSettings {
            auto_resize: self.flag("images.autoResize").unwrap_or(true),
            block_images: self.flag("images.blockImages").unwrap_or(false),
        }
    }

    /// The shell that runs commands, when the user chose one. One in the project runs only when the project is trusted.
    pub fn shell_path(&self) -> Option<PathBuf> {
        self.path("shellPath").filter(|_| self.is_trusted() || self.shell_in_project().is_none())
    }

    /// The shell, when its path starts at the working directory.
    pub(crate) fn shell_in_project(&self) -> Option<PathBuf> {
        // A bare name is looked up in PATH.
        let is_path = |path: &PathBuf| path.is_absolute();
        let text = self.text("shellPath").filter(|text| is_relative(text));
        text.and_then(|_| self.path("shellPath")).filter(is_path)
    }

    /// Text put before every shell command.
    pub fn shell_command_prefix(&self) -> Option<&str> {
        self.text("shellCommandPrefix").filter(|prefix| !prefix.is_empty())
    }

    /// Folder of the session files, when set; relative to the working directory.
    pub fn session_dir(&self) -> Option<PathBuf> {
        self.path("sessionDir")
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        let text = self.text(key).filter(|text| !text.trim().is_empty())?;
        // A bare program name is looked up in PATH, so it must stay bare.
        if key == "shellPath" && !text.contains(['/', '\\', '~']) {
            return Some(text.into());
        }
        Some(self.env.resolve(text, &self.env.cwd))
    }

    /// Texts or paths to append to the system prompt, with the folder that paths start at.
    pub fn append_system_prompt(&self) -> Vec<ResourceEntry> {
        let Some(origin) = self.why("appendSystemPrompt") else { return Vec::new() };
        let entries = match self.get("appendSystemPrompt") {
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(list)) => texts(list),
            _ => Vec::new(),
        };
        let base = self.paths().base(origin.layer).to_path_buf();
        entries.into_iter().map(|entry| ResourceEntry { layer: origin.layer, base: base.clone(), entry }).collect()
    }

    /// The entries of a resource list, the project's before the user's: lists are joined, not replaced.
    pub fn resource_entries(&self, kind: ResourceKind) -> Vec<ResourceEntry> {
        [Layer::Project, Layer::Global].into_iter().flat_map(|layer| self.resource_entries_of(layer, kind)).collect()
    }

    /// The entries of a resource list in one file, but for those that name extensions of the program. A `~` behind the
    /// sign of a pattern is the home directory.
    pub fn resource_entries_of(&self, layer: Layer, kind: ResourceKind) -> Vec<ResourceEntry> {
        let base = self.paths().base(layer);
        let entries = self.written_entries(layer, kind).into_iter();
        entries
            .filter(|entry| kind != ResourceKind::Extensions || !is_builtin_name(split_sign(entry).1))
            .map(|entry| ResourceEntry { layer, base: base.to_path_buf(), entry: self.at_home(entry) })
            .collect()
    }

    /// The entries of `extensions` that name extensions of the program, without their signs.
    pub fn builtin_extensions_of(&self, layer: Layer) -> Vec<String> {
        let entries = self.written_entries(layer, ResourceKind::Extensions);
        let names = entries.iter().map(|entry| split_sign(entry).1).filter(|name| is_builtin_name(name));
        names.map(str::to_owned).collect()
    }

    fn written_entries(&self, layer: Layer, kind: ResourceKind) -> Vec<String> {
        let entries = self.get_in(layer, kind.key()).and_then(Value::as_array).map(|list| texts(list));
        entries.unwrap_or_default().into_iter().filter(|entry| !super::useless::is_empty_entry(entry)).collect()
    }

    fn at_home(&self, entry: String) -> String {
        let (sign, path) = split_sign(&entry);
        match path.strip_prefix("~/") {
            Some(path) if !sign.is_empty() => format!("{sign}{}", self.env.home.join(path).display()),
            _ => entry,
        }
    }

    /// Whether skills are offered as commands while typing. They work when typed in full in any case.
    pub fn enable_skill_commands(&self) -> bool {
        self.flag("enableSkillCommands").unwrap_or(true)
    }

    /// The colour theme.
    pub fn theme(&self) -> Option<&str> {
        self.text("theme")
    }

    /// How failed requests are repeated.
    pub fn retry(&self) -> RetrySettings {
        RetrySettings {
            enabled: self.flag("retry.enabled").unwrap_or(true),
            max_retries: self.count("retry.maxRetries").and_then(|n| u32::try_from(n).ok()).unwrap_or(3),
            base_delay: self.millis("retry.baseDelayMs").unwrap_or(Duration::from_secs(2)),
            max_delay: self.millis("retry.maxAgentDelayMs").unwrap_or(Duration::from_secs(60)),
            max_wanted: Some(self.millis("retry.provider.maxRetryDelayMs").unwrap_or(Duration::from_secs(60)))
                .filter(|limit| !limit.is_zero()),
        }
    }

    /// Tokens to think with, by level, for models that think within a budget.
    pub fn thinking_budgets(&self) -> BTreeMap<ThinkingLevel, u64> {
        let Some(Value::Object(budgets)) = self.get("thinkingBudgets") else { return BTreeMap::new() };
        let budget = |(level, tokens): (&String, &Value)| Some((ThinkingLevel::parse(level)?, tokens.as_u64()?));
        budgets.iter().filter_map(budget).collect()
    }

    /// The thinking level that belongs to a model, `provider/id`.
    pub fn model_thinking_level(&self, model: &str) -> Option<&str> {
        spellings(model).find_map(|model| self.get(super::KeyPath::of(["modelThinkingLevels", &*model]))?.as_str())
    }

    /// How tau connects to providers. A proxy of the environment outranks that of the settings.
    pub fn http(&self) -> HttpSettings {
        let mut http = HttpSettings::default();
        match self.get("httpIdleTimeoutMs") {
            Some(Value::String(word)) if word == "disabled" => http.silence = None,
            Some(value) => {
                if let Some(limit) = value.as_u64() {
                    http.silence = Some(Duration::from_millis(limit)).filter(|limit| !limit.is_zero());
                }
            }
            None => {}
        }
        let proxy = self.text("httpProxy").map(str::trim).filter(|proxy| !proxy.is_empty());
        http.proxy = proxy.filter(|_| self.variable("httpProxy").is_none()).map(str::to_owned);
        http
    }

    /// When the history is summarised. `model` is `provider/id`; it may have numbers of its own.
    pub fn compaction(&self, model: Option<&str>) -> CompactionSettings {
        let tokens = |name: &str, default: u64| {
            let of_model = model.into_iter().flat_map(spellings).find_map(|model| {
                self.get(super::KeyPath::of(["compaction", "modelOverrides", &*model, name]))?.as_u64()
            });
            of_model.or_else(|| self.count(&format!("compaction.{name}"))).unwrap_or(default)
        };
        CompactionSettings {
            enabled: self.flag("compaction.enabled").unwrap_or(true),
            reserve_tokens: tokens("reserveTokens", 16_384),
            keep_recent_tokens: tokens("keepRecentTokens", 20_000),
        }
    }
}

/// The names of a model, `provider/id`: with the present name of its provider and with a former one.
fn spellings(model: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let former = model.split_once('/').and_then(|(provider, id)| Some((former_provider_name(provider)?, id)));
    let former = former.map(|(provider, id)| Cow::Owned(format!("{provider}/{id}")));
    std::iter::once(Cow::Borrowed(model)).chain(former)
}

/// An entry of a resource list: its sign, which may be missing, and the rest.
fn split_sign(entry: &str) -> (&str, &str) {
    entry.split_at(usize::from(entry.starts_with(['!', '+', '-'])))
}

fn texts(list: &[Value]) -> Vec<String> {
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
