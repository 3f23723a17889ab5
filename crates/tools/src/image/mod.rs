//! Pictures: telling them from other files, and making them small enough for a model.

mod resize;
mod sniff;

pub use resize::{PreparedImage, ResizeLimits, prepare_image};
pub use sniff::{SNIFF_BYTES, sniff_image};
