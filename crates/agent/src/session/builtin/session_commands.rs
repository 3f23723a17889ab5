//! Built-in commands that replace the session, move in its tree, or tell about both.

use std::sync::Arc;

use jiff::tz::TimeZone;
use tau_ai::Message;
use tau_hooks::dialogs::{DialogAnswer, DialogKind, DialogRequest};
use tau_hooks::payload::ForkPosition;
use tau_hooks::{NewSessionRequest, Replaced, TreeMove};
use tau_session::{Entry, EntryBody, EntryKind, SessionInfo};

use super::Answer;
use super::argument::path_argument;
use super::outcome::{
    BuiltinOutcome, Choice, ChoiceOption, Opened, Origin, Replacement, TreeMoved, TreePlace, TreeView,
};
use crate::aside::aside;
use crate::pipeline::PromptError;
use crate::pipeline::system_prompt::timestamp;
use crate::session::{AgentSession, ImportError, ReplaceError};

/// How many sessions are listed at once.
const PAGE: usize = 20;

/// How much of a text is shown in a list, in characters.
const EXCERPT: usize = 60;

impl From<ReplaceError> for PromptError {
    fn from(error: ReplaceError) -> Self {
        Self::Command(error.to_string())
    }
}

fn opened(session: &AgentSession, origin: Origin, done: Replaced) -> BuiltinOutcome {
    let opened = (!done.cancelled).then(|| Opened { id: session.session().id().to_owned(), text: done.text });
    BuiltinOutcome::Replaced(Replacement { origin, opened })
}

/// `/new`, `/clear`
pub(super) async fn new(session: &Arc<AgentSession>) -> Answer {
    let done = session.new_session(NewSessionRequest::default()).await?;
    Ok(opened(session, Origin::New, done))
}

/// `/resume`: a list, or the session that the argument means.
pub(super) async fn resume(session: &Arc<AgentSession>, argument: &str) -> Answer {
    let failed = |why: &str| PromptError::Command(format!("Failed to open session: {why}"));
    let Some(wanted) = path_argument(argument).map_err(failed)? else { return list(session).await };
    let (asked, text) = (Arc::clone(session), wanted.to_owned());
    let found = aside(move || asked.find_session(&text)).await;
    let found = found.map_err(|error| PromptError::Command(error.to_string()))?;
    switch(session, &found.into_path()).await
}

/// `/session PATH`
pub(super) async fn switch(session: &Arc<AgentSession>, path: &std::path::Path) -> Answer {
    let done = session.switch_session(path).await?;
    Ok(opened(session, Origin::Saved, done))
}

/// `/import FILE [here]`
pub(super) async fn import(session: &Arc<AgentSession>, argument: &str) -> Answer {
    let failed = |why: String| PromptError::Command(format!("Failed to import session: {why}"));
    let (path, here) = match argument.trim().rsplit_once(char::is_whitespace) {
        Some((path, "here")) => (path, true),
        _ => (argument, false),
    };
    let Some(path) = path_argument(path).map_err(|error| failed(error.to_owned()))? else {
        return Err(PromptError::Command("Usage: /import FILE [here]".to_owned()));
    };
    let done = match session.import_session(path.as_ref(), here).await {
        Err(ImportError::Replace(ReplaceError::NoDirectory(gone))) => {
            if !session.hooks().dialogs.has_back_end() {
                let gone = gone.folder.display();
                return Err(failed(format!(
                    "its directory {gone} does not exist; `here` at the end goes on in this one"
                )));
            }
            if goes_on_here(session, &gone.folder).await {
                session.import_session(path.as_ref(), true).await
            } else {
                Ok(Replaced::cancelled())
            }
        }
        done => done,
    };
    let done = done.map_err(|error| failed(error.to_string()))?;
    Ok(opened(session, Origin::File(path.to_owned()), done))
}

