//! The terminal and what is on it: when a frame is painted, and on which of the two screens.

mod pager;

use std::time::{Duration, Instant};

use tau_tui::screen::{Dock, Features, Line, Position, Reflow, Regular, Resized, Scroll, Size, Start, Transcript};
use tau_tui::terminal::{Answers, Question, Size as TerminalSize, Terminal};

pub(crate) use pager::{Paged, Pager, SEARCH, opens};

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

/// The terminal, and the two painters for it.
pub(crate) struct Screen {
    pub(crate) terminal: Terminal,
    pub(crate) transcript: Transcript,
    regular: Regular,
    pager: Option<Pager>,
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
    pub(crate) fn new(terminal: Terminal, marks: bool) -> Self {
        let size = size_of(terminal.size());
        let features = features(terminal.answers(), marks, Reflow::Unknown);
        Self {
            terminal,
            transcript: Transcript::new(),
            regular: Regular::new(size, features, Start::Cursor),
            pager: None,
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
        match self.due {
            Due::Never if self.more => Some(self.painted),
            Due::Never => None,
            Due::Soon => Some(self.painted + FRAME),
            Due::Now => Some(self.painted),
        }
    }

    /// Whether another frame is wanted that needs nothing but the terminal. If it has no deadline, it waits for the terminal
    /// to take the last one, which may have happened since the deadline was asked for.
    pub(crate) fn wants_frame(&self) -> bool {
        (self.due != Due::Never || self.more) && !self.terminal.size_settles()
    }

    /// Paints a frame, if the terminal takes one and stays as large as it is.
    pub(crate) fn paint(&mut self, dock: &Dock) {
        if !self.terminal.writer().is_ready() || self.terminal.is_changing_size() {
            return;
        }
        (self.due, self.painted) = (Due::Never, Instant::now());
        self.out.clear();
        self.more = match &mut self.pager {
            Some(pager) => pager.paint(self.page.as_mut().unwrap_or(&mut self.transcript), &mut self.out),
            None => {
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
        self.regular.set_features(features(self.terminal.answers(), before.marks, before.reflow));
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
        if let Some(pager) = &mut self.pager {
            pager.resize(size);
        }
        let resized = if size == self.regular.size() { self.regular.disturb() } else { self.regular.resize(size) };
        match resized {
            Resized::Nothing if self.pager.is_none() => {}
            Resized::Nothing | Resized::Paint => self.changed_by_key(),
            // The alternate screen has a cursor of its own: the question is asked when the main screen is there again.
            Resized::Settle if self.pager.is_some() => self.changed_by_key(),
            Resized::Settle => self.ask_cursor(),
        }
    }

    fn ask_cursor(&mut self) {
        self.asked_cursor = true;
        self.terminal.cursor_reports().expect();
        self.terminal.ask(&[Question::Cursor]);
    }

    /// The screen was someone else's, who left the cursor in a line of its own or behind something.
    pub(crate) fn begin_again(&mut self) {
        self.is_left = false;
        self.regular.begin_at(Start::Cursor);
        self.changed_by_key();
    }

    /// Takes what is not final off the main screen, so that another program can write below what is.
    pub(crate) fn leave(&mut self) {
        self.close_pager();
        self.is_left = true;
        self.out.clear();
        self.regular.leave(Start::Cursor, &mut self.out);
        self.terminal.writer().commit(std::mem::take(&mut self.out));
    }

    /// Writes everything that is final, and leaves the screen to the shell. For the end of the program.
    pub(crate) fn finish(&mut self) {
        self.close_pager();
        if self.is_left {
            self.begin_again();
        }
        let nothing = Dock::default();
        let mut out = Vec::new();
        while self.regular.paint(&mut self.transcript, &nothing, &mut out) {}
        self.regular.leave(Start::Cursor, &mut out);
        self.terminal.writer().commit(out);
    }

    /// Whether the pager is open.
    pub(crate) fn pager(&mut self) -> Option<(&mut Pager, &mut Transcript)> {
        self.pager.as_mut().map(|pager| (pager, self.page.as_mut().unwrap_or(&mut self.transcript)))
    }

    /// Opens the pager on something else than the transcript.
    pub(crate) fn open_page(&mut self, page: Transcript, hint: Line) {
        self.close_pager();
        self.page = Some(page);
        let (pager, page) = self.open_pager(hint);
        pager.scroll(page, Scroll::Start);
    }

    /// Opens the pager.
    pub(crate) fn open_pager(&mut self, hint: Line) -> (&mut Pager, &mut Transcript) {
        let size = self.size();
        if self.pager.is_none() {
            for switch in pager::SWITCHES {
                self.terminal.switch_on(*switch);
            }
        }
        self.due = Due::Now;
        let features = self.regular.features();
        let shown = self.page.as_mut().unwrap_or(&mut self.transcript);
        (self.pager.get_or_insert_with(|| Pager::new(size, features, hint)), shown)
    }

    /// Closes the pager.
    pub(crate) fn close_pager(&mut self) {
        if self.pager.take().is_none() {
            return;
        }
        self.page = None;
        for switch in pager::SWITCHES.iter().rev() {
            self.terminal.switch_off(*switch);
        }
        self.due = Due::Now;
        // The main screen may have another size than the rows on it were painted for.
        if let Resized::Settle = self.regular.resize(self.size()) {
            self.ask_cursor();
        }
    }
}

/// What goes down so many rows, to the start of a line of its own.
fn down(rows: usize) -> String {
    format!("{}\r\n", "\n".repeat(rows))
}
