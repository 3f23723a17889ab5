//! Files of this machine, as the default operations of the tools see them.

mod atomic;
mod bounded;
mod local;

pub(crate) use atomic::write_atomically;
pub use bounded::{MAX_SMALL_FILE, read_bounded, read_small_file, read_small_text};
pub(crate) use local::{access, create_dirs, open_regular, read_regular};
