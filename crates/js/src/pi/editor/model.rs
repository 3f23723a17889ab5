//! The model behind an editor of JavaScript.
//!
//! An object of the class `Editor` (runtime/pi/tui/editor.ts) keeps in `_model` an object that holds an [`EditorModel`], and
//! nothing else of its text, cursor, pastes, history, kills and undo. So another editor takes all of that over by taking the
//! value behind the lock:
//!
//! - [`EditorModel::of`] gives the model of an editor's object, also where its class was derived from `Editor`;
//! - `std::mem::replace(&mut *model.editor(), other)` exchanges the whole state, and [`told`] tells the object of it;
//! - [`EditorModel::put`] lets an object work on a model that is in use elsewhere from then on.
//!
//! The lock is only held within an op, so whoever draws on another thread never waits for a program.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rquickjs::{Ctx, FromJs, Function, IntoJs, Object, Value};
use tau_view::editor::Editor;

use crate::engine::Charge;
use crate::ops::table::typed;
use crate::ops::{Account, OpError, charge, too_large};
use crate::raw::Held;

/// The state of an editor that both sides may use.
pub(crate) type SharedEditor = Arc<Mutex<Editor>>;

/// The property of an editor's object.
const PROPERTY: &str = "_model";

/// What the errors of memory are about.
const WHAT: &str = "the text of the editor with its history";

/// The state of an editor, and what it counts against the memory of its engine.
pub(crate) struct EditorModel {
    shared: SharedEditor,
    counted: RefCell<Option<Charge>>,
}

impl EditorModel {
    /// For this state.
    pub(crate) fn new(shared: SharedEditor) -> Rc<Self> {
        Rc::new(Self { shared, counted: RefCell::new(None) })
    }

    /// The state.
    pub(crate) fn editor(&self) -> MutexGuard<'_, Editor> {
        self.shared.lock()
    }

    /// Changes it by a step that brings so many bytes along; refused when there is no room for what it holds then. Undo is
    /// given up first.
    pub(super) fn change<T>(
        &self,
        ctx: &Ctx<'_>,
        more: usize,
        change: impl FnOnce(&mut Editor) -> T,
    ) -> Result<T, OpError> {
        let mut editor = self.editor();
        if self.count(ctx, editor.held_after(more)).is_err() {
            editor.forget_steps();
            self.count(ctx, editor.held_after(more))?;
        }
        let done = change(&mut editor);
        self.count(ctx, editor.held())?;
        Ok(done)
    }

    fn count(&self, ctx: &Ctx<'_>, bytes: usize) -> Result<(), OpError> {
        match &mut *self.counted.borrow_mut() {
            Some(charge) => charge.resize(bytes).map_err(|full| too_large(WHAT, &full)),
            none => {
                let account = Account::of(ctx).map_err(|_| no_account())?;
                *none = Some(charge(account.memory(), bytes, WHAT)?);
                Ok(())
            }
        }
    }
}

impl EditorModel {
    /// That of an editor's object; nothing when the object is none.
    pub(crate) fn of(editor: &Object<'_>) -> Option<Rc<Self>> {
        Held::of(&editor.get::<_, Value<'_>>(PROPERTY).ok()?)
    }

    /// Lets an editor's object work on this state from now on.
    ///
    /// # Errors
    /// What the object throws.
    pub(crate) fn put<'js>(editor: &Object<'js>, shared: SharedEditor) -> rquickjs::Result<()> {
        editor.set(PROPERTY, Model(Self::new(shared)))?;
        told(editor)
    }

    /// The state, for somebody who is to share it.
    #[cfg(test)]
    pub(crate) fn shared(&self) -> &SharedEditor {
        &self.shared
    }
}

/// An engine that is still being set up.
pub(super) fn no_account() -> OpError {
    OpError::new("ERR_INTERNAL", "an engine has no account of its memory")
}

/// Tells an editor's object that its state was exchanged: it closes its completions, shows the cursor, and tells its
/// `onChange`.
///
/// # Errors
/// What the object throws.
pub(crate) fn told<'js>(editor: &Object<'js>) -> rquickjs::Result<()> {
    let told: Function<'js> = editor.get("_modelChanged")?;
    told.call((rquickjs::function::This(editor.clone()),))
}

/// The first argument of the ops of editors.
pub(super) struct Model(pub(super) Rc<EditorModel>);

impl<'js> FromJs<'js> for Model {
    fn from_js(_: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Self> {
        let error = rquickjs::Error::new_from_js(value.type_name(), "EditorModel");
        Held::of(&value).map(Self).ok_or(error)
    }
}

impl<'js> IntoJs<'js> for Model {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        Ok(Held::object(ctx, self.0)?.into_value())
    }
}

