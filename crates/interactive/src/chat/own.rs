//! Messages and entries that extensions draw.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tau_hooks::MarkdownKind;
use tau_tui::blocks::{Own, OwnPart};
use tau_tui::look::SharedLook;
use tau_tui::picture::Image;
use tau_tui::screen::{Block, BlockId, Content, Transcript};

use super::Chat;
use super::drawn::Drawn;
use super::history::Origin;
use super::images::{Images, images_of};
use super::side::{Painter, Part, Side};

/// How long a block waits for its extension before it is final without it. A call of an extension ends long before, so
/// this is for one that never gets its turn.
pub(super) const LONGEST: Duration = Duration::from_secs(10);

/// Draws a text.
type Draw = Box<dyn Fn(&str) -> Box<dyn Content> + Send>;

/// What is shown when the extension draws nothing.
type Otherwise = Box<dyn Fn() -> Option<Box<dyn Content>> + Send>;

/// A block that an extension draws as a whole.
pub(super) struct OwnBlock {
    key: Arc<str>,
    pub(super) block: BlockId,
    side: Side,
    look: SharedLook,
    what: Value,
    /// What it was asked to draw last, and what the rows are of.
    asked_of: Value,
    drawn_of: Value,
    expanded: bool,
    since: Instant,
    /// It is not in the scrollback yet.
    is_open: bool,
    /// More of it is to come.
    is_growing: bool,
    shows: Shows,
    /// The entry that it is of, where that is known.
    origin: Option<Origin>,
    otherwise: Otherwise,
}

/// What the extension gives.
pub(super) enum Shows {
    /// Rows, which are shown as they are.
    Rows,
    /// Markdown of a kind, which tau draws.
    Markdown(MarkdownKind, Draw),
}

/// The text that the parts are, where they are to be one.
fn text_of(parts: &[OwnPart]) -> String {
    let rows = parts.iter().filter_map(|part| if let OwnPart::Row(row) = part { Some(&**row) } else { None });
    rows.collect::<Vec<_>>().join("\n")
}

impl OwnBlock {
    fn content(&self) -> Option<Box<dyn Content>> {
        if let Shows::Markdown(_, draw) = &self.shows {
            // A text that is final is whole, also when the extension has not changed its end.
            let is_stale = !self.is_open && self.drawn_of != self.what;
            let changed = self.side.rows.as_ref().filter(|_| !is_stale).map(|parts| text_of(parts));
            return Some(draw(changed.as_deref().or(self.what.as_str()).unwrap_or_default()));
        }
        let Some(parts) = &self.side.rows else { return (self.otherwise)() };
        Some(Box::new(Own::new(self.look.clone(), Arc::clone(parts))))
    }

    /// Asks the extension, if there is something new to draw.
    fn ask(&mut self, painter: &Painter, width: usize) {
        let (what, expanded, is_growing) = (&self.what, self.expanded, self.is_growing);
        let about = match &self.shows {
            Shows::Rows => json!({ "expanded": expanded, "outputPad": 1 }),
            Shows::Markdown(kind, _) => {
                let free = width.saturating_sub(2 * self.look.get().padding).max(1);
                let mut about = json!({ "messageType": kind, "isStreaming": is_growing, "availableWidth": free });
                if let Some(Origin { id, timestamp }) = &self.origin {
                    (about["messageId"], about["timestamp"]) = (id.as_str().into(), timestamp.as_str().into());
                }
                about
            }
        };
        let mut asked = None;
        self.side.follow(painter, &self.key, Part::Whole, width, || {
            asked = Some(what.clone());
            (what.clone(), about)
        });
        if let Some(asked) = asked {
            self.asked_of = asked;
        }
    }

    /// Asks the extension, and ends the block when its last lines have come.
    pub(super) fn follow(&mut self, transcript: &mut Transcript, painter: &Painter, images: &mut Images, width: usize) {
        self.ask(painter, width);
        let is_done = !self.is_growing && (self.side.is_settled() || self.since.elapsed() > LONGEST);
        if self.is_open && is_done {
            self.close(transcript, images);
        }
    }

    /// It is final as it is.
    fn close(&mut self, transcript: &mut Transcript, images: &mut Images) {
        self.is_open = false;
        let content = self.content();
        if let Some(block) = transcript.edit(self.block) {
            block.replace(0, content.into_iter().collect());
        }
        images.finish(transcript, self.block, self.images(), &self.look);
    }

    /// The images that the extension draws.
    fn images(&self) -> Vec<Image> {
        images_of(self.side.rows.as_ref()).collect()
    }

    /// It looks different now.
    pub(super) fn redraw(&mut self) {
        self.side.changed();
    }

    /// Whether the extension has drawn it as it is now.
    pub(super) fn is_settled(&self) -> bool {
        self.side.is_settled()
    }

    /// Shows it in full, or folds it.
    fn expand(&mut self, expands: bool) {
        self.expanded = expands;
        self.side.changed();
    }

