//! Files of this machine, as the default operations of the tools see them.

mod atomic;
mod local;

pub(crate) use atomic::write_atomically;
pub(crate) use local::{access, create_dirs, open_regular, read_regular};
