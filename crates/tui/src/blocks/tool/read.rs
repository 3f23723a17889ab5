//! Files that are read.

use super::Renderer;
use super::call::Call;
use crate::blocks::paint::{Rows, hint, to_expand, visible_line};
use crate::style::bold;

pub(super) struct Read;

/// Files that have a short name of their own.
enum Known<'a> {
    Skill(&'a str),
    Instructions,
}

fn known(path: &str) -> Option<Known<'_>> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "SKILL.md" => Some(Known::Skill(folder.rsplit('/').next().filter(|name| !name.is_empty())?)),
        "AGENTS.md" | "CLAUDE.md" => Some(Known::Instructions),
        _ => None,
    }
}

/// The lines that are read, as `:from-to`.
fn range(call: &Call<'_>) -> String {
    let (offset, limit) = (call.number("offset"), call.number("limit"));
    if offset.is_none() && limit.is_none() {
        return String::new();
    }
    let from = offset.unwrap_or(1).max(1);
    let to = limit.map(|limit| format!("-{}", from.saturating_add(limit.max(1) - 1))).unwrap_or_default();
    call.fg("warning", &format!(":{from}{to}"))
}

impl Renderer for Read {
    fn title(&self, call: &Call<'_>) -> String {
        let short = call.text("path").filter(|_| !call.view.expanded && !call.view.is_error).and_then(known);
        let label = |kind: &str, name: &str| {
            let tag = call.fg("customMessageLabel", &bold(&format!("[{kind}]")));
            let hint = to_expand(&call.view.expand_key).map(|text| format!(" {}", hint(call.look, &text)));
            format!("{tag} {}{}{}", call.fg("accent", &visible_line(name)), range(call), hint.unwrap_or_default())
        };
        match short {
            Some(Known::Skill(name)) => label("skill", name),
            Some(Known::Instructions) => {
                let path = call.text("path").unwrap_or_default();
                label("context", &call.view.places.short(path))
            }
            None => format!("{} {}{}", call.name("read"), call.path(), range(call)),
        }
    }

    fn body(&self, call: &Call<'_>) -> Vec<String> {
        if call.view.is_error {
            return call.error();
        }
        let Some(shown) = call.shown() else { return Vec::new() };
        if shown.has_images {
            return call.output(&shown.output, Rows::All);
        }
        if !call.view.expanded {
            return Vec::new();
        }
        let mut code = call.code(call.text("path").unwrap_or_default());
        let mut rows: Vec<String> =
            shown.output.trim_end().split('\n').flat_map(|line| call.code_line(&mut code, line)).collect();
        rows.extend(call.notes(&shown));
        rows
    }
}
