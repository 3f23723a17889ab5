//! `/help`: the commands that there are, and the keys of the editor.

use std::sync::Arc;

use tau_view::bindings::Context;

use crate::builtins::BUILTINS;
use crate::keybindings;
use crate::session::AgentSession;

/// How wide the first column is at most: a long one goes on by itself.
const COLUMN: usize = 28;

/// A row: what is typed, and what it does.
type Row = (String, String);

pub(super) fn help(session: &Arc<AgentSession>) -> String {
    let theirs = session.slash_commands();
    let mut sections: Vec<(&str, Vec<Row>)> = Vec::new();
    // A command of an extension comes before the built-in one of its name.
    let own = BUILTINS.iter().filter(|own| !theirs.iter().any(|other| other.name == own.name));
    let own = own.map(|own| (format!("/{} {}", own.name, own.argument).trim_end().to_owned(), own.doc.to_owned()));
    sections.push(("Commands", own.collect()));
    let kinds = [("extension", "Commands of extensions"), ("prompt", "Prompt templates"), ("skill", "Skills")];
    for (kind, title) in kinds {
        let of_kind = theirs.iter().filter(|command| command.source == kind);
        let row = of_kind.map(|command| {
            let about = command.description.as_deref().unwrap_or_default();
            (format!("/{}", command.name), about.lines().next().unwrap_or_default().to_owned())
        });
        sections.push((title, row.collect()));
    }
    let (bindings, _) = keybindings::read(&session.env());
    let keys = [Context::EmptyEditor, Context::Editor].into_iter().flat_map(|context| bindings.valid_in(context));
    let keys = keys.filter(|(binding, _)| !binding.id.starts_with("tui.editor."));
    sections.push(("Keys", keys.map(|(binding, keys)| (keys.join(", "), binding.doc.to_owned())).collect()));
    sections.retain(|(_, rows)| !rows.is_empty());
    let mut lines = Vec::new();
    for (title, rows) in sections {
        lines.push(title.to_owned());
        lines.extend(rows.into_iter().map(|(what, about)| format!("  {what:COLUMN$}  {about}").trim_end().to_owned()));
        lines.push(String::new());
    }
    lines.push("/hotkeys shows all keys. ! runs a command, @ names a file.".to_owned());
    lines.join("\n")
}
