//! Commands that the user types with a leading `!`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::operations::{BashExec, BashExecError, BashOperations, OnData, Pace, overdue};
use super::output::OutputAccumulator;
use super::shell::Environment;
use crate::OpError;
use crate::truncate::Limits;
use crate::utf8::Utf8Stream;

/// How a user's command runs.
#[derive(Clone)]
pub struct UserBash {
    /// Takes cleaned output as it comes.
    pub on_text: Arc<dyn Fn(&str) + Send + Sync>,
    /// Asks to stop.
    pub cancel: CancellationToken,
    /// The whole environment; `None` inherits ours.
    pub env: Option<Environment>,
    /// Where long output is saved.
    pub temp_dir: PathBuf,
    /// Slows the command down when nobody has room for its output.
    pub pace: Option<Pace>,
}

/// What a user's command left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserBashOutput {
    /// The end of the cleaned output.
    pub output: String,
    /// The exit code; `None` when the command was stopped.
    pub exit_code: Option<i32>,
    /// The command was stopped by the user.
    pub cancelled: bool,
    /// `output` is not all of it.
    pub truncated: bool,
    /// The file with all of it, when it was long.
    pub full_output_path: Option<PathBuf>,
}

/// Runs `command` for the user. Escape sequences, control characters and carriage returns are taken out of the
/// output, for it is shown and stored as it is.
pub async fn run_user_command(
    command: &str,
    cwd: &Path,
    operations: &dyn BashOperations,
    user: UserBash,
) -> Result<UserBashOutput, OpError> {
    let UserBash { on_text, cancel, env, temp_dir, pace } = user;
    let state = Arc::new(Mutex::new((Cleaner::default(), OutputAccumulator::new(&temp_dir, Limits::default()))));
    let on_data: OnData = Arc::new({
        let state = state.clone();
        move |chunk: &[u8]| {
            let mut state = state.lock();
            let text = state.0.clean(chunk);
            state.1.append(text.as_bytes());
            drop(state);
            if !text.is_empty() {
                on_text(&text);
            }
        }
    });
    let exec = BashExec { on_data, cancel: cancel.clone(), timeout: None, env, pace };
    let result = tokio::select! {
        result = operations.exec(command, cwd, exec) => result,
        () = overdue(&cancel) => Err(BashExecError::Aborted),
    };
    let cancelled = cancel.is_cancelled();
    let exit_code = match result {
        Ok(code) => code.filter(|_| !cancelled),
        Err(_) if cancelled => None,
        Err(BashExecError::Failed(error)) => return Err(error),
        Err(other) => return Err(OpError::new(other.to_string())),
    };
    let mut state = state.lock();
    let rest = state.0.finish();
    state.1.append(rest.as_bytes());
    state.1.finish();
    let snapshot = state.1.snapshot();
    Ok(UserBashOutput {
        output: snapshot.truncation.content,
        exit_code,
        cancelled,
        truncated: snapshot.truncation.truncated,
        full_output_path: snapshot.full_output_path,
    })
}

/// Takes out of a stream of bytes what does not belong into text.
#[derive(Debug, Default)]
struct Cleaner {
    decoder: Utf8Stream,
    state: Escape,
}

/// Where in an escape sequence the stream is.
#[derive(Debug, Default, Clone, Copy)]
enum Escape {
    #[default]
    Outside,
    /// After ESC.
    Begun,
    /// After ESC and characters that only announce the final one, as in `ESC ( B`.
    Announced,
    /// In `ESC [ … final`.
    Control,
    /// In `ESC ] … BEL` or another string that `ESC \` ends.
    Text,
    /// After an ESC within such a string.
    TextEnding,
}

impl Cleaner {
    fn clean(&mut self, chunk: &[u8]) -> String {
        let mut decoder = std::mem::take(&mut self.decoder);
        let mut out = String::with_capacity(chunk.len());
        decoder.push(chunk, |text| self.keep(text, &mut out));
        self.decoder = decoder;
        out
    }

    fn finish(&mut self) -> String {
        let mut decoder = std::mem::take(&mut self.decoder);
        let mut out = String::new();
        decoder.finish(|text| self.keep(text, &mut out));
        out
    }

    fn keep(&mut self, text: &str, out: &mut String) {
        for c in text.chars() {
            self.state = match (self.state, c) {
                (Escape::Outside | Escape::Begun | Escape::Announced | Escape::Control, '\u{1b}') => Escape::Begun,
                (Escape::Outside, '\u{9b}') => Escape::Control,
                (Escape::Outside, _) => {
                    if is_plain(c) {
                        out.push(c);
                    }
                    Escape::Outside
                }
                (Escape::Begun, '[') => Escape::Control,
                (Escape::Begun, ']' | 'P' | 'X' | '^' | '_') => Escape::Text,
                (Escape::Begun | Escape::Announced, ' '..='/') => Escape::Announced,
                (Escape::Begun | Escape::Announced, _) => Escape::Outside,
                (Escape::Control, '\u{40}'..='\u{7e}') => Escape::Outside,
                // A line feed cannot be part of a sequence: this was a broken one.
                (Escape::Control | Escape::Text, '\n') => {
                    out.push('\n');
                    Escape::Outside
                }
                (Escape::Control, _) => Escape::Control,
                (Escape::Text, '\u{7}' | '\u{9c}') => Escape::Outside,
                (Escape::Text | Escape::TextEnding, '\u{1b}') => Escape::TextEnding,
                (Escape::Text, _) => Escape::Text,
                (Escape::TextEnding, '\\') => Escape::Outside,
                (Escape::TextEnding, _) => Escape::Text,
            };
        }
    }
}

fn is_plain(c: char) -> bool {
    match c {
        '\t' | '\n' => true,
        '\u{FFF9}'..='\u{FFFB}' => false,
        c => c > '\u{1f}',
    }
}
