//! The state of an editor, piece by piece: what the accessors of the class `Editor` read and set.

use rquickjs::{Ctx, FromJs, Value};
use tau_view::editor::Action;

use super::super::view::Text;
use super::model::Model;
use super::place::position;
use crate::ops::table::{ops, typed};
use crate::ops::{List, OpError, Pair};

ops! {
    /// The state of editors, piece by piece.
    pub(crate) static OPS: watched;

    /// The lines.
    fn editorLines(model) = editor_lines, Pure;
    /// Replaces the lines, and puts the cursor where it fits best.
    fn editorSetLines(model, lines, line, column) = editor_set_lines, Pure;
    /// Puts the cursor where it fits best.
    fn editorPlace(model, line, column) = editor_place, Pure;
    /// The pasted texts, by the numbers of their markers.
    fn editorPastes(model) -> "[number, string][]" = editor_pastes, Pure;
    /// Replaces the pasted texts.
    fn editorSetPastes(model, pastes) = editor_set_pastes, Pure;
    /// What was sent, newest first.
    fn editorHistory(model) = editor_history, Pure;
    /// Replaces what was sent.
    fn editorSetHistory(model, entries) = editor_set_history, Pure;
    /// Remembers a text that was sent.
    fn editorAddToHistory(model, text) = editor_add_to_history, Pure;
    /// Which text of the history is shown; -1 for none.
    fn editorShown(model) = editor_shown, Pure;
    /// What was killed, newest last.
    fn editorKills(model) = editor_kills, Pure;
    /// Replaces what was killed.
    fn editorSetKills(model, kills) = editor_set_kills, Pure;
    /// What goes on when it is done once more.
    fn editorLastAction(model) -> "\"kill\" | \"yank\" | \"type-word\" | undefined" = editor_last_action, Pure;
    /// Says what goes on when it is done once more.
    fn editorSetLastAction(model, action) = editor_set_last_action, Pure;
    /// How many steps undo can go back.
    fn editorSteps(model) = editor_steps, Pure;
}

/// Texts; what is none counts as an empty one, as in a list with holes.
struct Texts(Vec<String>);

impl Texts {
    fn bytes(&self) -> usize {
        self.0.iter().map(String::len).sum()
    }
}

impl<'js> FromJs<'js> for Texts {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Self> {
        let list = rquickjs::Array::from_js(ctx, value)?;
        let text = |value: rquickjs::Result<Value<'js>>| match value?.as_string() {
            Some(text) => crate::convert::text_of(text),
            None => Ok(String::new()),
        };
        list.iter::<Value<'js>>().map(text).collect::<rquickjs::Result<_>>().map(Self)
    }
}

/// Numbers of markers with their texts.
struct Numbered(Vec<(u32, String)>);

impl<'js> FromJs<'js> for Numbered {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Self> {
        let list = rquickjs::Array::from_js(ctx, value)?;
        let entry = |entry: rquickjs::Result<rquickjs::Array<'js>>| {
            let entry = entry?;
            Ok((entry.get(0)?, entry.get::<Text>(1)?.0))
        };
        list.iter().map(entry).collect::<rquickjs::Result<_>>().map(Self)
    }
}

typed! {
    Texts = "readonly unknown[]";
    Numbered = "readonly [number, string][]";
}

fn editor_lines(model: Model) -> Vec<String> {
    model.0.editor().lines().to_vec()
}

fn editor_set_lines(ctx: Ctx<'_>, model: Model, lines: Texts, line: f64, column: f64) -> Result<(), OpError> {
    let cursor = position(&lines.0, line, column);
    model.0.change(&ctx, lines.bytes(), |editor| editor.set_lines(lines.0, cursor))
}

fn editor_place(model: Model, line: f64, column: f64) {
    let mut editor = model.0.editor();
    let cursor = position(editor.lines(), line, column);
    editor.put_cursor(cursor);
}

fn editor_pastes(model: Model) -> List<Pair<u32, String>> {
    let editor = model.0.editor();
    List(editor.pastes().map(|(number, text)| Pair(number, text.to_owned())).collect())
}

fn editor_set_pastes(ctx: Ctx<'_>, model: Model, pastes: Numbered) -> Result<(), OpError> {
    model.0.change(&ctx, pastes.0.iter().map(|(_, text)| text.len()).sum(), |editor| editor.set_pastes(pastes.0))
}

fn editor_history(model: Model) -> Vec<String> {
    model.0.editor().history().map(str::to_owned).collect()
}

fn editor_set_history(ctx: Ctx<'_>, model: Model, entries: Texts) -> Result<(), OpError> {
    model.0.change(&ctx, entries.bytes(), |editor| editor.set_history(entries.0))
}

fn editor_add_to_history(ctx: Ctx<'_>, model: Model, text: Text) -> Result<(), OpError> {
    model.0.change(&ctx, text.0.len(), |editor| editor.add_to_history(&text.0))
}

fn editor_shown(model: Model) -> i32 {
    let shown = model.0.editor().history_shown();
    shown.and_then(|shown| i32::try_from(shown).ok()).unwrap_or(-1)
}

fn editor_kills(model: Model) -> Vec<String> {
    model.0.editor().kills().map(str::to_owned).collect()
}

fn editor_set_kills(ctx: Ctx<'_>, model: Model, kills: Texts) -> Result<(), OpError> {
    model.0.change(&ctx, kills.bytes(), |editor| editor.set_kills(kills.0))
}

/// By the name that JavaScript uses.
const LAST: &[(&str, Action)] = &[("kill", Action::Kill), ("yank", Action::Yank), ("type-word", Action::TypeWord)];

fn editor_last_action(model: Model) -> Option<&'static str> {
    let last = model.0.editor().action()?;
    LAST.iter().find(|(_, action)| *action == last).map(|(name, _)| *name)
}

/// A name that nobody knows is none.
fn editor_set_last_action(model: Model, action: Option<String>) {
    let action = action.and_then(|name| LAST.iter().find(|(known, _)| *known == name));
    model.0.editor().set_action(action.map(|(_, action)| *action));
}

fn editor_steps(model: Model) -> usize {
    model.0.editor().steps()
}
