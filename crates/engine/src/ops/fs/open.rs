//! Opening files, and what reading and writing them share.

use std::fs::File;

use rustix::fs::{Mode, OFlags};

use super::call::Place;
use crate::ops::OpError;

pub(super) fn failed(error: &std::io::Error, syscall: &str) -> OpError {
    OpError::io(error, syscall, None)
}

/// Opens a file with the flags and the mode of `open(2)`.
pub(super) fn open(place: &Place, flags: i32, mode: u32) -> Result<File, OpError> {
    let flags = OFlags::from_bits_retain(flags.cast_unsigned()) | OFlags::CLOEXEC;
    let opened = rustix::fs::open(&place.full, flags, Mode::from_raw_mode(mode as rustix::fs::RawMode));
    opened.map(File::from).map_err(|error| place.error(&error.into(), "open"))
}

/// A position in a file; `None` is the current one.
pub(super) fn offset(position: Option<f64>) -> Option<u64> {
    position.filter(|at| *at >= 0.0 && *at <= 9_007_199_254_740_991.0).map(|at| at as u64)
}
