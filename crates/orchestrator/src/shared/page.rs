//! A text of a command over the screen, in a frame.

use serde_json::Value;
use tau_hooks::mount::{Draws, Extent, OverlayOptions, Space, Stage, Wish, mount};
use tau_hooks::{Ctx, HandlerError};

use super::drawing::{between, edge, markdown, wrapped};
use super::scroll::Scroll;

/// Rows that are not the text's: the edges.
const FRAME: usize = 2;

/// A text to be shown.
#[derive(Debug, Clone)]
pub(crate) enum Text {
    /// As it is.
    Plain(String),
    /// Markdown.
    Markdown(String),
}

impl Text {
    /// What is written.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Markdown(text) => text,
        }
    }
}

/// Shows a text over the screen until the user closes it.
pub(crate) async fn open(ctx: &Ctx, title: &'static str, text: Text) -> Result<(), HandlerError> {
    let make = move |stage| Page { stage, title, text: text.clone(), scroll: Scroll::default() };
    ctx.ui().custom(mount(make), true).await.map(drop)
}

/// The component.
struct Page {
    stage: Stage,
    title: &'static str,
    text: Text,
    scroll: Scroll,
}

fn options() -> OverlayOptions {
    let (width, max_height) = (Some(Extent::Percent(80.0)), Some(Extent::Percent(80.0)));
    OverlayOptions { width, min_width: Some(40), max_height, ..OverlayOptions::default() }
}

impl Draws for Page {
    fn lines(&mut self, space: Space) -> Vec<String> {
        let inside = space.width.saturating_sub(4).max(1);
        let lines = match &self.text {
            Text::Plain(text) => wrapped(text, inside),
            Text::Markdown(text) => markdown(text, inside),
        };
        let (_, rows) = options().room(space.columns, space.rows);
        let seen = self.scroll.seen(lines, rows.saturating_sub(FRAME).max(1));
        let framed: Vec<String> = seen.map(|line| between(&line, space.width)).collect();
        let above = edge(('╭', '╮'), self.title, space.width);
        let below = edge(('╰', '╯'), &self.scroll.hint(), space.width);
        [above].into_iter().chain(framed).chain([below]).collect()
    }

    fn input(&mut self, key: &str) {
        if self.scroll.closes(key) {
            self.stage.wish(Wish::Done(Value::Null));
        }
    }

    fn size(&mut self, _: Space) -> Option<OverlayOptions> {
        Some(options())
    }
}
