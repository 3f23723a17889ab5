//! The rows of the table of flags, and what tests expect of each.

use tau_agent::extensions::{builtin_names, is_builtin_extension, is_builtin_name};
use tau_agent::settings::keys;
use tau_ai::{Secret, ThinkingLevel};

use super::{Choices, Flag, Given, Group, Modes, Negation, Outranks, Takes};
use crate::args::error::ArgsError;
use crate::args::values::{Args, ListModels};

/// What a row has that says nothing else.
const PLAIN: Flag = Flag {
    long: "",
    short: None,
    aliases: &[],
    takes: Takes::Switch(|_, _| {}),
    choices: Choices::Any,
    negation: None,
    repeats: false,
    group: Group::About,
    modes: Modes::All,
    outranks: &[],
    doc: "",
};

fn set_mode(args: &mut Args, given: &Given<'_>) -> Result<(), ArgsError> {
    args.mode = given.modes.iter().find(|mode| **mode == given.value).copied();
    Ok(())
}

fn add_extension(args: &mut Args, given: &Given<'_>) -> Result<(), ArgsError> {
    if !is_builtin_name(&given.value) {
        args.extensions.push(given.named()?);
    } else if is_builtin_extension(&given.value) {
        args.builtins.push(given.value.clone());
    } else {
        return Err(ArgsError::bad_value(&given.option, &given.value, &builtin_names().collect::<Vec<_>>()));
    }
    Ok(())
}

fn set_tools(args: &mut Args, given: &Given<'_>) -> Result<(), ArgsError> {
    let list = given.list();
    tau_agent::check_tool_list(&list).map_err(|error| ArgsError::refused(&given.option, &error))?;
    let changes = list.first().is_some_and(|entry| entry.starts_with(['+', '-']));
    (args.tools.only, args.tools.edits) = if changes { (None, list) } else { (Some(list), Vec::new()) };
    Ok(())
}

/// A list that a flag makes empty.
fn nothing() -> String {
    "[]".to_owned()
}

/// A level may follow a model.
fn level_of_model(args: &Args) -> Option<String> {
    let (_, level) = args.model.as_ref()?.rsplit_once(':')?;
    ThinkingLevel::parse(level).map(|level| level.as_str().to_owned())
}

fn tools_wanted(args: &Args) -> Option<String> {
    if args.tools.none {
        return Some("[] (--no-tools)".to_owned());
    }
    if args.tools.only.is_none() && args.tools.no_builtin {
        return Some("none that is built in (--no-builtin-tools)".to_owned());
    }
    let edits = (!args.tools.edits.is_empty()).then_some(&args.tools.edits);
    args.tools.only.as_ref().or(edits).map(|names| names.join(","))
}

