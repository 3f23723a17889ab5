//! Typed reading of single settings. A value of the wrong type is treated as not set.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tau_ai::{CacheRetention, HttpSettings, ThinkingLevel, former_provider_name};
use tau_hooks::QueueMode;

use super::builtin::is_builtin_name;
use super::environment::is_relative;
use super::layers::Settings;
use super::place::Layer;
use super::table::{CountOrWord, Key, SettingType, Texts, keys};
use super::warming::CacheWarming;

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

    /// The setting that lists them.
    pub fn setting(self) -> Key<Option<Texts>> {
        match self {
            Self::Extensions => keys::EXTENSIONS,
            Self::Skills => keys::SKILLS,
            Self::Prompts => keys::PROMPTS,
            Self::Themes => keys::THEMES,
        }
    }

    /// The name of the folder, which is also the key of the setting.
    pub fn key(self) -> &'static str {
        self.setting().name()
    }
}

impl Settings {
    /// What applies of a setting: the value in the files, else the default.
    pub fn of<T: SettingType>(&self, key: Key<T>) -> T::Effective<'_> {
        key.default().effective(self.given(key))
    }

    /// The value of a setting in the files; `None` when none of them has one that tau can use.
    pub fn given<T: SettingType>(&self, key: Key<T>) -> Option<T::Plain<'_>> {
        key.read(self.get(key)?)
    }

    /// A number of milliseconds that applies.
    pub(super) fn millis(&self, key: Key<u64>) -> Duration {
        Duration::from_millis(self.of(key))
    }

    /// How long a handler of the original hooks may take; 0 is no limit.
    pub(crate) fn hook_timeout(&self) -> Duration {
        let limit = self.millis(keys::HOOK_TIMEOUT);
        if limit.is_zero() { super::Limits::NONE } else { limit }
    }

    /// Provider to start with.
    pub fn default_provider(&self) -> Option<&str> {
        self.of(keys::DEFAULT_PROVIDER)
    }

    /// Model to start with.
    pub fn default_model(&self) -> Option<&str> {
        self.of(keys::DEFAULT_MODEL)
    }

    /// Thinking level to start with, when one is set.
    pub(crate) fn default_thinking_level(&self) -> Option<&str> {
        self.given(keys::DEFAULT_THINKING_LEVEL)
    }

    /// Models offered when cycling, as patterns.
    pub fn enabled_models(&self) -> Option<Vec<String>> {
        self.of(keys::ENABLED_MODELS)
    }

    /// Tools to start with, as the list says: plain names replace tau's own set, `+name` and `-name` change it. An empty
    /// list switches all built-in tools off.
    pub(crate) fn default_tools(&self) -> Option<Vec<String>> {
        self.of(keys::DEFAULT_TOOLS)
    }

    /// How steering messages are taken from their queue.
    pub fn steering_mode(&self) -> QueueMode {
        self.queue_mode(keys::STEERING_MODE)
    }

    /// How follow-up messages are taken from their queue.
    pub fn follow_up_mode(&self) -> QueueMode {
        self.queue_mode(keys::FOLLOW_UP_MODE)
    }

    fn queue_mode(&self, key: Key<&'static str>) -> QueueMode {
        QueueMode::parse(self.of(key)).unwrap_or_default()
    }

    /// What happens to images.
    pub fn images(&self) -> ImageSettings {
        ImageSettings { auto_resize: self.of(keys::IMAGES_AUTO_RESIZE), block_images: self.of(keys::IMAGES_BLOCK) }
    }

    /// The shell that runs commands, when the user chose one. One in the project runs only when the project is trusted.
    pub fn shell_path(&self) -> Option<PathBuf> {
        self.shell().filter(|_| self.is_trusted() || self.shell_in_project().is_none())
    }

    /// The shell, when its path starts at the working directory.
    pub(crate) fn shell_in_project(&self) -> Option<PathBuf> {
        // A bare name is looked up in PATH.
        let is_path = |path: &PathBuf| path.is_absolute();
        let text = self.of(keys::SHELL_PATH).filter(|text| is_relative(text));
        text.and_then(|_| self.shell()).filter(is_path)
    }

    /// Text put before every shell command.
    pub(crate) fn shell_command_prefix(&self) -> Option<&str> {
        self.of(keys::SHELL_COMMAND_PREFIX).filter(|prefix| !prefix.is_empty())
    }

    /// Folder of the session files, when set; relative to the working directory.
    pub fn session_dir(&self) -> Option<PathBuf> {
        self.path(keys::SESSION_DIR)
    }

    fn shell(&self) -> Option<PathBuf> {
        let path = self.path(keys::SHELL_PATH)?;
        // A bare program name is looked up in PATH, so it must stay bare.
        let bare = self.of(keys::SHELL_PATH).filter(|text| !text.contains(['/', '\\', '~']));
        Some(bare.map_or(path, PathBuf::from))
    }

    /// The path that a setting names, unless it is empty; relative ones start at the working directory.
    fn path(&self, key: Key<Option<&'static str>>) -> Option<PathBuf> {
        let text = self.of(key).filter(|text| !text.trim().is_empty())?;
        Some(self.env.resolve(text, &self.env.cwd))
    }

    /// Texts or paths to append to the system prompt, with the folder that paths start at.
    pub fn append_system_prompt(&self) -> Vec<ResourceEntry> {
        let Some(origin) = self.why(keys::APPEND_SYSTEM_PROMPT) else { return Vec::new() };
        let entries = match self.of(keys::APPEND_SYSTEM_PROMPT) {
            Some(Value::String(text)) => vec![text.clone()],
            Some(list) => Texts::plain(list).unwrap_or_default(),
            None => Vec::new(),
        };
        let base = self.paths().base(origin.layer).to_path_buf();
        entries.into_iter().map(|entry| ResourceEntry { layer: origin.layer, base: base.clone(), entry }).collect()
    }

    /// The entries of a resource list in one file, but for those that name extensions of the program. A `~` behind the
    /// sign of a pattern is the home directory.
    pub(crate) fn resource_entries_of(&self, layer: Layer, kind: ResourceKind) -> Vec<ResourceEntry> {
        let base = self.paths().base(layer);
        let entries = self.written_entries(layer, kind).into_iter();
        entries
            .filter(|entry| kind != ResourceKind::Extensions || !is_builtin_name(split_sign(entry).1))
            .map(|entry| ResourceEntry { layer, base: base.to_path_buf(), entry: self.at_home(entry) })
            .collect()
    }

    /// The entries of `extensions` that name extensions of the program, without their signs.
    pub(crate) fn builtin_extensions_of(&self, layer: Layer) -> Vec<String> {
        let entries = self.written_entries(layer, ResourceKind::Extensions);
        let names = entries.iter().map(|entry| split_sign(entry).1).filter(|name| is_builtin_name(name));
        names.map(str::to_owned).collect()
    }

    /// Whether the `extensions` of one file switch the extension of the program with this name on or off; the last entry
    /// about it counts.
    pub(crate) fn builtin_switch(&self, layer: Layer, name: &str) -> Option<bool> {
        if layer == Layer::Project && !self.is_trusted() {
            return None;
        }
        let entries = self.written_entries(layer, ResourceKind::Extensions);
        let last = entries.iter().rev().map(|entry| split_sign(entry)).find(|(_, written)| *written == name);
        last.map(|(sign, _)| !matches!(sign, "-" | "!"))
    }

    fn written_entries(&self, layer: Layer, kind: ResourceKind) -> Vec<String> {
        let entries = self.get_in(layer, kind.setting()).and_then(Texts::plain);
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
        self.of(keys::ENABLE_SKILL_COMMANDS)
    }

    /// The colour theme.
    pub fn theme(&self) -> Option<&str> {
        self.of(keys::THEME)
    }

    /// How failed requests are repeated.
    pub fn retry(&self) -> RetrySettings {
        RetrySettings {
            enabled: self.of(keys::RETRY_ENABLED),
            max_retries: u32::try_from(self.of(keys::RETRY_MAX)).unwrap_or(u32::MAX),
            base_delay: self.millis(keys::RETRY_BASE_DELAY_MS),
            max_delay: self.millis(keys::RETRY_MAX_DELAY_MS),
            max_wanted: Some(self.millis(keys::RETRY_MAX_PROVIDER_DELAY_MS)).filter(|limit| !limit.is_zero()),
        }
    }

    /// Tokens to think with, by level, for models that think within a budget.
    pub fn thinking_budgets(&self) -> BTreeMap<ThinkingLevel, u64> {
        BTreeMap::from([
            (ThinkingLevel::Minimal, self.of(keys::THINKING_BUDGET_MINIMAL)),
            (ThinkingLevel::Low, self.of(keys::THINKING_BUDGET_LOW)),
            (ThinkingLevel::Medium, self.of(keys::THINKING_BUDGET_MEDIUM)),
            (ThinkingLevel::High, self.of(keys::THINKING_BUDGET_HIGH)),
        ])
    }

    /// The thinking level that belongs to a model, `provider/id`.
    pub(crate) fn model_thinking_level(&self, model: &str) -> Option<&str> {
        let levels = self.of(keys::MODEL_THINKING_LEVELS)?;
        spellings(model).find_map(|model| levels.get(&*model)?.as_str())
    }

    /// How long providers keep prompts cached: the variable that asks for the long lifetime has no setting.
    pub fn cache_retention(&self) -> CacheRetention {
        match self.env.var("PI_CACHE_RETENTION") {
            Some("long") => CacheRetention::Long,
            _ => CacheRetention::Short,
        }
    }

    /// When prompts are kept in the caches of their providers.
    pub fn cache_warming(&self) -> CacheWarming {
        CacheWarming::parse(self.of(keys::CACHE_WARMING)).unwrap_or_default()
    }

    /// The variables of the environment, with the proxy of the settings where they name none: for what connects by them.
    pub fn variables(&self) -> BTreeMap<String, String> {
        let mut variables = self.env.vars.clone();
        if let Some(proxy) = self.http().proxy {
            for name in ["HTTP_PROXY", "HTTPS_PROXY"] {
                variables.insert(name.to_owned(), proxy.clone());
            }
        }
        variables
    }

    /// How tau connects to providers. A proxy of the environment outranks that of the settings.
    pub fn http(&self) -> HttpSettings {
        let mut http = HttpSettings::default();
        http.silence = match self.of(keys::HTTP_IDLE_TIMEOUT_MS) {
            CountOrWord::Word("disabled") | CountOrWord::Count(0) => None,
            CountOrWord::Count(limit) => Some(Duration::from_millis(limit)),
            CountOrWord::Word(_) => http.silence,
        };
        let proxy = self.of(keys::HTTP_PROXY).map(str::trim).filter(|proxy| !proxy.is_empty());
        http.proxy = proxy.filter(|_| self.variable(keys::HTTP_PROXY).is_none()).map(str::to_owned);
        http.authorities = self.env.var("NODE_EXTRA_CA_CERTS").filter(|file| !file.is_empty()).map(PathBuf::from);
        http.answer = match self.of(keys::RETRY_PROVIDER_TIMEOUT_MS) {
            // The wait for the beginning is silence too, which has its own limit.
            None | Some(0) => None,
            Some(limit) => Some(Duration::from_millis(limit)),
        };
        http.repeats = u32::try_from(self.of(keys::RETRY_PROVIDER_MAX)).unwrap_or(u32::MAX);
        http.max_wanted = self.retry().max_wanted;
        http
    }

    /// When the history is summarised. `model` is `provider/id`; it may have numbers of its own.
    pub fn compaction(&self, model: Option<&str>) -> CompactionSettings {
        let overrides = self.of(keys::COMPACTION_MODEL_OVERRIDES);
        let tokens = |key: Key<u64>| {
            let of_model = |model: Cow<'_, str>| overrides?.get(&*model)?.get(key.last_name())?.as_u64();
            model.into_iter().flat_map(spellings).find_map(of_model).unwrap_or_else(|| self.of(key))
        };
        CompactionSettings {
            enabled: self.of(keys::COMPACTION_ENABLED),
            reserve_tokens: tokens(keys::COMPACTION_RESERVE_TOKENS),
            keep_recent_tokens: tokens(keys::COMPACTION_KEEP_RECENT_TOKENS),
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
