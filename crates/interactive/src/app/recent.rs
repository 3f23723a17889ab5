//! Files that tools worked on lately: they come first where files are suggested.

use std::path::Path;

use serde_json::Value;
use tau_ai::{ContentBlock, Message};
use tau_hooks::Messages;

use super::App;

/// How many are remembered.
const MOST: usize = 50;

impl App {
    /// A tool works on the file that its arguments name.
    pub(super) fn used_file(&mut self, args: &Value) {
        if let Some(path) = self.file_of(args) {
            self.recent.retain(|other| *other != path);
            self.recent.insert(0, path);
            self.recent.truncate(MOST);
            self.completing.set_recent(&self.recent);
        }
    }

    /// Takes the files of a conversation that was opened, the newest first.
    pub(super) fn used_files_of(&mut self, history: &Messages) {
        let mut found: Vec<String> = Vec::new();
        for message in history.iter().rev() {
            let Message::Assistant(answer) = message else { continue };
            for block in answer.content.iter().rev() {
                if let ContentBlock::ToolCall(call) = block
                    && let Some(path) = self.file_of(&call.arguments)
                    && !found.contains(&path)
                {
                    found.push(path);
                }
            }
            if found.len() >= MOST {
                break;
            }
        }
        found.truncate(MOST);
        self.completing.set_recent(&found);
        self.recent = found;
    }

    /// The file below the working directory that arguments name.
    fn file_of(&self, args: &Value) -> Option<String> {
        let path = Path::new(args.get("path")?.as_str()?);
        let inner = path.strip_prefix(&self.env.cwd).unwrap_or(path);
        let is_inside = inner.is_relative() && !inner.starts_with("..") && !inner.as_os_str().is_empty();
        is_inside.then(|| inner.to_string_lossy().trim_start_matches("./").to_owned())
    }
}
