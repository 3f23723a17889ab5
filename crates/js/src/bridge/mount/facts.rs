//! What components can know of the screen.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use rquickjs::{Ctx, IntoJs as _, Value};
use serde_json::json;
use tau_hooks::mount::Facts;
use tau_view::bindings::{BINDINGS, Platform};
use tau_view::keys::{KeyModes, matches_key};

use super::super::Extension;
use super::super::extract::{Caller, Speaking};
use crate::ops::table::ops;
use crate::ops::{Json, List, Pair};

ops! {
    /// The screen, for components.
    pub(in crate::bridge) static OPS: always;

    /// The columns and the rows of the screen.
    fn uiScreen(id) = screen, Pure;
    /// Whether the screen is `regular` or `fullscreen`.
    fn uiMode(id) = mode, Pure;
    /// The columns that an editor leaves free at its sides, and how many suggestions it shows.
    fn uiEditorLook(id) = editor_look, Pure;
    /// Whether the cursor is the terminal's own.
    fn uiHasHardwareCursor(id) = has_hardware_cursor, Pure;
    /// Whether the terminal tells keys apart that look the same to others.
    fn uiHasKittyKeys(id) = has_kitty_keys, Pure;
    /// The branch that is checked out.
    fn uiBranch(id) = branch, Pure;
    /// What extensions say in the footer.
    fn uiStatuses(id) = statuses, Pure;
    /// How many providers there are models of.
    fn uiProviders(id) = providers, Pure;
    /// The keys of all actions, unless they are the ones that are known already.
    fn uiKeys(id, known) -> "{ serial: number; actions: [id: string, keys: string[], does: string][]; own: Record<string, string[]> } | undefined" = keys, Pure;
    /// The actions of the program.
    fn uiActions(id) = actions, Pure;
    /// Whether a key is that of a shortcut of an extension.
    fn uiIsShortcut(id, data) = is_shortcut, Pure;
    /// Whether the output of tools is shown in full.
    fn uiToolsExpanded(id, call) = tools_expanded, Recorded;
}

impl Extension {
    /// What the front end says about itself.
    pub(super) fn facts(&self) -> Arc<Facts> {
        self.hooks().map(|hooks| hooks.dialogs.facts().get()).unwrap_or_default()
    }
}

fn screen(Caller { extension, .. }: Caller) -> rquickjs::Result<Pair<usize, usize>> {
    let facts = extension.facts();
    Ok(Pair(facts.columns, facts.rows))
}

fn mode(Caller { extension, .. }: Caller) -> rquickjs::Result<&'static str> {
    Ok(if extension.facts().is_fullscreen { "fullscreen" } else { "regular" })
}

fn editor_look(Caller { extension, .. }: Caller) -> rquickjs::Result<Pair<usize, usize>> {
    let facts = extension.facts();
    Ok(Pair(facts.editor_padding, facts.suggestions))
}

fn has_hardware_cursor(Caller { extension, .. }: Caller) -> rquickjs::Result<bool> {
    Ok(extension.facts().has_hardware_cursor)
}

fn has_kitty_keys(Caller { extension, .. }: Caller) -> rquickjs::Result<bool> {
    Ok(extension.facts().has_kitty_keys)
}

fn branch(Caller { extension, .. }: Caller) -> rquickjs::Result<Option<String>> {
    Ok(extension.facts().branch.clone())
}

fn statuses(Caller { extension, .. }: Caller) -> rquickjs::Result<List<Pair<String, String>>> {
    let facts = extension.facts();
    Ok(List(facts.statuses.iter().map(|(key, text)| Pair(key.clone(), text.clone())).collect()))
}

fn providers(Caller { extension, .. }: Caller) -> rquickjs::Result<usize> {
    Ok(extension.facts().providers)
}

fn keys<'js>(js: Ctx<'js>, Caller { extension, .. }: Caller, known: f64) -> rquickjs::Result<Value<'js>> {
    let facts = extension.facts();
    let mut hasher = DefaultHasher::new();
    facts.keys.hash(&mut hasher);
    // It fits into a number of JavaScript.
    let serial = u32::try_from(hasher.finish() >> 32).unwrap_or(0);
    if f64::from(serial) == known {
        return Ok(Value::new_undefined(js));
    }
    let platform = Platform::default();
    let actions: Vec<_> = BINDINGS.iter().map(|action| (action.id, action.keys_on(platform), action.doc)).collect();
    // What is not as it comes was chosen by the user.
    let own: BTreeMap<_, _> = actions
        .iter()
        .filter_map(|(id, keys, _)| facts.keys.get(*id).filter(|own| own.iter().ne(keys.iter())).map(|own| (id, own)))
        .collect();
    Json(json!({ "serial": serial, "actions": actions, "own": own })).into_js(&js)
}

fn actions(Caller { extension, .. }: Caller) -> rquickjs::Result<List<String>> {
    Ok(List(extension.facts().actions.to_vec()))
}

fn is_shortcut(Caller { extension, .. }: Caller, data: String) -> rquickjs::Result<bool> {
    let Ok(hooks) = extension.hooks() else { return Ok(false) };
    let facts = extension.facts();
    let modes = KeyModes { kitty: facts.has_kitty_keys, ..KeyModes::default() };
    let reserved = BINDINGS.iter().filter(|binding| binding.reserved);
    if reserved.filter_map(|binding| facts.keys.get(binding.id)).flatten().any(|key| matches_key(&data, key, modes)) {
        // No extension can take it.
        return Ok(false);
    }
    Ok(hooks.shortcuts().iter().any(|(_, shortcut)| matches_key(&data, &shortcut.key, modes)))
}

fn tools_expanded(Speaking { ctx, .. }: Speaking) -> rquickjs::Result<bool> {
    Ok(ctx.ui().facts().expands_tools)
}