async fn goes_on_here(session: &Arc<AgentSession>, gone: &std::path::Path) -> bool {
    let (title, here) = ("The directory of the session is gone".to_owned(), session.env().cwd.display().to_string());
    let message = format!("{} does not exist. Go on in {here}?", gone.display());
    let request = DialogRequest::new(Arc::from("tau"), DialogKind::Confirm { title, message });
    let answer = session.hooks().dialogs.ask(request, session.exit_requested(), || ()).await;
    answer == DialogAnswer::Confirmed(true)
}

async fn list(session: &Arc<AgentSession>) -> Answer {
    let asked = Arc::clone(session);
    let read = aside(move || {
        let (mut all, index) = asked.sessions(false)?;
        let page: Vec<SessionInfo> = all.by_ref().take(PAGE).collect();
        // An index that cannot be written costs time, nothing else.
        if let Err(error) = index.save() {
            tracing::debug!(%error, "the index of sessions is not kept");
        }
        Ok::<_, tau_session::SessionError>((page, all.remaining()))
    });
    let (page, more) = read.await?;
    if page.is_empty() {
        let asked = Arc::clone(session);
        let others = aside(move || asked.sessions(true).map(|(mut all, _)| all.next().is_some())).await?;
        return Ok(if others {
            // Who shows a list can show those of other directories.
            BuiltinOutcome::Choice(Choice {
                command: "resume",
                options: Vec::new(),
                text: "There are no sessions of this directory yet. /resume ID opens one of another.".to_owned(),
            })
        } else {
            "There are no sessions yet.".into()
        });
    }
    let open = session.session();
    let option = |info: &SessionInfo| ChoiceOption {
        value: info.id.clone(),
        label: session_line(info),
        current: info.id == open.id(),
    };
    let options: Vec<ChoiceOption> = page.iter().map(option).collect();
    let line = |ChoiceOption { value, label, current }: &ChoiceOption| {
        let mark = if *current { "*" } else { " " };
        format!("{mark} {value}  {label}")
    };
    let mut lines: Vec<String> = options.iter().map(line).collect();
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    lines.push("Use /resume ID to open one.".to_owned());
    Ok(BuiltinOutcome::Choice(Choice { command: "resume", options, text: lines.join("\n") }))
}

/// A session in one line: when somebody last said something, how much there is, and what it is about.
pub fn session_line(info: &SessionInfo) -> String {
    let at = timestamp(info.modified_ms).to_zoned(TimeZone::system());
    let what = info.name.as_deref().or(info.first_message.as_deref()).unwrap_or("(no messages)");
    format!("{}  {:>4} messages  {}", at.strftime("%Y-%m-%d %H:%M"), info.message_count, excerpt(what))
}

/// `/fork`, `/branch`: the messages to choose from, or a fork in front of one; `at` keeps the entry.
pub(super) async fn fork(session: &Arc<AgentSession>, argument: &str) -> Answer {
    let (id, position) = match argument.split_once(char::is_whitespace) {
        Some((id, "at")) => (id, ForkPosition::At),
        Some((id, "before")) => (id, ForkPosition::Before),
        Some(_) => return Err(PromptError::Command("Usage: /fork [ENTRY [before|at]]".to_owned())),
        None => (argument, ForkPosition::Before),
    };
    if id.is_empty() {
        let points = session.fork_points();
        if points.is_empty() {
            return Ok("There is no message to fork at.".into());
        }
        let option =
            |(id, text): &(String, String)| ChoiceOption { value: id.clone(), label: excerpt(text), current: false };
        let options: Vec<ChoiceOption> = points.iter().map(option).collect();
        let mut lines: Vec<String> =
            options.iter().map(|option| format!("{}  {}", option.value, option.label)).collect();
        lines.push("Use /fork ENTRY to go on in a new session in front of one.".to_owned());
        return Ok(BuiltinOutcome::Choice(Choice { command: "fork", options, text: lines.join("\n") }));
    }
    let done = session.fork(id, position).await?;
    Ok(opened(session, Origin::Fork, done))
}

/// `/clone`
pub(super) async fn clone(session: &Arc<AgentSession>) -> Answer {
    let done = session.clone_session().await?;
    Ok(opened(session, Origin::Copy, done))
}

