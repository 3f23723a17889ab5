//! The choice of a session: which are shown, in which order, and what else can be done with one.

mod find;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use tau_session::SessionInfo;
use tau_tui::Drawn;
use tau_tui::keymap::Keymap;
use tau_tui::select::{Columns, Item, ListLook, Picked, SelectList};
use tau_view::untrusted::plain;

use self::find::{Query, Sort, arrange};
use super::{Deed, Draft, Effect, LineInput, Panel, Space, Took};

/// How many sessions are shown at once.
const ROWS: usize = 10;

/// The sessions that are known so far: others read them meanwhile.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shelf(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    here: Vec<SessionInfo>,
    all: Vec<SessionInfo>,
    /// How many files are still to be read.
    left: usize,
    /// Counts changes.
    version: u64,
}

impl Shelf {
    /// Sessions were read: those of this folder, or of all, and so many files are left.
    pub(crate) fn add(&self, infos: Vec<SessionInfo>, is_here: bool, left: usize) {
        let mut known = self.0.lock();
        if is_here {
            known.here.extend(infos)
        } else {
            known.all.extend(infos)
        }
        known.left = left;
        known.version += 1;
    }

    /// A session is gone.
    pub(crate) fn remove(&self, path: &Path) {
        let mut known = self.0.lock();
        known.here.retain(|info| info.path != path);
        known.all.retain(|info| info.path != path);
        known.version += 1;
    }

    /// A session has another name.
    pub(crate) fn rename(&self, path: &Path, name: &str) {
        let mut known = self.0.lock();
        let Known { here, all, version, .. } = &mut *known;
        for info in here.iter_mut().chain(all).filter(|info| info.path == path) {
            info.name = Some(name.to_owned()).filter(|name| !name.is_empty());
        }
        *version += 1;
    }
}

/// What the choice of a session leads to; with nothing when the list was left.
pub(crate) type Chosen = Box<dyn FnMut(Option<PathBuf>) -> Effect + Send>;

/// What is done with the selected session.
enum Stage {
    Choosing,
    Renaming(PathBuf, LineInput),
    Deleting(PathBuf, SelectList),
}

/// The choice of a session.
pub(crate) struct SessionsPanel {
    shelf: Shelf,
    seen: Option<u64>,
    /// The session that is open: it cannot be deleted here.
    open: Option<PathBuf>,
    is_all: bool,
    only_named: bool,
    shows_path: bool,
    sort: Sort,
    search: LineInput,
    /// Those that are shown, in their order.
    shown: Vec<SessionInfo>,
    list: SelectList,
    stage: Stage,
    note: String,
    chosen: Chosen,
}

impl SessionsPanel {
    pub(crate) fn new(shelf: Shelf, open: Option<PathBuf>, chosen: Chosen) -> Self {
        Self {
            shelf,
            seen: None,
            open,
            is_all: false,
            only_named: false,
            shows_path: false,
            sort: Sort::Threaded,
            search: LineInput::default(),
            shown: Vec::new(),
            list: SelectList::new(Vec::new(), ROWS),
            stage: Stage::Choosing,
            note: String::new(),
            chosen,
        }
    }

    /// Takes what is known now, if that has changed.
    fn refresh(&mut self) {
        let known = self.shelf.0.lock();
        if self.seen == Some(known.version) {
            return;
        }
        self.seen = Some(known.version);
        let pool = if self.is_all { &known.all } else { &known.here };
        let pool: Vec<&SessionInfo> = pool.iter().filter(|info| !self.only_named || info.name.is_some()).collect();
        let rows = match Query::parse(self.search.value()) {
            Ok(query) => {
                self.note.clear();
                arrange(&pool, &query, self.sort)
            }
            Err(why) => {
                self.note = why;
                Vec::new()
            }
        };
        self.note = match known.left {
            0 => std::mem::take(&mut self.note),
            left => format!("loading: {left} to go"),
        };
        let now = tau_ai::now_ms();
        let selected = self.selected().map(|info| info.path.clone());
        let items = rows.iter().map(|(info, prefix)| self.item(info, prefix, now)).collect();
        let shown = rows.into_iter().map(|(info, _)| info.clone()).collect();
        drop(known);
        self.shown = shown;
        self.list = SelectList::new(items, ROWS);
        if let Some(at) = selected.and_then(|path| self.shown.iter().position(|info| info.path == path)) {
            self.list.select(at);
        }
    }

