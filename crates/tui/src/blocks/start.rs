//! What stands at the top of a session: the header, and what was found for it.

use tau_view::truncate::truncate_to_width;

use super::paint::{self, Margin, one_line};
use crate::look::SharedLook;
use crate::screen::{Content, Line};
use crate::style::bold;

/// The least room for a note of the header.
const NOTE: usize = 30;

/// A key and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The key, or several.
    pub key: String,
    /// What it does.
    pub action: String,
}

impl Hint {
    /// A key and what it does.
    pub fn new(key: impl Into<String>, action: impl Into<String>) -> Self {
        Self { key: key.into(), action: action.into() }
    }
}

/// The header.
#[derive(Clone)]
pub struct Header {
    /// How everything looks.
    pub look: SharedLook,
    /// The version of the program.
    pub version: String,
    /// The keys that matter most, on one line.
    pub hints: Vec<Hint>,
    /// More keys, one on each line, in place of those when the header is expanded.
    pub all_hints: Vec<Hint>,
    /// Further lines, such as the one that names the other way to paint the screen. What does not fit is cut off.
    pub notes: Vec<String>,
    /// Whether all keys are shown.
    pub expanded: bool,
}

impl Content for Header {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        let margin = Margin::new(look.padding, width);
        let hint = |hint: &Hint, gap: &str| {
            let (key, action) = (one_line(&hint.key), one_line(&hint.action));
            format!("{}{gap}{}", look.styles.fg("muted", &key), look.styles.fg("dim", &action))
        };
        let title = look.styles.fg("accent", &bold("tau"));
        let mut lines = vec![Line::empty()];
        let version = look.styles.fg("dim", &format!("v{}", one_line(&self.version)));
        lines.extend(margin.styled(&format!("{title} {version}")));
        if self.expanded {
            let key_width = self.all_hints.iter().map(|hint| one_line(&hint.key).chars().count()).max().unwrap_or(0);
            for each in &self.all_hints {
                let gap = " ".repeat(1 + key_width - one_line(&each.key).chars().count());
                lines.extend(margin.styled(&hint(each, &gap)));
            }
        } else if !self.hints.is_empty() {
            // A key stays with what it does.
            let parts: Vec<String> = self.hints.iter().map(|each| hint(each, " ")).collect();
            let dot = look.styles.fg("dim", " · ");
            lines.extend(joined(&parts, &dot, margin.inner).iter().flat_map(|line| margin.styled(line)));
        }
        // They take a line each, and none where hardly anything of them would be left.
        for note in self.notes.iter().filter(|_| margin.inner >= NOTE) {
            let note = truncate_to_width(&one_line(note), margin.inner, "…", false);
            lines.push(margin.line(&look.styles.fg("dim", &note)));
        }
        lines
    }

    fn estimate(&self, _: usize) -> usize {
        3 + self.notes.len() + if self.expanded { self.all_hints.len() } else { 0 }
    }
}

/// Parts with something between them, on as many lines as it takes.
fn joined(parts: &[String], between: &str, width: usize) -> Vec<String> {
    use tau_view::width::visible_width;
    let mut lines: Vec<(String, usize)> = Vec::new();
    let gap = visible_width(between);
    for part in parts {
        let columns = visible_width(part);
        match lines.last_mut() {
            Some((line, used)) if *used + gap + columns <= width => {
                line.push_str(between);
                line.push_str(part);
                *used += gap + columns;
            }
            _ => lines.push((part.clone(), columns)),
        }
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

/// Things that come from one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// The place, such as `project`; empty when nothing is to be said about it.
    pub name: String,
    /// Their names.
    pub items: Vec<String>,
}

/// A section of what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// What is in it.
    pub groups: Vec<Group>,
    /// Whether these are sentences about something that is wrong: they show one on each line.
    pub wrong: bool,
}

/// What was found for a session. Sections without anything in them are left out.
#[derive(Clone)]
pub struct Listing {
    /// How everything looks.
    pub look: SharedLook,
    /// The sections.
    pub sections: Vec<Section>,
    /// Whether each thing stands on its own line, by the place where it is from.
    pub expanded: bool,
}

impl Content for Listing {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        let margin = Margin::new(look.padding, width);
        let mut lines = Vec::new();
        for section in &self.sections {
            let items = || section.groups.iter().flat_map(|group| &group.items).map(|item| one_line(item));
            if items().next().is_none() {
                continue;
            }
            lines.push(Line::empty());
            let token = if section.wrong { "warning" } else { "mdHeading" };
            lines.extend(margin.wrapped(&look, token, &format!("[{}]", one_line(&section.title))));
            let mut indented = |columns: usize, token: &str, text: &str| {
                let columns = columns.min(margin.inner.saturating_sub(1) / 2);
                let rows = paint::wrapped(&look, token, text, margin.inner - columns);
                lines.extend(rows.iter().map(|row| margin.line(&format!("{}{row}", " ".repeat(columns)))));
            };
            if section.wrong {
                items().for_each(|item| indented(2, "warning", &item));
            } else if !self.expanded {
                indented(2, "dim", &items().collect::<Vec<_>>().join(", "));
            } else {
                for group in section.groups.iter().filter(|group| !group.items.is_empty()) {
                    let name = one_line(&group.name);
                    let columns = if name.is_empty() { 2 } else { 4 };
                    if !name.is_empty() {
                        indented(2, "muted", &name);
                    }
                    group.items.iter().for_each(|item| indented(columns, "dim", &one_line(item)));
                }
            }
        }
        lines
    }

    fn estimate(&self, _: usize) -> usize {
        let items = |section: &Section| section.groups.iter().map(|group| 1 + group.items.len()).sum::<usize>();
        self.sections.iter().map(|section| 2 + if self.expanded { items(section) } else { 1 }).sum()
    }
}
