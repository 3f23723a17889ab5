//! Menus: pages of an extension with lines and rows to choose from, which a front end draws as it draws its own lists.

use std::sync::Arc;

use tokio::sync::watch;

use super::{Component, Mount, Stage, UiHandle};
use crate::error::HandlerError;
use crate::future::BoxFuture;

/// A menu. A front end asks for its page whenever it draws: no call may wait.
pub trait Menu: Send + Sync {
    /// The page as it is now. A front end removes control characters from its texts.
    fn page(&self) -> MenuPage;

    /// A row of the page was chosen; `true` when the menu is done with that.
    fn choose(&self, row: &str) -> bool;

    /// The user leaves the page; `true` when it was the first one, so the menu is done.
    fn back(&self) -> bool;

    /// Counts changes of the page.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// What a menu shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MenuPage {
    /// Which page it is: another one begins with its first row selected.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What stands above the rows.
    pub lines: Vec<MenuLine>,
    /// What can be chosen.
    pub rows: Vec<MenuRow>,
    /// What stands there when there are no rows.
    pub empty: String,
    /// What choosing a row does, in a word.
    pub does: String,
    /// What leaving the page does, in a word.
    pub leaves: String,
}

/// A line of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuLine {
    /// The text.
    pub text: String,
    /// How it looks.
    pub tone: MenuTone,
    /// What is done where it is too long.
    pub fit: MenuFit,
}

/// What is done with a line that is wider than the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MenuFit {
    /// It is wrapped: a sentence.
    #[default]
    Wrap,
    /// Its middle is left out: a path or a command, whose ends say most.
    Middle,
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuTone {
    /// As a fact.
    Dim,
    /// As something that needs attention.
    Warning,
    /// As something that went wrong.
    Error,
}

/// A row of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MenuRow {
    /// What it is to the menu; unique in its page.
    pub id: String,
    /// What people call it.
    pub label: String,
    /// What it is; may be empty.
    pub about: String,
}

impl MenuRow {
    /// A row.
    pub fn new(id: impl Into<String>, label: impl Into<String>, about: impl Into<String>) -> Self {
        Self { id: id.into(), label: label.into(), about: about.into() }
    }
}

/// A menu as something that [`Ui::custom`](crate::Ui::custom) shows.
pub fn menu(menu: Arc<dyn Menu>) -> UiHandle {
    UiHandle(Arc::new(Shown(menu)))
}

struct Shown(Arc<dyn Menu>);

impl Mount for Shown {
    fn mount(&self, _: Stage) -> BoxFuture<Result<Arc<dyn Component>, HandlerError>> {
        Box::pin(std::future::ready(Err(HandlerError::msg("a menu has no lines of its own"))))
    }

    fn menu(&self) -> Option<Arc<dyn Menu>> {
        Some(Arc::clone(&self.0))
    }
}
