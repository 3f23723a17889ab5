//! What a front end says about itself, for components that ask.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;

use super::blocks::BlockDrawer;
use super::suggest::SuggestSource;

/// The screen of a front end and what stands on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The columns of the screen.
    pub columns: usize,
    /// The rows of the screen.
    pub rows: usize,
    /// The screen is the program's alone.
    pub is_fullscreen: bool,
    /// The columns that an editor leaves free at its sides.
    pub editor_padding: usize,
    /// The cursor is the terminal's own.
    pub has_hardware_cursor: bool,
    /// How many suggestions an editor shows at once.
    pub suggestions: usize,
    /// The branch that is checked out; none without a repository.
    pub branch: Option<String>,
    /// What extensions say in the footer, with its key, in the order in which it was first said.
    pub statuses: Vec<(String, String)>,
    /// How many providers there are models of.
    pub providers: usize,
    /// The keys of each action, as the user has them.
    pub keys: Arc<BTreeMap<String, Vec<String>>>,
    /// The actions of the program, which an editor of an extension leaves to it.
    pub actions: Arc<Vec<String>>,
    /// The output of tools is shown in full.
    pub expands_tools: bool,
    /// The terminal tells keys apart that look the same to others.
    pub has_kitty_keys: bool,
    /// It draws [menus](super::Menu).
    pub draws_menus: bool,
    /// Images can be shown, by this protocol.
    pub images: Option<String>,
    /// What is suggested while the user writes, for editors of extensions; none where nothing is.
    pub suggests: Option<SuggestSource>,
    /// Draws blocks of the conversation as they look there; none where nothing is drawn.
    pub blocks: Option<BlockDrawer>,
}

impl Default for Facts {
    fn default() -> Self {
        Self {
            columns: 80,
            rows: 24,
            is_fullscreen: false,
            editor_padding: 0,
            has_hardware_cursor: false,
            suggestions: 5,
            branch: None,
            statuses: Vec::new(),
            providers: 0,
            keys: Arc::default(),
            actions: Arc::default(),
            expands_tools: false,
            has_kitty_keys: false,
            draws_menus: false,
            images: None,
            suggests: None,
            blocks: None,
        }
    }
}

/// The facts as they are now. Clones share them.
#[derive(Clone, Default)]
pub struct FactsCell(Arc<RwLock<Arc<Facts>>>);

impl FactsCell {
    /// The facts as they are now.
    pub fn get(&self) -> Arc<Facts> {
        Arc::clone(&self.0.read())
    }

    /// Changes them.
    pub fn set(&self, facts: Facts) {
        *self.0.write() = Arc::new(facts);
    }
}
