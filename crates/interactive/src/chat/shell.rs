//! Commands of the user.

use std::time::Instant;

use tau_agent::UserCommand;
use tau_ai::BashExecutionMessage;
use tau_hooks::payload::BashResult;
use tau_tui::blocks::{UserCommand as Content, UserCommandState, Working};
use tau_tui::screen::{Block, BlockId, Transcript};

use super::Chat;

/// The most bytes of output that are shown while a command runs; all of it is in the result.
const MOST: usize = 256 << 10;

/// A command that runs.
pub(super) struct Shell {
    block: BlockId,
    content: Content,
    begun: Instant,
    frame: usize,
    is_dirty: bool,
}

impl Shell {
    pub(super) fn block(&self) -> BlockId {
        self.block
    }

    pub(super) fn is_expanded(&self) -> bool {
        self.content.expanded
    }

    pub(super) fn expand(&mut self, expanded: bool) {
        self.content.expanded = expanded;
        self.is_dirty = true;
    }

    /// Brings its block up to date.
    pub(super) fn update(&mut self, transcript: &mut Transcript) {
        let frame = self.begun.elapsed().as_millis() / Working::INTERVAL.as_millis();
        let frame = usize::try_from(frame).unwrap_or(0) % Working::FRAMES.len();
        if let UserCommandState::Running { frame: shown, .. } = &mut self.content.state
            && frame != self.frame
        {
            Working::FRAMES[frame].clone_into(shown);
            (self.frame, self.is_dirty) = (frame, true);
        }
        if std::mem::take(&mut self.is_dirty)
            && let Some(block) = transcript.edit(self.block)
        {
            block.set(self.content.clone());
        }
    }

    /// Nothing of it changes any more.
    pub(super) fn finish(&mut self, transcript: &mut Transcript) {
        self.is_dirty = true;
        self.update(transcript);
        if let Some(block) = transcript.edit(self.block) {
            block.finish();
        }
    }
}

impl Chat {
    /// A command begins.
    pub(crate) fn begin_bash(&mut self, transcript: &mut Transcript, command: &UserCommand, cancel_keys: String) {
        let block = transcript.push(Block::new().labelled("Command"));
        let mut content = self.command(&command.command, command.exclude_from_context);
        content.state = UserCommandState::Running { frame: Working::FRAMES[0].to_owned(), cancel_keys };
        self.shell = Some(Shell { block, content, begun: Instant::now(), frame: 0, is_dirty: true });
    }

    fn command(&self, command: &str, hidden: bool) -> Content {
        let content = Content::new(self.look.clone(), command, hidden);
        Content { expanded: self.expands, expand_key: self.expand_key.clone(), ..content }
    }

    /// A command put something out.
    pub(crate) fn bash_output(&mut self, delta: &str) {
        let Some(shell) = &mut self.shell else { return };
        let output = &mut shell.content.output;
        output.push_str(delta);
        if output.len() > 2 * MOST {
            let from = output.ceil_char_boundary(output.len() - MOST);
            output.drain(..from);
        }
        shell.is_dirty = true;
    }

    /// A command is over; without a result it could not be run.
    pub(crate) fn end_bash(&mut self, transcript: &mut Transcript, result: Option<&BashResult>) {
        let Some(mut shell) = self.shell.take() else { return };
        shell.content.state = UserCommandState::Cancelled;
        if let Some(result) = result {
            shell.content.output.clone_from(&result.output);
            shell.content.state = state(result.exit_code, result.cancelled);
            shell.content.truncated = result.truncated;
            shell.content.full_output.clone_from(&result.full_output_path);
        }
        shell.finish(transcript);
        let content = shell.content;
        let is_expanded = content.expanded;
        self.add_fold(shell.block, is_expanded, move |expanded| Box::new(Content { expanded, ..content.clone() }));
    }

    pub(super) fn show_shell(&mut self, transcript: &mut Transcript, message: &BashExecutionMessage) {
        let mut content = self.command(&message.command, message.exclude_from_context == Some(true));
        content.output.clone_from(&message.output);
        content.state = state(message.exit_code, message.cancelled);
        content.truncated = message.truncated;
        content.full_output.clone_from(&message.full_output_path);
        let shown = move |expanded| Content { expanded, ..content.clone() };
        self.push_fold(transcript, |block| block.labelled("Command"), self.expands, shown);
    }
}

fn state(exit_code: Option<i64>, cancelled: bool) -> UserCommandState {
    if cancelled {
        UserCommandState::Cancelled
    } else {
        UserCommandState::Done { exit_code: exit_code.and_then(|code| i32::try_from(code).ok()) }
    }
}
