//! A window on a transcript, on the alternate screen: what keys, the mouse and time do with it.

use std::time::{Duration, Instant};

use tau_tui::keymap::Keymap;
use tau_tui::screen::{BlockId, Dock, Features, Full, Line, Overlay, Scroll, Scrollbar, Size, Transcript, Under};
use tau_tui::terminal::input::{Button, Mouse, MouseKind, Wheel};
use tau_view::width::visible_width;

use super::Ways;
use super::find::Find;
use super::pointer::{Clicks, Gesture, Pointed, Turns};
use super::ways::Bar;

/// How long a scrollbar shows that shows only for a moment.
const MOMENT: Duration = Duration::from_secs(1);

/// What scrolls the window.
const ACTIONS: &[(&str, Scroll)] = &[
    ("tui.altScreen.pageUp", Scroll::Pages(-1)),
    ("tui.altScreen.pageDown", Scroll::Pages(1)),
    ("tui.altScreen.lineUp", Scroll::Lines(-1)),
    ("tui.altScreen.lineDown", Scroll::Lines(1)),
    ("tui.altScreen.top", Scroll::Start),
    ("tui.altScreen.bottom", Scroll::End),
    ("tui.altScreen.previousPrompt", Scroll::PreviousPrompt),
    ("tui.altScreen.nextPrompt", Scroll::NextPrompt),
];

/// Begins or continues a search.
pub(super) const SEARCH: &str = "tui.altScreen.search";

/// A window.
pub(crate) struct Window {
    full: Full,
    ways: Ways,
    find: Option<Find>,
    /// Until when the scrollbar shows.
    bar_until: Option<Instant>,
    /// The row of the bar that was taken hold of.
    held: Option<usize>,
    /// The pointer is over the bar.
    is_hovered: bool,
    gesture: Option<Gesture>,
    clicks: Clicks,
    turns: Turns,
    /// What is said for a moment, and until when.
    flash: Option<(String, Instant)>,
    /// How many overlays of others the last frame had.
    theirs: usize,
}

impl Window {
    pub(super) fn new(size: Size, features: Features, ways: Ways) -> Self {
        let mut full = Full::new(size, features);
        full.set_tints(ways.tints.clone());
        Self {
            full,
            ways,
            find: None,
            bar_until: Some(Instant::now() + MOMENT),
            held: None,
            is_hovered: false,
            gesture: None,
            clicks: Clicks::default(),
            turns: Turns::default(),
            flash: None,
            theirs: 0,
        }
    }

    pub(super) fn resize(&mut self, size: Size) {
        self.cancel();
        self.full.resize(size);
    }

    pub(super) fn set_features(&mut self, features: Features) {
        self.full.set_features(features);
    }

    pub(super) fn set_ways(&mut self, ways: Ways) {
        self.full.set_tints(ways.tints.clone());
        self.ways = ways;
    }

    /// Something else wrote on the screen.
    pub(super) fn repaint(&mut self) {
        self.full.repaint();
    }

    /// Takes pictures off the screen, before it is left.
    pub(crate) fn leave(&mut self, out: &mut Vec<u8>) {
        self.full.leave(out);
    }

    pub(super) fn follows(&self) -> bool {
        self.full.follows()
    }

    /// How many columns lines of the transcript have.
    pub(super) fn width(&self) -> usize {
        let bar = usize::from(self.ways.bar != Bar::Hidden);
        self.full.size().columns.saturating_sub(bar).max(1)
    }

    /// How a key scrolls it, if it does.
    pub(crate) fn scroll_of(&self, data: &str, keys: &Keymap) -> Option<Scroll> {
        let half = isize::try_from((self.full.window() / 2).max(1)).unwrap_or(1);
        let halves =
            [("tui.altScreen.halfPageUp", Scroll::Lines(-half)), ("tui.altScreen.halfPageDown", Scroll::Lines(half))];
        ACTIONS.iter().chain(&halves).find(|(action, _)| keys.is(data, action)).map(|(_, scroll)| *scroll)
    }

    /// Moves it.
    pub(crate) fn scroll(&mut self, transcript: &mut Transcript, by: Scroll) {
        self.full.scroll(transcript, by);
        self.bar_until = Some(Instant::now() + MOMENT);
    }

    /// Shows a block at the top.
    pub(crate) fn show(&mut self, transcript: &mut Transcript, block: BlockId) {
        self.full.show(transcript, block);
        self.bar_until = Some(Instant::now() + MOMENT);
    }

    /// Opens the box to search with.
    pub(crate) fn begin_search(&mut self) {
        self.find.get_or_insert_with(Find::default);
    }

