//! The rows. A new setting is a row here; `UPDATE_DOCS=1 cargo test -p tau --test it documents` brings the manual up to date.

use super::guard::GuardColumn::{self, AddOnly, OnlyOn, Section, UserFirst, UserOnly};
use super::guard::{Guard, Rule};
use super::key::{Any, CountOrWord, Key, Texts};
use super::kind::{Kind, LOG_LEVEL_VARIABLE, LOG_LEVELS};
use super::setting::UsedBy::{Pi, Renamed};
use super::setting::{DefaultValue, Setting};
use crate::settings::interrupt::RuleInterrupt;
use crate::settings::warming::CacheWarming;

/// The levels of thinking.
const LEVELS: &[&str] = &["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/// How queued messages are delivered.
const QUEUE: &[&str] = &["all", "one-at-a-time"];

/// A section that only the user's file may have anything in.
const fn users_section(key: &'static str, reason: &'static str) -> GuardColumn {
    Section(Guard { key, rule: Rule::UserOnly, reason })
}

const LIMITS: GuardColumn =
    users_section("tau.limits", "a project may not cut off the user's handlers or let its own hang");
const SHELL_HOOKS: GuardColumn =
    users_section("tau.shellHooks", "a project may not switch the user's shell hooks off or add commands");
const TRACE: GuardColumn =
    users_section("tau.trace", "a project may not choose where records of a session are written");
const LOG: GuardColumn = users_section("tau.log", "a project may not choose what is logged");
const POLICY: GuardColumn = users_section("tau.policy", "a project may not choose whose rules decide about commands");
const TRUST: GuardColumn =
    users_section("tau.trust", "a project may not decide when the question of trust is asked again");

/// Why a project may not choose which hooks are off.
const OFF: GuardColumn = UserOnly("a project may not switch the user's hooks off");

settings! {
    "Model" {
        DEFAULT_PROVIDER: Text = Depends("chosen by the API keys that are set"), key: "defaultProvider",
            flags: ["--provider"],
            doc: "the provider of the model to start with";
        DEFAULT_MODEL: Text = Depends("chosen by the API keys that are set"), key: "defaultModel",
            flags: ["--model"],
            doc: "the model to start with";
        DEFAULT_THINKING_LEVEL: OneOf(LEVELS) = "medium", key: "defaultThinkingLevel",
            flags: ["--thinking", "--model"],
            doc: "how much a model thinks";
        MODEL_THINKING_LEVELS: Object = Nothing, key: "modelThinkingLevels",
            doc: "thinking levels of single models, by `provider/id`; one applies when its model is chosen";
        THINKING_BUDGET_MINIMAL: Count = 1024, key: "thinkingBudgets.minimal",
            doc: "tokens to think with at the level `minimal`, for models that think within a budget";
        THINKING_BUDGET_LOW: Count = 2048, key: "thinkingBudgets.low",
            doc: "the same at the level `low`";
        THINKING_BUDGET_MEDIUM: Count = 8192, key: "thinkingBudgets.medium",
            doc: "the same at the level `medium`";
        THINKING_BUDGET_HIGH: Count = 16384, key: "thinkingBudgets.high",
            doc: "the same at the level `high` and above";
        ENABLED_MODELS: TextList = Depends("all"), key: "enabledModels",
            flags: ["--models"],
            doc: "patterns of the models to cycle through; a new session begins with the default model if it is among them, else \
                  with the first";
        CACHE_WARMING: OneOf(CacheWarming::WORDS) = "streaming", key: "cacheWarming",
            guard: UserOnly("a project may not spend money while the agent is idle"),
            doc: "keep long prompts in the cache of their provider: `streaming` during runs, `idle` for half an hour after a \
                  request too, `off` not at all ([models.md](models.md#how-caches-are-kept-warm))";
    }
    "Messages" {
        STEERING_MODE: OneOf(QUEUE) = "one-at-a-time", key: "steeringMode",
            doc: "how many queued steering messages are sent with one request. With `one-at-a-time` an extension that queues a \
                  thousand messages causes a thousand requests, as in pi";
        FOLLOW_UP_MODE: OneOf(QUEUE) = "one-at-a-time", key: "followUpMode",
            doc: "the same for messages that wait for the end of a run";
        APPEND_SYSTEM_PROMPT: TextOrList = Nothing, key: "appendSystemPrompt",
            doc: "texts to add to the system prompt; each may be the path of a file";
        IMAGES_AUTO_RESIZE: Bool = true, key: "images.autoResize",
            doc: "shrink large images before they are sent";
        IMAGES_BLOCK: Bool = false, key: "images.blockImages",
            guard: OnlyOn("a project may not send images that the user holds back"),
            doc: "send no images at all";
    }
    "Tools and sessions" {
        DEFAULT_TOOLS: ToolList = ["read", "bash", "edit", "write"], key: "defaultTools",
            flags: ["--tools"],
            doc: "tools to start with: names, or `+name` and `-name` to change the list; a project's list of only such changes \
                  is applied to the user's. `[]` means no built-in tools. A list that has both, or a name with `*`, is reported \
                  and not used";
        SHELL_PATH: Text = Depends("the shell of the system"), key: "shellPath",
            guard: UserFirst("a project may not replace the shell that the user chose"),
            doc: "the shell that runs commands";
        SHELL_COMMAND_PREFIX: Text = Nothing, key: "shellCommandPrefix",
            guard: UserFirst("a project may not replace the prefix that the user chose"),
            doc: "text put before every command";
        SESSION_DIR: Text = Depends("`sessions` in the agent folder"), key: "sessionDir",
            flags: ["--session-dir"],
            variables: ["PI_CODING_AGENT_SESSION_DIR"],
            doc: "where sessions are kept";
    }
    "Extensions and resources" {
        EXTENSIONS: TextList = Nothing, key: "extensions",
            flags: ["--no-extensions"],
            doc: "extension files and folders to load";
        PACKAGES: List = Nothing, key: "packages",
            doc: "packages to load: folders, `npm:` or repository sources, or objects that choose from one \
                  ([extensions.md](extensions.md))";
        SKILLS: TextList = Nothing, key: "skills",
            flags: ["--no-skills"],
            doc: "skills to load: files or folders";
        PROMPTS: TextList = Nothing, key: "prompts",
            flags: ["--no-prompt-templates"],
            doc: "prompt templates to load: files or folders";
        THEMES: TextList = Nothing, key: "themes",
            flags: ["--no-themes"],
            doc: "colour themes to load: files or folders";
        ENABLE_SKILL_COMMANDS: Bool = true, key: "enableSkillCommands",
            doc: "offer skills as commands while typing";
        DEFAULT_PROJECT_TRUST: OneOf(&["ask", "always", "never"]) = "ask", key: "defaultProjectTrust",
            flags: ["--approve"],
            guard: UserOnly("a project may not decide whether projects are trusted"),
            doc: "whether projects without an answer are trusted";
        HOOKS: TextList = Nothing, key: "hooks",
            flags: ["--no-extensions"],
            doc: "hooks to load, of any dialect ([shell-hooks.md](shell-hooks.md) says where else they are found)";
        HOOK_TIMEOUT: Count = 30000, key: "hookTimeout",
            guard: UserOnly("a project may not cut off the user's hooks"),
            doc: "after so many milliseconds a hook of the original pi has failed; 0 is no limit";
        DISABLED_PROVIDERS: TextList = Nothing, key: "disabledProviders",
            guard: OFF,
            doc: "providers of hooks that are not asked: `native`, `claude`, `claude-plugins`, `codex`";
        DISABLED_HOOKS: TextList = Nothing, key: "discovery.disabledExtensions",
            guard: OFF,
            doc: "single hooks that are not used, as `hook:pre:bash:bash.sh`";
    }
    "Terminal" {
        THEME: Text = Depends("chosen by the terminal"), key: "theme",
            flags: ["--use-theme"],
            doc: "name of the colour theme, `system` for the built-in one that fits the terminal, or two as `light/dark` for the \
                  two kinds of terminals ([themes.md](themes.md))";
        QUIET_STARTUP: BoolOr(&["header"]) = false, key: "quietStartup",
            doc: "begin without the header and the list of what was found, but for what is wrong; `header`: without the list \
                  only";
        HIDE_THINKING_BLOCK: Bool = false, key: "hideThinkingBlock",
            doc: "show a word in place of the thinking of the model";
        EXTERNAL_EDITOR: Text = Depends("`$VISUAL`, then `$EDITOR`"), key: "externalEditor",
            doc: "the program that ctrl+g opens a prompt with";
        DOUBLE_ESCAPE_ACTION: OneOf(&["fork", "tree", "none"]) = "tree", key: "doubleEscapeAction",
            doc: "what escape twice on an empty editor opens";
        EDITOR_PADDING_X: Within(0, 3) = 0, key: "editorPaddingX",
            doc: "empty columns beside the text of the editor";
        OUTPUT_PAD: Within(0, 1) = 1, key: "outputPad",
            doc: "empty columns beside messages";
        AUTOCOMPLETE_MAX_VISIBLE: Within(3, 20) = 5, key: "autocompleteMaxVisible",
            doc: "how many completions are shown at once";
        SHOW_HARDWARE_CURSOR: Bool = false, key: "showHardwareCursor",
            doc: "use the cursor of the terminal; the variable `PI_HARDWARE_CURSOR` does the same";
        TUI_MODE: OneOf(&["regular", "fullscreen"]) = "regular", key: "tuiMode",
            flags: ["--tui-mode"],
            doc: "how the terminal is painted: `regular` leaves what is done to the scrollback of the terminal, `fullscreen` takes \
                  the whole screen ([terminal.md](terminal.md))";
        FULLSCREEN_EXIT_OUTPUT: OneOf(&["transcript", "resume-hint"]) = "transcript", key: "fullscreenExitOutput",
            doc: "what full-screen mode leaves on the screen: the last 200 lines of the conversation and how to continue it, or only \
                  the latter";
        FULLSCREEN_SCROLLBAR: OneOf(&["auto", "always", "hidden"]) = "auto", key: "fullscreenScrollbar",
            doc: "the scrollbar of full-screen mode and the pager; `auto`: for a second after scrolling";
        FULLSCREEN_COPY_ON_SELECT: Bool = true, key: "fullscreenCopyOnSelect",
            doc: "copy what is selected with the mouse at once; else ctrl+x does";
        FULLSCREEN_WHEEL_SCROLL_LINES: WithinOr(1, 100, &["auto"]) = Depends("`auto`"), key: "fullscreenWheelScrollLines",
            doc: "how many lines a step of the wheel scrolls; `auto`: one, and up to six while it turns fast";
        FULLSCREEN_MOUSE: BoolOr(&["wheel"]) = Depends("on in full-screen mode, off in the pager"), key: "fullscreenMouse",
            variables: ["TAU_MOUSE"],
            doc: "take the mouse from the terminal; `wheel`: only to scroll";
        TERMINAL_HYPERLINKS: BoolOr(&["auto"]) = Depends("chosen by the terminal"), key: "terminal.hyperlinks",
            doc: "whether the terminal shows links; `auto` leaves it to tau";
        TERMINAL_TRUE_COLOR: BoolOr(&["auto"]) = Depends("chosen by the terminal"), key: "terminal.trueColor",
            doc: "whether the terminal shows all colours; `auto` leaves it to tau";
        TERMINAL_IMAGES: BoolOr(&["kitty", "iterm2", "auto"]) = Depends("chosen by the terminal"), key: "terminal.images",
            doc: "the protocol that images are shown with, or `false`; `auto` leaves it to tau, and so does `true`. The variable \
                  `PI_IMAGE_PROTOCOL` does the same";
        SHOW_IMAGES: Bool = true, key: "terminal.showImages",
            doc: "show images in terminals that can ([terminal.md](terminal.md#images))";
        IMAGE_WIDTH_CELLS: Within(1, 120) = 60, key: "terminal.imageWidthCells",
            doc: "the most columns that an image takes";
        TERMINAL_PROGRESS: Bool = false, key: "terminal.showTerminalProgress",
            doc: "show in the tab or the task bar of the terminal that work is under way";
        BRANCH_SUMMARY_SKIP_PROMPT: Bool = false, key: "branchSummary.skipPrompt",
            doc: "leave a branch in `/tree` without being asked for a summary";
        TREE_FILTER_MODE: OneOf(&["default", "no-tools", "user-only", "labeled-only", "all"]) = "default",
            key: "treeFilterMode",
            doc: "what `/tree` shows at first";
    }
    "Network" {
        HTTP_PROXY: Text = Nothing, key: "httpProxy",
            guard: UserOnly("a project may not redirect requests that carry credentials"),
            variables: ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
            doc: "the proxy for requests to providers, for the `fetch` of extensions, and for packages where `.npmrc` names none";
        HTTP_IDLE_TIMEOUT_MS: CountOr(&["disabled"]) = 600000, key: "httpIdleTimeoutMs",
            doc: "after so many milliseconds without a byte, or without an event of a provider that an extension brings, a request has failed; 0 or `disabled` is no limit";
        RETRY_ENABLED: Bool = true, key: "retry.enabled",
            doc: "repeat requests that failed for a passing reason";
        RETRY_MAX: Count = 3, key: "retry.maxRetries",
            doc: "how often a request is repeated at most";
        RETRY_BASE_DELAY_MS: Count = 2000, key: "retry.baseDelayMs",
            doc: "the first pause, in milliseconds; it doubles each time";
        RETRY_MAX_DELAY_MS: Count = 60000, key: "retry.maxAgentDelayMs",
            doc: "the longest pause, in milliseconds";
        RETRY_PROVIDER_TIMEOUT_MS: Count = Nothing, key: "retry.provider.timeoutMs",
            doc: "after so many milliseconds without the beginning of an answer a request to a provider has failed; `httpIdleTimeoutMs` decides when it is missing, 0 is no limit";
        RETRY_PROVIDER_MAX: Count = 0, key: "retry.provider.maxRetries",
            doc: "how often a request to a provider is repeated before it has failed at all, beside `retry.maxRetries`";
        RETRY_MAX_PROVIDER_DELAY_MS: Count = 60000, key: "retry.provider.maxRetryDelayMs",
            doc: "the longest pause a provider may ask for, in milliseconds; after a longer one nothing is repeated, 0 is no limit";
    }
    "Compaction" {
        COMPACTION_ENABLED: Bool = true, key: "compaction.enabled",
            doc: "summarise the history when it gets too long";
        COMPACTION_RESERVE_TOKENS: Count = 16384, key: "compaction.reserveTokens",
            doc: "tokens kept free for the answer: the history is summarised when fewer are left";
        COMPACTION_KEEP_RECENT_TOKENS: Count = 20000, key: "compaction.keepRecentTokens",
            doc: "tokens of recent history that stay as they are";
        COMPACTION_MODEL_OVERRIDES: Object = Nothing, key: "compaction.modelOverrides",
            doc: "objects with `reserveTokens` and `keepRecentTokens` for single models, by `provider/id`";
        BRANCH_SUMMARY_RESERVE_TOKENS: Count = 16384, key: "branchSummary.reserveTokens",
            doc: "tokens kept free for the summary of a branch that is left";
    }
    "Stream rules" {
        RULES_ENABLED: Bool = true, key: "ttsr.enabled",
            guard: OnlyOn("a project may not switch the user's stream rules off"),
            doc: "use stream rules ([rules.md](rules.md))";
        RULES_CONTEXT_MODE: OneOf(&["discard", "keep"]) = "discard", key: "ttsr.contextMode",
            doc: "whether the model sees an answer again that a rule cut off";
        RULES_REPEAT_MODE: OneOf(&["once", "after-gap"]) = "once", key: "ttsr.repeatMode",
            doc: "whether a rule interrupts more than once";
        RULES_REPEAT_GAP: Count = 10, key: "ttsr.repeatGap",
            doc: "turns between two interruptions by one rule, with `after-gap`";
        RULES_INTERRUPT_MODE: OneOf(RuleInterrupt::WORDS) = "always", key: "ttsr.interruptMode",
            doc: "which matches interrupt the model";
    }
    "To-do list" {
        TODO_ENABLED: Bool = Depends("as `todo.reminders`"), key: "todo.enabled",
            doc: "give the model the tool `todo_write`";
        TODO_REMINDERS: BoolOrObject = false, key: "todo.reminders",
            doc: "remind the model when it stops with open items on its list: `true`, or an object with the two below";
        TODO_REMINDERS_ENABLED: Bool = Depends("true where `todo.reminders` is an object"), key: "todo.reminders.enabled",
            doc: "the same switch";
        TODO_REMINDERS_MAX: Count = 3, key: "todo.reminders.max",
            doc: "how often the model is reminded after a prompt of yours";
        TODO_COMPLETION_ENABLED: Bool = false, key: "todoCompletion.enabled",
            doc: "older name of `todo.reminders.enabled`; it applies without `todo.reminders`";
        TODO_COMPLETION_MAX: Count = 3, key: "todoCompletion.maxReminders",
            doc: "older name of `todo.reminders.max`; it applies without that key";
    }
    "Codemode" {
        CODEMODE_MODE: OneOf(&["on", "only"]) = "on", key: "codemode.mode",
            doc: "while the tool `codemode` is active: `on` declares the other tools as well, `only` has scripts call them; it \
                  guards nothing ([codemode.md](codemode.md))";
        CODEMODE_INLINE_BUDGET: Count = 3000, key: "codemode.inlineBudget",
            doc: "about how many tokens of tool declarations stand in the description of `codemode`; scripts find the other tools";
    }
    "tau's own" {
        TOOL_EXECUTION: OneOf(&["sequential", "parallel"]) = "sequential", key: "tau.toolExecution",
            but: "but side by side for calls that tools make",
            doc: "`sequential`: tool calls of one message run one after another, and a message from you skips the rest; \
                  `parallel`: they run side by side. Calls that a tool makes wait for each other only if this is set to \
                  `sequential`";
        REQUIRED: TextList = Nothing, key: "tau.required",
            guard: AddOnly("a project may require more extensions, not fewer"),
            doc: "extensions that must be loaded; when one is missing, tool calls are blocked. A name or the end of a path stands \
                  for an extension of your own, never for one of a project; an absolute path or a package, such as `npm:guard`, \
                  stands for that one. While a settings file cannot be read, tau cannot know what it requires: all tool calls \
                  are blocked until you correct it";
        PREFER_BUILTIN: Bool = false, key: "tau.preferBuiltin",
            guard: UserOnly("a project may not choose between your extensions"),
            doc: "`builtin:orchestrator` is used, and an extension in TypeScript that is called `orchestrator` is skipped, where you have \
                  both ([orchestrator.md](orchestrator.md#with-the-typescript-suite))";
        ASK_ON_CHANGE: Bool = false, key: "tau.trust.askOnChange",
            guard: TRUST,
            doc: "ask again about a trusted project when its files changed ([usage.md](usage.md))";
        STATUS_LINE: Text = Nothing, key: "tau.statusLine",
            doc: "a command of the shell whose output stands below the footer of the terminal \
                  ([terminal.md](terminal.md#a-line-of-your-own))";
        EDITOR_KEYS: OneOf(&["default", "vi"]) = "default", key: "tau.editorKeys",
            doc: "which keys the editor has: its own, or in front of them those of vi ([terminal.md](terminal.md#the-keys-of-vi))";
        TRACE_JSONL: BoolOrText = false, key: "tau.trace.jsonl",
            flags: ["--trace"],
            guard: TRACE,
            doc: "write a record of every handler call and of every call that a tool makes: `true` for `tau-trace.jsonl` in the \
                  agent folder, or the path of a file. [Traces](traces.md) says what is in it";
        LOG_LEVEL: OneOf(LOG_LEVELS) = "warn", key: "tau.log.level",
            guard: LOG,
            variables: [LOG_LEVEL_VARIABLE],
            doc: "what goes into `logs/tau.log` in the agent folder; of libraries warnings at most. Nothing that is logged holds \
                  contents of a conversation or secrets";
        SOFT_MS: Limit = 5000, key: "tau.limits.softMs",
            guard: LIMITS,
            doc: "after so many milliseconds a slow handler is named";
        OBSERVE_MS: Limit = 30000, key: "tau.limits.observeMs",
            guard: LIMITS,
            doc: "after this a handler that only observes is left behind";
        HANDLER_MS: Limit = 600000, key: "tau.limits.handlerMs",
            but: "none in the terminal",
            guard: LIMITS,
            doc: "after this any other handler has failed; a failed gate blocks. It also holds for `prepareArguments` of a tool. A \
                  limit also ends the synchronous child processes a handler waits for";
        STRETCH_MS: Limit = 5000, key: "tau.limits.stretchMs",
            guard: LIMITS,
            doc: "longest uninterrupted run of a script, in milliseconds";
        MEMORY_MB: Limit = 1024, key: "tau.limits.memoryMb",
            guard: LIMITS,
            doc: "memory that scripts may take together, in their engine and outside of it, in MiB; code that goes past it is \
                  stopped";
        ISOLATED_MEMORY_MB: Limit = 256, key: "tau.limits.isolatedMemoryMb",
            guard: LIMITS,
            doc: "memory that a script with an engine of its own may take, in MiB";
        LOAD_MS: Limit = 30000, key: "tau.limits.loadMs",
            guard: LIMITS,
            doc: "after this an extension that is still loading is given up, and the others are loaded";
        SHUTDOWN_MS: Limit = 5000, key: "tau.limits.shutdownMs",
            guard: LIMITS,
            doc: "what all handlers share at the end of a session, in milliseconds";
        ISOLATE: BoolOrTextList = false, key: "tau.isolate",
            guard: UserOnly("a project may not move extensions out of their isolation"),
            doc: "`true`, or names, paths or packages of extensions that get a script engine of their own; an entry that names \
                  none is reported";
        OF_EXTENSIONS: Object = Nothing, key: "tau.extensions",
            doc: "settings of extensions, by their names: see [below](#settings-of-extensions)";
        SHELL_HOOKS_ON_FAILURE: OneOf(&["block", "allow"]) = "block", key: "tau.shellHooks.onFailure",
            guard: SHELL_HOOKS,
            doc: "whether a tool may run although a script that was to decide about it could not";
        SHELL_HOOKS_STRICT: Bool = false, key: "tau.shellHooks.strict",
            guard: SHELL_HOOKS,
            doc: "a script before a tool that ends with any exit code but 0 keeps the tool from running";
        SHELL_HOOKS_INPUT_REWRITE: Bool = false, key: "tau.shellHooks.allowInputRewrite",
            guard: SHELL_HOOKS,
            doc: "let scripts change the arguments of tools";
        SHELL_HOOKS_TIMEOUT_MS: Limit = 60000, key: "tau.shellHooks.timeoutMs",
            guard: SHELL_HOOKS,
            doc: "after so many milliseconds a script is killed";
        SHELL_HOOKS_CLAUDE_SETTINGS: Bool = false, key: "tau.shellHooks.claudeSettings",
            guard: SHELL_HOOKS,
            doc: "also run the commands in Claude Code's settings, yours and the project's, and in its plugins";
        SHELL_HOOKS_PROVIDERS: TextList = Nothing, key: "tau.shellHooks.providers",
            guard: SHELL_HOOKS,
            doc: "providers of hooks that are off unless they are named here: `gemini`, `cursor`";
        POLICY_CLAUDE_RULES: Bool = false, key: "tau.policy.claudeRules",
            guard: POLICY,
            doc: "the module `enforcement` also follows the permission rules in Claude Code's settings, yours and the project's \
                  ([policy.md](policy.md))";
    }
    "For editors" {
        _: Text = Nothing, key: "$schema", used_by: Pi, doc: "the JSON Schema of the file, for editors";
    }
    "For requests" {
        _: OneOf(&["auto", "sse", "websocket", "websocket-cached"]) = Nothing, key: "transport", used_by: Pi,
            doc: "how requests reach providers";
        _: CountOr(&["disabled"]) = Nothing, key: "websocketConnectTimeoutMs", used_by: Pi,
            doc: "how long a connection may take to be made";
        _: Bool = Nothing, key: "showCacheMissNotices", used_by: Pi, doc: "say when the cache of a provider was missed";
    }
    "For programs" {
        _: TextList = Nothing, key: "npmCommand", used_by: Pi, doc: "the command that installs packages";
        _: TextList = Nothing, key: "selfUpdateCommand", used_by: Pi, doc: "the command that updates pi";
    }
    "For news and reports" {
        _: OneOf(&["auto", "gist", "radius"]) = Nothing, key: "sessionShareDestination", used_by: Pi,
            doc: "where shared sessions are published";
        _: Bool = Nothing, key: "enableInstallTelemetry", used_by: Pi, doc: "report installations";
        _: Bool = Nothing, key: "enableAnalytics", used_by: Pi, doc: "report use";
        _: Text = Nothing, key: "trackingId", used_by: Pi, doc: "the id in reports";
        _: Text = Nothing, key: "deviceId", used_by: Pi, doc: "the id of the device";
        _: Text = Nothing, key: "lastChangelogVersion", used_by: Pi, doc: "which news were shown";
        _: Object = Nothing, key: "extensionChangelogVersions", used_by: Pi, doc: "which news of extensions were shown";
        _: Bool = Nothing, key: "collapseChangelog", used_by: Pi, doc: "show news in short";
    }
    "For the terminal view" {
        _: Bool = Nothing, key: "terminal.clearOnShrink", used_by: Pi, doc: "clear the screen when the view gets shorter";
        _: Text = Nothing, key: "markdown.codeBlockIndent", used_by: Pi, doc: "the indent of code";
        _: OneOf(&["off", "final", "streaming"]) = Nothing, key: "markdown.mermaid", used_by: Pi, doc: "draw diagrams";
        _: Bool = Nothing, key: "warnings.anthropicExtraUsage", used_by: Pi, doc: "warn of extra costs";
    }
    "Older names" {
        _: OneOf(QUEUE) = Nothing, key: "queueMode", used_by: Renamed("steeringMode"), doc: "`steeringMode`";
        _: Bool = Nothing, key: "websockets", used_by: Renamed("transport"), doc: "`transport`";
        _: Count = Nothing, key: "retry.maxDelayMs", used_by: Renamed("retry.provider.maxRetryDelayMs"),
            doc: "`retry.provider.maxRetryDelayMs`";
    }
}
