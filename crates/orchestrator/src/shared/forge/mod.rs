//! Issues, pull requests and protected branches of the repository's forge, as the program `gh` lists them.
//!
//! [`Place`] says which repository that is, [`list`] asks for some of its items, and [`Kept`] keeps the answer for a while,
//! failures too, so that not every key that is typed starts a program. [`Told`] tells the user of failures.

mod branches;
mod error;
mod item;
mod kept;
mod one;
mod place;
mod run;
mod told;

pub use branches::{Merged, merged, protected};
pub use error::ForgeError;
pub use item::{Item, Kind};
pub use kept::Kept;
pub use one::one;
pub use place::{Place, look};
pub use run::{Ask, list};
pub use told::Told;
