//! The `if` of a command: a rule such as `Bash(rm *)`, which says for which calls it runs.
//!
//! A command may be a guard, so whatever cannot be told makes it run.

use std::path::{Component, Path, PathBuf};

use globset::GlobBuilder;
use serde_json::Value;

use super::names::{answers_to, claude_name};

/// A rule of Claude Code for tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// As it was written.
    written: String,
    /// The tool, by the name that Claude Code has for it.
    tool: String,
    /// What its arguments are to be like; `None` for any.
    arguments: Option<String>,
}

/// Rules for one of these tools are also about the others.
const FAMILIES: &[&[&str]] = &[&["Edit", "Write"], &["Read", "Grep", "Glob", "LS"]];

/// The arguments that are paths.
const PATHS: [&str; 2] = ["path", "file_path"];

/// Programs that run the one behind them.
const WRAPPERS: [&str; 14] = [
    "sudo", "doas", "env", "command", "exec", "builtin", "eval", "xargs", "timeout", "time", "nice", "nohup", "stdbuf",
    "setsid",
];
/// Words of the shell that stand before a command.
const KEYWORDS: [&str; 8] = ["if", "then", "else", "elif", "while", "until", "do", "coproc"];
/// Programs that run text.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "fish", "dash", "ksh"];

/// The folders that paths of a call are compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Folders<'a> {
    /// Where the rule belongs.
    pub(crate) project: &'a Path,
    /// Where the call is made, which is another folder when a child session makes it.
    pub(crate) cwd: &'a Path,
    pub(crate) home: &'a Path,
}

