//! Choosing with plain lines: for start-up, before there is any other user interface.

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use tau_agent::{MissingFolder, session_line};
use tau_launch::{Chooser, FolderAnswer};
use tau_session::{SessionInfo, SessionList};

/// How many sessions are shown at once.
const PAGE: usize = 15;

fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// What the user types; nothing at the end of the input.
fn answer(question: &str) -> Option<String> {
    eprint!("{question} ");
    // A terminal that is gone gives no answer either.
    let _ = std::io::stderr().flush();
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line).unwrap_or(0);
    (read > 0).then(|| line.trim().to_owned())
}

/// Asks in lines on standard error, and reads the answers from standard input, when both are terminals.
pub(crate) struct Lines;

#[async_trait]
impl Chooser for Lines {
    async fn session(&self, here: SessionList, all: SessionList) -> Result<PathBuf, String> {
        session(here, all)
    }

    async fn forks_from(&self, other: &Path) -> Option<bool> {
        if !can_ask() {
            return None;
        }
        let question =
            format!("Session found in different project: {}. Fork it into this directory? [y/N]", other.display());
        let answer = answer(&question)?.to_lowercase();
        Some(matches!(answer.as_str(), "y" | "yes"))
    }

    async fn folder_is_gone(&self, missing: &MissingFolder) -> FolderAnswer {
        if !can_ask() {
            return FolderAnswer::Unasked;
        }
        let here = missing.here.display();
        eprintln!("The directory of the session is gone: {}", missing.folder.display());
        eprintln!("  1  Continue in {here} (asks again next time)");
        eprintln!("  2  Fork into {here} (a new session; this one stays as it is)");
        match answer("Enter a number to continue, or anything else to cancel:").as_deref() {
            None => FolderAnswer::Unasked,
            Some("1") => FolderAnswer::Here,
            Some("2") => FolderAnswer::Fork,
            Some(_) => FolderAnswer::Cancelled,
        }
    }
}

/// Lets the user choose a session, of this directory first and of all projects after that. What is returned as an error
/// says why none was chosen.
fn session(here: SessionList, all: SessionList) -> Result<PathBuf, String> {
    if !can_ask() {
        return Err(unasked(here));
    }
    let (mut list, mut others) = (here, Some(all));
    let mut shown: Vec<SessionInfo> = Vec::new();
    loop {
        let from = shown.len();
        shown.extend(list.by_ref().take(PAGE));
        for (at, info) in shown.iter().enumerate().skip(from) {
            eprintln!("{:>3}  {}", at + 1, session_line(info));
        }
        let more = if list.remaining() > 0 { ", Enter for more" } else { "" };
        let wider = if others.is_some() { ", a for all projects" } else { "" };
        let chosen = answer(&format!("Number of the session{more}{wider}, q for none:")).unwrap_or("q".to_owned());
        match (chosen.as_str(), chosen.parse::<usize>()) {
            (_, Ok(number)) if (1..=shown.len()).contains(&number) => return Ok(shown[number - 1].path.clone()),
            ("q", _) => return Err("No session was chosen.".to_owned()),
            ("a", _) => {
                if let Some(all) = others.take() {
                    list = all;
                    shown.clear();
                }
            }
            _ => {}
        }
    }
}

/// Where nobody can be asked, the way to do without.
fn unasked(here: SessionList) -> String {
    let lines: Vec<String> = here.take(PAGE).map(|info| format!("  {}  {}", info.id, session_line(&info))).collect();
    let latest = if lines.is_empty() { String::new() } else { format!(" The latest are:\n{}", lines.join("\n")) };
    format!("--resume asks which session, and there is no terminal to ask in. Use --session ID.{latest}")
}
