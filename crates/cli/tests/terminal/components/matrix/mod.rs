//! Every fault at every place. After each the editor takes text, a prompt is answered, and the gates of the same extension
//! and of another one decide.

mod asked;
mod called;
mod drawn;
mod drive;
mod faults;
mod hogged;
mod lost;
mod mounted;
mod places;
mod standing;
