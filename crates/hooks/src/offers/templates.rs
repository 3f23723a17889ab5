//! Prompt templates that are no files: `/name arguments` becomes what an extension makes of it when the prompt is sent.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use tau_ai::ContentBlock;
use tokio_util::sync::CancellationToken;

use crate::error::HandlerError;
use crate::extension::{Completer, Completion, Registrar};
use crate::owner::Owner;
use crate::registry::Hooks;

/// A template, as lists show it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateInfo {
    /// Without the slash; has no white space.
    pub name: String,
    /// What it does, in a line; may be empty.
    pub description: String,
    /// What can follow the name; may be empty.
    pub argument_hint: String,
    /// Where it comes from, such as a file.
    pub path: String,
}

/// What a template becomes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TemplateContent {
    /// The text of the prompt.
    pub text: String,
    /// Images, as content blocks.
    pub images: Vec<ContentBlock>,
}

/// The templates of an extension.
#[async_trait]
pub trait Templates: Send + Sync {
    /// Those that there are now. Must not wait.
    fn list(&self) -> Vec<TemplateInfo>;

    /// What a template becomes with this text behind its name; nothing when it is none of this extension's.
    ///
    /// # Errors
    /// Says why it becomes nothing; the prompt is not sent then.
    async fn expand(
        &self,
        name: &str,
        arguments: &str,
        cancel: &CancellationToken,
    ) -> Option<Result<TemplateContent, HandlerError>>;

    /// What the text behind the name can become.
    async fn complete(&self, name: &str, text: &str) -> Vec<Completion> {
        let _ = (name, text);
        Vec::new()
    }
}

impl Registrar {
    /// Adds prompt templates. A file and a command of the same name come first.
    pub fn templates(&mut self, templates: impl Templates + 'static) -> &mut Self {
        self.staged.offers.templates = Some(Arc::new(templates));
        self
    }
}

impl Hooks {
    fn all_templates(&self) -> Vec<(Arc<Owner>, Arc<dyn Templates>)> {
        self.all_of(|registered| registered.offers.templates.as_slice())
    }

    /// The templates of extensions, in load order; of a name, the first.
    pub fn templates(&self) -> Vec<(Arc<Owner>, TemplateInfo)> {
        let mut all: Vec<(Arc<Owner>, TemplateInfo)> = Vec::new();
        for (owner, templates) in self.all_templates() {
            for info in templates.list() {
                if !all.iter().any(|(_, known)| known.name == info.name) {
                    all.push((Arc::clone(&owner), info));
                }
            }
        }
        all
    }

    /// What a template of an extension becomes; nothing when no extension has it.
    ///
    /// # Errors
    /// What the extension failed with.
    pub async fn expand_template(
        &self,
        name: &str,
        arguments: &str,
        cancel: &CancellationToken,
    ) -> Option<Result<TemplateContent, HandlerError>> {
        for (_, templates) in self.all_templates() {
            let expanded = AssertUnwindSafe(templates.expand(name, arguments, cancel)).catch_unwind().await;
            match expanded {
                Ok(None) => {}
                Ok(Some(done)) => return Some(done),
                Err(panic) => return Some(Err(crate::dispatch::panicked(panic))),
            }
        }
        None
    }

    /// What completes the arguments of a template.
    pub(super) fn template_completer(&self, name: &str) -> Option<(Arc<Owner>, Completer)> {
        let has_it = |templates: &Arc<dyn Templates>| templates.list().iter().any(|info| info.name == name);
        let (owner, templates) = self.all_templates().into_iter().find(|(_, templates)| has_it(templates))?;
        let name = name.to_owned();
        let completer: Completer = Arc::new(move |text| {
            let (templates, name) = (Arc::clone(&templates), name.clone());
            Box::pin(async move { Ok(templates.complete(&name, &text).await) })
        });
        Some((owner, completer))
    }
}
