//! The table of flags. Parser, help text and documentation all come from it.

use tau_agent::extensions::{BUILTIN_EXTENSIONS, is_builtin_extension, is_builtin_name};
use tau_ai::{Secret, ThinkingLevel};

use super::error::ArgsError;
use super::values::{Args, ListModels};

/// One flag.
pub struct Flag {
    /// Long name, without dashes.
    pub long: &'static str,
    /// Short name, without its dash; may have several letters.
    pub short: Option<&'static str>,
    /// What it takes, and what it does with it.
    pub takes: Takes,
    /// Whether every use counts; otherwise the last one does.
    pub repeats: bool,
    /// Where the help shows it.
    pub group: Group,
    /// In which modes it has a place.
    pub modes: Modes,
    /// What it does, in a sentence or two.
    pub doc: &'static str,
}

/// What a flag takes.
pub enum Takes {
    /// Nothing, or `=true` or `=false`.
    Switch(fn(&mut Args, bool)),
    /// A value, called so in the help.
    Value(&'static str, fn(&mut Args, &Given<'_>) -> Result<(), ArgsError>),
    /// The next word, if it is one.
    Optional(&'static str, fn(&mut Args, Option<String>)),
}

/// In which modes a flag has a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modes {
    /// In every mode.
    All,
    /// In modes of one session that the command line chooses. It is about that choice, or about what is said in the
    /// session; elsewhere a client says it.
    OneSession,
}

/// A value and the flag it was given to, as it was written.
pub struct Given<'a> {
    /// `--model` or `-n`.
    pub option: String,
    /// The value.
    pub value: String,
    /// The values that `--mode` has.
    pub modes: &'a [&'static str],
}

/// Groups of the help text, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// How tau runs.
    Running,
    /// Which model answers.
    Model,
    /// Which session it belongs to.
    Session,
    /// What the model is told.
    Prompt,
    /// What the model may call.
    Tools,
    /// Which extensions are loaded.
    Extensions,
    /// What tau trusts and reaches.
    Environment,
    /// About tau.
    About,
}

impl Group {
    /// All groups, in the order of the help text.
    pub const ALL: [Self; 8] = [
        Self::Running,
        Self::Model,
        Self::Session,
        Self::Prompt,
        Self::Tools,
        Self::Extensions,
        Self::Environment,
        Self::About,
    ];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Running => "Running",
            Self::Model => "Model",
            Self::Session => "Session",
            Self::Prompt => "Prompt and resources",
            Self::Tools => "Tools",
            Self::Extensions => "Extensions",
            Self::Environment => "Trust and environment",
            Self::About => "About",
        }
    }
}

impl Given<'_> {
    fn owned(&self) -> String {
        self.value.clone()
    }

    /// The value, which must not be blank.
    fn named(&self) -> Result<String, ArgsError> {
        match self.value.trim().is_empty() {
            true => Err(ArgsError::EmptyValue { option: self.option.clone() }),
            false => Ok(self.owned()),
        }
    }

    /// The names of a comma-separated list; blank ones do not count.
    fn list(&self) -> Vec<String> {
        self.value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }
}

fn set_mode(args: &mut Args, given: &Given<'_>) -> Result<(), ArgsError> {
    let known = given.modes.iter().find(|mode| **mode == given.value);
    args.mode = Some(known.copied().ok_or_else(|| ArgsError::bad_value(&given.option, &given.value, given.modes))?);
    Ok(())
}

fn set_thinking(args: &mut Args, given: &Given<'_>) -> Result<(), ArgsError> {
    let level = ThinkingLevel::parse(&given.value);
    let valid = ThinkingLevel::ALL.map(ThinkingLevel::as_str);
    args.thinking = Some(level.ok_or_else(|| ArgsError::bad_value(&given.option, &given.value, &valid))?);
    Ok(())
}

