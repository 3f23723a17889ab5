//! What one permission is about: `Bash(git push:*)`, `Read(~/.ssh/**)`.

use std::path::Path;

use crate::rules::condition::{Condition, Pattern, Where};
use crate::rules::document::Node;
use crate::rules::problem::{Fault, unknown};

/// Tools of Claude Code whose calls are nothing that is judged here.
const OTHER_TOOLS: &[&str] = &[
    "WebFetch",
    "WebSearch",
    "Task",
    "Agent",
    "Skill",
    "TodoWrite",
    "Glob",
    "Grep",
    "LS",
    "SlashCommand",
    "ExitPlanMode",
    "KillShell",
    "BashOutput",
];

const TOOLS: &[&str] = &["Bash", "Read", "Edit", "Write", "MultiEdit", "NotebookEdit"];

/// The condition of a permission; `None` if it is about a tool that is not judged here.
pub(super) fn conditions(node: &Node, permission: &str, folder: &Path) -> Result<Option<Condition>, Fault> {
    let (tool, inside) = match permission.split_once('(') {
        None => (permission, None),
        Some((tool, rest)) => {
            let inside = rest.strip_suffix(')');
            (tool, Some(inside.ok_or_else(|| node.fault(format!("\"{permission}\" has no closing parenthesis")))?))
        }
    };
    let inside = inside.filter(|inside| *inside != "*" && *inside != "**");
    Ok(Some(match tool {
        "Bash" => match inside {
            None => Condition::Line(vec![word(node, "*")?]),
            Some(command) => Condition::Line(command_line(node, command)?),
        },
        "Read" => Condition::Reads(files(node, inside, folder)?),
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => Condition::Writes(files(node, inside, folder)?),
        tool if OTHER_TOOLS.contains(&tool) || tool.starts_with("mcp__") => return Ok(None),
        tool => {
            return Err(node.fault(unknown("tool of a permission", tool, TOOLS.iter().chain(OTHER_TOOLS).copied())));
        }
    }))
}

fn word(node: &Node, text: &str) -> Result<Pattern, Fault> {
    Pattern::new(text, false).map_err(|why| node.fault(format!("the pattern \"{text}\" is not valid: {why}")))
}

/// `git push:*` and `git push *` are `git push` with or without more words; other stars are any characters.
fn command_line(node: &Node, command: &str) -> Result<Vec<Pattern>, Fault> {
    if command.trim().is_empty() {
        return Err(node.fault("\"Bash()\" names no command; write Bash for all of them"));
    }
    let prefix = command.strip_suffix(":*").or_else(|| command.strip_suffix(" *"));
    let literal = |text: &str| escaped(text, "?[]{}\\");
    match prefix {
        None => Ok(vec![word(node, &literal(command))?]),
        Some(prefix) => Ok(vec![word(node, &literal(prefix))?, word(node, &format!("{} *", literal(prefix)))?]),
    }
}

/// The text with these characters standing for themselves.
fn escaped(text: &str, special: &str) -> String {
    text.chars().flat_map(|ch| special.contains(ch).then_some('\\').into_iter().chain([ch])).collect()
}

/// The files of a pattern as in `.gitignore`; all if there is none.
fn files(node: &Node, pattern: Option<&str>, folder: &Path) -> Result<Vec<Where>, Fault> {
    let Some(pattern) = pattern else {
        return Ok(vec![Where::Path(path(node, "/**")?)]);
    };
    if pattern.is_empty() || pattern.starts_with('!') {
        return Err(node.fault(format!("the pattern \"{pattern}\" is not supported in a permission")));
    }
    let base = escaped(&folder.to_string_lossy(), "*?[]{}\\");
    let base = base.trim_end_matches('/');
    let relative = pattern.strip_prefix("./").unwrap_or(pattern);
    // As Claude Code has it, these are from where the session works, whose settings they are in.
    if relative.trim_end_matches('/').contains('/') && !pattern.starts_with('/') && !pattern.starts_with("~/")
        || pattern.starts_with("./")
    {
        let relative = relative.trim_end_matches('/');
        return Ok(vec![Where::Word(path(node, relative)?), Where::Word(path(node, &format!("{relative}/**"))?)]);
    }
    let whole = if let Some(absolute) = pattern.strip_prefix("//") {
        format!("/{absolute}")
    } else if pattern.starts_with("~/") {
        pattern.to_owned()
    } else if pattern.starts_with('/') {
        format!("{base}{pattern}")
    } else {
        format!("**/{relative}")
    };
    let whole = whole.trim_end_matches('/');
    Ok(vec![Where::Path(path(node, whole)?), Where::Path(path(node, &format!("{whole}/**"))?)])
}

fn path(node: &Node, text: &str) -> Result<Pattern, Fault> {
    Pattern::new(text, true).map_err(|why| node.fault(format!("the pattern \"{text}\" is not valid: {why}")))
}
