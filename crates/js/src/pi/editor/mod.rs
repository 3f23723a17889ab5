//! What the class `Editor` of pi stands on: one model of text, cursor, pastes, history, kills and undo for each editor.

pub(crate) mod model;
mod parts;
mod place;

use std::sync::Arc;

use parking_lot::Mutex;
use rquickjs::{Ctx, IntoJs, Object, Value};
use tau_view::editor::{Editor, Row};

use super::view::{Columns, Text, rows_room};
use crate::ops::table::{ops, typed};
use crate::ops::{Account, OpError, Pair, charge};
use model::{EditorModel, Model, no_account};
use place::{cursor, units_before};

pub(super) use parts::OPS as PARTS;

ops! {
    /// The models behind editors.
    pub(crate) static OPS: watched;

    /// A model without text.
    fn editorNew() = editor_new, Pure;
    /// Does what needs no more than its name; whether the cursor, undo or the history changed.
    fn editorAct(model, action: "EditorAction") = editor_act, Pure;
    /// Types text. `further`: it belongs to the step before.
    fn editorType(model, text, further) = editor_type, Pure;
    /// Inserts text as one step of undo.
    fn editorInsert(model, text) = editor_insert, Pure;
    /// Pastes text; a marker takes the place of a long one.
    fn editorPaste(model, text) = editor_paste, Pure;
    /// Replaces the text.
    fn editorSetText(model, text) = editor_set_text, Pure;
    /// The text, with or without what its markers stand for.
    fn editorText(model, expanded) = editor_text, Pure;
    /// A text with what its markers stand for.
    fn editorExpand(model, text) = editor_expand, Pure;
    /// What stands before the cursor in its line, and behind it.
    fn editorAround(model) = editor_around, Pure;
    /// The line of the cursor, and its column.
    fn editorCursor(model) = editor_cursor, Pure;
    /// The rows of the text in so many columns.
    fn editorRows(model, width) -> "EditorRows" = editor_rows, Pure;
    /// The parts of a text that the cursor steps over.
    fn editorUnits(model, text) = editor_units, Pure;
}

fn editor_new() -> Model {
    Model(EditorModel::new(Arc::new(Mutex::new(Editor::new()))))
}

/// What needs no more than its name.
type Action = fn(&mut Editor);

/// By the name that JavaScript uses.
const ACTIONS: &[(&str, Action)] = &[
    ("newLine", Editor::new_line),
    ("deleteBackward", Editor::delete_backward),
    ("deleteForward", Editor::delete_forward),
    ("killWordBackward", Editor::kill_word_backward),
    ("killWordForward", Editor::kill_word_forward),
    ("killToLineStart", Editor::kill_to_line_start),
    ("killToLineEnd", Editor::kill_to_line_end),
    ("yank", Editor::yank),
    ("yankPop", Editor::yank_pop),
    ("undo", Editor::undo),
    ("moveLeft", Editor::move_left),
    ("moveRight", Editor::move_right),
    ("moveWordLeft", Editor::move_word_left),
    ("moveWordRight", Editor::move_word_right),
    ("moveToLineStart", Editor::move_to_line_start),
    ("moveToLineEnd", Editor::move_to_line_end),
    ("historyPrevious", Editor::history_previous),
    ("historyNext", Editor::history_next),
    ("leaveHistory", Editor::leave_history),
    ("beginStep", Editor::begin_step),
    ("forgetSteps", Editor::forget_steps),
    ("submit", |editor| drop(editor.submit())),
];

fn editor_act(ctx: Ctx<'_>, model: Model, action: Text) -> Result<bool, OpError> {
    let Some((_, act)) = ACTIONS.iter().find(|(name, _)| *name == action.0) else {
        return Err(OpError::type_error("ERR_INVALID_ARG_VALUE", format!("an editor knows no action {}", action.0)));
    };
    let state = |editor: &Editor| (editor.steps(), editor.history_shown(), editor.cursor());
    let kept = longest_kept(&model.0.editor());
    model.0.change(&ctx, kept, |editor| {
        let before = state(editor);
        act(editor);
        state(editor) != before
    })
}

/// The longest text that an action may put in.
fn longest_kept(editor: &Editor) -> usize {
    editor.history().chain(editor.kills().last()).map(str::len).max().unwrap_or(0)
}