/// An extension of the program is there in any case, so only its name is looked at.
fn add_extension(args: &mut Args, given: &Given<'_>) -> Result<(), ArgsError> {
    if !is_builtin_name(&given.value) {
        args.extensions.push(given.named()?);
    } else if !is_builtin_extension(&given.value) {
        return Err(ArgsError::bad_value(&given.option, &given.value, BUILTIN_EXTENSIONS));
    }
    Ok(())
}

fn set_tui_mode(args: &mut Args, given: &Given<'_>) -> Result<(), ArgsError> {
    const MODES: [&str; 2] = ["fullscreen", "regular"];
    if !MODES.contains(&given.value.as_str()) {
        return Err(ArgsError::bad_value(&given.option, &given.value, &MODES));
    }
    args.fullscreen = given.value == "fullscreen";
    Ok(())
}

fn set_tools(args: &mut Args, given: &Given<'_>) -> Result<(), ArgsError> {
    let list = given.list();
    tau_agent::check_tool_list(&list).map_err(|error| ArgsError::refused(&given.option, &error))?;
    let changes = list.first().is_some_and(|entry| entry.starts_with(['+', '-']));
    (args.tools.only, args.tools.edits) = if changes { (None, list) } else { (Some(list), Vec::new()) };
    Ok(())
}

