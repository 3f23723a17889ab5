//! A menu of an extension: its pages, drawn as the lists of tau.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use tau_hooks::dialogs::DialogAnswer;
use tau_hooks::mount::{Menu, MenuFit, MenuPage, MenuRow, MenuTone};
use tau_tui::Drawn;
use tau_tui::keymap::Keymap;
use tau_tui::select::{Columns, Item, ListLook, Picked, SelectList};
use tau_view::truncate::truncate_middle;
use tau_view::untrusted::plain;
use tau_view::wrap::wrap_text;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::searched::{self, Key};
use super::{Draft, Effect, LineInput, Panel, Space, Took, left};

/// How many rows are shown at once.
const ROWS: usize = 12;
/// A page with more rows than this has a line to narrow them.
const SEARCHED: usize = ROWS;
/// From this width on, what rows are stands in a column of its own.
const COLUMNS: usize = 60;

/// A menu.
pub(crate) struct MenuPanel {
    question: Uuid,
    menu: Arc<dyn Menu>,
    page: MenuPage,
    list: SelectList,
    search: LineInput,
    /// The first line of the page that is shown, where there is no room for all.
    top: usize,
    /// By how many lines a key scrolls them; 0 where all are shown.
    page_of_lines: usize,
    /// The rows that were selected last on pages, by the pages: who comes back finds them so.
    selected: HashMap<String, String>,
    /// There is no room for a column of what rows are, so it stands behind what they are called.
    is_narrow: bool,
    /// Ends what follows the menu.
    _followed: DropGuard,
}

impl MenuPanel {
    /// A menu that answers this question; `changed` is called whenever it shows something else, until the panel is gone.
    pub(crate) fn new(question: Uuid, menu: Arc<dyn Menu>, changed: impl Fn() + Send + 'static) -> Self {
        let (ends, mut changes) = (CancellationToken::new(), menu.changes());
        let follows = ends.clone();
        tokio::spawn(follows.run_until_cancelled_owned(async move {
            while changes.changed().await.is_ok() {
                changed();
            }
        }));
        let page = menu.page();
        let list = SelectList::new(items(&page, false), ROWS);
        Self {
            question,
            menu,
            page,
            list,
            search: LineInput::default(),
            top: 0,
            page_of_lines: 0,
            selected: HashMap::new(),
            is_narrow: false,
            _followed: ends.drop_guard(),
        }
    }

    /// Takes the page as it is now.
    fn follow(&mut self) {
        let page = self.menu.page();
        if page.id != self.page.id {
            if let Some(row) = self.list.selected().and_then(|at| self.page.rows.get(at)) {
                self.selected.insert(self.page.id.clone(), row.id.clone());
            }
            self.list = SelectList::new(items(&page, self.is_narrow), ROWS);
            let known = self.selected.get(&page.id);
            if let Some(at) = known.and_then(|known| page.rows.iter().position(|row| row.id == *known)) {
                self.list.select(at);
            }
            self.search = LineInput::default();
            self.top = 0;
        } else if page.rows != self.page.rows {
            self.list.replace(items(&page, self.is_narrow), |one, other| one.also == other.also);
        }
        self.page = page;
    }

    fn is_searched(&self) -> bool {
        self.page.rows.len() > SEARCHED
    }

    fn chose(&mut self, at: usize) -> Took {
        let row = self.page.rows.get(at).map(|row| row.id.clone());
        let is_done = row.is_some_and(|row| self.menu.choose(&row));
        if is_done { self.done(DialogAnswer::Custom(Value::Null)) } else { self.stays() }
    }

    fn stays(&mut self) -> Took {
        self.follow();
        Took::Stays
    }

    fn done(&self, answer: DialogAnswer) -> Took {
        Took::Closes(Effect::Answer(self.question, answer))
    }
}

fn items(page: &MenuPage, is_narrow: bool) -> Vec<Item> {
    let item = |row: &MenuRow| {
        let (label, about) = (one_line(&row.label), one_line(&row.about));
        let also = row.id.clone();
        if is_narrow && !about.is_empty() {
            Item { label: format!("{label} · {about}"), description: String::new(), also }
        } else {
            Item { label, description: about, also }
        }
    };
    page.rows.iter().map(item).collect()
}

