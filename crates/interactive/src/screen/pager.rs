//! The pager: the whole transcript on the alternate screen.

use tau_tui::editor::typed;
use tau_tui::keymap::Keymap;
use tau_tui::screen::{BlockId, Cursor, Dock, Features, Found, Full, Line, Scroll, Scrollbar, Size, Transcript};
use tau_tui::terminal::Switch;
use tau_tui::terminal::input::{Mouse, MouseKind, Wheel};

use crate::dialogs::LineInput;

/// What is switched on while the pager is open.
pub(super) const SWITCHES: &[Switch] = &[Switch::AlternateScreen, Switch::NoWrap];

/// How many lines are searched in one frame at most.
const SEARCHED: usize = 5_000;
/// How far a step of the wheel goes.
const WHEEL: isize = 3;

/// Begins a search in the pager beside the key of the action, which terminals without extended keys cannot send.
pub(crate) const SEARCH: &str = "ctrl+f";

/// What became of a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Paged {
    /// It is done.
    Done,
    /// The pager is to be closed.
    Closes,
    /// The pager is to be closed, and the key is for the editor.
    Types,
}

/// Where the pager goes when it opens.
const ACTIONS: &[(&str, Scroll)] = &[
    ("tui.altScreen.pageUp", Scroll::Pages(-1)),
    ("tui.altScreen.pageDown", Scroll::Pages(1)),
    ("tui.altScreen.lineUp", Scroll::Lines(-1)),
    ("tui.altScreen.lineDown", Scroll::Lines(1)),
    ("tui.altScreen.top", Scroll::Start),
    ("tui.altScreen.bottom", Scroll::End),
    ("tui.altScreen.previousPrompt", Scroll::PreviousPrompt),
    ("tui.altScreen.nextPrompt", Scroll::NextPrompt),
    ("tui.select.up", Scroll::Lines(-1)),
    ("tui.select.down", Scroll::Lines(1)),
];

/// The key that opens the pager at a place, if it is one.
pub(crate) fn opens(data: &str, keys: &Keymap) -> Option<Scroll> {
    const OPENING: [&str; 3] = ["tui.altScreen.pageUp", "tui.altScreen.top", "tui.altScreen.previousPrompt"];
    let found = ACTIONS.iter().find(|(action, _)| OPENING.contains(action) && keys.is(data, action));
    found.map(|(_, scroll)| *scroll)
}

/// The open pager.
pub(crate) struct Pager {
    full: Full,
    hint: Line,
    search: Option<LineInput>,
    found: Option<Found>,
    is_searching: bool,
    size: Size,
}

impl Pager {
    pub(super) fn new(size: Size, features: Features, hint: Line) -> Self {
        let mut full = Full::new(size, features);
        full.set_scrollbar(Scrollbar::Visible);
        Self { full, hint, search: None, found: None, is_searching: false, size }
    }

    pub(super) fn resize(&mut self, size: Size) {
        self.size = size;
        self.full.resize(size);
    }

    /// Moves it.
    pub(crate) fn scroll(&mut self, transcript: &mut Transcript, by: Scroll) {
        self.full.scroll(transcript, by);
    }

    /// Shows a block at the top.
    pub(crate) fn show(&mut self, transcript: &mut Transcript, block: BlockId) {
        self.full.show(transcript, block);
    }

    /// Opens the line to search with.
    pub(crate) fn begin_search(&mut self) {
        self.search.get_or_insert_with(LineInput::default);
    }

    /// Takes a key.
    pub(crate) fn key(&mut self, transcript: &mut Transcript, data: &str, keys: &Keymap) -> Paged {
        if self.search.is_some() {
            self.key_of_search(transcript, data, keys);
            return Paged::Done;
        }
        if keys.is(data, "tui.altScreen.search") {
            self.begin_search();
            return Paged::Done;
        }
        let half = isize::try_from(self.size.rows / 2).unwrap_or(1);
        for (action, by) in [("tui.altScreen.halfPageUp", -half), ("tui.altScreen.halfPageDown", half)] {
            if keys.is(data, action) {
                self.full.scroll(transcript, Scroll::Lines(by));
                return Paged::Done;
            }
        }
        if let Some((_, scroll)) = ACTIONS.iter().find(|(action, _)| keys.is(data, action)) {
            // Past the end the editor is.
            let leaves = self.full.follows() && matches!(scroll, Scroll::Pages(1) | Scroll::Lines(1) | Scroll::End);
            if leaves {
                return Paged::Closes;
            }
            self.full.scroll(transcript, *scroll);
            return Paged::Done;
        }
        if keys.is(data, "tui.select.cancel") || keys.is(data, "tui.select.confirm") {
            return Paged::Closes;
        }
        if keys.is_key(data, SEARCH) {
            self.begin_search();
            return Paged::Done;
        }
        match typed(data).as_deref() {
            Some("q") => Paged::Closes,
            Some(_) => Paged::Types,
            None => Paged::Done,
        }
    }

    fn key_of_search(&mut self, transcript: &mut Transcript, data: &str, keys: &Keymap) {
        if keys.is(data, "tui.altScreen.searchClose") || keys.is(data, "tui.select.cancel") {
            self.search = None;
            self.found = None;
            self.is_searching = false;
            self.full.search_end();
            return;
        }
        for (action, down) in [("tui.altScreen.searchNext", true), ("tui.altScreen.searchPrevious", false)] {
            if keys.is(data, action) {
                self.found = Some(self.full.search_go(transcript, down));
                return;
            }
        }
        let Some(input) = &mut self.search else { return };
        let before = input.value().to_owned();
        input.key(data, keys);
        if input.value() != before {
            self.full.search(transcript, input.value());
            self.is_searching = true;
        }
    }

    /// Takes the mouse.
    pub(crate) fn mouse(&mut self, transcript: &mut Transcript, mouse: Mouse) {
        let by = if mouse.alt { WHEEL * 5 } else { WHEEL };
        match mouse.kind {
            MouseKind::Wheel(Wheel::Up) => self.full.scroll(transcript, Scroll::Lines(-by)),
            MouseKind::Wheel(Wheel::Down) => self.full.scroll(transcript, Scroll::Lines(by)),
            _ => {}
        }
    }

    /// Adds a frame to `out`; whether another one should follow.
    pub(super) fn paint(&mut self, transcript: &mut Transcript, out: &mut Vec<u8>) -> bool {
        if self.is_searching {
            let found = self.full.search_on(transcript, SEARCHED);
            self.is_searching = !found.complete;
            self.found = Some(found);
        }
        let dock = self.dock();
        let latest = Line::new("\x1b[7m ↓ Jump to latest message ", self.size.columns);
        self.full.paint(transcript, &dock, Some(&latest), &[], out);
        self.is_searching
    }

    fn dock(&self) -> Dock {
        let Some(input) = &self.search else { return Dock::new(vec![self.hint.clone()], None) };
        let count = match self.found {
            _ if input.value().is_empty() => String::new(),
            Some(found) if found.hits == 0 && found.complete => "  No matches".to_owned(),
            Some(found) => format!("  {}/{}", found.current, found.hits),
            None => String::new(),
        };
        const PROMPT: &str = "Find in transcript: ";
        let room = self.size.columns.saturating_sub(PROMPT.len() + count.len()).max(1);
        let (text, column) = input.draw(room);
        let line = Line::new(&format!("{PROMPT}{text}{count}"), self.size.columns);
        Dock::new(vec![line], Some(Cursor { row: 0, column: PROMPT.len() + column, visible: true }))
    }
}