fn editor_type(ctx: Ctx<'_>, model: Model, text: Text, further: bool) -> Result<(), OpError> {
    model.0.change(
        &ctx,
        text.0.len(),
        |editor| if further { editor.insert_further(&text.0) } else { editor.type_text(&text.0) },
    )
}

fn editor_insert(ctx: Ctx<'_>, model: Model, text: Text) -> Result<(), OpError> {
    model.0.change(&ctx, text.0.len(), |editor| editor.insert(&text.0))
}

fn editor_paste(ctx: Ctx<'_>, model: Model, text: Text) -> Result<(), OpError> {
    model.0.change(&ctx, text.0.len(), |editor| editor.paste(&text.0))
}

fn editor_set_text(ctx: Ctx<'_>, model: Model, text: Text) -> Result<(), OpError> {
    model.0.change(&ctx, text.0.len(), |editor| editor.set_text(&text.0))
}

fn editor_text(ctx: Ctx<'_>, model: Model, expanded: bool) -> Result<String, OpError> {
    let editor = model.0.editor();
    if expanded { expand(&ctx, &editor, &editor.text()) } else { Ok(editor.text()) }
}

fn editor_expand(ctx: Ctx<'_>, model: Model, text: Text) -> Result<String, OpError> {
    expand(&ctx, &model.0.editor(), &text.0)
}

/// A few markers may stand for more than there is room for.
fn expand(ctx: &Ctx<'_>, editor: &Editor, text: &str) -> Result<String, OpError> {
    let account = Account::of(ctx).map_err(|_| no_account())?;
    let _room = charge(account.memory(), editor.expanded_length(text), "the expanded text of the editor")?;
    Ok(editor.expand(text))
}

fn editor_around(model: Model) -> Pair<String, String> {
    let editor = model.0.editor();
    let at = editor.cursor();
    let (before, behind) = editor.lines()[at.line].split_at(at.column);
    Pair(before.to_owned(), behind.to_owned())
}

fn editor_cursor(model: Model) -> Pair<usize, usize> {
    let (line, column) = cursor(&model.0.editor());
    Pair(line, column)
}

/// Rows, column by column: what they show, and which part of which line that is.
struct Rows {
    texts: Vec<String>,
    lines: Vec<usize>,
    starts: Vec<usize>,
    /// The row of the cursor, where it stands in there, and what it stands on.
    row: usize,
    column: usize,
    under: String,
}

typed! {
    Rows = "EditorRows";
}

impl<'js> IntoJs<'js> for Rows {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        let rows = Object::new(ctx.clone())?;
        rows.set("texts", self.texts)?;
        rows.set("lines", self.lines)?;
        rows.set("starts", self.starts)?;
        rows.set("row", self.row)?;
        rows.set("column", self.column)?;
        rows.set("under", self.under)?;
        Ok(rows.into_value())
    }
}

fn editor_rows(ctx: Ctx<'_>, model: Model, width: Columns) -> rquickjs::Result<Rows> {
    let mut editor = model.0.editor();
    editor.set_width(width.0);
    let length = editor.lines().iter().map(String::len).sum();
    let _room = rows_room(&ctx, length, editor.lines().len(), width.0)?;
    let rows = editor.rows();
    let mut all = Rows { texts: vec![], lines: vec![], starts: vec![], row: 0, column: 0, under: String::new() };
    for (index, Row { text, line, start, cursor }) in rows.into_iter().enumerate() {
        if let Some(cursor) = cursor {
            all.row = index;
            all.column = units_before(text, cursor);
            all.under = first_unit(&editor, text.get(cursor..).unwrap_or_default()).to_owned();
        }
        all.texts.push(text.to_owned());
        all.lines.push(line);
        all.starts.push(units_before(&editor.lines()[line], start));
    }
    Ok(all)
}

fn first_unit<'a>(editor: &Editor, text: &'a str) -> &'a str {
    tau_view::editor::units(text, |number| editor.has_paste(number)).next().unwrap_or_default()
}

fn editor_units(ctx: Ctx<'_>, model: Model, text: Text) -> rquickjs::Result<Vec<String>> {
    let _room = rows_room(&ctx, text.0.len(), 0, 1)?;
    let editor = model.0.editor();
    let units = tau_view::editor::units(&text.0, |number| editor.has_paste(number));
    Ok(units.map(str::to_owned).collect())
}