/// The lines of a page as they are drawn.
fn lines(page: &MenuPage, space: &Space<'_>) -> Vec<String> {
    let width = space.width.saturating_sub(2).max(1);
    let drawn = page.lines.iter().flat_map(|line| {
        let color = match line.tone {
            MenuTone::Dim => "dim",
            MenuTone::Warning => "warning",
            MenuTone::Error => "error",
        };
        let rows = match line.fit {
            MenuFit::Wrap => wrap_text(&plain(&line.text), width),
            MenuFit::Middle => vec![truncate_middle(&one_line(&line.text), width)],
        };
        rows.into_iter().map(move |row| format!(" {}", space.look.styles.fg(color, &row)))
    });
    drawn.collect()
}

fn one_line(text: &str) -> String {
    plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Panel for MenuPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        self.follow();
        if self.is_narrow != (space.width < COLUMNS) {
            self.is_narrow = !self.is_narrow;
            self.list.replace(items(&self.page, self.is_narrow), |one, other| one.also == other.also);
        }
        let mut draft = Draft::new(space, &self.page.title);
        let styles = &space.look.styles;
        let is_searched = self.is_searched();
        // Behind the lines come a row of the list at least, its place, the keys and a rule.
        let wanted = self.list.found().len().clamp(1, ROWS) + usize::from(is_searched);
        let most = draft.room(3 + wanted.min(space.rows / 3).max(1));
        let mut lines = lines(&self.page, space);
        self.page_of_lines = 0;
        if lines.len() > most {
            let shown = most.saturating_sub(1);
            self.page_of_lines = shown.max(1);
            self.top = self.top.min(lines.len() - shown);
            let below = lines.len() - self.top - shown;
            lines = lines.split_off(self.top);
            lines.truncate(shown);
            let (text, action) = match below {
                0 => ("… first lines".to_owned(), "tui.select.pageUp"),
                1 => ("… 1 more line".to_owned(), "tui.select.pageDown"),
                _ => (format!("… {below} more lines"), "tui.select.pageDown"),
            };
            let key = space.keys.key_of(action).filter(|_| !is_searched);
            let text = key.map_or_else(|| text.clone(), |key| format!("{text} · {key}"));
            lines.push(format!(" {}", styles.fg("dim", &text)));
        }
        draft.lines(lines);
        if is_searched {
            let (text, column) = self.search.draw(space.width.saturating_sub(4).max(1));
            draft.input(" > ", &text, column);
        }
        let mut hints = Vec::new();
        if !self.page.rows.is_empty() || !self.page.empty.is_empty() {
            self.list.set_rows(draft.room(3).clamp(1, ROWS));
            let columns = Columns { least: 12, most: space.width * 4 / 10 };
            let empty = if self.page.rows.is_empty() { &self.page.empty } else { "Nothing matches" };
            draft.list(&self.list, &ListLook { styles, columns, empty });
        }
        if !self.page.rows.is_empty() {
            hints.push(("tui.select.confirm", self.page.does.as_str()));
        }
        hints.push(("tui.select.cancel", self.page.leaves.as_str()));
        draft.finish(&hints)
    }

    fn list(&mut self) -> Option<&mut SelectList> {
        Some(&mut self.list)
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        if keys.is(data, "tui.select.cancel") {
            return if self.menu.back() { self.done(DialogAnswer::Cancelled) } else { self.stays() };
        }
        if !self.is_searched() {
            if self.page_of_lines > 0 && keys.is(data, "tui.select.pageDown") {
                self.top += self.page_of_lines;
                return Took::Stays;
            }
            if self.page_of_lines > 0 && keys.is(data, "tui.select.pageUp") {
                self.top = self.top.saturating_sub(self.page_of_lines);
                return Took::Stays;
            }
            return match self.list.key(data, keys) {
                Picked::Item(at) => self.chose(at),
                Picked::Nothing => Took::Nothing,
                _ => Took::Stays,
            };
        }
        match searched::key(&mut self.list, &mut self.search, data, keys) {
            Key::Chose(at) => self.chose(at),
            Key::Took(Took::Closes(_)) => Took::Closes(left(self.question)),
            Key::Took(took) => took,
        }
    }

    fn paste(&mut self, text: &str) {
        if self.is_searched() {
            searched::paste(&mut self.list, &mut self.search, text);
        }
    }
}