    fn painted(&mut self, transcript: &mut Transcript, images: &mut Images) {
        let Some(content) = self.content() else { return };
        if !self.is_open {
            images.show(self.block, self.images());
            transcript.reshape(self.block, vec![content]);
        } else if let Some(block) = transcript.edit(self.block) {
            block.replace(0, vec![content]);
        }
    }
}

impl Chat {
    /// Adds a block that an extension draws, if one does; otherwise `otherwise` is what is shown of it, if anything.
    pub(super) fn push_own(
        &mut self,
        transcript: &mut Transcript,
        label: &str,
        side: Side,
        what: Value,
        otherwise: impl Fn() -> Option<Box<dyn Content>> + Send + 'static,
    ) {
        let block = transcript.push(Block::new().labelled(label));
        self.add_own(transcript, block, side, what, Shows::Rows, Box::new(otherwise));
    }

    /// Adds a text that extensions change before it is drawn, if any do; its number. Otherwise nothing is added.
    pub(super) fn push_markdown(
        &mut self,
        transcript: &mut Transcript,
        block: Block,
        kind: MarkdownKind,
        text: &str,
        draw: impl Fn(&str) -> Box<dyn Content> + Send + Clone + 'static,
    ) -> Option<u64> {
        let side = self.painter.as_ref()?.of_markdown(kind)?;
        let block = transcript.push(block);
        let (plain, again) = (text.to_owned(), draw.clone());
        let otherwise = move || Some(again(&plain));
        let shows = Shows::Markdown(kind, Box::new(draw));
        self.add_own(transcript, block, side, text.into(), shows, Box::new(otherwise));
        Some(self.own_blocks)
    }

    fn add_own(
        &mut self,
        transcript: &mut Transcript,
        block: BlockId,
        side: Side,
        what: Value,
        shows: Shows,
        otherwise: Otherwise,
    ) {
        self.own_blocks += 1;
        let key: Arc<str> = format!("block {}", self.own_blocks).into();
        let (expanded, since) = (self.expands, Instant::now());
        let mut own = OwnBlock {
            key,
            block,
            side,
            look: self.look.clone(),
            what,
            asked_of: Value::Null,
            drawn_of: Value::Null,
            expanded,
            since,
            is_open: true,
            is_growing: false,
            shows,
            origin: self.origin.clone(),
            otherwise,
        };
        if self.is_far {
            own.close(transcript, &mut self.images);
        }
        self.drawn.insert(block, Drawn::Own(self.own.len()));
        self.own.push(own);
    }

    /// A text that extensions change is this now; more of it is to come, or not.
    pub(super) fn markdown_is(&mut self, number: u64, text: &str, is_growing: bool) {
        let key = format!("block {number}");
        if let Some(own) = self.own.iter_mut().rev().find(|own| *own.key == *key) {
            (own.what, own.is_growing, own.since) = (text.into(), is_growing, Instant::now());
            own.side.changed();
        }
    }

    /// Whether a block waits for an extension.
    pub(super) fn waits_for_extensions(&self) -> bool {
        self.own.iter().any(|own| own.is_open) || !self.ending.is_empty()
    }

    /// Asks extensions for what is new, and shows what they gave.
    pub(super) fn follow_own(&mut self, transcript: &mut Transcript, width: usize) {
        let Some(painter) = &self.painter else { return };
        for own in self.own.iter_mut().filter(|own| own.is_open) {
            own.follow(transcript, painter, &mut self.images, width);
        }
    }

    /// An extension has drawn a whole block; its failure, if that is new, with who it was.
    pub(super) fn own_painted(
        &mut self,
        transcript: &mut Transcript,
        key: &str,
        width: usize,
        result: Result<tau_hooks::mount::Drawn, tau_hooks::HandlerError>,
    ) -> Option<(Arc<str>, tau_hooks::HandlerError)> {
        let own = self.own.iter_mut().rev().find(|own| *own.key == *key)?;
        let failed = own.side.painted(width, result, &self.images);
        own.drawn_of.clone_from(&own.asked_of);
        own.painted(transcript, &mut self.images);
        failed.map(|error| (Arc::clone(&own.side.owner), error))
    }

    /// A whole block looks different now.
    pub(super) fn own_changed(&mut self, key: &str) {
        if let Some(own) = self.own.iter_mut().rev().find(|own| *own.key == *key) {
            own.side.changed();
        }
    }

    /// Shows whole blocks in full, or folds them.
    pub(super) fn expand_own(&mut self, expands: bool) {
        for own in &mut self.own {
            own.expand(expands);
        }
    }

    /// Unfolds a whole block, or folds it; whether it is one.
    pub(super) fn toggle_own(&mut self, block: BlockId) -> bool {
        let Some(own) = self.own.iter_mut().find(|own| own.block == block) else { return false };
        own.expand(!own.expanded);
        true
    }

    /// Nobody draws what is there any more.
    pub(super) fn forget_own(&mut self) {
        for own in self.own.drain(..) {
            own.side.forget(&own.key);
        }
    }
}