/// `/tree`: the places of the tree, or a move to one; `summarize` asks for a summary of what is left behind.
pub(super) async fn tree(session: &Arc<AgentSession>, argument: &str) -> Answer {
    if argument.is_empty() {
        return Ok(BuiltinOutcome::Tree(places(session)));
    }
    let (id, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let (word, instructions) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
    if !matches!(word, "" | "summarize") {
        return Err(PromptError::Command("Usage: /tree [ENTRY [summarize [INSTRUCTIONS]]]".to_owned()));
    }
    let how = TreeMove {
        summarize: word == "summarize",
        custom_instructions: Some(instructions.trim().to_owned()).filter(|text| !text.is_empty()),
        ..TreeMove::default()
    };
    let done = session.navigate_tree(id, how).await?;
    Ok(BuiltinOutcome::Moved(match (done.cancelled, done.aborted) {
        (true, true) => TreeMoved::Aborted,
        (true, false) => TreeMoved::Cancelled,
        (false, _) => {
            TreeMoved::To { leaf: session.session().leaf().map(|leaf| leaf.to_string()), text: done.editor_text }
        }
    }))
}

/// Whether an entry is a message of the user.
pub(super) fn is_prompt(entry: &Entry) -> bool {
    entry.kind() == EntryKind::Message
        && matches!(&*entry.body(), EntryBody::Message(body) if matches!(&*body.message, Message::User(_)))
}

/// What a user can go to.
fn places(session: &AgentSession) -> TreeView {
    let session = session.session();
    let tree = session.tree();
    let way: std::collections::HashSet<String> =
        session.branch_path(None).iter().map(|entry| entry.id().to_string()).collect();
    let mut places = Vec::new();
    let mut open: Vec<(usize, usize)> = tree.roots.iter().rev().map(|&root| (root, 0)).collect();
    while let Some((at, depth)) = open.pop() {
        let node = &tree.nodes[at];
        if let Some(text) = shown(&node.entry) {
            places.push(TreePlace {
                id: node.entry.id().to_string(),
                depth,
                on_path: way.contains(node.entry.id().as_str()),
                label: node.label.as_deref().map(str::to_owned),
                text: excerpt(&text),
            });
        }
        let deeper = depth + usize::from(node.children.len() > 1);
        open.extend(node.children.iter().rev().map(|&child| (child, deeper)));
    }
    TreeView { places }
}

fn shown(entry: &Entry) -> Option<String> {
    if !matches!(entry.kind(), EntryKind::Message | EntryKind::BranchSummary | EntryKind::Compaction) {
        return None;
    }
    match &*entry.body() {
        EntryBody::Message(body) => match &*body.message {
            Message::User(user) => Some(format!("user: {}", user.content.text())),
            Message::Assistant(answer) => {
                let text: Vec<&str> = answer.texts().collect();
                (!text.is_empty()).then(|| format!("assistant: {}", text.join(" ")))
            }
            _ => None,
        },
        EntryBody::BranchSummary(summary) => Some(format!("summary: {}", summary.summary)),
        EntryBody::Compaction(compaction) => Some(format!("compaction: {}", compaction.summary)),
        _ => None,
    }
}

/// `/label`: all bookmarks, or a new one for an entry; without a name it is cleared.
pub(super) fn label(session: &Arc<AgentSession>, argument: &str) -> Answer {
    if argument.is_empty() {
        let labels = session.session().labels();
        if labels.is_empty() {
            return Ok("There are no labels.".into());
        }
        let lines: Vec<String> = labels.iter().map(|(id, label)| format!("{id}  {label}")).collect();
        return Ok(lines.join("\n").into());
    }
    let (id, name) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let name = Some(name.trim()).filter(|name| !name.is_empty());
    session.label(id, name)?;
    let text = match name {
        Some(name) => format!("Labelled {id}: {name}"),
        None => format!("Label of {id} cleared"),
    };
    Ok(text.into())
}

/// The beginning of a text, in one line.
fn excerpt(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(EXCERPT) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
