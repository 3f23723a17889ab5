//! From blocks of lines to bytes for a terminal.
//!
//! Everything here is pure: it takes what is to be seen and gives bytes, and neither reads, writes nor waits.
//!
//! - A [`Line`] is styled text that can do nothing but be shown.
//! - A [`Block`] is made of [`Content`], which is laid out for a width and kept; the [`Transcript`] holds the blocks and knows
//!   which of their lines are in the scrollback.
//! - [`Regular`] paints the main screen: finished lines are written once, what is live is repainted.
//! - [`Full`] paints the alternate screen: a window on the whole transcript. [`Overlay`]s lie over it.
//! - [`Plain`] only adds lines.

mod block;
mod content;
mod dock;
mod features;
mod frame;
mod full;
mod line;
mod line_cache;
mod overlay;
mod pen;
mod pictures;
mod plain;
mod regular;
mod row;
mod style;
mod transcript;

pub use block::{Block, BlockId, Shown};
pub use content::{Content, Fixed, Text};
pub use dock::{Cursor, Dock};
pub use features::{Features, Position, Reflow, Size};
pub use full::{Found, Full, Scroll, Scrollbar, Tints, Under, Unit};
pub use line::{Line, Mark};
pub use line_cache::LineCache;
pub use overlay::Overlay;
pub use plain::Plain;
pub use regular::{Regular, Resized, Start};
pub use transcript::Transcript;
