//! A list that something is chosen from, with a line to narrow it where it is long.

use tau_hooks::dialogs::DialogAnswer;
use tau_tui::Drawn;
use tau_tui::editor::typed;
use tau_tui::keymap::Keymap;
use tau_tui::select::{Columns, Item, ListLook, Picked, SelectList};
use uuid::Uuid;

use super::{Draft, Effect, LineInput, Panel, Space, Took, left};

/// How many rows of a list are shown.
const ROWS: usize = 10;

/// The options of a question from which on typing searches them.
const LONG: usize = 2 * ROWS;

/// What the choice of an item leads to, by its place; with nothing when the list was left.
type Chosen = Box<dyn FnMut(Option<usize>) -> Effect + Send>;

/// A list.
pub(crate) struct ListPanel {
    title: String,
    list: SelectList,
    search: Option<LineInput>,
    chosen: Chosen,
    empty: &'static str,
    is_question: bool,
    keys: Vec<KeyRow>,
    /// What follows when another item is selected.
    moved: Option<Chosen>,
}

/// A key that does something with the selected item.
struct KeyRow {
    action: &'static str,
    does: &'static str,
    run: Box<dyn FnMut(usize) -> Effect + Send>,
}

impl ListPanel {
    /// A list of tau's, which can be searched.
    pub(crate) fn new(
        title: impl Into<String>,
        items: Vec<Item>,
        current: Option<usize>,
        chosen: impl FnMut(Option<usize>) -> Effect + Send + 'static,
    ) -> Self {
        let mut list = SelectList::new(items, ROWS);
        if let Some(current) = current {
            list.select(current);
        }
        Self {
            title: title.into(),
            list,
            search: Some(LineInput::default()),
            chosen: Box::new(chosen),
            empty: "Nothing matches",
            is_question: false,
            keys: Vec::new(),
            moved: None,
        }
    }

    /// With a key that does something with the selected item, and leaves the list open.
    pub(crate) fn with_key(
        mut self,
        action: &'static str,
        does: &'static str,
        run: impl FnMut(usize) -> Effect + Send + 'static,
    ) -> Self {
        self.keys.push(KeyRow { action, does, run: Box::new(run) });
        self
    }

    /// With something that follows when another item is selected.
    pub(crate) fn previewing(mut self, moved: impl FnMut(Option<usize>) -> Effect + Send + 'static) -> Self {
        self.moved = Some(Box::new(moved));
        self
    }

    /// The options of a question of an extension.
    pub(super) fn of_question(id: Uuid, title: &str, options: Vec<String>) -> Self {
        let shown = |text: &String| {
            let text = tau_view::untrusted::plain(text);
            Item::new(text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let list = SelectList::new(options.iter().map(shown).collect(), ROWS);
        // A long list is searched; others have `j` and `k`, as in the reference.
        let (search, empty) = if options.len() > LONG {
            (Some(LineInput::default()), "Nothing matches")
        } else {
            (None, "There is nothing to choose")
        };
        let chosen = move |at: Option<usize>| match at.and_then(|at| options.get(at)) {
            Some(option) => Effect::Answer(id, DialogAnswer::Value(option.clone())),
            None => left(id),
        };
        Self {
            title: title.to_owned(),
            list,
            search,
            chosen: Box::new(chosen),
            empty,
            is_question: true,
            keys: Vec::new(),
            moved: None,
        }
    }
}

impl Panel for ListPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let mut draft = Draft::new(space, &self.title);
        if let Some(search) = &self.search {
            let (text, column) = search.draw(space.width.saturating_sub(4).max(1));
            draft.input(" > ", &text, column);
        }
        // Behind it come its place in the list, the keys and a rule.
        self.list.set_rows(draft.room(3).clamp(1, ROWS));
        let columns = Columns { least: 12, most: space.width * 6 / 10 };
        draft.list(&self.list, &ListLook { styles: &space.look.styles, columns, empty: self.empty });
        let mut hints = vec![("tui.select.down", "next"), ("tui.select.confirm", "choose")];
        hints.extend(self.keys.iter().map(|row| (row.action, row.does)));
        hints.push(("tui.select.cancel", "leave"));
        draft.finish(&hints)
    }

    fn list(&mut self) -> Option<&mut SelectList> {
        Some(&mut self.list)
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        if let Some(row) = self.keys.iter_mut().find(|row| keys.is(data, row.action)) {
            return match self.list.selected() {
                Some(at) => Took::Acts((row.run)(at)),
                None => Took::Stays,
            };
        }
        match self.list.key(data, keys) {
            Picked::Item(at) => return Took::Closes((self.chosen)(Some(at))),
            Picked::Cancelled => return Took::Closes((self.chosen)(None)),
            Picked::Moved => return self.previewed(),
            Picked::Nothing => {}
        }
        match &mut self.search {
            Some(search) => {
                if !search.key(data, keys) {
                    return Took::Nothing;
                }
                self.list.search(search.value());
                self.previewed()
            }
            // As in the reference, where there is nothing to type.
            None => match typed(data).as_deref() {
                Some("j") => self.step(1),
                Some("k") => self.step(-1),
                _ => Took::Nothing,
            },
        }
    }

    fn moved(&mut self) -> Took {
        self.previewed()
    }

    fn paste(&mut self, text: &str) {
        if let Some(search) = &mut self.search {
            search.paste(text);
            self.list.search(search.value());
        }
    }

    fn is_answer(&self, data: &str, keys: &Keymap) -> bool {
        self.is_question && (keys.is(data, "tui.select.confirm") || typed(data).is_some())
    }
}

impl ListPanel {
    fn previewed(&mut self) -> Took {
        match &mut self.moved {
            Some(moved) => Took::Acts(moved(self.list.selected())),
            None => Took::Stays,
        }
    }

    fn step(&mut self, by: isize) -> Took {
        self.list.step(by, true);
        Took::Stays
    }
}
