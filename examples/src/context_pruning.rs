//! Leaves the large output of tools out of requests once it is old. The session keeps all of it: only the copy that is
//! sent to the model is changed.
//!
//! Every change of an old message makes the provider's cache of everything behind it worthless. Therefore output is
//! not dropped one by one as the conversation grows, but a block at a time.

use tau_ai::{ContentBlock, Message};
use tau_hooks::events::Context;
use tau_hooks::payload::ContextResult;
use tau_hooks::{Extension, HandlerError, Messages, Registrar};

/// The extension and its settings.
#[derive(Debug, Clone, Copy)]
pub struct ContextPruning {
    /// How many tool results at the end always stay.
    pub keep_last: usize,
    /// How many of the older ones are dropped at a time.
    pub block: usize,
    /// Results of up to this many bytes always stay.
    pub small: usize,
}

impl Default for ContextPruning {
    fn default() -> Self {
        Self { keep_last: 10, block: 10, small: 2000 }
    }
}

impl Extension for ContextPruning {
    fn name(&self) -> &str {
        "context-pruning"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let settings = *self;
        registrar.on::<Context>(move |mut event, _| async move {
            settings.prune(&mut event.messages).then(|| ContextResult { messages: Some(event.messages) })
        });
        Ok(())
    }
}

impl ContextPruning {
    /// Replaces old, large tool results by a stub; tells whether there were any.
    pub fn prune(&self, messages: &mut Messages) -> bool {
        let results = messages.iter().enumerate().filter(|(_, message)| matches!(message, Message::ToolResult(_)));
        let results: Vec<usize> = results.map(|(index, _)| index).collect();
        let old = results.len().saturating_sub(self.keep_last);
        let block = self.block.max(1);
        let mut changed = false;
        for index in &results[..old - old % block] {
            // Looking first keeps the messages that stay as they are shared with the session.
            let Some(message) = messages.get(*index) else { continue };
            let Message::ToolResult(result) = &*message else { continue };
            let size = result.content.iter().map(size).sum::<usize>();
            if size <= self.small {
                continue;
            }
            let stub = format!(
                "[{size} bytes of old output of `{}` left out. Run the tool again if they are needed.]",
                result.tool_name
            );
            if let Some(Message::ToolResult(result)) = messages.edit(*index) {
                result.content = vec![ContentBlock::text(stub)];
                changed = true;
            }
        }
        changed
    }
}

fn size(block: &ContentBlock) -> usize {
    match block {
        ContentBlock::Text(text) => text.text.len(),
        ContentBlock::Image(image) => image.data.len(),
        _ => 0,
    }
}
