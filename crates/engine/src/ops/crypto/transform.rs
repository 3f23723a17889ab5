//! What every cipher can do.

use crate::ops::OpError;

/// A cipher with its key, in the middle of a text.
pub(super) trait Transform {
    /// The next piece.
    fn update(&mut self, data: &[u8]) -> Vec<u8>;
    /// What comes at the end.
    fn finish(&mut self) -> Result<Vec<u8>, OpError>;
    /// Whether the end is padded to a whole block; for modes that have blocks.
    fn set_padding(&mut self, _padding: bool) {}
    /// Data that is authenticated but not part of the text; for modes that authenticate.
    fn add_data(&mut self, _data: &[u8]) {}
    /// The authentication tag after the end.
    fn tag(&self) -> Vec<u8> {
        Vec::new()
    }
    /// The tag that the end must have.
    fn set_tag(&mut self, _tag: Vec<u8>) {}
}
