//! Pictures: telling them from other files, and making them small enough for a model.

mod decode;
mod png;
mod resize;
mod sniff;

pub use decode::{
    ImageError, ImageSize, MAX_IMAGE_FILE, MAX_IMAGE_MEMORY, MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE, TooLarge, decode_image,
    image_size,
};
pub use png::{Png, to_png};
pub use resize::{PreparedImage, ResizeLimits, prepare_image};
pub use sniff::{SNIFF_BYTES, sniff_image};
