//! The system prompt: built from named parts that remember who wrote them.
//!
//! Parts stand in the order of how seldom they change, so that a provider's cache keeps the longest possible beginning:
//! what tau says about itself first, the date last. [`build`] is a pure function of [`PromptInputs`].

mod build;
mod docs;
mod inputs;
mod options;
mod part;
mod stamp;
mod wording;

pub(crate) use build::build;
pub(crate) use docs::{docs_dir, unpack_docs};
pub(crate) use inputs::{ExtraSection, PromptInputs, PromptTool};
pub(crate) use options::{apply_options, to_options};
pub(crate) use part::{Author, SystemPrompt};

#[cfg(test)]
mod tests;