/// Every flag of tau.
pub static FLAGS: &[Flag] = &[
    Flag {
        long: "print",
        short: Some("p"),
        takes: Takes::Switch(|args, on| args.print = on),
        repeats: false,
        group: Group::Running,
        modes: Modes::OneSession,
        doc: "Answer the prompts and exit. Piped input becomes part of the first prompt.",
    },
    Flag {
        long: "mode",
        short: None,
        takes: Takes::Value("MODE", set_mode),
        repeats: false,
        group: Group::Running,
        modes: Modes::OneSession,
        doc: "What goes to standard output: the last answer (text, the default) or every event as a line of JSON \
              (json). With rpc, another program drives tau through standard input and output.",
    },
    Flag {
        long: "cumulative-updates",
        short: None,
        takes: Takes::Switch(|args, on| args.cumulative_updates = on),
        repeats: false,
        group: Group::Running,
        modes: Modes::All,
        doc: "With json and rpc, repeat the whole message so far in each of its updates, for clients that do not put \
              the pieces together.",
    },
    Flag {
        long: "demo",
        short: None,
        takes: Takes::Switch(|args, on| args.demo = on),
        repeats: false,
        group: Group::Running,
        modes: Modes::All,
        doc: "Try tau without a key: a built-in script, no model, looks at the current directory with real tools.",
    },
    Flag {
        long: "script",
        short: None,
        takes: Takes::Value("FILE", |args, given| {
            args.script = Some(given.named()?.into());
            Ok(())
        }),
        repeats: false,
        group: Group::Running,
        modes: Modes::All,
        doc: "Play a scripted model from a YAML or JSON file instead of asking a model.",
    },
    Flag {
        long: "verbose",
        short: None,
        takes: Takes::Switch(|args, on| args.verbose = on),
        repeats: false,
        group: Group::Running,
        modes: Modes::All,
        doc: "Say more on standard error: what was loaded and from where.",
    },
    Flag {
        long: "tui-mode",
        short: None,
        takes: Takes::Value("MODE", set_tui_mode),
        repeats: false,
        group: Group::Running,
        modes: Modes::All,
        doc: "How the terminal is painted; fullscreen has no effect yet: tau paints the regular way.",
    },
    Flag {
        long: "plain",
        short: None,
        takes: Takes::Switch(|args, on| args.plain = on),
        repeats: false,
        group: Group::Running,
        modes: Modes::All,
        doc: "In a terminal, only append lines of text, with labels and numbered choices: for screen readers and terminals \
              that cannot move their cursor.",
    },
    Flag {
        long: "provider",
        short: None,
        takes: Takes::Value("NAME", |args, given| {
            args.provider = Some(given.owned());
            Ok(())
        }),
        repeats: false,
        group: Group::Model,
        modes: Modes::All,
        doc: "The provider to ask.",
    },
    Flag {
        long: "model",
        short: None,
        takes: Takes::Value("PATTERN", |args, given| {
            args.model = Some(given.owned());
            Ok(())
        }),
        repeats: false,
        group: Group::Model,
        modes: Modes::All,
        doc: "The model to ask: an id, a part of its name, or provider/id; a thinking level may follow after a colon \
              (sonnet:high).",
    },
    Flag {
        long: "models",
        short: None,
        takes: Takes::Value("PATTERNS", |args, given| {
            args.models = Some(given.list());
            Ok(())
        }),
        repeats: false,
        group: Group::Model,
        modes: Modes::All,
        doc: "The models to cycle through: patterns with commas between them, each as for --model, and * for many. A new \
              session begins with the default model if it is among them, else with the first.",
    },
    Flag {
        long: "api-key",
        short: None,
        takes: Takes::Value("KEY", |args, given| {
            args.api_key = Some(Secret::new(given.owned()));
            Ok(())
        }),
        repeats: false,
        group: Group::Model,
        modes: Modes::All,
        doc: "The key to authenticate with, instead of the one from the environment or the configuration.",
    },
    Flag {
        long: "thinking",
        short: None,
        takes: Takes::Value("LEVEL", set_thinking),
        repeats: false,
        group: Group::Model,
        modes: Modes::All,
        doc: "How much the model thinks: off, minimal, low, medium, high, xhigh or max.",
    },
    Flag {
        long: "list-models",
        short: None,
        takes: Takes::Optional("SEARCH", |args, search| args.list_models = Some(ListModels { search })),
        repeats: false,
        group: Group::Model,
        modes: Modes::OneSession,
        doc: "List the usable models, or those that match SEARCH, and exit.",
    },
    Flag {
        long: "continue",
        short: Some("c"),
        takes: Takes::Switch(|args, on| args.continue_session = on),
        repeats: false,
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Go on with the latest session of this directory.",
    },
    Flag {
        long: "resume",
        short: Some("r"),
        takes: Takes::Switch(|args, on| args.resume = on),
        repeats: false,
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Choose the session to go on with from a list.",
    },
    Flag {
        long: "fork",
        short: None,
        takes: Takes::Value("PATH|ID", |args, given| {
            args.fork = Some(given.named()?);
            Ok(())
        }),
        repeats: false,
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Go on in a copy of this session, which may be another project's: a file, or the beginning of an id.",
    },
    Flag {
        long: "session-id",
        short: None,
        takes: Takes::Value("ID", |args, given| {
            args.session_id = Some(given.named()?);
            Ok(())
        }),
        repeats: false,
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Go on with the session of exactly this id, or begin it.",
    },
    Flag {
        long: "session",
        short: None,
        takes: Takes::Value("PATH|ID", |args, given| {
            args.session = Some(given.named()?);
            Ok(())
        }),
        repeats: false,
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Go on with this session: a file, or the beginning of an id.",
    },
    Flag {
        long: "session-dir",
        short: None,
        takes: Takes::Value("DIR", |args, given| {
            // As with the variable and the setting, an empty one is none.
            args.session_dir = Some(given.owned()).filter(|dir| !dir.trim().is_empty()).map(Into::into);
            Ok(())
        }),
        repeats: false,
        group: Group::Session,
        modes: Modes::All,
        doc: "Where session files are kept and looked for.",
    },
    Flag {
        long: "no-session",
        short: None,
        takes: Takes::Switch(|args, on| args.no_session = on),
        repeats: false,
        group: Group::Session,
        modes: Modes::All,
        doc: "Keep the session in memory only.",
    },
    Flag {
        long: "name",
        short: Some("n"),
        takes: Takes::Value("NAME", |args, given| {
            args.name = Some(given.named()?.trim().to_owned());
            Ok(())
        }),
        repeats: false,
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Name the session.",
    },
    Flag {
        long: "export",
        short: None,
        takes: Takes::Value("FILE", |args, given| {
            args.export = Some(given.named()?.into());
            Ok(())
        }),
        repeats: false,
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Write this session file as an HTML page and exit. A path may follow; where it ends in .jsonl, the branch \
              is written as lines.",
    },
    Flag {
        long: "system-prompt",
        short: None,
        takes: Takes::Value("TEXT", |args, given| {
            args.system_prompt = Some(given.owned());
            Ok(())
        }),
        repeats: false,
        group: Group::Prompt,
        modes: Modes::All,
        doc: "Replace the system prompt by a text or by the contents of a file.",
    },
    Flag {
        long: "append-system-prompt",
        short: None,
        takes: Takes::Value("TEXT", |args, given| {
            args.append_system_prompt.push(given.owned());
            Ok(())
        }),
        repeats: true,
        group: Group::Prompt,
        modes: Modes::All,
        doc: "Add a text, or the contents of a file, to the system prompt.",
    },
    Flag {
        long: "no-context-files",
        short: Some("nc"),
        takes: Takes::Switch(|args, on| args.no_context_files = on),
        repeats: false,
        group: Group::Prompt,
        modes: Modes::All,
        doc: "Leave AGENTS.md and CLAUDE.md out of the prompt.",
    },
    Flag {
        long: "skill",
        short: None,
        takes: Takes::Value("PATH", |args, given| {
            args.skills.push(given.named()?.into());
            Ok(())
        }),
        repeats: true,
        group: Group::Prompt,
        modes: Modes::All,
        doc: "Load a skill from a file or a directory.",
    },
    Flag {
        long: "no-skills",
        short: Some("ns"),
        takes: Takes::Switch(|args, on| args.no_skills = on),
        repeats: false,
        group: Group::Prompt,
        modes: Modes::All,
        doc: "Do not look for skills; those given by --skill are loaded.",
    },
    Flag {
        long: "prompt-template",
        short: None,
        takes: Takes::Value("PATH", |args, given| {
            args.prompt_templates.push(given.named()?.into());
            Ok(())
        }),
        repeats: true,
        group: Group::Prompt,
        modes: Modes::All,
        doc: "Load a prompt template from a file or a directory.",
    },
    Flag {
        long: "no-prompt-templates",
        short: Some("np"),
        takes: Takes::Switch(|args, on| args.no_prompt_templates = on),
        repeats: false,
        group: Group::Prompt,
        modes: Modes::All,
        doc: "Do not look for prompt templates; those given by --prompt-template are loaded.",
    },
    Flag {
        long: "theme",
        short: None,
        takes: Takes::Value("PATH", |args, given| {
            args.themes.push(given.named()?.into());
            Ok(())
        }),
        repeats: true,
        group: Group::Environment,
        modes: Modes::All,
        doc: "Load a colour theme from a file or a directory.",
    },
    Flag {
        long: "no-themes",
        short: None,
        takes: Takes::Switch(|args, on| args.no_themes = on),
        repeats: false,
        group: Group::Environment,
        modes: Modes::All,
        doc: "Do not look for colour themes; those given by --theme and the built-in ones are there.",
    },
    Flag {
        long: "use-theme",
        short: None,
        takes: Takes::Value("NAME[/NAME]", |args, given| {
            args.use_theme = Some(given.named()?);
            Ok(())
        }),
        repeats: false,
        group: Group::Environment,
        modes: Modes::All,
        doc: "Use this colour theme in this run; of two, the second one in dark terminals.",
    },
    Flag {
        long: "tools",
        short: Some("t"),
        takes: Takes::Value("NAMES", set_tools),
        repeats: false,
        group: Group::Tools,
        modes: Modes::All,
        doc: "Let the model call only these tools, built in or not: names with commas between them, * for any characters. \
              Or change the default set: +name,-name.",
    },
    Flag {
        long: "exclude-tools",
        short: Some("xt"),
        takes: Takes::Value("NAMES", |args, given| {
            args.tools.exclude = given.list();
            Ok(())
        }),
        repeats: false,
        group: Group::Tools,
        modes: Modes::All,
        doc: "Never let the model call these tools: names with commas between them, * for any characters.",
    },
    Flag {
        long: "no-tools",
        short: Some("nt"),
        takes: Takes::Switch(|args, on| args.tools.none = on),
        repeats: false,
        group: Group::Tools,
        modes: Modes::All,
        doc: "Start without any tool.",
    },
    Flag {
        long: "no-builtin-tools",
        short: Some("nbt"),
        takes: Takes::Switch(|args, on| args.tools.no_builtin = on),
        repeats: false,
        group: Group::Tools,
        modes: Modes::All,
        doc: "Start without the built-in tools; those of extensions stay.",
    },
    Flag {
        long: "extension",
        short: Some("e"),
        takes: Takes::Value("PATH", add_extension),
        repeats: true,
        group: Group::Extensions,
        modes: Modes::All,
        doc: "Load an extension: a file, a folder, or a package with all it brings. builtin:NAME names one of the program.",
    },
    Flag {
        long: "hook",
        short: None,
        takes: Takes::Value("PATH", |args, given| {
            let path = given.named()?;
            args.hooks.push(args.extensions.len());
            args.extensions.push(path);
            Ok(())
        }),
        repeats: true,
        group: Group::Extensions,
        modes: Modes::All,
        doc: "Load a hook of any dialect; as --extension, but what does not say which one is a hook of oh-my-pi.",
    },
    Flag {
        long: "no-extensions",
        short: Some("ne"),
        takes: Takes::Switch(|args, on| args.no_extensions = on),
        repeats: false,
        group: Group::Extensions,
        modes: Modes::All,
        doc: "Do not look for extensions and hooks; those given by --extension and --hook are loaded.",
    },
    Flag {
        long: "no-mcp",
        short: None,
        takes: Takes::Switch(|args, on| args.no_mcp = on),
        repeats: false,
        group: Group::Extensions,
        modes: Modes::All,
        doc: "Do not connect to MCP servers. tau does not connect to any yet.",
    },
    Flag {
        long: "approve",
        short: Some("a"),
        takes: Takes::Switch(|args, on| args.trust = Some(on)),
        repeats: false,
        group: Group::Environment,
        modes: Modes::All,
        doc: "Trust the files of this project for this run.",
    },
    Flag {
        long: "no-approve",
        short: Some("na"),
        takes: Takes::Switch(|args, on| args.trust = Some(!on)),
        repeats: false,
        group: Group::Environment,
        modes: Modes::All,
        doc: "Do not trust the files of this project for this run.",
    },
    Flag {
        long: "offline",
        short: None,
        takes: Takes::Switch(|args, on| args.offline = on),
        repeats: false,
        group: Group::Environment,
        modes: Modes::All,
        doc: "Reach for nothing on the network at start-up.",
    },
    Flag {
        long: "trace",
        short: None,
        takes: Takes::Value("FILE", |args, given| {
            args.trace = Some(given.named()?.into());
            Ok(())
        }),
        repeats: false,
        group: Group::Environment,
        modes: Modes::All,
        doc: "Write what every hook did, and how long it took, to FILE as lines of JSON.",
    },
    Flag {
        long: "help",
        short: Some("h"),
        takes: Takes::Switch(|args, on| args.help = on),
        repeats: false,
        group: Group::About,
        modes: Modes::All,
        doc: "Show this help and exit.",
    },
    Flag {
        long: "version",
        short: Some("v"),
        takes: Takes::Switch(|args, on| args.version = on),
        repeats: false,
        group: Group::About,
        modes: Modes::All,
        doc: "Show the version and exit.",
    },
];

impl Flag {
    /// The long form with its dashes.
    pub(super) fn dashed(&self) -> String {
        format!("--{}", self.long)
    }
}

/// The long names of all flags.
pub(super) fn names<'a>() -> impl Iterator<Item = &'a str> {
    FLAGS.iter().map(|flag| flag.long)
}

/// The flag of that long name.
pub fn by_long(name: &str) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.long == name)
}

/// The flag of that short name.
pub fn by_short(name: &str) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.short == Some(name))
}
