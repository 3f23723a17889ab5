//! The pager: the whole transcript, or a page of something else, in a window without the editor.

use tau_tui::editor::typed;
use tau_tui::keymap::Keymap;
use tau_tui::screen::{Dock, Line, Overlay, Scroll, Transcript};

use super::window::{SEARCH, Window};

/// Begins a search in the pager beside the key of the action, which terminals without extended keys cannot send.
pub(crate) const SEARCH_KEY: &str = "ctrl+f";

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

/// The key that opens the pager at a place, if it is one.
pub(crate) fn opens(data: &str, keys: &Keymap) -> Option<Scroll> {
    const OPENING: [(&str, Scroll); 3] = [
        ("tui.altScreen.pageUp", Scroll::Pages(-1)),
        ("tui.altScreen.top", Scroll::Start),
        ("tui.altScreen.previousPrompt", Scroll::PreviousPrompt),
    ];
    OPENING.iter().find(|(action, _)| keys.is(data, action)).map(|(_, scroll)| *scroll)
}

/// The open pager.
pub(crate) struct Pager {
    pub(crate) window: Window,
    hint: Line,
}

impl Pager {
    pub(super) fn new(window: Window, hint: Line) -> Self {
        Self { window, hint }
    }

    /// Takes a key.
    pub(crate) fn key(&mut self, transcript: &mut Transcript, data: &str, keys: &Keymap) -> Paged {
        let window = &mut self.window;
        let lines = [("tui.select.up", -1), ("tui.select.down", 1)];
        let line = || lines.iter().find(|(action, _)| keys.is(data, action)).map(|(_, by)| Scroll::Lines(*by));
        let scroll = window.scroll_of(data, keys).or_else(|| line().filter(|_| !window.searches()));
        if let Some(scroll) = scroll {
            // Past the end the editor is.
            let is_past = window.follows() && matches!(scroll, Scroll::Pages(1) | Scroll::Lines(1) | Scroll::End);
            if is_past && !window.searches() {
                return Paged::Closes;
            }
            window.scroll(transcript, scroll);
            return Paged::Done;
        }
        if window.searches() {
            window.key_of_search(transcript, data, keys);
            return Paged::Done;
        }
        if keys.is(data, SEARCH) || keys.is_key(data, SEARCH_KEY) {
            window.begin_search();
            return Paged::Done;
        }
        if keys.is(data, "tui.select.cancel") || keys.is(data, "tui.select.confirm") {
            return Paged::Closes;
        }
        match typed(data).as_deref() {
            Some("q") => Paged::Closes,
            Some(_) => Paged::Types,
            None => Paged::Done,
        }
    }

    /// Adds a frame to `out`; whether another one should follow.
    pub(super) fn paint(&mut self, transcript: &mut Transcript, overlays: &[Overlay], out: &mut Vec<u8>) -> bool {
        self.window.paint(transcript, &Dock::new(vec![self.hint.clone()], None), overlays, out)
    }
}
