//! A part of a block that an extension draws.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tau_hooks::mount::{Drawn, Redraw, RenderAsk, Renders, ResolvesTools};
use tau_hooks::{Failing, Handle, HandlerError, Hooks, InARow, Owner};
use tau_tui::blocks::OwnPart;
use tokio_util::task::TaskTracker;

use super::failing::{Draws, Failures};
use super::images::{DrawnImages, Images};

/// The shortest time between two times that an extension is asked: thirty times a second.
const BETWEEN: Duration = Duration::from_millis(33);
/// How long nothing is shown of what is still to be drawn for the first time.
const PATIENCE: Duration = Duration::from_secs(1);

/// Which part of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The call of a tool.
    Call,
    /// The result of a tool.
    Result,
    /// All of it: a message, an entry.
    Whole,
}

/// What an extension made of a part.
pub(crate) struct Painted {
    /// The block.
    pub(crate) block: Arc<str>,
    /// The part.
    pub(crate) part: Part,
    /// The columns that it is for.
    pub(crate) width: usize,
    /// The lines; none when the extension leaves it to others.
    pub(crate) result: Result<Drawn, HandlerError>,
}

/// Something about a part.
pub(crate) enum Painting {
    /// It was drawn.
    Done(Painted),
    /// The extension says that it looks different now.
    Changed(Arc<str>),
}

/// Hears why a text could not be changed.
pub(crate) type Failed = Arc<dyn Fn(String) + Send + Sync>;

/// Has extensions draw.
#[derive(Clone)]
pub(crate) struct Painter {
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) tell: Arc<dyn Fn(Painting) + Send + Sync>,
    pub(crate) failed: Failed,
    pub(crate) tasks: TaskTracker,
    pub(crate) failures: Failures,
}

impl Painter {
    /// What draws the call and the result of a tool.
    pub(super) fn of_tool(&self, name: &str) -> (Option<Side>, Option<Side>) {
        let registered = self.hooks.tool_renderers(name);
        let mut owner = registered.as_ref().map(|(owner, _)| Arc::clone(owner));
        let mut renderers = registered.map(|(_, renderers)| renderers).unwrap_or_default();
        // The first of them is asked first.
        for (by, handle) in self.hooks.tool_resolvers().into_iter().rev() {
            if let Some(resolver) = handle.get::<Arc<dyn ResolvesTools>>() {
                renderers = resolver.resolve(name, renderers);
                owner.get_or_insert(by);
            }
        }
        let Some(owner) = owner else { return (None, None) };
        let side = |handle: Option<Handle>, draws| self.side(&owner, &handle?, draws, name);
        (side(renderers.call, Draws::Calls), side(renderers.result, Draws::Results))
    }

    /// What draws messages of a kind.
    pub(super) fn of_message(&self, custom_type: &str) -> Option<Side> {
        let (owner, handle) = self.hooks.message_renderer(custom_type)?;
        self.side(&owner, &handle, Draws::Messages, custom_type)
    }

    /// What draws entries of a kind.
    pub(super) fn of_entry(&self, custom_type: &str) -> Option<Side> {
        let (owner, handle) = self.hooks.entry_renderer(custom_type)?;
        self.side(&owner, &handle, Draws::Entries, custom_type)
    }

    fn side(&self, owner: &Arc<Owner>, handle: &Handle, draws: Draws, name: &str) -> Option<Side> {
        let renders = Arc::clone(handle.get::<Arc<dyn Renders>>()?);
        let renderer = self.failures.of(owner, draws, name);
        Some(Side { renderer, ..Side::of(Arc::clone(&owner.path), renders) })
    }
}

/// What one extension draws, and how far it is with that.
pub(super) struct Side {
    pub(super) owner: Arc<str>,
    renders: Arc<dyn Renders>,
    /// The rows that it gave last.
    pub(super) rows: Option<Arc<[OwnPart]>>,
    images: DrawnImages,
    /// The columns that they are for.
    width: usize,
    is_dirty: bool,
    is_busy: bool,
    asked: Option<Instant>,
    /// When it was asked first.
    since: Option<Instant>,
    /// It has been drawn, or that has failed.
    is_answered: bool,
    /// It was asked to draw something that is not all there.
    is_draft: bool,
    /// The failures of this part.
    own: InARow,
    /// Those of its renderer: one for each part that fails in a row, so that one part alone, which is drawn several times,
    /// does not end it for all.
    renderer: InARow,
}