impl Condition {
    /// Reads a rule.
    ///
    /// # Errors
    /// When it is none; the text says why, to be read behind what it is about.
    pub(crate) fn parse(written: &str) -> Result<Self, String> {
        let text = written.trim();
        let (tool, arguments) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => {
                let inner = rest.strip_suffix(')').ok_or_else(|| format!("has no `)` at its end: {text}"))?;
                (tool.trim(), Some(inner.trim()).filter(|inner| !matches!(*inner, "" | "*")))
            }
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*');
        if tool.is_empty() || !tool.chars().all(is_name) {
            return Err(format!("names no tool: {text}"));
        }
        Ok(Self { written: text.to_owned(), tool: tool.to_owned(), arguments: arguments.map(str::to_owned) })
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// The tool that it names.
    pub(crate) fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether it says what the arguments are to be like.
    pub(crate) fn has_arguments(&self) -> bool {
        self.arguments.is_some()
    }

    /// Whether a call is one that the rule is about, or may be.
    pub(crate) fn may_be_about(&self, tool: &str, input: &Value, folders: Folders<'_>) -> bool {
        if !self.is_for(tool) {
            return false;
        }
        let Some(pattern) = &self.arguments else { return true };
        if let Some(command) = input["command"].as_str() {
            return matches_command(pattern, command);
        }
        match PATHS.iter().find_map(|name| input[*name].as_str()) {
            Some(path) => matches_path(pattern, path, folders),
            // Nobody knows what such a rule means for this tool.
            None => true,
        }
    }

    /// Whether the rule may be about calls of a tool.
    pub(super) fn is_for(&self, tool: &str) -> bool {
        let named = |wanted: &str| match wanted.strip_suffix('*') {
            Some(start) => [tool, claude_name(tool)].iter().any(|name| name.starts_with(start)),
            None => answers_to(tool, wanted),
        };
        let family = FAMILIES.iter().find(|family| family.contains(&self.tool.as_str()));
        named(&self.tool) || family.is_some_and(|family| family.iter().any(|other| named(other)))
    }
}

/// Whether a pattern for commands matches one, or a part of it.
fn matches_command(pattern: &str, command: &str) -> bool {
    // The older way to say "and whatever follows".
    let pattern = pattern.strip_suffix(":*").map_or_else(|| pattern.to_owned(), |start| format!("{start} *"));
    let is_match =
        |text: &str| wildcard(&pattern, text) || pattern.strip_suffix(" *").is_some_and(|start| start == text);
    is_match(command.trim())
        || command.split([';', '&', '|', '\n', '(', ')', '{', '}', '!']).map(str::trim).any(|part| {
            let part = without_beginning(part);
            let (program, rest) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
            let name = program.rsplit('/').next().unwrap_or(program);
            is_match(part)
                || (name != program && is_match(format!("{name} {}", rest.trim()).trim()))
                || is_unclear(name, part)
        })
}

/// Whether nobody can tell from the text what would run.
fn is_unclear(program: &str, part: &str) -> bool {
    part.contains(['`', '$']) && (program.contains(['`', '$']) || part.contains("$(") || part.contains('`'))
        || program.contains(['"', '\'', '\\', '*', '?', '[', '<', '>'])
        || part.contains(" -exec")
        || WRAPPERS.contains(&program)
        || SHELLS.contains(&program)
}

/// A command without the variables that are set for it, and without words of the shell before it.
fn without_beginning(mut part: &str) -> &str {
    while let Some((first, rest)) = part.split_once(char::is_whitespace) {
        let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !KEYWORDS.contains(&first) && !first.split_once('=').is_some_and(|(name, _)| is_name(name)) {
            break;
        }
        part = rest.trim_start();
    }
    part
}

/// Whether a text is like a pattern in which `*` is any text.
fn wildcard(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// Whether a pattern for paths, as in a `.gitignore`, matches one; also when a link may lead there.
fn matches_path(pattern: &str, path: &str, Folders { project, cwd, home }: Folders<'_>) -> bool {
    let (base, pattern) = match (pattern.strip_prefix("//"), pattern.strip_prefix("~/"), pattern.strip_prefix('/')) {
        (Some(rest), ..) => (Path::new("/"), rest),
        (_, Some(rest), _) => (home, rest),
        (.., Some(rest)) => (project, rest),
        (None, None, None) => (project, pattern.strip_prefix("./").unwrap_or(pattern)),
    };
    let Ok(glob) = GlobBuilder::new(pattern).literal_separator(true).build() else { return true };
    let glob = glob.compile_matcher();
    let path = match path.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => cwd.join(path),
    };
    let plain = plain(&path);
    let real = std::fs::canonicalize(&path).ok();
    let names: Vec<PathBuf> = [Some(plain), real].into_iter().flatten().collect();
    names.iter().any(|path| {
        let inside = path.strip_prefix(base).ok();
        inside.is_some_and(|relative| relative.ancestors().any(|part| glob.is_match(part)))
            // Without a folder it is about a name anywhere.
            || !pattern.contains('/') && path.file_name().is_some_and(|name| glob.is_match(name))
    })
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn about(rule: &str, tool: &str, input: Value) -> bool {
        let rule = Condition::parse(rule).expect("a rule");
        let (project, home) = (Path::new("/work"), Path::new("/home/ada"));
        rule.may_be_about(tool, &input, Folders { project, cwd: project, home })
    }

    #[test]
    fn commands_are_compared_part_by_part_and_what_is_unclear_fits() {
        let fits = |rule: &str, command: &str| about(rule, "bash", json!({"command": command}));
        for command in [
            "rm x",
            "rm",
            "cd /tmp && rm -rf x",
            "ls; rm x",
            "A=1 B=2 rm x",
            "/bin/rm x",
            "echo $(rm x)",
            "sudo rm x",
            "bash -c 'rm x'",
            "$CMD x",
            "'rm' x",
            "r\\m x",
            "xargs rm",
            "true\nrm x",
            "echo `rm x`",
            "if true; then rm x; fi",
            "for a in b; do rm $a; done",
            "find . -exec rm {} +",
            ">out rm x",
        ] {
            assert!(fits("Bash(rm *)", command), "{command}");
        }
        for command in ["ls", "rmdir x", "echo rm", "git rm x", "echo $HOME"] {
            assert!(!fits("Bash(rm *)", command), "{command}");
        }
        assert!(fits("Bash(npm run test:*)", "npm run test --all") && fits("Bash(npm run test:*)", "npm run test"));
        assert!(!fits("Bash(npm run test:*)", "npm run build") && fits("Bash", "ls") && fits("Bash(*)", "ls"));
        assert!(fits("Bash(git * main)", "git push main") && !fits("Bash(git * main)", "git push other"));
        assert!(!about("Bash(rm *)", "work", json!({"command": "rm x"})));
    }

    #[test]
    fn paths_are_compared_as_in_a_list_of_ignored_files() {
        let fits = |rule: &str, path: &str| about(rule, "edit", json!({"path": path}));
        assert!(fits("Edit(*.ts)", "a.ts") && fits("Edit(*.ts)", "/elsewhere/b/a.ts") && !fits("Edit(*.ts)", "a.rs"));
        assert!(
            fits("Edit(src/**)", "src/a/b.ts") && fits("Edit(/src/**)", "./x/../src/a") && !fits("Edit(src/**)", "a")
        );
        assert!(fits("Edit(~/.ssh/**)", "/home/ada/.ssh/id") && fits("Edit(//etc/**)", "/etc/x"));
        assert!(fits("Write(*.ts)", "a.ts") && fits("MultiEdit(*.ts)", "a.ts"));
        assert!(
            about("Read(.env)", "grep", json!({"path": ".env"}))
                && !about("Read(.env)", "edit", json!({"path": ".env"}))
        );
        assert!(about("WebFetch(domain:example.org)", "fetch", json!({"url": "x"})));
    }

    #[test]
    fn what_is_no_rule_is_named() {
        assert_eq!(Condition::parse("Bash(rm").expect_err("no rule"), "has no `)` at its end: Bash(rm");
        assert_eq!(Condition::parse("(rm *)").expect_err("no rule"), "names no tool: (rm *)");
    }
}
