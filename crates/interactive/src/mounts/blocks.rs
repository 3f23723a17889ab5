//! Blocks of the conversation for components that show one: drawn as those of the conversation itself.

use std::sync::Arc;

use tau_hooks::mount::{BlockSpace, CommandBlock, ConversationBlock, DrawsBlocks, Ending, ToolBlock};
use tau_tui::blocks::{
    Custom, EndNote, HiddenThinking, Kind, Message, OwnPart, OwnRows, Places, Skill, Summary, SummaryKind, Tool,
    ToolView, User, UserCommand, UserCommandState,
};
use tau_tui::look::{Look, SharedLook};
use tau_tui::screen::{Content, Line};

/// Draws blocks with the look of the screen.
pub(crate) struct Blocks {
    look: SharedLook,
    home: String,
}

impl Blocks {
    pub(crate) fn new(look: SharedLook, home: String) -> Self {
        Self { look, home }
    }

    fn tool(&self, look: SharedLook, tool: &ToolBlock, expand_key: &str) -> Tool {
        let result = tool.result.clone().map(Arc::new);
        let (partial, result) = if tool.is_partial { (result, None) } else { (None, result) };
        let rows = |rows: &Option<Vec<String>>| {
            let rows = rows.as_ref()?;
            Some(rows.iter().cloned().map(OwnPart::Row).collect())
        };
        let view = ToolView {
            args: Arc::new(tool.args.clone()),
            args_complete: tool.args_complete,
            started: tool.started,
            partial,
            result,
            is_error: tool.is_error,
            elapsed: tool.elapsed(),
            duration: tool.duration(),
            expanded: tool.expanded,
            expand_key: expand_key.to_owned(),
            places: Places { cwd: tool.cwd.clone(), home: Some(self.home.clone()) },
            own: OwnRows { call: rows(&tool.call_rows), result: rows(&tool.result_rows) },
            ..ToolView::new(&*tool.name)
        };
        Tool::new(look, view)
    }

    fn content(&self, look: SharedLook, block: &ConversationBlock, expand_key: &str) -> Box<dyn Content> {
        let key = expand_key;
        match block {
            ConversationBlock::Answer { text } => Box::new(Message::new(look, Kind::Answer, text)),
            ConversationBlock::Thinking { text } => Box::new(Message::new(look, Kind::Thinking, text)),
            ConversationBlock::HiddenThinking { label } => Box::new(HiddenThinking::new(look, label)),
            ConversationBlock::Ending { how, reason } => Box::new(ending(*how, reason).content(look)),
            ConversationBlock::User { text } => Box::new(User::new(look, text)),
            ConversationBlock::Custom { name, text } => Box::new(Custom::new(look, name, text)),
            ConversationBlock::Skill { name, text, expanded } => Box::new(Skill::new(look, name, text, *expanded, key)),
            ConversationBlock::Compaction { tokens, text, expanded } => {
                let kind = SummaryKind::Compaction { tokens: *tokens };
                Box::new(Summary::new(look, kind, text, *expanded, key))
            }
            ConversationBlock::Branch { text, expanded } => {
                Box::new(Summary::new(look, SummaryKind::Branch, text, *expanded, key))
            }
            ConversationBlock::Command(command) => Box::new(user_command(look, command, key)),
            ConversationBlock::Tool(tool) => Box::new(self.tool(look, tool, key)),
        }
    }
}

impl DrawsBlocks for Blocks {
    fn rows(&self, block: &ConversationBlock, space: &BlockSpace) -> Vec<String> {
        let look = Look { padding: space.padding, ..(*self.look.get()).clone() };
        let content = self.content(SharedLook::new(look), block, &space.expand_key);
        content.lines(space.width.max(1)).iter().map(Line::as_str).map(str::to_owned).collect()
    }
}

fn ending(how: Ending, reason: &str) -> EndNote {
    match how {
        Ending::Length => EndNote::Length,
        Ending::Aborted => EndNote::Aborted { retries: 0 },
        Ending::Error => EndNote::Failed(reason.to_owned()),
    }
}

fn user_command(look: SharedLook, block: &CommandBlock, expand_key: &str) -> UserCommand {
    let state = match &block.running {
        Some((frame, keys)) => UserCommandState::Running { frame: frame.clone(), cancel_keys: keys.clone() },
        None if block.cancelled => UserCommandState::Cancelled,
        None => UserCommandState::Done { exit_code: block.exit_code },
    };
    UserCommand {
        output: block.output.clone(),
        state,
        truncated: block.truncated,
        full_output: block.full_output.clone(),
        expanded: block.expanded,
        expand_key: expand_key.to_owned(),
        ..UserCommand::new(look, &*block.command, block.hidden)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tau_tui::style::{ColorDepth, Styles};
    use tau_view::ansi::strip;
    use tau_view::theme::ColorTheme;

    use super::*;

    fn rows(block: Value, padding: usize) -> Vec<String> {
        let styles = Styles::new(&ColorTheme::builtin("dark").expect("a theme"), ColorDepth::None);
        let drawer = Blocks::new(SharedLook::new(Look::plain(styles)), "/home/me".to_owned());
        let block = serde_json::from_value(block).expect("a block");
        let space = BlockSpace { width: 40, padding, expand_key: "ctrl+o".to_owned() };
        drawer.rows(&block, &space).iter().map(|row| strip(row).trim_end().to_owned()).collect()
    }

    #[test]
    fn blocks_look_as_in_the_conversation() {
        assert_eq!(rows(json!({ "kind": "answer", "text": "# hello" }), 1), ["", " hello"]);
        assert_eq!(rows(json!({ "kind": "answer", "text": "hello" }), 0), ["", "hello"]);
        assert_eq!(rows(json!({ "kind": "ending", "how": "error", "reason": "full" }), 1), ["", " Error: full"]);
        let skill = json!({ "kind": "skill", "name": "review", "text": "Look.", "expanded": false });
        assert_eq!(rows(skill, 1), ["", "", " [skill] review (ctrl+o to expand)", ""]);
        let command = json!({ "kind": "command", "command": "ls", "output": "a\nb\n", "exitCode": 2 });
        assert_eq!(rows(command, 1)[2..6], ["$ ls", "a", "b", "(exit 2)"]);
    }

    #[test]
    fn calls_are_drawn_by_their_tool_or_by_the_rows_that_come_with_them() {
        let result = json!({ "content": [{ "type": "text", "text": "file" }] });
        let call = json!({ "kind": "tool", "name": "ls", "args": { "path": "/home/me/x" }, "argsComplete": true,
            "started": true, "result": result, "durationMs": 5, "expanded": true, "cwd": "/tmp" });
        let shown = rows(call.clone(), 1);
        assert!(shown[1].starts_with("✓ ls ~/x"), "{shown:?}");
        assert_eq!(shown[2], "file");
        let mut own = call;
        own["callRows"] = json!(["my call"]);
        own["resultRows"] = json!(["my result"]);
        assert_eq!(rows(own, 1), ["", "✓ my call", "  my result"]);
    }
}