    /// Whether keys are for the search.
    pub(crate) fn searches(&self) -> bool {
        self.find.is_some()
    }

    /// Takes a key of the search.
    pub(crate) fn key_of_search(&mut self, transcript: &mut Transcript, data: &str, keys: &Keymap) {
        let Some(find) = &mut self.find else { return };
        if find.key(&mut self.full, transcript, data, keys) {
            self.find = None;
            self.full.search_end();
        }
    }

    /// Takes a paste, if it is for the search.
    pub(crate) fn paste(&mut self, transcript: &mut Transcript, text: &str) -> bool {
        let Some(find) = &mut self.find else { return false };
        find.paste(&mut self.full, transcript, text);
        true
    }

    /// The blocks that the last frame showed.
    pub(super) fn in_view(&self, transcript: &Transcript) -> Vec<BlockId> {
        self.full.in_view(transcript)
    }

    /// What the last frame showed in a place of the screen; nothing where the window itself has something over it.
    pub(crate) fn under(&self, transcript: &Transcript, row: usize, column: usize) -> Option<Under> {
        let under = self.full.under(transcript, row, column);
        let is_own = matches!(under, Under::Overlay { index, .. } if index >= self.theirs);
        (!is_own).then_some(under)
    }

    /// How many lines a turn of the wheel goes, up if negative; nothing if it was none.
    pub(crate) fn turned(&mut self, mouse: &Mouse) -> Option<isize> {
        let is_up = match mouse.kind {
            MouseKind::Wheel(Wheel::Up) => true,
            MouseKind::Wheel(Wheel::Down) => false,
            _ => return None,
        };
        Some(self.turns.step(is_up, mouse.alt, &self.ways, Instant::now()))
    }

    /// Takes what a button of the mouse did, or that the pointer moved.
    pub(crate) fn point(&mut self, transcript: &mut Transcript, mouse: &Mouse) -> Pointed {
        let (at, now) = ((usize::from(mouse.row), usize::from(mouse.column)), Instant::now());
        let under = self.full.under(transcript, at.0, at.1);
        match mouse.kind {
            MouseKind::Move => {
                let is_over = under == Under::Bar;
                let is_other = std::mem::replace(&mut self.is_hovered, is_over) != is_over;
                return if is_other { Pointed::Done } else { Pointed::Nothing };
            }
            // With shift it is the terminal's, where that hands it over at all.
            MouseKind::Press(Button::Left) if !mouse.shift => self.press(transcript, at, under, now),
            MouseKind::Drag(Button::Left) => self.drag(transcript, at, now),
            MouseKind::Release(None | Some(Button::Left)) => return self.release(transcript, at, now),
            MouseKind::Press(_) | MouseKind::Drag(_) | MouseKind::Release(_) | MouseKind::Wheel(_) => {
                return Pointed::Nothing;
            }
        }
        Pointed::Done
    }

    fn press(&mut self, transcript: &mut Transcript, at: (usize, usize), under: Under, now: Instant) {
        self.full.unselect();
        (self.gesture, self.held) = (None, None);
        match under {
            Under::Bar => {
                let thumb = self.full.thumb().unwrap_or_default();
                // Beside the thumb, its middle comes to the pointer.
                let hold = if thumb.contains(&at.0) { at.0 - thumb.start } else { thumb.len() / 2 };
                self.held = Some(hold);
                self.scroll(transcript, Scroll::Bar(at.0.saturating_sub(hold)));
            }
            Under::Latest => self.scroll(transcript, Scroll::End),
            Under::Overlay { index, row, column } if index >= self.theirs => {
                if let Some(find) = self.find.as_mut().filter(|_| index == self.theirs) {
                    find.click(&mut self.full, transcript, row, column);
                }
            }
            under => {
                let unit = self.clicks.pressed(at, now);
                self.full.select(transcript, at.0, at.1, unit);
                self.gesture = Some(Gesture { from: at, under, at, edge: None });
            }
        }
    }

    fn drag(&mut self, transcript: &mut Transcript, at: (usize, usize), now: Instant) {
        if let Some(hold) = self.held {
            return self.scroll(transcript, Scroll::Bar(at.0.saturating_sub(hold)));
        }
        let rows = self.full.window();
        let Some(gesture) = &mut self.gesture else { return };
        // From the dock nothing scrolls.
        gesture.moved(at, rows, now);
        self.full.select_to(transcript, at.0, at.1);
    }

