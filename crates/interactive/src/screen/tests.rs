//! The two screens, on a terminal.

use std::io::Read as _;
use std::num::NonZeroU16;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tau_sys::pty::Pty;
use tau_tui::screen::{Block, Cursor, Dock, Line, Overlay, Text, Under};
use tau_tui::terminal::input::{Button, Mouse, MouseKind, Timing};
use tau_tui::terminal::{Answers, Options, Terminal};

use super::*;

/// A screen, and what a terminal shows of it.
struct Seat {
    screen: Screen,
    pty: Pty,
    shown: vt100::Parser,
    bytes: Vec<u8>,
}

fn count(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a size")
}

impl Seat {
    fn new() -> Self {
        let pty = Pty::open().expect("a terminal");
        pty.resize(50, 12).expect("its size");
        let theirs = pty.theirs().expect("its other end");
        let variable: tau_tui::terminal::Variable = Arc::new(|_: &str| None);
        let options =
            Options { wanted: Default::default(), timing: Timing::default(), known: Answers::default(), variable };
        let terminal = Terminal::take(&theirs, &theirs, options).expect("taken");
        let mut screen = Screen::new(terminal, false, Reflow::Unknown);
        screen.set_ways(Ways { mouse: Some(MouseUse::All), ..Ways::default() });
        Self { screen, pty, shown: vt100::Parser::new(count(12), count(50), 100), bytes: Vec::new() }
    }

    fn says(&mut self, text: &str) {
        self.screen.transcript.push(Block::finished(Text::new(text)));
    }

    async fn paint(&mut self, overlays: &[Overlay]) -> String {
        let dock = Dock::new(vec![Line::new("> ", 50)], Some(Cursor { row: 0, column: 2, visible: true }));
        // A frame is only painted when the terminal has taken what came before.
        self.screen.terminal.writer().ready().await.expect("it reads");
        self.screen.paint(&dock, overlays);
        self.read().await
    }

    async fn read(&mut self) -> String {
        self.screen.terminal.writer().ready().await.expect("it reads");
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut buffer = [0; 4096];
        while poll(&mut [PollFd::new(self.pty.ours(), PollFlags::IN)], Some(&now)).expect("it can be waited for") > 0 {
            let count = self.pty.ours().read(&mut buffer).expect("shown");
            self.shown.process(&buffer[..count]);
            self.bytes.extend_from_slice(&buffer[..count]);
        }
        self.shown.screen().contents()
    }

    fn is_alternate(&self) -> bool {
        self.shown.screen().alternate_screen()
    }
}

fn overlay(text: &str, row: usize) -> Overlay {
    let cursor = Some(Cursor { row: 0, column: 1, visible: true });
    Overlay { lines: vec![Line::new(text, 20)], row, column: 10, width: 12, cursor }
}

fn note(count: usize, width: usize) -> Line {
    Line::new(&format!("{count} left out"), width)
}

fn at(row: u16, column: u16) -> Mouse {
    let kind = MouseKind::Press(Button::Left);
    Mouse { kind, column, row, shift: false, alt: false, ctrl: false }
}

#[tokio::test]
async fn in_regular_mode_overlays_are_on_the_alternate_screen_and_what_is_final_waits() {
    let mut seat = Seat::new();
    seat.says("before");
    assert!(seat.paint(&[]).await.contains("before") && !seat.is_alternate());
    assert_eq!(seat.screen.under(&at(0, 0)), None);
    let shown = seat.paint(&[overlay("an overlay", 2)]).await;
    assert!(seat.is_alternate() && shown.contains("before") && shown.contains("an overlay"), "{shown}");
    assert!(shown.ends_with('>'), "the dock is there: {shown}");
    assert_eq!(seat.shown.screen().cursor_position(), (2, 11));
    assert_eq!(seat.screen.under(&at(2, 12)), Some(Under::Overlay { index: 0, row: 0, column: 2 }));
    assert_eq!(seat.screen.under(&at(11, 1)), Some(Under::Dock { row: 0, column: 1 }));
    assert!(matches!(seat.screen.under(&at(0, 3)), Some(Under::Block { line: 0, column: 3, .. })));
    seat.says("meanwhile");
    let committed = seat.screen.regular.committed();
    let shown = seat.paint(&[overlay("the lower", 2), overlay("another", 3)]).await;
    assert!(shown.contains("meanwhile") && shown.contains("the lower") && shown.contains("another"), "{shown}");
    assert_eq!(seat.screen.regular.committed(), committed);
    let shown = seat.paint(&[]).await;
    assert!(!seat.is_alternate() && shown.contains("before\nmeanwhile"), "{shown}");
    assert_eq!(seat.shown.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    assert!(!seat.shown.screen().hide_cursor());
}

#[tokio::test]
async fn a_change_of_the_mode_keeps_overlays_and_everything_that_was_said() {
    let mut seat = Seat::new();
    for line in 0..300 {
        seat.says(&format!("line {line}"));
    }
    seat.screen.set_mode(Mode::Full, note).expect("changed");
    let shown = seat.paint(&[overlay("an overlay", 2)]).await;
    assert!(seat.is_alternate() && shown.contains("line 299") && shown.contains("an overlay"), "{shown}");
    seat.screen.set_mode(Mode::Regular, note).expect("changed");
    let shown = seat.paint(&[overlay("an overlay", 2)]).await;
    assert!(seat.is_alternate() && shown.contains("an overlay"), "{shown}");
    let mut shown = seat.paint(&[]).await;
    while seat.screen.wants_frame() {
        shown = seat.paint(&[]).await;
    }
    assert!(!seat.is_alternate() && shown.contains("line 299"), "{shown}");
    let written = String::from_utf8_lossy(&seat.bytes).into_owned();
    assert!(written.contains("100 left out") && written.matches("line 100\r").count() <= 2, "{written:?}");
}

#[tokio::test]
async fn while_another_program_has_the_terminal_the_mode_stays() {
    let mut seat = Seat::new();
    seat.paint(&[]).await;
    seat.screen.leave();
    assert_eq!(seat.screen.set_mode(Mode::Full, note), Err(Refused::Lent));
    seat.screen.begin_again();
    assert_eq!(seat.screen.set_mode(Mode::Full, note), Ok(()));
    seat.paint(&[]).await;
    assert!(seat.is_alternate());
}

#[tokio::test]
async fn after_another_program_the_window_is_where_it_was() {
    let mut seat = Seat::new();
    seat.screen.set_mode(Mode::Full, note).expect("changed");
    (0..50).for_each(|line| seat.says(&format!("line {line}")));
    seat.paint(&[]).await;
    seat.screen.scroll(Scroll::Lines(-20));
    let before = seat.paint(&[]).await;
    assert!(before.contains("line 25") && !before.contains("line 49"), "{before}");
    seat.screen.leave();
    seat.shown.process(b"\x1b[2J\x1b[Hscribble");
    seat.screen.begin_again();
    assert_eq!(seat.paint(&[]).await, before);
}

#[tokio::test]
async fn the_end_leaves_the_last_lines_or_nothing() {
    for (output, leaves) in [(ExitOutput::Transcript, true), (ExitOutput::Nothing, false)] {
        let mut seat = Seat::new();
        seat.screen.set_mode(Mode::Full, note).expect("changed");
        (0..5).for_each(|line| seat.says(&format!("line {line}")));
        seat.paint(&[]).await;
        seat.screen.finish(output, note);
        let shown = seat.read().await;
        assert!(!seat.is_alternate());
        assert_eq!((shown.contains("line 4"), shown.contains('>')), (leaves, false), "{shown}");
    }
}
