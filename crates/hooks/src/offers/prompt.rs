//! Pieces of the system prompt.

use std::path::PathBuf;
use std::sync::Arc;

use crate::action_error::ActionError;
use crate::api::Api;
use crate::error::HandlerError;
use crate::extension::Registrar;
use crate::owner::Owner;
use crate::registry::Hooks;

/// What a piece of the prompt may depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSight {
    /// The working directory.
    pub cwd: PathBuf,
    /// The names of the active tools.
    pub tools: Vec<String>,
}

/// Makes the text of a piece; `None` leaves it out.
pub type SegmentText = Arc<dyn Fn(&PromptSight) -> Option<String> + Send + Sync>;

/// A named piece of the system prompt. It stands inside a tag of its name, behind everything that tau and the user's files
/// say.
#[derive(Clone)]
pub struct PromptSegment {
    /// Its name: a-z, 0-9, `_` and `-`, with a letter first.
    pub name: String,
    /// Pieces stand in the order of this number; those with the same one in the order of their extensions.
    pub order: i32,
    /// Its text. Called whenever the prompt is built: it must not wait.
    pub text: SegmentText,
}

impl Registrar {
    /// Adds a piece to the system prompt of every run. The text is made when the session starts, when tools or resources
    /// change, and after [`Api::prompt_changed`]. An earlier piece of this extension with the same name is replaced.
    ///
    /// # Errors
    /// When the name is none.
    pub fn prompt_segment(
        &mut self,
        name: &str,
        order: i32,
        text: impl Fn(&PromptSight) -> Option<String> + Send + Sync + 'static,
    ) -> Result<&mut Self, HandlerError> {
        let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(is_fine) {
            return Err(HandlerError::msg(format!(
                "\"{name}\" cannot be the name of a piece of the system prompt: use a-z, 0-9, _ and -, starting with a letter"
            )));
        }
        let segment = PromptSegment { name: name.to_owned(), order, text: Arc::new(text) };
        super::put(&mut self.staged.offers.segments, segment, |segment| &segment.name);
        Ok(self)
    }
}

impl Hooks {
    /// The pieces of the system prompt, in the order in which they stand there.
    pub fn prompt_segments(&self) -> Vec<(Arc<Owner>, PromptSegment)> {
        let mut all = self.all_of(|registered| &registered.offers.segments);
        all.sort_by_key(|(_, segment)| segment.order);
        all
    }
}

impl Api {
    /// What a piece of the system prompt says is another text now: the prompt is built again.
    ///
    /// # Errors
    /// See [`Api::host`].
    pub fn prompt_changed(&self) -> Result<(), ActionError> {
        self.host()?.prompt_changed();
        Ok(())
    }
}
