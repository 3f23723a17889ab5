//! Which tools a session may have and starts with: what flags and settings say, as rules about names.

use std::sync::Arc;

use tau_tools::todo::TODO_WRITE;
use tau_tools::{DEFAULT_ACTIVE, Exposure, ToolSpec, is_mcp_tool};

use crate::settings::{is_edit, keys};

/// Which tools a session has, as the user chose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolChoice {
    /// Only these, built-in or not, in this order: names, or patterns in which `*` matches any characters. The default
    /// set when absent.
    pub only: Option<Vec<String>>,
    /// Changes to the default set: `+name` and `-name`.
    pub edits: Vec<String>,
    /// Never these: names or patterns.
    pub exclude: Vec<String>,
    /// No built-in tools, unless `only` or `edits` name them.
    pub no_builtin: bool,
    /// No tools at all, unless `only` or `edits` name them.
    pub none: bool,
    /// Active in addition to the default set.
    pub also: Vec<String>,
}

/// The names after the `+` and `-` entries of a list were applied, in their order; its other entries do nothing.
fn edited(mut names: Vec<String>, edits: &[String]) -> Vec<String> {
    for edit in edits {
        if let Some(added) = edit.strip_prefix('+').filter(|added| !added.is_empty()) {
            if !names.iter().any(|name| name == added) {
                names.push(added.to_owned());
            }
        } else if let Some(removed) = edit.strip_prefix('-') {
            names.retain(|name| name != removed);
        }
    }
    names
}

/// The default set that a setting describes: plain names are the set, `+name` and `-name` change it, or tau's own when
/// there is nothing else.
fn default_set(setting: Option<&[String]>) -> Vec<String> {
    let own = || DEFAULT_ACTIVE.iter().map(|&name| name.to_owned()).collect();
    let Some(entries) = setting else { return own() };
    let plain: Vec<String> = entries.iter().filter(|entry| !is_edit(entry)).cloned().collect();
    let base = if plain.is_empty() && !entries.is_empty() { own() } else { plain };
    edited(base, entries)
}

