//! Components: what extensions draw on the screen themselves.
//!
//! An extension hands over a [factory](Mount). A front end that shows components calls it for a place on its screen, and
//! from then on owns what it made: it passes keys on and asks for lines, a [`Turn`] at a time. Nobody waits for a
//! component: what is painted are the last lines that it gave. What a component wants between turns, such as new lines
//! because a timer fired, it says through its [`Stage`].
//!
//! [`Draws`] is how a component is written in Rust; the bridge to JavaScript implements [`Component`] itself.

mod blocks;
mod facts;
mod input;
mod layout;
mod lend;
mod menu;
mod native;
mod render;
mod stage;
mod suggest;
mod turn;

use std::fmt;
use std::sync::Arc;

use crate::error::HandlerError;
use crate::future::BoxFuture;

pub use self::blocks::{BlockDrawer, BlockSpace, CommandBlock, ConversationBlock, DrawsBlocks, Ending, ToolBlock};
pub use self::facts::{Facts, FactsCell};
pub use self::input::{Heard, InputListener, ListenerHandle};
pub use self::layout::{Anchor, Extent, Margin, OverlayOptions, Rect};
pub use self::lend::Lend;
pub use self::menu::{Menu, MenuFit, MenuLine, MenuPage, MenuRow, MenuTone, menu};
pub use self::native::{Draws, mount};
pub use self::render::{Redraw, RenderAsk, Renders, ResolvesTools};
pub use self::stage::{Stage, Wish};
pub use self::suggest::{SuggestHandle, SuggestSource, Suggested, SuggestedItem, Suggests, WrapSuggests, Written};
pub use self::turn::{Drawn, Interrupted, Mouse, MouseKind, SharedModel, Signal, Space, Turn, WorkingStatus};

/// Where a component stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Above the conversation.
    Header,
    /// The last rows of the screen.
    Footer,
    /// Beside the editor.
    Widget,
    /// In the place of the editor, for good.
    Editor,
    /// In the place of the editor, until it is done.
    Dialog,
    /// Over the screen.
    Overlay,
}

impl Place {
    /// The word for it in what users read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Footer => "footer",
            Self::Widget => "widget",
            Self::Editor => "editor",
            Self::Dialog => "dialog",
            Self::Overlay => "overlay",
        }
    }
}

/// Makes components.
pub trait Mount: Send + Sync {
    /// Makes one for a place. The future may take as long as it likes; nothing is shown before it is done. When the stage
    /// was [closed](Wish::Done) by then, what it made is disposed of at once.
    ///
    /// # Errors
    /// What the factory of the extension failed with.
    fn mount(&self, stage: Stage) -> BoxFuture<Result<Arc<dyn Component>, HandlerError>>;

    /// The menu that the front end draws itself, in place of a component.
    fn menu(&self) -> Option<Arc<dyn Menu>> {
        None
    }
}

/// A component, as the front end that shows it holds it.
///
/// At most one turn is asked for at a time.
pub trait Component: Send + Sync {
    /// Takes in what happened, in order, and draws itself if it is asked to.
    ///
    /// # Errors
    /// How far it came, and why no further. What it was told before that counts as told.
    fn turn(&self, turn: Turn) -> BoxFuture<Result<Drawn, Interrupted>>;

    /// Over the screen, it takes the keys when it comes.
    fn captures(&self) -> bool {
        true
    }

    /// Over the screen, it is out of sight when it comes.
    fn is_out_of_sight(&self) -> bool {
        false
    }

    /// Over the screen, it is hidden until it says otherwise.
    fn is_hidden(&self) -> bool {
        false
    }

    /// It is not shown any more. Called once; nobody waits for what follows.
    fn dispose(&self);
}

/// A factory of an extension, as it is passed to front ends.
#[derive(Clone)]
pub struct UiHandle(pub Arc<dyn Mount>);

impl fmt::Debug for UiHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UiHandle")
    }
}

/// Compared by identity.
impl PartialEq for UiHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