    fn release(&mut self, transcript: &mut Transcript, at: (usize, usize), now: Instant) -> Pointed {
        self.held = None;
        let Some(gesture) = self.gesture.take() else { return Pointed::Done };
        if at != gesture.at || self.full.selects() {
            self.full.select_to(transcript, at.0, at.1);
        }
        if self.full.selects() {
            self.clicks.take(now);
            return match self.full.selected_text(transcript) {
                Some(text) if !text.trim().is_empty() => Pointed::Selected(text),
                _ => {
                    self.full.unselect();
                    Pointed::Done
                }
            };
        }
        self.full.unselect();
        if !self.clicks.is_single() {
            return Pointed::Done;
        }
        if let Some(link) = self.full.link_at(at.0, at.1) {
            return Pointed::Link(link);
        }
        match gesture.under {
            Under::Dock { row, column } => return Pointed::Dock { row, column },
            Under::Block { block, .. } => self.clicks.clicked(block, now),
            _ => {}
        }
        Pointed::Done
    }

    /// The block that was clicked, once it is sure that it was not the beginning of a double click.
    pub(crate) fn clicked(&mut self) -> Option<BlockId> {
        self.clicks.take(Instant::now())
    }

    /// The text that is selected.
    pub(crate) fn selected_text(&mut self, transcript: &mut Transcript) -> Option<String> {
        self.full.selected_text(transcript)
    }

    /// Takes the selection away.
    pub(crate) fn unselect(&mut self) {
        self.full.unselect();
    }

    /// Ends what a button that is held does, because nobody will hear that it is let go.
    pub(crate) fn cancel(&mut self) {
        if self.gesture.take().is_some() {
            self.full.unselect();
        }
        (self.held, self.is_hovered) = (None, false);
        self.clicks.forget();
    }

    /// Says something for a while, without a place of its own.
    pub(crate) fn flash(&mut self, text: String, time: Duration) {
        self.flash = Some((text, Instant::now() + time));
    }

    /// When it changes by itself.
    pub(super) fn changes(&self) -> Option<Instant> {
        let edge = self.gesture.as_ref().and_then(|gesture| gesture.edge).map(|(_, next)| next);
        let bar = self.bar_until.filter(|_| self.ways.bar == Bar::Auto);
        let flash = self.flash.as_ref().map(|(_, until)| *until);
        [edge, bar, flash, self.clicks.due()].into_iter().flatten().min()
    }

    /// Adds a frame to `out`; whether another one should follow.
    pub(super) fn paint(
        &mut self,
        transcript: &mut Transcript,
        dock: &Dock,
        overlays: &[Overlay],
        out: &mut Vec<u8>,
    ) -> bool {
        let now = Instant::now();
        self.pass_time(transcript, now);
        let more = self.find.as_mut().is_some_and(|find| find.go_on(&mut self.full, transcript));
        let size = self.full.size();
        self.full.set_scrollbar(self.scrollbar());
        let mut all = overlays.to_vec();
        self.theirs = overlays.len();
        all.extend(self.find.as_mut().map(|find| find.draw(size, &self.ways)));
        all.extend(self.flash.as_ref().map(|(text, _)| flash_box(text, size, self.find.is_some())));
        self.full.paint(transcript, dock, Some(&self.ways.latest(size)), &all, out);
        more
    }

    fn scrollbar(&self) -> Scrollbar {
        match self.ways.bar {
            Bar::Hidden => Scrollbar::Hidden,
            _ if self.is_hovered || self.held.is_some() => Scrollbar::Hovered,
            Bar::Auto if self.bar_until.is_none() => Scrollbar::Empty,
            Bar::Auto | Bar::Always => Scrollbar::Visible,
        }
    }

    fn pass_time(&mut self, transcript: &mut Transcript, now: Instant) {
        self.bar_until.take_if(|until| *until <= now);
        self.flash.take_if(|(_, until)| *until <= now);
        if let Some(gesture) = &mut self.gesture
            && let Some(lines) = gesture.scrolls(now)
        {
            let (row, column) = gesture.at;
            // What the scrolling before has brought is part of it.
            self.full.select_to(transcript, row, column);
            self.scroll(transcript, Scroll::Lines(lines));
        }
    }
}

/// What is said for a moment, at the top right, under the search.
fn flash_box(text: &str, size: Size, under_search: bool) -> Overlay {
    let line = Line::new(&format!("\x1b[7m {text} \x1b[27m"), size.columns.saturating_sub(2));
    let width = line.width().max(visible_width(text).min(1));
    let row = if under_search { 3 } else { 0 };
    Overlay { lines: vec![line], row, column: size.columns.saturating_sub(width + 1), width, cursor: None }
}