/// Whether an entry matches a name; `*` in the entry matches any characters.
fn matches(entry: &str, name: &str) -> bool {
    let Some((first, rest)) = entry.split_once('*') else { return entry == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

fn any(entries: &[String], name: &str) -> bool {
    entries.iter().any(|entry| matches(entry, name))
}

fn named(entries: &[String], name: &str) -> bool {
    entries.iter().any(|entry| entry == name)
}

/// Whether the last edit of a tool switches it on or off.
fn last_edit(entries: &[String], name: &str) -> Option<bool> {
    let of_name = |entry: &&String| entry.strip_prefix(['+', '-']) == Some(name);
    entries.iter().rev().find(of_name).map(|entry| entry.starts_with('+'))
}

/// The choice of the user with the default set of the settings, which may change while the session goes on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    pub(crate) choice: ToolChoice,
    /// The list of the settings as it is written.
    setting: Option<Vec<String>>,
    /// The tools of the default set, in this order.
    default: Vec<String>,
    /// What the session that opened this one may have: this one has no other tools.
    above: Option<Arc<Selection>>,
}

impl Selection {
    pub(crate) fn new(choice: ToolChoice, setting: Option<Vec<String>>) -> Self {
        let default = default_set(setting.as_deref());
        Self { choice, setting, default, above: None }
    }

    /// The same below the choice of a parent session.
    pub(crate) fn within(self, above: Option<Arc<Self>>) -> Self {
        Self { above, ..self }
    }

    /// The same with another default set.
    pub(super) fn with_default(self, setting: Option<Vec<String>>) -> Self {
        Self::new(self.choice, setting).within(self.above)
    }

    /// Whether a tool may be registered at all. Tools of MCP servers stay although a list says nothing about them, for
    /// the tools that look for them; see [`Selection::may_be_active`].
    pub(crate) fn allows(&self, name: &str) -> bool {
        if any(&self.choice.exclude, name) || self.above.as_ref().is_some_and(|above| !above.allows(name)) {
            return false;
        }
        let kept = |only: &Vec<String>| {
            let about_mcp = only.is_empty() || only.iter().any(|entry| entry.starts_with("mcp__"));
            is_mcp_tool(name) && !about_mcp
        };
        self.lists(name) || self.choice.only.as_ref().is_some_and(kept)
    }

    /// Whether the list of the user has the tool; without a list, all tools are in it.
    fn lists(&self, name: &str) -> bool {
        match &self.choice.only {
            Some(only) => any(only, name),
            None => !self.choice.none || self.edit_of(name) == Some(true) || named(&self.choice.also, name),
        }
    }

    /// Whether edits of the command line say that a tool is on, or off.
    fn edit_of(&self, name: &str) -> Option<bool> {
        last_edit(&self.choice.edits, name)
    }

    /// Whether a tool that is allowed may be active. One of an MCP server that the user's list does not have may only be
    /// when it was searched for.
    pub(crate) fn may_be_active(&self, spec: &ToolSpec, can_search: bool) -> bool {
        spec.exposure != Exposure::Hidden
            && (self.lists(&spec.name) || (can_search && spec.exposure != Exposure::Direct))
            && self.above.as_ref().is_none_or(|above| above.may_be_active(spec, can_search))
    }

    /// Whether a tool is active from the moment it is there.
    pub(crate) fn starts_active(&self, spec: &ToolSpec, built_in: bool) -> bool {
        let (name, choice) = (&spec.name, &self.choice);
        if let Some(only) = &choice.only {
            return named(only, name) || (any(only, name) && spec.exposure.is_declared());
        }
        if let Some(on) = self.edit_of(name) {
            return on;
        }
        if named(&choice.also, name) {
            return true;
        }
        let by_name = !choice.none && !choice.no_builtin && self.is_default(name, built_in);
        let switched_off = || last_edit(self.setting.as_deref().unwrap_or_default(), name) == Some(false);
        by_name || (!built_in && spec.starts_active() && !switched_off())
    }

    fn is_default(&self, name: &str, built_in: bool) -> bool {
        // A tool that is only there when somebody wants it.
        named(&self.default, name) || (built_in && name == TODO_WRITE)
    }

    /// The names that the lists begin with, in their order.
    pub(crate) fn order(&self) -> Vec<String> {
        match &self.choice.only {
            Some(only) => only.clone(),
            None => self.edited(self.default.clone()),
        }
    }

    /// These names after the edits of the command line.
    pub(crate) fn edited(&self, names: Vec<String>) -> Vec<String> {
        edited(names, &self.choice.edits)
    }

    /// Whether what a session's file says about its tools is used when it is opened: not when flags say which tools there
    /// are.
    pub(crate) fn leaves_tools_to_session(&self) -> bool {
        self.choice.only.is_none() && !self.choice.none && !self.choice.no_builtin
    }

    /// Whether a built-in tool is wanted that is not there otherwise: somebody names it, or a setting of its own asks for
    /// it.
    pub(crate) fn wants(&self, name: &str, by_settings: bool) -> bool {
        let choice = &self.choice;
        match (&choice.only, self.edit_of(name)) {
            (Some(only), _) => named(only, name),
            (None, Some(on)) => on,
            (None, None) => {
                let asked = by_settings || named(&self.default, name);
                named(&choice.also, name) || (asked && !choice.no_builtin && !choice.none)
            }
        }
    }

    /// Whether the command line names this very tool as one to have.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        let entries = self.choice.only.as_deref().unwrap_or(&self.choice.edits);
        entries.iter().any(|entry| entry.strip_prefix('+').unwrap_or(entry) == name)
    }

    /// What the user wrote that fits none of these tools, each with where it was written.
    pub(crate) fn unmatched(&self, known: &[String]) -> Vec<(&'static str, String)> {
        let fits = |entry: &str| known.iter().any(|name| matches(entry, name));
        let without = |entries: &[String], place: &'static str| -> Vec<(&'static str, String)> {
            let lost = entries.iter().filter(|entry| !fits(entry.strip_prefix(['+', '-']).unwrap_or(entry)));
            lost.map(|entry| (place, entry.clone())).collect()
        };
        let mut all = without(self.choice.only.as_deref().unwrap_or(&self.choice.edits), "--tools");
        all.extend(without(&self.choice.exclude, "--exclude-tools"));
        if self.leaves_tools_to_session() {
            all.extend(without(self.setting.as_deref().unwrap_or_default(), keys::DEFAULT_TOOLS.name()));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> Vec<String> {
        entries.iter().map(|&entry| entry.to_owned()).collect()
    }

    #[test]
    fn stars_match_anything() {
        let cases = [
            ("read", "read", true),
            ("read", "reader", false),
            ("*", "", true),
            ("mcp__*", "mcp__a__b", true),
            ("*__b", "mcp__a__b", true),
            ("m*a*b", "mcp__a__b", true),
            ("a*a", "a", false),
            ("r.ad", "read", false),
            ("*ab*b", "ab", false),
        ];
        for (entry, name, fits) in cases {
            assert_eq!(matches(entry, name), fits, "{entry} {name}");
        }
    }

    #[test]
    fn a_setting_replaces_or_changes_the_default_set() {
        let set = |entries: &[&str]| default_set(Some(&list(entries))).join(",");
        assert_eq!(default_set(None).join(","), "read,bash,edit,write");
        assert_eq!(set(&[]), "");
        assert_eq!(set(&["+grep", "-write"]), "read,bash,edit,grep");
        // A list of the user with the changes of a project behind it.
        assert_eq!(set(&["ls", "+grep", "-ls"]), "grep");
    }
}
