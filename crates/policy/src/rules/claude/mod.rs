//! The permission rules of Claude Code, as rules of tau.

mod specifier;

use std::path::Path;

use self::specifier::conditions;
use super::condition::Condition;
use super::document::{Node, read};
use super::file::RuleFile;
use super::problem::position;
use super::problem::{Fault, Problem, unknown};
use super::rule::Rule;
use super::verdict::Action;

/// The lists of `permissions`, with what their rules do.
const LISTS: &[(&str, Action)] = &[("deny", Action::Block), ("ask", Action::Ask), ("allow", Action::Allow)];

/// Keys of `permissions` that say nothing about a call.
const OTHERS: &[&str] = &["defaultMode", "additionalDirectories", "disableBypassPermissionsMode"];

impl RuleFile {
    /// Reads the permissions of a settings file of Claude Code, as `.claude/settings.json`. Other settings there are none of
    /// its business.
    ///
    /// # Errors
    /// When a permission is not understood: nothing is skipped.
    pub fn claude(path: &Path, text: &str) -> Result<Self, Problem> {
        rules(path, text).map_err(|fault| fault.in_file(path, text))
    }
}

fn rules(path: &Path, text: &str) -> Result<RuleFile, Fault> {
    let whole = read(text)?;
    // Patterns that begin with / are relative to the folder that the settings are for.
    let folder = path.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let mut rules = Vec::new();
    let permissions = whole.object("the settings")?.iter().find(|field| field.key == "permissions");
    for field in permissions.map(|field| field.node.object("\"permissions\"")).transpose()?.unwrap_or_default() {
        if OTHERS.contains(&field.key.as_str()) {
            continue;
        }
        let Some((list, action)) = LISTS.iter().find(|(name, _)| *name == field.key) else {
            let known = LISTS.iter().map(|(name, _)| *name).chain(OTHERS.iter().copied());
            return Err(Fault::new(field.at, unknown("key of \"permissions\"", &field.key, known)));
        };
        for node in field.node.list(&format!("\"{list}\""))? {
            let permission = node.text("a permission")?;
            if let Some(when) = conditions(node, permission, folder)? {
                rules.push(rule(node, list, permission, *action, when));
            }
        }
    }
    let lines = rules.iter().map(|rule| position(text, rule.at).0).collect();
    Ok(RuleFile { path: path.to_owned(), rules, lines, off: Vec::new() })
}

fn rule(node: &Node, list: &str, permission: &str, action: Action, when: Condition) -> Rule {
    Rule {
        id: format!("claude:{list}:{permission}"),
        description: format!("\"{permission}\" in \"{list}\" of Claude Code's permissions"),
        message: format!("Claude Code's permissions have \"{permission}\" in \"{list}\"."),
        when: Some(when),
        ..Rule::plain(node.span.start, action)
    }
}
