//! Finding an earlier prompt by what is in it.

use tau_view::fuzzy::fuzzy_match;
use tau_view::input::Input;
use tau_view::keys::is_key_release;
use tau_view::truncate::truncate_to_width;
use tau_view::untrusted;
use tau_view::width::visible_width;

use crate::Drawn;
use crate::editor::edit_line;
use crate::keymap::Keymap;
use crate::select::{Columns, Item, ListLook, Picked, SelectList};
use crate::style::Styles;

/// So many bytes of a prompt are looked at, and so many shown.
const SEARCHED: usize = 16 * 1024;
const SHOWN: usize = 512;
/// The action whose keys open the search, and go to an older prompt in it; and the key that goes back, as in shells.
const OLDER: &str = "app.history.search";
const NEWER: &str = "ctrl+s";

/// What became of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Searched {
    /// The search took it.
    Taken,
    /// This prompt was chosen, to go into the editor.
    Accepted(String),
    /// The search was left: this draft goes back into the editor.
    Cancelled(String),
    /// It is none of the search's.
    Nothing,
}

/// A search among the prompts of a project.
#[derive(Debug)]
pub struct HistorySearch {
    /// The newest first.
    prompts: Vec<Prompt>,
    /// What stood in the editor before.
    draft: String,
    query: Input,
    /// Those that the query finds, the newest first.
    found: Vec<usize>,
    list: SelectList,
}

/// An action and what it does with what is searched.

#[derive(Debug)]
struct Prompt {
    text: String,
    /// The beginning in small letters.
    searched: String,
    /// The beginning as it is shown.
    row: String,
}

impl Prompt {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), searched: beginning(text, SEARCHED).to_lowercase(), row: row(text) }
    }
}

impl HistorySearch {
    /// Searches these prompts, the oldest first; so many rows of them are shown. `draft` is what comes back when the
    /// search is left.
    pub fn new(prompts: &[String], draft: &str, rows: usize) -> Self {
        let mut seen = std::collections::HashSet::new();
        let newest = prompts.iter().rev().filter(|prompt| seen.insert(prompt.as_str()));
        let prompts = newest.map(|text| Prompt::new(text));
        let mut search = Self {
            prompts: prompts.collect(),
            draft: draft.to_owned(),
            query: Input::new(),
            found: Vec::new(),
            list: SelectList::new(Vec::new(), rows),
        };
        search.find();
        search
    }

    /// What is searched.
    pub fn query(&self) -> &str {
        self.query.value()
    }

    /// The prompts that are found, the newest first.
    pub fn found(&self) -> impl Iterator<Item = &str> {
        self.found.iter().map(|at| self.prompts[*at].text.as_str())
    }

    /// The prompt that would be chosen now.
    pub fn selected(&self) -> Option<&str> {
        Some(self.prompts[*self.found.get(self.list.selected()?)?].text.as_str())
    }

    /// Goes to the next older prompt; at the last one it stays.
    pub fn older(&mut self) {
        self.list.step(1, false);
    }

    /// Goes to the next newer prompt; at the first one it stays.
    pub fn newer(&mut self) {
        self.list.step(-1, false);
    }

    /// Takes one key, undecoded as the terminal sent it.
    pub fn key(&mut self, data: &str, keys: &Keymap) -> Searched {
        if is_key_release(data) {
            return Searched::Nothing;
        }
        if keys.is(data, OLDER) {
            self.older();
            return Searched::Taken;
        }
        if keys.is_key(data, NEWER) {
            self.newer();
            return Searched::Taken;
        }
        if keys.is(data, "tui.input.tab") {
            return self.accept();
        }
        match self.list.key(data, keys) {
            Picked::Item(_) => return self.accept(),
            Picked::Cancelled => return Searched::Cancelled(self.draft.clone()),
            Picked::Moved => return Searched::Taken,
            Picked::Nothing => {}
        }
        if edit_line(&mut self.query, data, keys) {
            self.find();
            Searched::Taken
        } else {
            Searched::Nothing
        }
    }

    /// Takes a paste, which is searched.
    pub fn paste(&mut self, text: &str) {
        self.query.paste(&untrusted::plain(text));
        self.find();
    }

    /// The prompts found, and below them what is searched.
    pub fn draw(&self, width: usize, styles: &Styles) -> Drawn {
        let look = ListLook { styles, columns: Columns::default(), empty: "No prompt has that" };
        let mut drawn = Drawn::lines(self.list.draw(width, &look));
        let label = truncate_to_width("history: ", width.saturating_sub(1), "", false);
        let before = visible_width(&label);
        let window = self.query.window(width.saturating_sub(before));
        let column = before + visible_width(&window.before);
        drawn.cursor = Some((drawn.lines.len(), column.min(width.saturating_sub(1))));
        let line = format!("{}{}{}", styles.fg("muted", &label), window.before, window.after);
        drawn.lines.push(truncate_to_width(&line, width, "", false));
        drawn
    }

    fn accept(&self) -> Searched {
        self.selected().map_or(Searched::Taken, |prompt| Searched::Accepted(prompt.to_owned()))
    }

    /// Prompts that have all words of the query; if there are none, those that have its letters in this order.
    fn find(&mut self) {
        let query = self.query.value().to_lowercase();
        let has_words = |prompt: &Prompt| query.split_whitespace().all(|word| prompt.searched.contains(word));
        let has_letters = |prompt: &Prompt| fuzzy_match(&query, &prompt.searched).is_some();
        let of = |fits: &dyn Fn(&Prompt) -> bool| -> Vec<usize> {
            self.prompts.iter().enumerate().filter(|(_, prompt)| fits(prompt)).map(|(at, _)| at).collect()
        };
        let mut found = of(&has_words);
        if found.is_empty() {
            found = of(&has_letters);
        }
        if found != self.found || self.list.items().is_empty() {
            let row = |at: &usize| Item::new(self.prompts[*at].row.as_str());
            self.list.replace(found.iter().map(row).collect(), |_, _| false);
            self.found = found;
        }
    }
}

/// A prompt in one row.
fn row(text: &str) -> String {
    let lines = untrusted::plain(beginning(text, SHOWN));
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ↵ ").replace('\t', " ")
}

fn beginning(text: &str, length: usize) -> &str {
    &text[..text.floor_char_boundary(length)]
}
