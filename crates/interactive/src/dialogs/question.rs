//! From a question of an extension to its panel.

use tau_hooks::dialogs::{DialogKind, DialogRequest};

use super::Panel;
use super::confirm::ConfirmPanel;
use super::list::ListPanel;
use super::text::{EditorPanel, InputPanel};

/// The panel for a question; none for a component of an extension.
pub(crate) fn panel_of(request: &DialogRequest) -> Option<Box<dyn Panel>> {
    let id = request.id();
    Some(match request.kind.clone() {
        DialogKind::Select { title, options } => Box::new(ListPanel::of_question(id, &title, options)),
        DialogKind::Confirm { title, message } => Box::new(ConfirmPanel::new(id, title, message)),
        DialogKind::Input { title, placeholder } => Box::new(InputPanel::new(id, title, placeholder)),
        DialogKind::Editor { title, prefill } => Box::new(EditorPanel::new(id, title, prefill)),
        DialogKind::Custom { .. } => return None,
    })
}
