//! The answer over the screen.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tau_hooks::mount::{Draws, Extent, OverlayOptions, Space, Stage, Wish};

use super::answer::Answer;
use crate::shared::drawing::{between, bold, dim, edge, markdown, wrapped};
use crate::shared::scroll::Scroll;

/// Most lines of the question.
const QUESTION: usize = 3;
/// Rows that are not the answer's: the edges and the line of the cost with the one above.
const FRAME: usize = 4;

/// What there is to show. The one who asks writes it, and the screen reads it.
pub(super) struct Shown {
    question: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    text: String,
    end: Option<Result<Answer, String>>,
    stage: Option<Stage>,
}

impl Shown {
    pub(super) fn new(question: &str) -> Self {
        Self { question: question.to_owned(), state: Mutex::default() }
    }

    /// This is the text so far.
    pub(super) fn grow(&self, text: &str) {
        self.change(|state| text.clone_into(&mut state.text));
    }

    /// This is all.
    pub(super) fn end(&self, end: Result<Answer, String>) {
        self.change(|state| state.end = Some(end));
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let stage = {
            let mut state = self.state.lock();
            change(&mut state);
            state.stage.clone()
        };
        stage.iter().for_each(Stage::redraw);
    }

    /// The lines of the answer, and the last line.
    fn lines(&self, width: usize) -> (Vec<String>, String) {
        let state = self.state.lock();
        match &state.end {
            None if state.text.is_empty() => (vec![dim("Waiting for the answer…")], String::new()),
            None => (markdown(&state.text, width), dim("…")),
            Some(Ok(answer)) => {
                let mut lines = markdown(&answer.text, width);
                for remark in &answer.remarks {
                    if !lines.is_empty() {
                        lines.push(String::new());
                    }
                    lines.extend(wrapped(remark, width).iter().map(|line| dim(line)));
                }
                (lines, dim(&answer.cost))
            }
            Some(Err(why)) => {
                let mut lines = markdown(&state.text, width);
                if !lines.is_empty() {
                    lines.push(String::new());
                }
                lines.extend(wrapped(why, width).iter().map(|line| format!("\x1b[31m{line}\x1b[39m")));
                (lines, String::new())
            }
        }
    }
}

/// The component.
pub(super) struct Pane {
    stage: Stage,
    shown: Arc<Shown>,
    scroll: Scroll,
}

impl Pane {
    pub(super) fn new(stage: Stage, shown: Arc<Shown>) -> Self {
        shown.state.lock().stage = Some(stage.clone());
        Self { stage, shown, scroll: Scroll::default() }
    }

    fn options() -> OverlayOptions {
        let width = Some(Extent::Percent(80.0));
        let max_height = Some(Extent::Percent(80.0));
        OverlayOptions { width, min_width: Some(40), max_height, ..OverlayOptions::default() }
    }
}

impl Draws for Pane {
    fn lines(&mut self, space: Space) -> Vec<String> {
        let inside = space.width.saturating_sub(4).max(1);
        let mut question = wrapped(&self.shown.question, inside);
        if question.len() > QUESTION {
            question.truncate(QUESTION);
            question.extend(Some("…".to_owned()));
        }
        let (answer, last) = self.shown.lines(inside);
        let (_, rows) = Self::options().room(space.columns, space.rows);
        let fit = rows.saturating_sub(FRAME + question.len() + 1).max(1);
        let mut lines: Vec<String> = question.iter().map(|line| bold(line)).collect();
        lines.push(String::new());
        lines.extend(self.scroll.seen(answer, fit));
        lines.extend([String::new(), last]);
        let framed = lines.iter().map(|line| between(line, space.width));
        let above = edge(('╭', '╮'), "btw", space.width);
        [above].into_iter().chain(framed).chain([edge(('╰', '╯'), &self.scroll.hint(), space.width)]).collect()
    }

    fn input(&mut self, key: &str) {
        if self.scroll.closes(key) {
            self.stage.wish(Wish::Done(Value::Null));
        }
    }

    fn size(&mut self, _: Space) -> Option<OverlayOptions> {
        Some(Self::options())
    }

    fn dispose(&mut self) {
        self.shown.state.lock().stage = None;
    }
}
