//! Images as terminals take them: how large they are in cells, and the bytes that send, place and delete them.
//!
//! - An [`Image`] is an image of the conversation: what is said of it, and its data once somebody has prepared them.
//! - A [`Picture`] is an image in lines: so many rows and columns of cells, under an id of its own.
//! - [`kitty`], [`placeholder`] and [`iterm`] write it, [`passed`] through tmux too.
//! - [`taken`] takes images out of lines that components of extensions draw.
//!
//! Nothing here decodes an image. What is written of one is base64, numbers, and nothing of its name or its kind.

mod fit;
mod image;
pub(crate) mod iterm;
pub(crate) mod kitty;
mod passed;
pub(crate) mod placeholder;
mod store;
pub mod taken;

pub use fit::{Fit, fit};
pub use image::{Image, State};
pub use store::Store;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How images get onto the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// With Kitty's protocol, placed where they are to be seen.
    Kitty,
    /// With Kitty's protocol in tmux: the cells hold characters that stand for them, which tmux moves like others.
    Placeholders,
    /// With iTerm2's sequence.
    Iterm,
}

/// How images are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drawing {
    /// How they get onto the screen.
    pub how: How,
    /// Width and height of a cell, in pixels.
    pub cell: (u16, u16),
    /// The most columns that one takes.
    pub columns: u16,
}

/// The size of a cell while no terminal has told it.
pub const CELL: (u16, u16) = (9, 18);

/// An image in lines.
///
/// Each has an id of its own, also where two show the same image: one can go while the other stays.
#[derive(Debug)]
pub struct Picture {
    id: u32,
    image: Image,
    how: How,
    fit: Fit,
    /// Empty columns before it.
    left: u16,
}

/// The next number that ids are made of. It begins somewhere else in each process: programs in the panes of one terminal
/// share its ids.
static NEXT: AtomicU32 = AtomicU32::new(0);

impl Picture {
    /// An image of this size, behind so many empty columns.
    pub fn new(image: Image, how: How, fit: Fit, left: u16) -> Arc<Self> {
        let first = std::process::id().wrapping_mul(7919);
        let number = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_add(first);
        Arc::new(Self { id: placeholder::id(number), image, how, fit, left })
    }

    /// The id under which a terminal knows it.
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// The image.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// How it gets onto the screen.
    pub fn how(&self) -> How {
        self.how
    }

    /// Its size.
    pub fn fit(&self) -> Fit {
        self.fit
    }

    /// Empty columns before it.
    pub fn left(&self) -> u16 {
        self.left
    }
}

/// A row of a picture.
#[derive(Clone)]
pub struct Slice {
    /// The picture.
    pub picture: Arc<Picture>,
    /// The row, from zero.
    pub row: u16,
}

impl PartialEq for Slice {
    fn eq(&self, other: &Self) -> bool {
        self.picture.id == other.picture.id && self.row == other.row
    }
}

impl Eq for Slice {}

impl fmt::Debug for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slice({}, {} of {:?})", self.picture.id, self.row, self.picture.fit)
    }
}