/// Every flag of tau.
pub static FLAGS: &[Flag] = &[
    Flag {
        long: "print",
        short: Some("p"),
        takes: Takes::Switch(|args, on| args.print = on),
        group: Group::Running,
        modes: Modes::OneSession,
        doc: "Answer the prompts and exit. Piped input becomes part of the first prompt.",
        ..PLAIN
    },
    Flag {
        long: "mode",
        takes: Takes::Value("MODE", set_mode),
        group: Group::Running,
        modes: Modes::OneSession,
        choices: Choices::Modes,
        doc: "What goes to standard output: the last answer (text, the default) or every event as a line of JSON \
              (json). With rpc, another program drives tau through standard input and output.",
        ..PLAIN
    },
    Flag {
        long: "cumulative-updates",
        takes: Takes::Switch(|args, on| args.cumulative_updates = on),
        group: Group::Running,
        doc: "With json and rpc, repeat the whole message so far in each of its updates, for clients that do not put \
              the pieces together.",
        ..PLAIN
    },
    Flag {
        long: "demo",
        takes: Takes::Switch(|args, on| args.demo = on),
        group: Group::Running,
        doc: "Try tau without a key: a built-in script, no model, looks at the current directory with real tools.",
        ..PLAIN
    },
    Flag {
        long: "script",
        takes: Takes::Value("FILE", |args, given| {
            args.script = Some(given.named()?.into());
            Ok(())
        }),
        group: Group::Running,
        doc: "Play a scripted model from a YAML or JSON file instead of asking a model.",
        ..PLAIN
    },
    Flag {
        long: "verbose",
        takes: Takes::Switch(|args, on| args.verbose = on),
        group: Group::Running,
        doc: "Say more on standard error: what was loaded and from where.",
        ..PLAIN
    },
    Flag {
        long: "tui-mode",
        takes: Takes::Value("MODE", |args, given| {
            args.fullscreen = Some(given.value == "fullscreen");
            Ok(())
        }),
        group: Group::Running,
        choices: Choices::Words(|| vec!["fullscreen", "regular"]),
        outranks: &[Outranks {
            key: keys::TUI_MODE.name(),
            says: |args| args.fullscreen.map(|full| if full { "fullscreen" } else { "regular" }.to_owned()),
        }],
        doc: "How the terminal is painted: regular, with its scrollback, or fullscreen.",
        ..PLAIN
    },
    Flag {
        long: "plain",
        takes: Takes::Switch(|args, on| args.plain = on),
        group: Group::Running,
        doc: "In a terminal, only append lines of text, with labels and numbered choices: for screen readers and terminals \
              that cannot move their cursor.",
        ..PLAIN
    },
    Flag {
        long: "provider",
        takes: Takes::Value("NAME", |args, given| {
            args.provider = Some(given.owned());
            Ok(())
        }),
        group: Group::Model,
        outranks: &[Outranks { key: keys::DEFAULT_PROVIDER.name(), says: |args| args.provider.clone() }],
        doc: "The provider to ask.",
        ..PLAIN
    },
    Flag {
        long: "model",
        takes: Takes::Value("PATTERN", |args, given| {
            args.model = Some(given.owned());
            Ok(())
        }),
        group: Group::Model,
        outranks: &[
            Outranks { key: keys::DEFAULT_MODEL.name(), says: |args| args.model.clone() },
            Outranks { key: keys::DEFAULT_THINKING_LEVEL.name(), says: level_of_model },
        ],
        doc: "The model to ask: an id, a part of its name, or provider/id; a thinking level may follow after a colon \
              (sonnet:high).",
        ..PLAIN
    },
    Flag {
        long: "models",
        takes: Takes::Value("PATTERNS", |args, given| {
            args.models = Some(given.list());
            Ok(())
        }),
        group: Group::Model,
        outranks: &[Outranks {
            key: keys::ENABLED_MODELS.name(),
            says: |args| args.models.as_ref().map(|patterns| patterns.join(",")),
        }],
        doc: "The models to cycle through: patterns with commas between them, each as for --model, and * for many. A new \
              session begins with the default model if it is among them, else with the first.",
        ..PLAIN
    },
    Flag {
        long: "api-key",
        takes: Takes::Value("KEY", |args, given| {
            args.api_key = Some(Secret::new(given.owned()));
            Ok(())
        }),
        group: Group::Model,
        doc: "The key to authenticate with, instead of the one from the environment or the configuration.",
        ..PLAIN
    },
    Flag {
        long: "thinking",
        takes: Takes::Value("LEVEL", |args, given| {
            args.thinking = ThinkingLevel::parse(&given.value);
            Ok(())
        }),
        group: Group::Model,
        choices: Choices::Words(|| ThinkingLevel::ALL.map(ThinkingLevel::as_str).to_vec()),
        outranks: &[Outranks {
            key: keys::DEFAULT_THINKING_LEVEL.name(),
            says: |args| args.thinking.map(|level| level.as_str().to_owned()),
        }],
        doc: "How much the model thinks.",
        ..PLAIN
    },
    Flag {
        long: "list-models",
        takes: Takes::Optional("SEARCH", |args, search| {
            args.list_models = Some(ListModels { search, ..ListModels::default() })
        }),
        group: Group::Model,
        modes: Modes::OneSession,
        doc: "List the usable models, or those that match SEARCH, and exit.",
        ..PLAIN
    },
    Flag {
        long: "continue",
        short: Some("c"),
        takes: Takes::Switch(|args, on| args.continue_session = on),
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Go on with the latest session of this directory.",
        ..PLAIN
    },
    Flag {
        long: "resume",
        short: Some("r"),
        takes: Takes::Switch(|args, on| args.resume = on),
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Choose the session to go on with from a list.",
        ..PLAIN
    },
    Flag {
        long: "fork",
        takes: Takes::Value("PATH|ID", |args, given| {
            args.fork = Some(given.named()?);
            Ok(())
        }),
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Go on in a copy of this session, which may be another project's: a file, or the beginning of an id.",
        ..PLAIN
    },
    Flag {
        long: "session-id",
        takes: Takes::Value("ID", |args, given| {
            args.session_id = Some(given.named()?);
            Ok(())
        }),
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Go on with the session of exactly this id, or begin it.",
        ..PLAIN
    },
    Flag {
        long: "session",
        takes: Takes::Value("PATH|ID", |args, given| {
            args.session = Some(given.named()?);
            Ok(())
        }),
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Go on with this session: a file, or the beginning of an id.",
        ..PLAIN
    },
    Flag {
        long: "session-dir",
        takes: Takes::Value("DIR", |args, given| {
            // As with the variable and the setting, an empty one is none.
            args.session_dir = Some(given.owned()).filter(|dir| !dir.trim().is_empty()).map(Into::into);
            Ok(())
        }),
        group: Group::Session,
        outranks: &[Outranks {
            key: keys::SESSION_DIR.name(),
            says: |args| args.session_dir.as_ref().map(|dir| dir.display().to_string()),
        }],
        doc: "Where session files are kept and looked for.",
        ..PLAIN
    },
    Flag {
        long: "no-session",
        takes: Takes::Switch(|args, on| args.no_session = on),
        group: Group::Session,
        doc: "Keep the session in memory only.",
        ..PLAIN
    },
    Flag {
        long: "name",
        short: Some("n"),
        takes: Takes::Value("NAME", |args, given| {
            args.name = Some(given.named()?.trim().to_owned());
            Ok(())
        }),
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Name the session.",
        ..PLAIN
    },
    Flag {
        long: "export",
        takes: Takes::Value("FILE", |args, given| {
            args.export = Some(given.named()?.into());
            Ok(())
        }),
        group: Group::Session,
        modes: Modes::OneSession,
        doc: "Write this session file as an HTML page and exit. A path may follow; where it ends in .jsonl, the branch \
              is written as lines.",
        ..PLAIN
    },
    Flag {
        long: "system-prompt",
        takes: Takes::Value("TEXT", |args, given| {
            args.system_prompt = Some(given.owned());
            Ok(())
        }),
        group: Group::Prompt,
        doc: "Replace the system prompt by a text or by the contents of a file.",
        ..PLAIN
    },
    Flag {
        long: "append-system-prompt",
        takes: Takes::Value("TEXT", |args, given| {
            args.append_system_prompt.push(given.owned());
            Ok(())
        }),
        repeats: true,
        group: Group::Prompt,
        doc: "Add a text, or the contents of a file, to the system prompt.",
        ..PLAIN
    },
    Flag {
        long: "no-context-files",
        short: Some("nc"),
        takes: Takes::Switch(|args, on| args.no_context_files = on),
        group: Group::Prompt,
        doc: "Leave AGENTS.md and CLAUDE.md out of the prompt.",
        ..PLAIN
    },
    Flag {
        long: "skill",
        takes: Takes::Value("PATH", |args, given| {
            args.skills.push(given.named()?.into());
            Ok(())
        }),
        repeats: true,
        group: Group::Prompt,
        doc: "Load a skill from a file or a directory.",
        ..PLAIN
    },
    Flag {
        long: "no-skills",
        short: Some("ns"),
        takes: Takes::Switch(|args, on| args.no_skills = on),
        group: Group::Prompt,
        outranks: &[Outranks { key: keys::SKILLS.name(), says: |args| args.no_skills.then(nothing) }],
        doc: "Do not look for skills; those given by --skill are loaded.",
        ..PLAIN
    },
    Flag {
        long: "prompt-template",
        takes: Takes::Value("PATH", |args, given| {
            args.prompt_templates.push(given.named()?.into());
            Ok(())
        }),
        repeats: true,
        group: Group::Prompt,
        doc: "Load a prompt template from a file or a directory.",
        ..PLAIN
    },
    Flag {
        long: "no-prompt-templates",
        short: Some("np"),
        takes: Takes::Switch(|args, on| args.no_prompt_templates = on),
        group: Group::Prompt,
        outranks: &[Outranks { key: keys::PROMPTS.name(), says: |args| args.no_prompt_templates.then(nothing) }],
        doc: "Do not look for prompt templates; those given by --prompt-template are loaded.",
        ..PLAIN
    },
    Flag {
        long: "theme",
        takes: Takes::Value("PATH", |args, given| {
            args.themes.push(given.named()?.into());
            Ok(())
        }),
        repeats: true,
        group: Group::Environment,
        doc: "Load a colour theme from a file or a directory.",
        ..PLAIN
    },
    Flag {
        long: "no-themes",
        takes: Takes::Switch(|args, on| args.no_themes = on),
        group: Group::Environment,
        outranks: &[Outranks { key: keys::THEMES.name(), says: |args| args.no_themes.then(nothing) }],
        doc: "Do not look for colour themes; those given by --theme and the built-in ones are there.",
        ..PLAIN
    },
    Flag {
        long: "use-theme",
        takes: Takes::Value("NAME[/NAME]", |args, given| {
            args.use_theme = Some(given.named()?);
            Ok(())
        }),
        group: Group::Environment,
        outranks: &[Outranks { key: keys::THEME.name(), says: |args| args.use_theme.clone() }],
        doc: "Use this colour theme in this run; of two, the second one in dark terminals.",
        ..PLAIN
    },
    Flag {
        long: "tools",
        short: Some("t"),
        takes: Takes::Value("NAMES", set_tools),
        group: Group::Tools,
        outranks: &[Outranks { key: keys::DEFAULT_TOOLS.name(), says: tools_wanted }],
        doc: "Let the model call only these tools, built in or not: names with commas between them, * for any characters. \
              Or change the default set: +name,-name.",
        ..PLAIN
    },
    Flag {
        long: "exclude-tools",
        short: Some("xt"),
        takes: Takes::Value("NAMES", |args, given| {
            args.tools.exclude = given.list();
            Ok(())
        }),
        group: Group::Tools,
        doc: "Never let the model call these tools: names with commas between them, * for any characters.",
        ..PLAIN
    },
    Flag {
        long: "no-tools",
        short: Some("nt"),
        takes: Takes::Switch(|args, on| args.tools.none = on),
        group: Group::Tools,
        doc: "Start without any tool.",
        ..PLAIN
    },
    Flag {
        long: "no-builtin-tools",
        short: Some("nbt"),
        takes: Takes::Switch(|args, on| args.tools.no_builtin = on),
        group: Group::Tools,
        doc: "Start without the built-in tools; those of extensions stay.",
        ..PLAIN
    },
    Flag {
        long: "extension",
        short: Some("e"),
        takes: Takes::Value("PATH", add_extension),
        repeats: true,
        group: Group::Extensions,
        doc: "Load an extension: a file, a folder, or a package with all it brings. builtin:NAME switches one of the program on.",
        ..PLAIN
    },
    Flag {
        long: "hook",
        takes: Takes::Value("PATH", |args, given| {
            let path = given.named()?;
            args.hooks.push(args.extensions.len());
            args.extensions.push(path);
            Ok(())
        }),
        repeats: true,
        group: Group::Extensions,
        doc: "Load a hook of any dialect; as --extension, but what does not say which one is a hook of oh-my-pi.",
        ..PLAIN
    },
    Flag {
        long: "no-extensions",
        short: Some("ne"),
        takes: Takes::Switch(|args, on| args.no_extensions = on),
        group: Group::Extensions,
        outranks: &[
            Outranks { key: keys::EXTENSIONS.name(), says: |args| args.no_extensions.then(nothing) },
            Outranks { key: keys::HOOKS.name(), says: |args| args.no_extensions.then(nothing) },
        ],
        doc: "Do not look for extensions and hooks, and leave out those of the program; those given by --extension and --hook are loaded.",
        ..PLAIN
    },
    Flag {
        long: "no-mcp",
        takes: Takes::Switch(|args, on| args.no_mcp = on),
        group: Group::Extensions,
        doc: "Do not connect to MCP servers.",
        ..PLAIN
    },
    Flag {
        long: "approve",
        short: Some("a"),
        takes: Takes::Switch(|args, on| args.trust = Some(on)),
        group: Group::Environment,
        negation: Some(Negation {
            long: "no-approve",
            short: Some("na"),
            doc: "Do not trust the files of this project for this run.",
        }),
        outranks: &[Outranks {
            key: keys::DEFAULT_PROJECT_TRUST.name(),
            says: |args| args.trust.map(|on| if on { "always (this run)" } else { "never (--no-approve)" }.to_owned()),
        }],
        doc: "Trust the files of this project for this run.",
        ..PLAIN
    },
    Flag {
        long: "offline",
        takes: Takes::Switch(|args, on| args.offline = on),
        group: Group::Environment,
        doc: "Reach for nothing on the network at start-up.",
        ..PLAIN
    },
    Flag {
        long: "trace",
        takes: Takes::Value("FILE", |args, given| {
            args.trace = Some(given.named()?.into());
            Ok(())
        }),
        group: Group::Environment,
        outranks: &[Outranks {
            key: keys::TRACE_JSONL.name(),
            says: |args| args.trace.as_ref().map(|file| file.display().to_string()),
        }],
        doc: "Write what every hook did, and how long it took, to FILE as lines of JSON.",
        ..PLAIN
    },
    Flag {
        long: "help",
        short: Some("h"),
        takes: Takes::Switch(|args, on| args.help = on),
        group: Group::About,
        doc: "Show this help and exit.",
        ..PLAIN
    },
    Flag {
        long: "version",
        short: Some("v"),
        takes: Takes::Switch(|args, on| args.version = on),
        group: Group::About,
        doc: "Show the version and exit.",
        ..PLAIN
    },
];