    fn item(&self, info: &SessionInfo, prefix: &str, now: i64) -> Item {
        let what = info.name.as_deref().or(info.first_message.as_deref()).unwrap_or("(no messages)");
        let what = plain(what).split_whitespace().collect::<Vec<_>>().join(" ");
        let mark = if self.open.as_deref() == Some(&*info.path) { "✓ " } else { "" };
        let mut about = format!("{} msgs {}", info.message_count, age(now - info.modified_ms));
        if self.is_all {
            about.push_str(&format!("  {}", plain(&info.cwd)));
        }
        if self.shows_path {
            about.push_str(&format!("  {}", plain(&info.path.display().to_string())));
        }
        Item::new(format!("{prefix}{mark}{what}")).about(about)
    }

    fn selected(&self) -> Option<&SessionInfo> {
        self.shown.get(self.list.selected()?)
    }

    /// Shows what is known in another way.
    fn again(&mut self) -> Took {
        self.seen = None;
        self.refresh();
        Took::Stays
    }

    fn begin_delete(&mut self) -> Took {
        let Some(path) = self.selected().map(|info| info.path.clone()) else { return Took::Stays };
        if self.open.as_deref() == Some(&*path) {
            self.note = "the session that is open cannot be deleted".to_owned();
            return Took::Stays;
        }
        let items = vec![Item::new("Keep it"), Item::new("Delete it")];
        self.stage = Stage::Deleting(path, SelectList::new(items, 2));
        Took::Stays
    }

    fn key_of_rename(&mut self, data: &str, keys: &Keymap) -> Took {
        let Stage::Renaming(path, line) = &mut self.stage else { return Took::Nothing };
        if keys.is(data, "tui.select.confirm") {
            let (path, name) = (path.clone(), line.value().trim().to_owned());
            let shelf = self.shelf.clone();
            self.stage = Stage::Choosing;
            return Took::Acts(Effect::Do(Deed::RenameSession(path, name, shelf)));
        }
        if keys.is(data, "tui.select.cancel") {
            self.stage = Stage::Choosing;
            return Took::Stays;
        }
        if line.key(data, keys) { Took::Stays } else { Took::Nothing }
    }

    fn key_of_delete(&mut self, data: &str, keys: &Keymap) -> Took {
        let Stage::Deleting(path, list) = &mut self.stage else { return Took::Nothing };
        match list.key(data, keys) {
            Picked::Item(1) => {
                let (path, shelf) = (path.clone(), self.shelf.clone());
                self.stage = Stage::Choosing;
                Took::Acts(Effect::Do(Deed::DeleteSession(path, shelf)))
            }
            Picked::Item(_) | Picked::Cancelled => {
                self.stage = Stage::Choosing;
                Took::Stays
            }
            Picked::Moved => Took::Stays,
            Picked::Nothing => Took::Nothing,
        }
    }
}

