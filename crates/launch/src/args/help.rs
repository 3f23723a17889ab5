//! The help text and the documentation of the flags.

use std::fmt::Write as _;

use super::finish::{ExtensionFlag, FlagKind};
use super::flags::{Choices, FLAGS, Flag, Group, Takes};

const WIDTH: usize = 100;
const INDENT: usize = 32;

/// The width of a text that has no column of its own.
const WRAPPED: usize = 110;

const USAGE: &str = "\
Usage: tau [options] [@file…] [prompt…] [-- text…]
       tau install|remove|update|list|hooks|doctor|config|policy|mcp|auth|models|completions|man …
                        (see tau install --help and the like; uninstall is remove)
       tau acp [options]
                        (for editors, see tau acp --help)";

pub(super) const ABOUT: &str = "\
Several prompts run one after another. @file puts a file or an image in front of the first one, and so does
piped input. Everything after -- is text, also what begins with a dash or an @.";

const TOOLS: &str = "\
Tools: read, bash, edit and write; grep, find, ls and todo_write where they are named. Extensions add more.
";

const EXAMPLES: &str = "\
Examples:
  tau -p \"What does src/main.rs do?\"
  tau -p @notes.md @plan.png \"Do these agree?\"
  git diff | tau -p \"Review this change\"
  tau -c -p \"And the tests?\"
  tau --model sonnet:high --tools read,grep,find,ls -p \"Look for dead code\"
  tau --mode json -p \"Explain the error in build.log\"
  tau --demo -p \"What is in this directory?\"
";

/// Variables that a newcomer looks for; the manual has all of them.
pub(super) const VARIABLES: &[(&str, &str)] = &[
    ("ANTHROPIC_API_KEY", "The key for models of Anthropic."),
    ("OPENAI_API_KEY", "The key for models of OpenAI."),
    ("PI_CODING_AGENT_DIR", "The agent folder, with settings, keys and sessions, instead of ~/.pi/agent."),
    ("PI_CODING_AGENT_SESSION_DIR", "Where session files are kept; --session-dir wins over it."),
    ("PI_OFFLINE", "1: `tau install` and `tau update` use no network."),
    ("TAU_LOG", "What to log to standard error: error, warn, info, debug or trace."),
];

/// The help text: tau's flags, then the subcommands and flags of extensions. A subcommand is its name and what it does.
pub fn help(extension_flags: &[ExtensionFlag], subcommands: &[(String, String)]) -> String {
    let mut out = format!("tau, a coding agent\n\n{USAGE}\n\n{ABOUT}\n");
    for group in Group::ALL {
        let _ = write!(out, "\n{}:\n", group.title());
        for (spelling, doc) in spellings(group) {
            entry(&mut out, &spelling, &doc);
        }
    }
    if !subcommands.is_empty() {
        out.push_str("\nSubcommands of extensions:\n");
        for (name, about) in subcommands {
            entry(&mut out, &format!("tau {name}"), about);
        }
    }
    if !extension_flags.is_empty() {
        out.push_str("\nFrom extensions:\n");
        for flag in extension_flags {
            let value = if flag.kind == FlagKind::String { " VALUE" } else { "" };
            entry(&mut out, &format!("--{}{value}", flag.name), flag.description.as_deref().unwrap_or_default());
        }
    }
    let _ = write!(out, "\n{TOOLS}");
    out.push_str("\nEnvironment variables (docs/environment.md lists all of them):\n");
    for (name, doc) in VARIABLES {
        entry(&mut out, name, doc);
    }
    format!("{out}\n{EXAMPLES}")
}

/// The flags as Markdown: a heading and a table for each group.
pub fn markdown() -> String {
    let mut out = String::new();
    for group in Group::ALL {
        let _ = write!(out, "### {}\n\n| Flag | Meaning |\n| --- | --- |\n", group.title());
        for (spelling, doc) in spellings(group) {
            let _ = writeln!(out, "| `{}` | {} |", spelling.replace('|', "\\|"), doc.replace('|', "\\|"));
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// The flags of a group and their opposites, each as it is typed and with what it does.
pub(super) fn spellings(group: Group) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for flag in FLAGS.iter().filter(|flag| flag.group == group) {
        all.push((spelling(flag), full_doc(flag)));
        all.extend(flag.negation.map(|not| (named(not.short, not.long), not.doc.to_owned())));
    }
    all
}

fn named(short: Option<&str>, long: &str) -> String {
    match short {
        Some(short) => format!("-{short}, --{long}"),
        None => format!("--{long}"),
    }
}

fn spelling(flag: &Flag) -> String {
    let names = named(flag.short, flag.long);
    match flag.takes {
        Takes::Switch(_) => names,
        Takes::Value(value, _) => format!("{names} {value}"),
        Takes::Optional(value, _) => format!("{names} [{value}]"),
    }
}

fn full_doc(flag: &Flag) -> String {
    let again = if flag.repeats { " May be given several times." } else { "" };
    let one_of = match flag.choices {
        Choices::Words(words) => format!(" One of {}.", words().join(", ")),
        // What each mode is for is in the text.
        Choices::Any | Choices::Modes => String::new(),
    };
    format!("{}{one_of}{again}", flag.doc)
}

/// A text in lines of the help's width.
pub fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.chars().count() > WRAPPED {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

/// One flag: its spelling, then its text in a column of its own.
fn entry(out: &mut String, spelling: &str, doc: &str) {
    let mut line = format!("  {spelling}");
    if line.chars().count() + 2 > INDENT {
        out.push_str(&line);
        out.push('\n');
        line.clear();
    }
    let mut column = line.chars().count();
    line.push_str(&" ".repeat(INDENT - column));
    column = INDENT;
    for word in doc.split_whitespace() {
        let length = word.chars().count();
        if column > INDENT && column + 1 + length > WIDTH {
            line.push('\n');
            line.push_str(&" ".repeat(INDENT));
            column = INDENT;
        }
        if column > INDENT {
            line.push(' ');
            column += 1;
        }
        line.push_str(word);
        column += length;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}