/// What each flag does to the arguments. A flag without a line here fails `every_flag_sets_its_value`.
#[cfg(test)]
pub(in crate::args) fn expectations() -> Vec<(&'static str, Args)> {
    use crate::args::values::ToolSelection;

    let strings = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let none = Args::default;
    let tools = ToolSelection::default;
    vec![
        ("-p", Args { print: true, ..none() }),
        ("--print", Args { print: true, ..none() }),
        ("--mode json", Args { mode: Some("json"), ..none() }),
        ("--mode=text", Args { mode: Some("text"), ..none() }),
        ("--verbose", Args { verbose: true, ..none() }),
        ("--provider p", Args { provider: Some("p".into()), ..none() }),
        ("--model p/m:high", Args { model: Some("p/m:high".into()), ..none() }),
        ("--model a --model b", Args { model: Some("b".into()), ..none() }),
        ("--api-key k", Args { api_key: Some(Secret::new("k")), ..none() }),
        ("--thinking xhigh", Args { thinking: Some(ThinkingLevel::Xhigh), ..none() }),
        ("--list-models", Args { list_models: Some(ListModels::default()), ..none() }),
        (
            "--list-models son",
            Args { list_models: Some(ListModels { search: Some("son".into()), ..ListModels::default() }), ..none() },
        ),
        ("--list-models --verbose", Args { list_models: Some(ListModels::default()), verbose: true, ..none() }),
        ("--demo", Args { demo: true, ..none() }),
        ("--script s.yaml", Args { script: Some("s.yaml".into()), ..none() }),
        (
            "-e a --hook b --hook=c -e d",
            Args { extensions: strings(&["a", "b", "c", "d"]), hooks: vec![1, 2], ..none() },
        ),
        ("-c", Args { continue_session: true, ..none() }),
        ("--continue", Args { continue_session: true, ..none() }),
        ("--session a/b.jsonl", Args { session: Some("a/b.jsonl".into()), ..none() }),
        ("--session-dir d", Args { session_dir: Some("d".into()), ..none() }),
        ("--export s.jsonl", Args { export: Some("s.jsonl".into()), ..none() }),
        ("--no-session", Args { no_session: true, ..none() }),
        ("--no-session=false", none()),
        ("--name x", Args { name: Some("x".into()), ..none() }),
        ("-n=x", Args { name: Some("x".into()), ..none() }),
        ("-n x", Args { name: Some("x".into()), ..none() }),
        ("--system-prompt=", Args { system_prompt: Some(String::new()), ..none() }),
        (
            "--append-system-prompt a --append-system-prompt b",
            Args { append_system_prompt: strings(&["a", "b"]), ..none() },
        ),
        ("--no-context-files", Args { no_context_files: true, ..none() }),
        ("-nc", Args { no_context_files: true, ..none() }),
        ("--skill a --skill=b", Args { skills: vec!["a".into(), "b".into()], ..none() }),
        ("-ns", Args { no_skills: true, ..none() }),
        ("--prompt-template a", Args { prompt_templates: vec!["a".into()], ..none() }),
        ("-np", Args { no_prompt_templates: true, ..none() }),
        (
            "--tools read,,ls",
            Args { tools: ToolSelection { only: Some(strings(&["read", "ls"])), ..tools() }, ..none() },
        ),
        ("-xt bash", Args { tools: ToolSelection { exclude: strings(&["bash"]), ..tools() }, ..none() }),
        ("-nt", Args { tools: ToolSelection { none: true, ..tools() }, ..none() }),
        ("-nbt", Args { tools: ToolSelection { no_builtin: true, ..tools() }, ..none() }),
        ("-a", Args { trust: Some(true), ..none() }),
        ("-a -na", Args { trust: Some(false), ..none() }),
        ("--no-approve --approve", Args { trust: Some(true), ..none() }),
        ("--offline", Args { offline: true, ..none() }),
        ("--trace t.jsonl", Args { trace: Some("t.jsonl".into()), ..none() }),
        ("-h", Args { help: true, ..none() }),
        ("-v", Args { version: true, ..none() }),
        ("--cumulative-updates", Args { cumulative_updates: true, ..none() }),
        ("--tui-mode fullscreen", Args { fullscreen: Some(true), ..none() }),
        ("--tui-mode fullscreen --tui-mode regular", Args { fullscreen: Some(false), ..none() }),
        ("--plain", Args { plain: true, ..none() }),
        ("--models a,,b", Args { models: Some(strings(&["a", "b"])), ..none() }),
        ("-r", Args { resume: true, ..none() }),
        ("--fork a", Args { fork: Some("a".into()), ..none() }),
        ("--session-id a", Args { session_id: Some("a".into()), ..none() }),
        ("--no-skills", Args { no_skills: true, ..none() }),
        ("--no-prompt-templates", Args { no_prompt_templates: true, ..none() }),
        ("--theme a --theme b", Args { themes: vec!["a".into(), "b".into()], ..none() }),
        ("--no-themes", Args { no_themes: true, ..none() }),
        ("--use-theme a/b", Args { use_theme: Some("a/b".into()), ..none() }),
        ("-ne", Args { no_extensions: true, ..none() }),
        ("--no-mcp", Args { no_mcp: true, ..none() }),
        ("--no-approve=false", Args { trust: Some(true), ..none() }),
    ]
}
