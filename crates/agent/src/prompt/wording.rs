//! The sentences that tau itself puts into the prompt, in one place.

use std::path::Path;

pub(super) const PREAMBLE: &str = "You are tau, a coding agent that works in the user's own files. Find out how \
things really are with your tools before you answer or change anything, make the change that was asked for and no \
other, and check that it works. Say plainly what you did, what you did not do, and what you are unsure of.";

pub(super) const NO_TOOLS: &str = "(none)";

/// Holds while there is a shell but no tool made for looking around.
pub(super) const SHELL_RULE: &str = "Look around with shell commands such as ls, find and grep, run through bash.";

/// Hold always.
pub(super) const RULES: &[&str] =
    &["Answer briefly; leave out what the user can see anyway.", "Refer to files by their path."];

pub(super) const CONTEXT_INTRO: &str = "Instructions that people left for agents working here, the most general \
first. Where two disagree, the later one counts.";

const SKILLS_INTRO: &str = "Skills are instructions for particular kinds of work. When a task fits the description of \
one, ";
const SKILLS_PATHS: &str = " before you begin. Paths inside a skill start at the folder of its file; make them \
absolute when you use them.";

pub(super) fn skills_intro(reader: Option<&str>) -> String {
    let how = match reader {
        Some("read") => "load its file with the read tool",
        Some(_) => "print its file with bash",
        None => "load its file",
    };
    format!("{SKILLS_INTRO}{how}{SKILLS_PATHS}")
}

/// Questions about tau, and the file of the manual that answers them.
const TOPICS: &[(&str, &str)] = &[
    ("command line, sessions, models", "docs/usage.md"),
    ("settings", "docs/settings.md"),
    ("writing extensions", "docs/extensions.md"),
    ("events that extensions can handle", "docs/events.md"),
    ("skills", "docs/skills.md"),
    ("prompt templates", "docs/prompt-templates.md"),
    ("MCP servers", "docs/mcp.md"),
    ("scripts that call tools, and tool search", "docs/codemode.md"),
    ("running without a model, from a script", "docs/scripted-models.md"),
    ("differences from pi", "docs/differences.md"),
    ("working extensions to learn from", "examples"),
];

pub(super) fn docs(dir: &Path, exists: impl Fn(&str) -> bool) -> String {
    let dir = dir.display();
    let mut text = format!(
        "The manual of tau is in {dir}, starting at {dir}/docs/index.md. Read it when the user asks about tau itself \
         or wants to extend it, and only then; it is more reliable than what you remember."
    );
    for (topic, path) in TOPICS.iter().filter(|(_, path)| exists(path)) {
        text.push_str(&format!("\n- {topic}: {dir}/{path}"));
    }
    text
}
