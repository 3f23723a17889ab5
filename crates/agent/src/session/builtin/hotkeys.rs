//! `/hotkeys`: which keys do what, as lines of text.

use std::fmt::Write as _;
use std::sync::Arc;

use tau_hooks::{Owner, Shortcut};
use tau_view::bindings::{BINDINGS, Binding, Bindings};

use crate::keybindings;
use crate::session::AgentSession;

/// The groups of actions by the beginning of their names, each with its title.
const GROUPS: &[(&str, &str)] = &[
    ("tui.editor", "Editor"),
    ("tui.input", "Prompt"),
    ("app", "Everywhere"),
    ("tui.select", "Lists"),
    ("app.session", "Sessions"),
    ("app.tree", "Tree"),
    ("app.models", "Models to cycle through"),
    ("tui.altScreen", "Full screen"),
];

/// What the mouse does in full-screen mode.
const MOUSE: &[(&str, &str)] = &[
    ("wheel", "Scroll; with alt five times as far"),
    ("drag", "Select and copy; two clicks take a word, three a line"),
    ("shift+drag", "Select as the terminal does"),
    ("click", "Open a link, unfold a block, set the cursor, choose from a list"),
];

/// What a prompt can begin with.
const BEGINNINGS: &[(&str, &str)] = &[("/", "A command")];

pub(super) fn hotkeys(session: &Arc<AgentSession>) -> String {
    let (bindings, problems) = keybindings::read(&session.env());
    let mut text = table(&bindings, &session.hooks().shortcuts());
    for problem in problems {
        let _ = write!(text, "\n\n{problem}");
    }
    text
}

/// The group of an action: the longest beginning that has a title.
fn group(binding: &Binding) -> Option<&'static str> {
    let within = |name: &&&str| binding.id.strip_prefix(**name).is_some_and(|rest| rest.starts_with('.'));
    GROUPS.iter().map(|(name, _)| name).filter(within).max_by_key(|name| name.len()).copied()
}

fn table(bindings: &Bindings, shortcuts: &[(Arc<Owner>, Shortcut)]) -> String {
    let mut sections: Vec<(&str, Vec<(String, String)>)> = Vec::new();
    for (name, title) in GROUPS {
        let of_group = BINDINGS.iter().filter(|binding| group(binding) == Some(*name));
        let rows = of_group.filter_map(|binding| {
            let keys = bindings.keys(binding);
            (!keys.is_empty()).then(|| (keys.join(", "), binding.doc.to_owned()))
        });
        sections.push((title, rows.collect()));
    }
    let mouse = MOUSE.iter().map(|(key, doc)| ((*key).to_owned(), (*doc).to_owned()));
    sections.push(("Mouse on the full screen", mouse.collect()));
    let beginnings = BEGINNINGS.iter().map(|(key, doc)| ((*key).to_owned(), (*doc).to_owned()));
    sections.push(("A prompt that begins with", beginnings.collect()));
    sections.push(("Extensions", shortcuts.iter().map(|(owner, shortcut)| row(bindings, owner, shortcut)).collect()));
    sections.retain(|(_, rows)| !rows.is_empty());

    let width = sections.iter().flat_map(|(_, rows)| rows).map(|(keys, _)| keys.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (title, rows) in sections {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(title.to_owned());
        lines.extend(rows.into_iter().map(|(keys, doc)| format!("  {keys:width$}  {doc}")));
    }
    lines.join("\n")
}

fn row(bindings: &Bindings, owner: &Owner, shortcut: &Shortcut) -> (String, String) {
    let doc = shortcut.description.as_deref().filter(|text| !text.is_empty()).unwrap_or(&owner.path);
    let doc = match bindings.reserved(&shortcut.key) {
        Some(binding) => format!("{doc} (not in use: the key is kept for {})", binding.id),
        None => doc.to_owned(),
    };
    (shortcut.key.clone(), doc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_a_group() {
        let lost: Vec<_> = BINDINGS.iter().filter(|binding| group(binding).is_none()).collect();
        assert_eq!(lost, Vec::<&Binding>::new());
        let of = |name| group(Binding::find(name).expect("an action"));
        assert_eq!((of("app.session.rename"), of("app.interrupt")), (Some("app.session"), Some("app")));
    }

    #[test]
    fn the_table_is_read_at_a_glance() {
        insta::assert_snapshot!(table(&Bindings::default(), &[]));
    }
}
