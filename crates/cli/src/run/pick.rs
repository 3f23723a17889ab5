//! Choosing with plain lines: for start-up, before there is any other user interface.

use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

use tau_agent::session_line;
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

/// A question that is answered with yes or no; `None` when there is nobody to ask.
pub(super) fn confirm(question: &str) -> Option<bool> {
    if !can_ask() {
        return None;
    }
    let answer = answer(&format!("{question} [y/N]"))?.to_lowercase();
    Some(matches!(answer.as_str(), "y" | "yes"))
}

/// How the user wants to go on.
pub(super) enum Way {
    /// There is nobody to ask.
    Unasked,
    /// Not at all.
    Cancelled,
    /// In the way at this place.
    Chosen(usize),
}

/// Lets the user choose one of a few ways to go on.
pub(super) fn way(question: &str, ways: &[String]) -> Way {
    if !can_ask() {
        return Way::Unasked;
    }
    eprintln!("{question}");
    for (at, way) in ways.iter().enumerate() {
        eprintln!("{:>3}  {way}", at + 1);
    }
    let Some(chosen) = answer("Enter a number to continue, or anything else to cancel:") else { return Way::Unasked };
    let place = chosen.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    place.filter(|at| *at < ways.len()).map_or(Way::Cancelled, Way::Chosen)
}

/// Lets the user choose a session, of this directory first and of all projects after that. What is returned as an error
/// says why none was chosen.
pub(super) fn session(here: SessionList, all: SessionList) -> Result<PathBuf, String> {
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
