//! Rows and images that extensions draw in blocks.

use std::sync::Arc;

use tau_view::width::visible_width;

use super::picture;
use crate::look::{Look, SharedLook};
use crate::picture::Image;
use crate::screen::{Content, Line};

/// A part of what an extension draws. Nothing of it is trusted.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnPart {
    /// A row.
    Row(String),
    /// An image.
    Image(OwnImage),
}

/// An image that an extension draws.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnImage {
    /// The image.
    pub image: Image,
    /// Empty columns before it.
    pub left: u16,
    /// The most columns that it is to take, if that is said.
    pub columns: Option<u16>,
}

impl From<String> for OwnPart {
    fn from(row: String) -> Self {
        Self::Row(row)
    }
}

impl OwnPart {
    /// The lines of it, behind `before`.
    pub(super) fn lines(&self, look: &Look, before: &str, width: usize) -> Vec<Line> {
        match self {
            Self::Row(row) => vec![Line::new(&format!("{before}{row}"), width)],
            Self::Image(OwnImage { image, left, columns }) => {
                let left = visible_width(before) + usize::from(*left);
                picture::lines_within(look, image, width, left, columns.unwrap_or(u16::MAX))
            }
        }
    }

    /// The image that it is, if it is one.
    pub fn image(&self) -> Option<&Image> {
        match self {
            Self::Image(own) => Some(&own.image),
            Self::Row(_) => None,
        }
    }
}

/// A block that an extension draws as a whole.
#[derive(Clone)]
pub struct Own {
    look: SharedLook,
    parts: Arc<[OwnPart]>,
}

impl Own {
    /// These parts, one below the other.
    pub fn new(look: SharedLook, parts: Arc<[OwnPart]>) -> Self {
        Self { look, parts }
    }
}

impl Content for Own {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        let mut lines = vec![Line::empty()];
        lines.extend(self.parts.iter().flat_map(|part| part.lines(&look, "", width.max(1))));
        lines
    }

    fn estimate(&self, _: usize) -> usize {
        let of = |part: &OwnPart| if part.image().is_some() { picture::ROWS } else { 1 };
        1 + self.parts.iter().map(of).sum::<usize>()
    }
}
