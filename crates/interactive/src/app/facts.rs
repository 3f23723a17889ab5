//! What components can know of the screen, as it is now.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tau_agent::settings::keys;
use tau_hooks::mount::{BlockDrawer, Facts, Signal};
use tau_tui::look::SharedLook;
use tau_view::bindings::BINDINGS;

use super::App;
use super::actions::ACTIONS;
use crate::mounts::Blocks;
use crate::screen::Mode;

/// What was said last.
pub(super) struct Told {
    facts: Facts,
    blocks: BlockDrawer,
    /// Something may be different now.
    pub(super) is_stale: bool,
}

impl Told {
    /// Nothing was said; blocks are drawn with this look, for a user with this home.
    pub(super) fn nothing(look: SharedLook, home: &Path) -> Self {
        let blocks = BlockDrawer(Arc::new(Blocks::new(look, home.display().to_string())));
        Self { facts: Facts::default(), blocks, is_stale: false }
    }
}

impl App {
    /// Says what is different, for components that ask. Called for each frame.
    pub(super) fn tell_facts(&mut self) {
        let size = self.screen.size();
        let before = &self.facts.facts;
        let is_resized = (before.columns, before.rows) != (size.columns, size.rows);
        if !is_resized && !self.facts.is_stale {
            return;
        }
        self.facts.is_stale = false;
        let facts = Facts {
            columns: size.columns,
            rows: size.rows,
            is_fullscreen: self.screen.mode() == Mode::Full,
            editor_padding: self.padding,
            has_hardware_cursor: self.hardware_cursor,
            suggestions: usize::try_from(self.settings().of(keys::AUTOCOMPLETE_MAX_VISIBLE)).unwrap_or(5),
            branch: self.dock.branch().map(str::to_owned),
            statuses: self.dock.statuses(),
            providers: self.dock.providers,
            keys: Arc::new(self.keys_of_actions()),
            actions: Arc::new(ACTIONS.iter().map(|action| action.id.to_owned()).collect()),
            expands_tools: self.chat.expands_tools(),
            has_kitty_keys: self.screen.terminal.answers().kitty == Some(true),
            draws_menus: true,
            images: None,
            suggests: Some(self.completing.source.clone()),
            blocks: Some(self.facts.blocks.clone()),
        };
        if facts != *before {
            let has_branch = facts.branch != before.branch;
            self.facts.facts = facts.clone();
            self.hooks.dialogs.facts().set(facts);
            if has_branch {
                self.mounts.tell_all(&Signal::Branch);
            }
        }
    }

    fn keys_of_actions(&self) -> BTreeMap<String, Vec<String>> {
        let keys = |binding| self.keys.bindings().keys(binding).into_iter().map(str::to_owned).collect();
        BINDINGS.iter().map(|binding| (binding.id.to_owned(), keys(binding))).collect()
    }
}
