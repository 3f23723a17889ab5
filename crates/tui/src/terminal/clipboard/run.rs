//! Running a program for the clipboard: found in the path, never through a shell, never for long.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tau_sys::process::{Ended, Flow, GroupChild, Manner, Place, Rules, Sink, Stopped, exit_code, run};
use tokio_util::sync::CancellationToken;

use super::ClipboardError;
use super::programs::Copier;

/// How much of what a program says about a failure is kept.
const LONGEST_REASON: usize = 4096;

/// Why a program did nothing.
pub(super) enum Unhelpful {
    /// It is not there.
    Missing,
    /// It ran and failed, or gave too much.
    Failed(ClipboardError),
}

impl Unhelpful {
    /// What is to be reported; a program that is missing only matters when there is no other.
    pub(super) fn error(self) -> Option<ClipboardError> {
        match self {
            Self::Missing => None,
            Self::Failed(error) => Some(error),
        }
    }
}

/// Copies text. A program that stays to serve the clipboard is let go.
pub(super) async fn copy(copier: &Copier, path: &[PathBuf], text: &str, patience: Duration) -> Result<(), Unhelpful> {
    let input = if copier.utf16 {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    } else {
        text.as_bytes().to_vec()
    };
    let mut command = Command::new(found(copier.name, path).ok_or(Unhelpful::Missing)?);
    // What it leaves behind keeps its output open, and is not waited for.
    command.args(copier.args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut sink = Output::new(0);
    let ended = follow(copier.name, command, input, patience, &mut sink).await?;
    judge(copier.name, &ended, &sink)
}

/// What a program writes.
pub(super) async fn read(
    name: &'static str,
    args: &[&str],
    path: &[PathBuf],
    most: usize,
    patience: Duration,
) -> Result<Vec<u8>, Unhelpful> {
    let mut command = Command::new(found(name, path).ok_or(Unhelpful::Missing)?);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut sink = Output::new(most);
    let ended = follow(name, command, Vec::new(), patience, &mut sink).await?;
    if ended.stopped == Some(Stopped::Full) {
        return Err(Unhelpful::Failed(ClipboardError::TooLarge(most / (1024 * 1024))));
    }
    judge(name, &ended, &sink)?;
    Ok(sink.bytes)
}

async fn follow(
    program: &'static str,
    command: Command,
    input: Vec<u8>,
    patience: Duration,
    sink: &mut Output,
) -> Result<Ended, Unhelpful> {
    let failed = |reason: String| Unhelpful::Failed(ClipboardError::Failed { program, reason });
    let mut child = GroupChild::spawn(command, Place::Group).map_err(|error| failed(error.to_string()))?;
    let pipes = child.pipes();
    let rules = Rules { timeout: Some(patience), input, ..Rules::new(Manner::Kill, CancellationToken::new()) };
    Ok(run(child, pipes, rules, sink).await)
}

fn judge(program: &'static str, ended: &Ended, sink: &Output) -> Result<(), Unhelpful> {
    let reason = match (ended.stopped, ended.status()) {
        (None, Some(status)) if status.success() => return Ok(()),
        (Some(_), _) => "it took too long".to_owned(),
        (None, status) => {
            let said = String::from_utf8_lossy(&sink.reason);
            let said =
                crate::terminal::say::plain(said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default());
            match (said.trim(), status) {
                ("", Some(status)) => format!("it ended with code {}", exit_code(status)),
                ("", None) => "it is not known how it ended".to_owned(),
                (said, _) => said.to_owned(),
            }
        }
    };
    Err(Unhelpful::Failed(ClipboardError::Failed { program, reason }))
}

struct Output {
    most: usize,
    bytes: Vec<u8>,
    reason: Vec<u8>,
}

impl Output {
    fn new(most: usize) -> Self {
        Self { most, bytes: Vec::new(), reason: Vec::new() }
    }
}

impl Sink for Output {
    fn take(&mut self, stream: usize, bytes: &[u8]) -> Flow {
        if stream == 1 {
            let room = LONGEST_REASON - self.reason.len();
            self.reason.extend_from_slice(&bytes[..bytes.len().min(room)]);
            return Flow::More;
        }
        if self.bytes.len() + bytes.len() > self.most {
            return Flow::Enough;
        }
        self.bytes.extend_from_slice(bytes);
        Flow::More
    }
}

/// Where a program is. Only folders with a whole path count: a project must not bring its own clipboard.
fn found(name: &str, path: &[PathBuf]) -> Option<PathBuf> {
    let is_program = |file: &Path| {
        file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    path.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(name)).find(|file| is_program(file))
}