impl Panel for SessionsPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        self.refresh();
        let look = |empty| ListLook {
            styles: &space.look.styles,
            columns: Columns { least: 20, most: space.width * 7 / 10 },
            empty,
        };
        match &self.stage {
            Stage::Renaming(_, line) => {
                let mut draft = Draft::new(space, "Another name for the session");
                let (text, column) = line.draw(space.width.saturating_sub(4).max(1));
                draft.input(" > ", &text, column);
                return draft.finish(&[("tui.select.confirm", "name it"), ("tui.select.cancel", "back")]);
            }
            Stage::Deleting(_, list) => {
                let what = self.selected().and_then(|info| info.name.clone().or_else(|| info.first_message.clone()));
                let what = what.unwrap_or_else(|| "(no messages)".to_owned());
                let mut draft = Draft::new(space, &format!("Delete this session?\n{what}"));
                draft.list(list, &look(""));
                return draft.finish(&[("tui.select.confirm", "choose"), ("tui.select.cancel", "back")]);
            }
            Stage::Choosing => {}
        }
        let pick = |first: &str, second: &str, is_first: bool| {
            if is_first { format!("◉ {first} | ○ {second}") } else { format!("○ {first} | ◉ {second}") }
        };
        let mut draft = Draft::new(space, "Resume a session");
        draft.dim(&format!(
            "{}   Name: {}   Sort: {}",
            pick("Current Folder", "All", !self.is_all),
            if self.only_named { "Named" } else { "All" },
            self.sort.word()
        ));
        let (text, column) = self.search.draw(space.width.saturating_sub(4).max(1));
        draft.input(" > ", &text, column);
        self.list.set_rows(space.rows.saturating_sub(8).clamp(1, ROWS));
        let empty = if self.search.value().is_empty() { "There are no sessions" } else { "Nothing matches" };
        draft.list(&self.list, &look(empty));
        if !self.note.is_empty() {
            draft.dim(&self.note);
        }
        draft.finish(&[
            ("tui.input.tab", "scope"),
            ("app.session.toggleSort", "sort"),
            ("app.session.toggleNamedFilter", "named"),
            ("app.session.togglePath", "path"),
            ("app.session.rename", "rename"),
            ("app.session.delete", "delete"),
        ])
    }

    fn list(&mut self) -> Option<&mut SelectList> {
        match &mut self.stage {
            Stage::Choosing => Some(&mut self.list),
            Stage::Deleting(_, list) => Some(list),
            Stage::Renaming(..) => None,
        }
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        match &self.stage {
            Stage::Renaming(..) => return self.key_of_rename(data, keys),
            Stage::Deleting(..) => return self.key_of_delete(data, keys),
            Stage::Choosing => self.refresh(),
        }
        self.note.clear();
        let noninvasive = self.search.value().is_empty() && keys.is(data, "app.session.deleteNoninvasive");
        if keys.is(data, "tui.input.tab") {
            self.is_all = !self.is_all;
            return self.again();
        }
        if keys.is(data, "app.session.toggleSort") {
            self.sort = self.sort.next();
            return self.again();
        }
        if keys.is(data, "app.session.toggleNamedFilter") {
            self.only_named = !self.only_named;
            return self.again();
        }
        if keys.is(data, "app.session.togglePath") {
            self.shows_path = !self.shows_path;
            return self.again();
        }
        if keys.is(data, "app.session.rename") {
            if let Some(info) = self.selected() {
                let mut line = LineInput::default();
                line.paste(info.name.as_deref().unwrap_or_default());
                self.stage = Stage::Renaming(info.path.clone(), line);
            }
            return Took::Stays;
        }
        if noninvasive || keys.is(data, "app.session.delete") {
            return self.begin_delete();
        }
        match self.list.key(data, keys) {
            Picked::Item(at) => {
                let path = self.shown.get(at).map(|info| info.path.clone());
                return Took::Closes((self.chosen)(path));
            }
            Picked::Cancelled => return Took::Closes((self.chosen)(None)),
            Picked::Moved => return Took::Stays,
            Picked::Nothing => {}
        }
        if !self.search.key(data, keys) {
            return Took::Nothing;
        }
        self.again()
    }

    fn paste(&mut self, text: &str) {
        match &mut self.stage {
            Stage::Renaming(_, line) => line.paste(text),
            Stage::Deleting(..) => {}
            Stage::Choosing => {
                self.search.paste(text);
                self.again();
            }
        }
    }
}

/// How long ago something was, in one unit.
fn age(ms: i64) -> String {
    let minutes = ms.max(0) / 60_000;
    match minutes {
        0 => "now".to_owned(),
        1..60 => format!("{minutes}m"),
        60..1440 => format!("{}h", minutes / 60),
        1440..43_200 => format!("{}d", minutes / 1440),
        43_200..525_600 => format!("{}mo", minutes / 43_200),
        _ => format!("{}y", minutes / 525_600),
    }
}