typed! {
    Model = "EditorModel";
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::engine::{Engine, EngineOptions, ExtensionId};

    /// Runs a file in an engine with the editors of pi; what it exports as `editor` is looked at there.
    async fn with_editor<T: Send + 'static>(
        source: &str,
        look: impl for<'js> FnOnce(&Object<'js>) -> T + Send + 'static,
    ) -> T {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("main.ts");
        let source = format!(
            "import {{ CustomEditor }} from '@earendil-works/pi-coding-agent';\n\
             const ui = {{ requestRender() {{}}, terminal: {{ rows: 24, columns: 80 }} }};\n\
             const theme = {{ borderColor: (text) => text, selectList: {{}} }};\n\
             class Own extends CustomEditor {{}}\n\
             const editor = globalThis.editor = new Own(ui, theme, {{ matches: () => false, getKeys: () => [] }});\n{source}"
        );
        std::fs::write(&file, source).expect("a file");
        let options = EngineOptions { memory: 64 << 20, ..crate::options(folder.path()) };
        let engine = Engine::start(options).expect("an engine");
        tau_engine::script::run(&engine, Path::new(&file)).await.expect("it runs");
        let looked = engine.run(move |core| {
            core.enter(ExtensionId(1), |js| {
                let editor: Object<'_> = js.globals().get("editor").expect("an editor");
                look(&editor)
            })
        });
        let looked = looked.await.expect("an engine that lives");
        engine.stop();
        looked
    }

    fn eval<T: for<'js> FromJs<'js>>(editor: &Object<'_>, code: &str) -> T {
        editor.ctx().eval(code).expect(code)
    }

    const LONG: &str = "editor.handlePaste('x'.repeat(2000)); editor.handleInput(' end'); editor.addToHistory('older'); \
        editor.deleteWordBackwards(); globalThis.changes = []; editor.onChange = (text) => changes.push(text);";

    #[tokio::test(flavor = "multi_thread")]
    async fn everything_moves_to_another_editor_and_back() {
        with_editor(LONG, |object| {
            let model = EditorModel::of(object).expect("a model");
            // What takes its place: an editor of Rust.
            let mut taken = std::mem::take(&mut *model.editor());
            told(object).expect("told");
            assert_eq!(eval::<String>(object, "editor.getText() + changes.join()"), "");
            assert_eq!(taken.text(), "[paste #1 2000 chars] ");
            assert_eq!(taken.expanded_text(), "x".repeat(2000) + " ");
            taken.yank();
            taken.insert("!");
            *model.editor() = taken;
            told(object).expect("told");
            assert_eq!(eval::<String>(object, "editor.getText()"), "[paste #1 2000 chars] end!");
            assert_eq!(eval::<Vec<String>>(object, "changes"), ["", "[paste #1 2000 chars] end!"]);
            assert_eq!(eval::<Vec<String>>(object, "[...editor.history]"), ["older"]);
            assert_eq!(
                eval::<String>(object, "editor.undo(), editor.undo(), editor.undo(), editor.getText()"),
                "[paste #1 2000 chars] end"
            );
            assert_eq!(eval::<usize>(object, "editor.getExpandedText().length"), 2004);
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_object_can_work_on_a_model_that_others_use() {
        with_editor("editor.setText('own');", |object| {
            let shared: SharedEditor = Arc::default();
            shared.lock().insert("shared");
            EditorModel::put(object, Arc::clone(&shared)).expect("put");
            assert!(Arc::ptr_eq(EditorModel::of(object).expect("a model").shared(), &shared));
            assert_eq!(eval::<String>(object, "editor.getText()"), "shared");
            eval::<()>(object, "editor.handleInput('s'); editor.state.cursorCol = 2");
            assert_eq!(shared.lock().text(), "shareds");
            assert_eq!(shared.lock().cursor().column, 2);
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_no_editor_has_no_model_and_ops_refuse_it() {
        with_editor("", |object| {
            let js = object.ctx();
            assert!(EditorModel::of(&Object::new(js.clone()).expect("an object")).is_none());
            assert!(EditorModel::of(&js.globals()).is_none());
            let refused: bool = eval(object, "editor._model = {}; try { editor.getText(); false } catch { true }");
            assert!(refused);
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn undo_is_given_up_before_the_text_is_and_what_does_not_fit_is_refused() {
        let code = "const text = 'x'.repeat(4 << 20); let count = 0; globalThis.refused = '';\n\
            try { for (; count < 100; count++) editor.insertTextAtCursor(text); } catch (error) { refused = error.code; }\n\
            globalThis.count = count;";
        with_editor(code, |object| {
            assert_eq!(eval::<String>(object, "refused"), "ERR_MEMORY_ALLOCATION_FAILED");
            let count: usize = eval(object, "count");
            assert!((4..16).contains(&count), "{count} of 4 MB each in 64 MB");
            let model = EditorModel::of(object).expect("a model");
            assert_eq!(model.editor().text().len(), count << 22, "what was refused is not there");
        })
        .await;
    }
}
