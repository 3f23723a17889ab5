//! The terminal and what is on it: when a frame is painted, and on which of the two screens.

mod find;
mod modes;
mod pager;
mod pointer;
#[cfg(test)]
mod tests;
mod ways;
mod window;

use std::time::{Duration, Instant};

use tau_tui::screen::{
    BlockId, Dock, Features, Line, Overlay, Position, Reflow, Regular, Resized, Scroll, Size, Start, Transcript, Under,
};
use tau_tui::terminal::input::Mouse;
use tau_tui::terminal::{Answers, Question, Size as TerminalSize, Switch, Terminal};

pub(crate) use modes::{ExitOutput, Refused};
pub(crate) use pager::{Paged, Pager, SEARCH_KEY, opens};
pub(crate) use pointer::Pointed;
pub(crate) use ways::{Bar, Mode, MouseUse, Ways};
pub(crate) use window::Window;

/// The shortest time from one frame to the next, unless a key was typed.
const FRAME: Duration = Duration::from_millis(16);

/// How long after a frame the terminal may not have taken it yet, so that a new size counts for it.
const LATE: Duration = Duration::from_millis(500);

/// When the next frame is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// Nothing has changed.
    Never,
    /// When the time from one frame to the next is over.
    Soon,
    /// At once.
    Now,
}

/// The terminal, and the painters for its two screens.
///
/// On the main screen paints [`Regular`]. The alternate screen is shown while there is a [`Window`]: always in full-screen
/// mode, and in regular mode as long as overlays are visible; or while the pager is open, which has a window of its own.
/// What is finished meanwhile waits, and is written to the main screen when that is there again.
///
/// # Overlays
///
/// [`Screen::paint`] takes the overlays of each frame, the last one on top; one may have the cursor. For what the mouse
/// does, [`Screen::under`] says what the last frame showed in that place: an overlay by its index, a line of the dock, or a
/// line of a block. Who has something there takes the event first; what nobody takes goes to [`Screen::turned`] or
/// [`Screen::point`].
pub(crate) struct Screen {
    pub(crate) terminal: Terminal,
    pub(crate) transcript: Transcript,
    regular: Regular,
    mode: Mode,
    ways: Ways,
    window: Option<Window>,
    pager: Option<Pager>,
    /// What is switched on for the alternate screen.
    switched: Vec<Switch>,
    /// What the pager shows in place of the transcript.
    page: Option<Transcript>,
    due: Due,
    painted: Instant,
    /// When a frame with final lines was painted last.
    committed: Option<Instant>,
    /// The terminal was asked where its cursor is.
    asked_cursor: bool,
    /// More frames follow without anything changing.
    more: bool,
    /// Another program has the main screen.
    is_left: bool,
    out: Vec<u8>,
}

pub(crate) fn size_of(size: TerminalSize) -> Size {
    Size::new(size.columns.into(), size.rows.into())
}

/// What answers say about how frames may look.
fn features(answers: &Answers, marks: bool, reflow: Reflow) -> Features {
    Features { synchronized: answers.synchronized == Some(true), reflow, marks }
}

impl Screen {
    pub(crate) fn new(terminal: Terminal, marks: bool, reflow: Reflow) -> Self {
        let size = size_of(terminal.size());
        let features = features(terminal.answers(), marks, reflow);
        Self {
            terminal,
            transcript: Transcript::new(),
            regular: Regular::new(size, features, Start::Cursor),
            mode: Mode::Regular,
            ways: Ways::default(),
            window: None,
            pager: None,
            switched: Vec::new(),
            page: None,
            due: Due::Now,
            painted: Instant::now() - FRAME,
            committed: None,
            asked_cursor: false,
            more: false,
            is_left: false,
            out: Vec::new(),
        }
    }

    pub(crate) fn size(&self) -> Size {
        size_of(self.terminal.size())
    }

    /// Something has changed.
    pub(crate) fn changed(&mut self) {
        self.due = self.due.max(Due::Soon);
    }

    /// A key changed something.
    pub(crate) fn changed_by_key(&mut self) {
        self.due = Due::Now;
    }

