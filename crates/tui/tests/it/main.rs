//! The crate as a front end sees it.

mod screen;
