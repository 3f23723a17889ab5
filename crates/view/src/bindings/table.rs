//! The table of actions.

use super::Binding;
use super::Context::{
    self, Editor, EmptyEditor, List, Models, Search, Selection, Sessions, ThinkingLevels, Transcript, Tree,
};
use super::Platform::{Mac, Windows, Wsl};

const fn row(
    context: Context,
    id: &'static str,
    older: &'static str,
    keys: &'static [&'static str],
    doc: &'static str,
) -> Binding {
    Binding { id, older, context, keys, elsewhere: &[], doc, reserved: false }
}

/// An action whose keys no extension can take.
const fn kept(
    context: Context,
    id: &'static str,
    older: &'static str,
    keys: &'static [&'static str],
    doc: &'static str,
) -> Binding {
    Binding { reserved: true, ..row(context, id, older, keys, doc) }
}

impl Binding {
    /// With other keys on some platforms.
    const fn except(self, elsewhere: &'static [(super::Platform, &'static [&'static str])]) -> Self {
        Self { elsewhere, ..self }
    }
}

/// Every action, group by group in the order in which they are shown.
pub static BINDINGS: &[Binding] = &[
    row(Editor, "tui.editor.cursorUp", "cursorUp", &["up"], "A line up, or to an earlier prompt"),
    row(Editor, "tui.editor.cursorDown", "cursorDown", &["down"], "A line down, or to a later prompt"),
    row(Editor, "tui.editor.historyPrevious", "", &[], "An earlier prompt"),
    row(Editor, "tui.editor.historyNext", "", &[], "A later prompt"),
    row(Editor, "tui.editor.cursorLeft", "cursorLeft", &["left", "ctrl+b"], "A character to the left"),
    row(Editor, "tui.editor.cursorRight", "cursorRight", &["right", "ctrl+f"], "A character to the right"),
    row(
        Editor,
        "tui.editor.cursorWordLeft",
        "cursorWordLeft",
        &["alt+left", "ctrl+left", "alt+b"],
        "A word to the left",
    ),
    row(
        Editor,
        "tui.editor.cursorWordRight",
        "cursorWordRight",
        &["alt+right", "ctrl+right", "alt+f"],
        "A word to the right",
    ),
    row(Editor, "tui.editor.cursorLineStart", "cursorLineStart", &["home", "ctrl+a"], "To the start of the line"),
    row(Editor, "tui.editor.cursorLineEnd", "cursorLineEnd", &["end", "ctrl+e"], "To the end of the line"),
    row(Editor, "tui.editor.jumpForward", "jumpForward", &["ctrl+]"], "Forward to the character typed next"),
    row(Editor, "tui.editor.jumpBackward", "jumpBackward", &["ctrl+alt+]"], "Back to the character typed next"),
    row(Editor, "tui.editor.pageUp", "pageUp", &["pageUp", "ctrl+pageUp"], "A page up"),
    row(Editor, "tui.editor.pageDown", "pageDown", &["pageDown", "ctrl+pageDown"], "A page down"),
    row(Editor, "tui.editor.deleteCharBackward", "deleteCharBackward", &["backspace"], "Delete the character before"),
    row(
        Editor,
        "tui.editor.deleteCharForward",
        "deleteCharForward",
        &["delete", "ctrl+d"],
        "Delete the character behind",
    ),
    row(
        Editor,
        "tui.editor.deleteWordBackward",
        "deleteWordBackward",
        &["ctrl+w", "alt+backspace"],
        "Delete the word before",
    ),
    row(
        Editor,
        "tui.editor.deleteWordForward",
        "deleteWordForward",
        &["alt+d", "alt+delete"],
        "Delete the word behind",
    ),
    row(Editor, "tui.editor.deleteToLineStart", "deleteToLineStart", &["ctrl+u"], "Delete to the start of the line"),
    kept(Editor, "tui.editor.deleteToLineEnd", "deleteToLineEnd", &["ctrl+k"], "Delete to the end of the line"),
    row(Editor, "tui.editor.yank", "yank", &["ctrl+y"], "Put back what was deleted last"),
    row(Editor, "tui.editor.yankPop", "yankPop", &["alt+y"], "In its place, what was deleted before that"),
    row(Editor, "tui.editor.undo", "undo", &["ctrl+-"], "Undo").except(&[(Windows, &["ctrl+z"]), (Wsl, &["alt+z"])]),
    kept(Editor, "tui.input.submit", "submit", &["enter"], "Send the prompt"),
    row(Editor, "tui.input.newLine", "newLine", &["shift+enter", "ctrl+j"], "Begin a new line"),
    row(Editor, "tui.input.tab", "tab", &["tab"], "Complete"),
    kept(Selection, "tui.input.copy", "copy", &["ctrl+c"], "Copy the selection"),
    row(List, "tui.select.up", "selectUp", &["up"], "Up"),
    row(List, "tui.select.down", "selectDown", &["down"], "Down"),
    row(List, "tui.select.pageUp", "selectPageUp", &["pageUp"], "A page up"),
    row(List, "tui.select.pageDown", "selectPageDown", &["pageDown"], "A page down"),
    kept(List, "tui.select.confirm", "selectConfirm", &["enter"], "Choose"),
    kept(List, "tui.select.cancel", "selectCancel", &["escape", "ctrl+c"], "Leave"),
    row(Transcript, "tui.altScreen.pageUp", "", &["pageUp"], "A page up"),
    row(Transcript, "tui.altScreen.pageDown", "", &["pageDown"], "A page down"),
    row(Transcript, "tui.altScreen.halfPageUp", "", &[], "Half a page up"),
    row(Transcript, "tui.altScreen.halfPageDown", "", &[], "Half a page down"),
    row(Transcript, "tui.altScreen.lineUp", "", &[], "A line up"),
    row(Transcript, "tui.altScreen.lineDown", "", &[], "A line down"),
    row(Transcript, "tui.altScreen.previousPrompt", "", &["ctrl+shift+up", "ctrl+up"], "To the prompt before")
        .except(&[(Windows, &["ctrl+up"]), (Wsl, &["ctrl+up"])]),
    row(Transcript, "tui.altScreen.nextPrompt", "", &["ctrl+shift+down", "ctrl+down"], "To the next prompt")
        .except(&[(Windows, &["ctrl+down"]), (Wsl, &["ctrl+down"])]),
    row(Transcript, "tui.altScreen.search", "", &["ctrl+shift+f"], "Search")
        .except(&[(Windows, &["ctrl+f"]), (Wsl, &["ctrl+f"])]),
    row(Search, "tui.altScreen.searchNext", "", &["enter", "ctrl+g"], "To the next match"),
    row(Search, "tui.altScreen.searchPrevious", "", &["shift+enter", "ctrl+shift+g"], "To the match before"),
    row(Search, "tui.altScreen.searchClose", "", &["escape"], "End the search"),
    row(Transcript, "tui.altScreen.top", "", &["ctrl+home"], "To the top"),
    row(Transcript, "tui.altScreen.bottom", "", &["ctrl+end"], "To the bottom"),
    kept(Editor, "app.interrupt", "interrupt", &["escape"], "Stop what is under way"),
    kept(Editor, "app.clear", "clear", &["ctrl+c"], "Empty the editor; twice, end the program"),
    kept(EmptyEditor, "app.exit", "exit", &["ctrl+d"], "End the program, when the editor is empty"),
    kept(Editor, "app.suspend", "suspend", &["ctrl+z"], "Put the program into the background")
        .except(&[(Windows, &[])]),
    kept(Editor, "app.thinking.cycle", "cycleThinkingLevel", &["shift+tab"], "The next thinking level"),
    row(ThinkingLevels, "app.thinking.save", "", &["ctrl+s"], "Keep the thinking level"),
    kept(Editor, "app.model.cycleForward", "cycleModelForward", &["ctrl+p"], "The next model"),
    kept(Editor, "app.model.cycleBackward", "cycleModelBackward", &["shift+ctrl+p"], "The model before")
        .except(&[(Windows, &["alt+p"]), (Wsl, &["alt+p"])]),
    kept(Editor, "app.model.select", "selectModel", &["ctrl+l"], "Choose a model"),
    kept(Editor, "app.tools.expand", "expandTools", &["ctrl+o"], "Unfold or fold the output of tools"),
    kept(Editor, "app.thinking.toggle", "toggleThinking", &["ctrl+t"], "Show or hide thinking"),
    kept(Editor, "app.editor.external", "externalEditor", &["ctrl+g"], "Write the prompt in another editor"),
    kept(Editor, "app.message.copy", "", &["ctrl+x"], "Copy the selection, or the last answer"),
    kept(Editor, "app.message.followUp", "followUp", &["alt+enter"], "Send the prompt when the run is over")
        .except(&[(Windows, &["ctrl+q"]), (Wsl, &["ctrl+q"])]),
    row(Editor, "app.message.dequeue", "dequeue", &["alt+up"], "Take waiting prompts back")
        .except(&[(Windows, &["alt+q"]), (Wsl, &["alt+q"])]),
    row(Editor, "app.message.queue", "", &["alt+down"], "Edit, move or remove waiting prompts one by one"),
    row(Editor, "app.clipboard.pasteImage", "pasteImage", &["ctrl+v"], "Paste a picture, or text")
        .except(&[(Windows, &["alt+v", "ctrl+v"]), (Wsl, &["alt+v", "ctrl+v"])]),
    row(Editor, "app.history.search", "", &["ctrl+r"], "Search the earlier prompts"),
    row(Editor, "app.pager.open", "", &[], "Show the whole transcript in the pager"),
    row(Editor, "app.tui.toggle", "", &[], "Change between the regular and the full screen"),
    row(Editor, "app.session.new", "newSession", &[], "A new session"),
    row(Editor, "app.session.tree", "tree", &[], "The tree of the session"),
    row(Editor, "app.session.fork", "fork", &[], "Fork the session"),
    row(Editor, "app.session.resume", "resume", &[], "Go on with another session"),
    row(Sessions, "app.session.togglePath", "toggleSessionPath", &["ctrl+p"], "Show or hide files"),
    row(Sessions, "app.session.toggleSort", "toggleSessionSort", &["ctrl+s"], "Sort in another way"),
    row(
        Sessions,
        "app.session.toggleNamedFilter",
        "toggleSessionNamedFilter",
        &["ctrl+n"],
        "Only sessions with a name, or all",
    ),
    row(Sessions, "app.session.rename", "renameSession", &["ctrl+r"], "Give it another name"),
    row(Sessions, "app.session.delete", "deleteSession", &["ctrl+d"], "Delete it"),
    row(
        Sessions,
        "app.session.deleteNoninvasive",
        "deleteSessionNoninvasive",
        &["ctrl+backspace"],
        "Delete it, when nothing is searched for",
    ),
    row(Tree, "app.tree.foldOrUp", "treeFoldOrUp", &["ctrl+left", "alt+left"], "Fold the branch, or go up")
        .except(&[(Mac, &["alt+left", "ctrl+left"])]),
    row(
        Tree,
        "app.tree.unfoldOrDown",
        "treeUnfoldOrDown",
        &["ctrl+right", "alt+right"],
        "Unfold the branch, or go down",
    )
    .except(&[(Mac, &["alt+right", "ctrl+right"])]),
    row(Tree, "app.tree.editLabel", "treeEditLabel", &["shift+l"], "Set a label"),
    row(
        Tree,
        "app.tree.toggleLabelTimestamp",
        "treeToggleLabelTimestamp",
        &["shift+t"],
        "Show or hide when labels were set",
    ),
    row(Tree, "app.tree.filter.default", "", &["ctrl+d"], "Show the usual entries"),
    row(Tree, "app.tree.filter.noTools", "", &["ctrl+t"], "Leave results of tools out"),
    row(Tree, "app.tree.filter.userOnly", "", &["ctrl+u"], "Only what the user said"),
    row(Tree, "app.tree.filter.labeledOnly", "", &["ctrl+l"], "Only entries with a label"),
    row(Tree, "app.tree.filter.all", "", &["ctrl+a"], "Show every entry"),
    row(Tree, "app.tree.filter.cycleForward", "", &["ctrl+o"], "The next of these"),
    row(Tree, "app.tree.filter.cycleBackward", "", &["shift+ctrl+o"], "The one before"),
    row(Models, "app.models.save", "", &["ctrl+s"], "Keep the choice"),
    row(Models, "app.models.enableAll", "", &["ctrl+a"], "All of them"),
    row(Models, "app.models.clearAll", "", &["ctrl+x"], "None of them"),
    row(Models, "app.models.toggleProvider", "", &["ctrl+p"], "All of a provider, or none"),
    row(Models, "app.models.reorderUp", "", &["alt+up"], "Move up"),
    row(Models, "app.models.reorderDown", "", &["alt+down"], "Move down"),
];