impl Side {
    /// What this draws, in the name of an extension.
    pub(super) fn of(owner: Arc<str>, renders: Arc<dyn Renders>) -> Self {
        Self {
            owner,
            renders,
            rows: None,
            images: DrawnImages::default(),
            width: 0,
            is_dirty: true,
            is_busy: false,
            asked: None,
            since: None,
            is_answered: false,
            is_draft: false,
            own: InARow::default(),
            renderer: InARow::default(),
        }
    }

    /// It looks different now.
    pub(super) fn changed(&mut self) {
        self.is_dirty = true;
    }

    /// Whether nothing is to come of it.
    pub(super) fn is_settled(&self) -> bool {
        (!self.is_dirty && !self.is_busy) || self.is_given_up()
    }

    /// Whether the extension has not said yet what this looks like, and not for long.
    pub(super) fn is_awaited(&self) -> bool {
        !self.is_answered && !self.is_given_up() && self.since.is_none_or(|since| since.elapsed() < PATIENCE)
    }

    /// It looks different for the last time: the extension is asked at once.
    pub(super) fn ends(&mut self) {
        (self.is_dirty, self.asked) = (true, None);
    }

    /// Something else is shown until it is drawn.
    pub(super) fn await_nothing(&mut self) {
        self.is_answered = true;
    }

    fn is_given_up(&self) -> bool {
        self.own.is_over() || self.renderer.is_over()
    }

    /// What is asked for next is not all there. Renderers may fail at that: they expect all arguments of a call, and get
    /// them in the end.
    pub(super) fn draft(&mut self, is_draft: bool) -> &mut Self {
        if !self.is_busy {
            self.is_draft = is_draft;
        }
        self
    }

    /// Asks the extension, if there is something new to draw. The question is made only then.
    pub(super) fn follow(
        &mut self,
        painter: &Painter,
        block: &Arc<str>,
        part: Part,
        width: usize,
        ask: impl FnOnce() -> (Value, Value),
    ) {
        self.is_dirty |= width != self.width;
        let is_soon = self.asked.is_some_and(|asked| asked.elapsed() < BETWEEN);
        if !self.is_dirty || self.is_busy || self.is_given_up() || is_soon {
            return;
        }
        let invalidates = self.width != 0;
        (self.is_dirty, self.is_busy, self.width) = (false, true, width);
        self.asked = Some(Instant::now());
        self.since = self.since.or(self.asked);
        let (what, about) = ask();
        let (tell, changed) = (Arc::clone(&painter.tell), Arc::clone(block));
        let redraw = Redraw(Arc::new(move || tell(Painting::Changed(Arc::clone(&changed)))));
        let ask = RenderAsk { block: Arc::clone(block), what, about, width, invalidates, redraw };
        let (drawn, tell, block) = (self.renders.render(ask), Arc::clone(&painter.tell), Arc::clone(block));
        painter.tasks.spawn(async move {
            let result = drawn.await;
            tell(Painting::Done(Painted { block, part, width, result }));
        });
    }

    /// The extension has answered; its failure, if it is the first of its renderer.
    pub(super) fn painted(
        &mut self,
        width: usize,
        result: Result<Drawn, HandlerError>,
        images: &Images,
    ) -> Option<HandlerError> {
        (self.is_busy, self.is_answered) = (false, true);
        match result {
            Ok(drawn) => {
                self.own.worked();
                // What it makes of a draft says nothing about the whole.
                if !self.is_draft {
                    self.renderer.worked();
                }
                self.rows = drawn.lines.map(|lines| images.of_rows(lines, &mut self.images));
                self.is_dirty |= width != self.width;
                None
            }
            Err(error) => {
                // It looks as it would without the extension.
                self.rows = None;
                if self.is_draft {
                    return None;
                }
                if self.own.failed() != Failing::First {
                    return None;
                }
                match self.renderer.failed() {
                    // The loss of its engine is reported once, for all that it held.
                    Failing::First => (!matches!(error, HandlerError::Lost(_))).then_some(error),
                    Failing::Again => None,
                    Failing::Last => {
                        tracing::warn!(extension = %self.owner, %error, "a renderer is asked no more");
                        None
                    }
                }
            }
        }
    }

    /// Nothing need be kept of a block any more.
    pub(super) fn forget(&self, block: &Arc<str>) {
        self.renders.forget(block);
    }
}