    /// When the next frame is due; none while nothing has changed, the terminal has not taken the last one, or its size
    /// changes.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        if !self.terminal.writer().is_ready() || self.terminal.size_settles() {
            return None;
        }
        let due = match self.due {
            Due::Never if self.more => Some(self.painted),
            Due::Never => None,
            Due::Soon => Some(self.painted + FRAME),
            Due::Now => Some(self.painted),
        };
        due.into_iter().chain(self.changes()).min()
    }

    /// When what is on the screen changes by itself.
    fn changes(&self) -> Option<Instant> {
        if self.is_left {
            return None;
        }
        let shown = self.pager.as_ref().map(|pager| &pager.window).or(self.window.as_ref())?;
        // A frame that changes nothing has been painted by then.
        shown.changes().map(|at| at.max(self.painted + FRAME))
    }

    /// Whether another frame is wanted that needs nothing but the terminal. If it has no deadline, it waits for the terminal
    /// to take the last one, which may have happened since the deadline was asked for.
    pub(crate) fn wants_frame(&self) -> bool {
        // What changes by itself later has its deadline only when the terminal has taken what was painted before.
        (self.due != Due::Never || self.more || self.changes().is_some()) && !self.terminal.size_settles()
    }

    /// Paints a frame with these overlays over it, if the terminal takes one and stays as large as it is.
    pub(crate) fn paint(&mut self, dock: &Dock, overlays: &[Overlay]) {
        if !self.terminal.writer().is_ready() || self.terminal.is_changing_size() {
            return;
        }
        self.show_window(self.mode == Mode::Full || !overlays.is_empty());
        (self.due, self.painted) = (Due::Never, Instant::now());
        self.out.clear();
        self.more = match (&mut self.pager, &mut self.window) {
            (Some(pager), _) => {
                pager.paint(self.page.as_mut().unwrap_or(&mut self.transcript), overlays, &mut self.out)
            }
            (None, Some(window)) => window.paint(&mut self.transcript, dock, overlays, &mut self.out),
            (None, None) => {
                let before = self.regular.committed();
                let more = self.regular.paint(&mut self.transcript, dock, &mut self.out);
                if self.regular.committed() != before {
                    self.committed = Some(self.painted);
                }
                more
            }
        };
        if !self.out.is_empty() {
            self.terminal.writer().commit(std::mem::take(&mut self.out));
            self.terminal.set_below(down(self.regular.rows_below()));
        }
    }

    /// Takes what the terminal has answered.
    pub(crate) fn answered(&mut self) {
        if std::mem::take(&mut self.asked_cursor) {
            // It does not tell where its cursor is.
            self.settle(None);
        }
        let before = self.regular.features();
        let features = features(self.terminal.answers(), before.marks, before.reflow);
        self.regular.set_features(features);
        for window in self.windows() {
            window.set_features(features);
        }
        self.changed();
    }

    /// Takes a report of where the cursor is.
    pub(crate) fn cursor_is(&mut self, row: u16, column: u16) {
        self.asked_cursor = false;
        self.settle(Some(Position { row: row.into(), column: column.into() }));
    }

    fn settle(&mut self, cursor: Option<Position>) {
        self.regular.settle(cursor);
        self.changed_by_key();
    }

    /// Takes a new size, or that it changed and changed back.
    pub(crate) fn resized(&mut self, size: TerminalSize) {
        let size = size_of(size);
        if !self.terminal.writer().is_ready() {
            self.regular.distrust();
        }
        if self.committed.is_some_and(|at| at.elapsed() <= LATE) {
            self.regular.repeat(size);
        }
        for window in self.windows() {
            window.resize(size);
        }
        let is_alternate = self.is_alternate();
        let resized = if size == self.regular.size() { self.regular.disturb() } else { self.regular.resize(size) };
        match resized {
            Resized::Nothing if !is_alternate => {}
            Resized::Nothing | Resized::Paint => self.changed_by_key(),
            // The alternate screen has a cursor of its own: the question is asked when the main screen is there again.
            Resized::Settle if is_alternate => self.changed_by_key(),
            Resized::Settle => self.ask_cursor(),
        }
    }

    fn ask_cursor(&mut self) {
        self.asked_cursor = true;
        self.terminal.cursor_reports().expect();
        self.terminal.ask(&[Question::Cursor]);
    }

    /// What is open on the alternate screen: the pager, or the window.
    fn shown(&mut self) -> Option<(&mut Window, &mut Transcript)> {
        match (&mut self.pager, &mut self.window) {
            (Some(pager), _) => Some((&mut pager.window, self.page.as_mut().unwrap_or(&mut self.transcript))),
            (None, Some(window)) => Some((window, &mut self.transcript)),
            (None, None) => None,
        }
    }

    /// Whether the pager is open.
    pub(crate) fn has_pager(&self) -> bool {
        self.pager.is_some()
    }

    /// The window, when it is what is shown.
    pub(crate) fn window(&mut self) -> Option<(&mut Window, &mut Transcript)> {
        match (&self.pager, &mut self.window) {
            (None, Some(window)) => Some((window, &mut self.transcript)),
            _ => None,
        }
    }

    /// The pager, when it is open.
    pub(crate) fn pager(&mut self) -> Option<(&mut Pager, &mut Transcript)> {
        self.pager.as_mut().map(|pager| (pager, self.page.as_mut().unwrap_or(&mut self.transcript)))
    }

    /// How many columns lines of the transcript have.
    pub(crate) fn width(&self) -> usize {
        match (&self.window, self.mode) {
            (Some(window), Mode::Full) => window.width(),
            _ => self.size().columns,
        }
    }

    /// The blocks of the conversation that the last frame showed on the alternate screen.
    pub(crate) fn in_view(&self) -> Vec<BlockId> {
        let window = match (&self.pager, &self.page) {
            (Some(pager), None) => Some(&pager.window),
            (Some(_), Some(_)) => None,
            (None, _) => self.window.as_ref(),
        };
        window.map(|window| window.in_view(&self.transcript)).unwrap_or_default()
    }

    /// What the last frame showed under the mouse; nothing on the main screen, and where the window has something of its own.
    pub(crate) fn under(&mut self, mouse: &Mouse) -> Option<Under> {
        let (window, transcript) = self.shown()?;
        window.under(transcript, mouse.row.into(), mouse.column.into())
    }

    /// How many lines a turn of the wheel goes, up if negative; nothing if it was none.
    pub(crate) fn turned(&mut self, mouse: &Mouse) -> Option<isize> {
        self.shown()?.0.turned(mouse)
    }

    /// Scrolls what is shown on the alternate screen.
    pub(crate) fn scroll(&mut self, by: Scroll) {
        if let Some((window, transcript)) = self.shown() {
            window.scroll(transcript, by);
        }
    }

    /// Takes what a button of the mouse did, or that the pointer moved.
    pub(crate) fn point(&mut self, mouse: &Mouse) -> Pointed {
        match self.shown() {
            Some((window, transcript)) => window.point(transcript, mouse),
            None => Pointed::Nothing,
        }
    }

    /// What of the mouse is taken now.
    pub(crate) fn mouse(&self) -> MouseUse {
        let is_possible = self.is_alternate() || self.mode == Mode::Full;
        if is_possible { self.ways.mouse_in(self.mode) } else { MouseUse::Off }
    }

    /// The block of the transcript that was clicked, once it is sure that it was clicked once.
    pub(crate) fn clicked(&mut self) -> Option<BlockId> {
        let is_page = self.page.is_some();
        let (window, _) = self.shown()?;
        window.clicked().filter(|_| !is_page)
    }

    /// Says something for a while over the window.
    pub(crate) fn flash(&mut self, text: String, time: Duration) {
        if let Some((window, _)) = self.shown() {
            window.flash(text, time);
            self.changed();
        }
    }

    /// The text that is selected on the alternate screen.
    pub(crate) fn selected_text(&mut self) -> Option<String> {
        let (window, transcript) = self.shown()?;
        window.selected_text(transcript)
    }

    /// Takes the selection away, if there is one.
    pub(crate) fn unselect(&mut self) {
        if let Some((window, _)) = self.shown() {
            window.unselect();
        }
    }

    /// Whether keys are for a search.
    pub(crate) fn searches(&self) -> bool {
        let shown = self.pager.as_ref().map(|pager| &pager.window).or(self.window.as_ref());
        shown.is_some_and(Window::searches)
    }

    /// Takes a paste, if it is for a search.
    pub(crate) fn paste_into_search(&mut self, text: &str) -> bool {
        self.shown().is_some_and(|(window, transcript)| window.paste(transcript, text))
    }

    /// The terminal lost the focus: nobody will hear that a button is let go.
    pub(crate) fn lost_focus(&mut self) {
        for window in self.windows() {
            window.cancel();
        }
    }

    /// Opens the pager on something else than the transcript.
    pub(crate) fn open_page(&mut self, page: Transcript, hint: Line) {
        self.close_pager();
        self.page = Some(page);
        let (pager, page) = self.open_pager(hint);
        pager.window.scroll(page, Scroll::Start);
    }

    /// Opens the pager.
    pub(crate) fn open_pager(&mut self, hint: Line) -> (&mut Pager, &mut Transcript) {
        let (size, features, ways) = (self.size(), self.regular.features(), self.ways.clone());
        if self.pager.is_none() {
            self.switch(true);
        }
        self.due = Due::Now;
        let pager = self.pager.get_or_insert_with(|| Pager::new(Window::new(size, features, ways), hint));
        (pager, self.page.as_mut().unwrap_or(&mut self.transcript))
    }

    /// Closes the pager.
    pub(crate) fn close_pager(&mut self) {
        let Some(mut pager) = self.pager.take() else { return };
        let mut out = Vec::new();
        pager.window.leave(&mut out);
        if !out.is_empty() {
            self.terminal.writer().commit(out);
        }
        self.page = None;
        self.due = Due::Now;
        match &mut self.window {
            // It is on the same screen.
            Some(window) => window.repaint(),
            None => self.show_main(),
        }
    }
}

/// What goes down so many rows, to the start of a line of its own.
fn down(rows: usize) -> String {
    format!("{}\r\n", "\n".repeat(rows))
}
