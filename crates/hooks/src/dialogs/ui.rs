//! Calls to the user interface that nobody waits for.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::mount::{Lend, ListenerHandle, SuggestHandle, UiHandle};

/// A call of an extension.
#[derive(Debug, Clone, PartialEq)]
pub struct UiEvent {
    /// The extension.
    pub owner: Arc<str>,
    /// What it wants done.
    pub call: UiCall,
}

/// What a front end is asked to do. One that cannot (a factory without a terminal) leaves it.
#[derive(Debug, Clone, PartialEq)]
pub enum UiCall {
    /// Show a message.
    Notify {
        /// The text.
        message: String,
        /// How much it matters; as [`NotifyLevel::Info`] when the extension does not say.
        level: Option<NotifyLevel>,
    },
    /// The text of a status key, as the extension gave it; `None` removes it.
    SetStatus {
        /// The key.
        key: String,
        /// The text.
        text: Option<String>,
    },
    /// A block of lines or a component next to the editor; `None` removes it.
    SetWidget {
        /// The key.
        key: String,
        /// What is shown.
        content: Option<WidgetContent>,
        /// Where; above the editor when the extension does not say.
        placement: Option<WidgetPlacement>,
    },
    /// The title of the terminal window.
    SetTitle(String),
    /// Show in the tab or the task bar that work is under way, or not any more.
    SetProgress(bool),
    /// Replace the text of the editor.
    SetEditorText(String),
    /// Insert into the editor as if it were pasted.
    PasteToEditor(String),
    /// The message while the model works; `None` restores the usual one.
    SetWorkingMessage(Option<String>),
    /// Show or hide the row with that message.
    SetWorkingVisible(bool),
    /// The animation beside that message; `None` restores the usual one.
    SetWorkingIndicator(Option<WorkingIndicator>),
    /// What stands for hidden thinking; `None` restores the usual text.
    SetHiddenThinkingLabel(Option<String>),
    /// A footer component; `None` restores the built-in one.
    SetFooter(Option<UiHandle>),
    /// A header component; `None` restores the built-in one.
    SetHeader(Option<UiHandle>),
    /// An editor component; `None` restores the built-in one.
    SetEditorComponent(Option<UiHandle>),
    /// A component over the screen for which nobody waits.
    ShowOverlay(UiHandle),
    /// Leave the terminal to another program, or take it back.
    Lend(Lend),
    /// Completions on top of the built-in ones.
    AddAutocompleteProvider(SuggestHandle),
    /// Show raw terminal input to a handler before anybody else sees it.
    OnTerminalInput(ListenerHandle),
    /// Undo [`OnTerminalInput`](Self::OnTerminalInput) with the same handle.
    OffTerminalInput(ListenerHandle),
    /// Show the output of tools in full or folded.
    SetToolsExpanded(bool),
}

/// How much a notification matters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NotifyLevel {
    /// For information.
    #[default]
    Info,
    /// Something the user may want to act on.
    Warning,
    /// Something failed.
    Error,
    /// A word of the extension's own, such as `success`. Front ends that do not know it show it as [`Self::Info`].
    #[serde(untagged)]
    Other(String),
}

/// What a widget shows.
#[derive(Debug, Clone, PartialEq)]
pub enum WidgetContent {
    /// Lines of text; they may hold ANSI colours.
    Lines(Vec<String>),
    /// A component factory, for front ends that can mount it.
    Handle(UiHandle),
}

/// Where a widget stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WidgetPlacement {
    /// Above the editor.
    #[default]
    AboveEditor,
    /// Below the editor.
    BelowEditor,
}

/// An animation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkingIndicator {
    /// Shown one after another: a single one stands still, an empty list hides the indicator. The usual ones when
    /// absent.
    pub frames: Option<Vec<String>>,
    /// How long each is shown; the usual time when absent.
    pub interval: Option<Duration>,
}
