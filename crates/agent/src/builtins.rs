//! The table of built-in commands. What one does is in `session/builtin.rs`.

/// A built-in command.
#[derive(Debug)]
pub struct Builtin {
    /// Without the slash.
    pub name: &'static str,
    /// Its argument, for help.
    pub argument: &'static str,
    /// What it does.
    pub doc: &'static str,
    pub(crate) command: Command,
}

/// A built-in command as its caller sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    Branch,
    Clear,
    Clone,
    Compact,
    Copy,
    Diff,
    Doctor,
    Export,
    Fork,
    Help,
    Hotkeys,
    Import,
    Label,
    Login,
    Logout,
    Model,
    Name,
    New,
    Quit,
    Reload,
    Resume,
    ScopedModels,
    Session,
    Settings,
    Theme,
    Thinking,
    Tree,
    Trust,
    Undo,
}

impl Command {
    /// Whether it asks for a choice where it has no argument.
    fn chooses(self) -> bool {
        matches!(
            self,
            Self::Branch
                | Self::Copy
                | Self::Fork
                | Self::Login
                | Self::Logout
                | Self::Model
                | Self::Resume
                | Self::ScopedModels
                | Self::Settings
                | Self::Theme
                | Self::Thinking
                | Self::Tree
        )
    }
}

/// All built-in commands.
pub static BUILTINS: &[Builtin] = &[
    Builtin { name: "branch", argument: "[ENTRY [before|at]]", doc: "The same as /fork", command: Command::Branch },
    Builtin { name: "clear", argument: "", doc: "The same as /new", command: Command::Clear },
    Builtin { name: "clone", argument: "", doc: "Go on in a copy of the session", command: Command::Clone },
    Builtin {
        name: "compact",
        argument: "[INSTRUCTIONS]",
        doc: "Replace the older part of the conversation by a summary",
        command: Command::Compact,
    },
    Builtin { name: "copy", argument: "", doc: "Copy a message or a block of code", command: Command::Copy },
    Builtin {
        name: "diff",
        argument: "",
        doc: "Show what the edit and write tools changed in this session",
        command: Command::Diff,
    },
    Builtin {
        name: "doctor",
        argument: "",
        doc: "Check what is missing or misconfigured, and how to fix it",
        command: Command::Doctor,
    },
    Builtin { name: "exit", argument: "", doc: "The same as /quit", command: Command::Quit },
    Builtin {
        name: "export",
        argument: "[PATH]",
        doc: "Write the session to a file: a page, or the branch as lines when the name ends in .jsonl",
        command: Command::Export,
    },
    Builtin {
        name: "fork",
        argument: "[ENTRY [before|at]]",
        doc: "Show the messages at which the session can be forked, or go on in a fork",
        command: Command::Fork,
    },
    Builtin { name: "help", argument: "", doc: "List the commands and the keys of the editor", command: Command::Help },
    Builtin { name: "hotkeys", argument: "", doc: "Show which keys do what", command: Command::Hotkeys },
    Builtin {
        name: "import",
        argument: "FILE [here]",
        doc: "Go on with a copy of a session file from elsewhere; `here`: in this directory",
        command: Command::Import,
    },
    Builtin {
        name: "label",
        argument: "[ENTRY [NAME]]",
        doc: "Show the labels of entries, or set or clear one",
        command: Command::Label,
    },
    Builtin {
        name: "login",
        argument: "[PROVIDER]",
        doc: "Log in to a provider of models, with an account or an API key",
        command: Command::Login,
    },
    Builtin {
        name: "logout",
        argument: "[PROVIDER]",
        doc: "Show what is stored by logins, or remove it for a provider",
        command: Command::Logout,
    },
    Builtin {
        name: "model",
        argument: "[PATTERN]",
        doc: "Show the model, or choose another one",
        command: Command::Model,
    },
    Builtin {
        name: "name",
        argument: "[NAME]",
        doc: "Show the session's name, or give it one",
        command: Command::Name,
    },
    Builtin { name: "new", argument: "", doc: "Go on in a new session", command: Command::New },
    Builtin { name: "quit", argument: "", doc: "End the program", command: Command::Quit },
    Builtin {
        name: "reload",
        argument: "",
        doc: "Load settings, extensions, skills, prompts and themes again",
        command: Command::Reload,
    },
    Builtin {
        name: "resume",
        argument: "[SESSION]",
        doc: "Show the sessions of this directory, or go on with one: a file, or the beginning of an id",
        command: Command::Resume,
    },
    Builtin {
        name: "scoped-models",
        argument: "[PATTERN,…|all]",
        doc: "Show the models to cycle through, or choose others",
        command: Command::ScopedModels,
    },
    Builtin {
        name: "session",
        argument: "[FILE]",
        doc: "Show the session's file, id and size, or go on with the session in a file",
        command: Command::Session,
    },
    Builtin {
        name: "settings",
        argument: "[[-l] KEY [VALUE]]",
        doc: "Show the settings, tell where a value comes from, or set it; `-l`: for this project",
        command: Command::Settings,
    },
    Builtin {
        name: "theme",
        argument: "[NAME]",
        doc: "Show the themes, or choose another one",
        command: Command::Theme,
    },
    Builtin {
        name: "thinking",
        argument: "[LEVEL]",
        doc: "Show the thinking level, or choose another one",
        command: Command::Thinking,
    },
    Builtin {
        name: "tree",
        argument: "[ENTRY [summarize [INSTRUCTIONS]]]",
        doc: "Show the places of the session's tree, or go to one",
        command: Command::Tree,
    },
    Builtin {
        name: "trust",
        argument: "[yes|parent|no|forget]",
        doc: "Show whether the project is trusted, or keep another answer for the next start",
        command: Command::Trust,
    },
    Builtin {
        name: "undo",
        argument: "",
        doc: "Take back the last prompt and what followed it; changed files stay as they are",
        command: Command::Undo,
    },
];

/// A built-in command as it was typed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Typed<'a> {
    pub(crate) command: Command,
    pub(crate) argument: &'a str,
}

impl Builtin {
    /// The built-in command that a text is, if any; a command of an extension with its name comes before it.
    pub fn typed(text: &str) -> Option<&'static Self> {
        parse(text).map(|(builtin, _)| builtin)
    }

    /// Whether a text is a built-in command that asks the user to choose from a list.
    pub fn opens_list(text: &str) -> bool {
        parse(text).is_some_and(|(builtin, argument)| argument.is_empty() && builtin.command.chooses())
    }
}

/// The built-in command that a text is, if any, with its argument.
pub(crate) fn find_builtin(text: &str) -> Option<Typed<'_>> {
    parse(text).map(|(builtin, argument)| Typed { command: builtin.command, argument })
}

/// A command that takes no argument is only one when nothing follows its name.
fn parse(text: &str) -> Option<(&'static Builtin, &str)> {
    let line = text.trim().strip_prefix('/')?;
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let argument = argument.trim();
    let builtin = BUILTINS.iter().find(|builtin| builtin.name == name)?;
    (argument.is_empty() || !builtin.argument.is_empty()).then_some((builtin, argument))
}
