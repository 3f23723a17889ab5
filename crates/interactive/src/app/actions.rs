//! What keys do that are not the editor's.

use std::time::{Duration, Instant};

use tau_agent::settings::keys;
use tau_hooks::Direction;
use tau_hooks::mount::Signal;
use tau_hooks::payload::StreamingBehavior;

use super::{App, Twice};
use crate::told::{Said, Told};

/// How soon a key has to follow itself to do more.
const TWICE: Duration = Duration::from_millis(500);
/// The action that empties the editor, and ends the program the second time.
pub(super) const CLEAR: &str = "app.clear";
/// What a key says that ends the program the second time.
const EXITS: &str = "Press again to exit";

/// Whether an action was one for now; otherwise the editor gets the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    Yes,
    No,
}

/// A row of the table of actions.
pub(super) struct Action {
    /// Its name in the table of bindings.
    pub(super) id: &'static str,
    /// It also works beside what takes the place of the editor.
    pub(super) anywhere: bool,
    /// What it does.
    pub(super) run: fn(&mut App) -> Done,
}

const fn row(id: &'static str, run: fn(&mut App) -> Done) -> Action {
    Action { id, anywhere: false, run }
}

fn yes(app: &mut App, act: impl FnOnce(&mut App)) -> Done {
    act(app);
    Done::Yes
}

/// The actions, in the order in which they are looked for.
pub(super) static ACTIONS: &[Action] = &[
    row("app.clipboard.pasteImage", |app| yes(app, App::paste_clipboard)),
    row("app.interrupt", |app| yes(app, App::escape)),
    row("app.exit", |app| if app.editor.is_empty() { yes(app, |app| app.quits.cancel()) } else { Done::No }),
    row(CLEAR, |app| yes(app, App::clear)),
    row("app.message.followUp", |app| yes(app, |app| app.submit(StreamingBehavior::FollowUp))),
    row("app.message.dequeue", |app| yes(app, App::dequeue)),
    row("app.message.queue", |app| yes(app, App::open_queue)),
    row("app.message.copy", |app| yes(app, App::copy_answer)),
    row("app.model.select", |app| yes(app, |app| app.send_command("/model"))),
    row("app.model.cycleForward", |app| yes(app, |app| app.cycle_model(Direction::Forward))),
    row("app.model.cycleBackward", |app| yes(app, |app| app.cycle_model(Direction::Backward))),
    row("app.thinking.cycle", |app| yes(app, App::cycle_thinking)),
    row("app.thinking.toggle", |app| yes(app, App::toggle_thinking)),
    Action { id: "app.tools.expand", anywhere: true, run: |app| yes(app, App::toggle_tools) },
    row("app.session.new", |app| yes(app, |app| app.send_command("/new"))),
    row("app.session.tree", |app| yes(app, |app| app.send_command("/tree"))),
    row("app.session.fork", |app| yes(app, |app| app.send_command("/fork"))),
    row("app.session.resume", |app| yes(app, |app| app.send_command("/resume"))),
    row("app.history.search", |app| yes(app, App::search_history)),
    row("app.pager.open", |app| yes(app, App::open_pager)),
    Action { id: "app.tui.toggle", anywhere: true, run: |app| yes(app, App::toggle_mode) },
    Action { id: "app.suspend", anywhere: true, run: |app| yes(app, |app| app.suspends = true) },
    row("app.editor.external", |app| yes(app, |app| app.edits_outside = true)),
];

impl App {
    /// Whether this is the same key as just before.
    fn is_again(&mut self, key: Twice) -> bool {
        let now = Instant::now();
        let again = self.last.take().is_some_and(|(last, at)| last == key && now.duration_since(at) < TWICE);
        if !again {
            self.last = Some((key, now));
        }
        again
    }

    /// Whether the key that ends the program when it is typed twice came just before, whatever became of it.
    pub(super) fn came_again(&mut self) -> bool {
        let now = Instant::now();
        let came = self.clear_came.replace(now);
        came.is_some_and(|at| now.duration_since(at) < TWICE)
    }

    /// Stops what is under way; on an empty editor twice, goes back.
    fn escape(&mut self) {
        let Some(session) = self.session.clone() else {
            self.editor.set_text("");
            return self.edited();
        };
        if let Some(call) = self.slow_call() {
            self.skip(call);
        } else if session.is_compacting() {
            session.abort_compaction();
        } else if session.is_retrying() {
            session.abort_retry();
        } else if !session.is_idle() || self.sent.waits() {
            let queued = session.clear_queue();
            self.give_back(queued.steering.into_iter().chain(queued.follow_up));
            self.sent.is_aborted = true;
            session.abort();
        } else if session.is_bash_running() {
            session.abort_bash();
        } else if self.dock.is_bash {
            self.editor.set_text("");
            self.edited();
        } else if self.editor.is_empty() && self.is_again(Twice::Escape) {
            match self.settings().of(keys::DOUBLE_ESCAPE_ACTION) {
                "none" => {}
                "fork" => self.send_command("/fork"),
                _ => self.send_command("/tree"),
            }
        }
    }

    /// Empties the editor; twice, ends the program.
    fn clear(&mut self) {
        if self.is_again(Twice::Clear) {
            return self.quits.cancel();
        }
        if !self.editor.is_empty() {
            let text = self.editor.text();
            // What was cleared by mistake is in the history.
            self.editor.model.add_to_history(&text);
            self.editor.set_text("");
            self.edited();
        }
        self.status(EXITS);
        let teller = self.teller.clone();
        self.tasks.spawn(async move {
            tokio::time::sleep(TWICE).await;
            teller.tell(Told::NotAgain);
        });
    }

    /// A key that was to be pressed twice may have been pressed once: what that would have done is not offered any more.
    pub(super) fn not_again(&mut self) {
        let is_over = self.last.is_none_or(|(_, at)| at.elapsed() >= TWICE);
        if is_over && self.dock.status.as_deref() == Some(EXITS) {
            self.dock.status = None;
            self.screen.changed();
        }
    }

    /// Takes what is queued back into the editor.
    fn dequeue(&mut self) {
        let Some(session) = &self.session else { return };
        let queued = session.clear_queue();
        let texts: Vec<String> = queued.steering.into_iter().chain(queued.follow_up).collect();
        match texts.len() {
            0 => self.status("No queued messages"),
            count => {
                self.give_back(texts.into_iter());
                let noun = if count == 1 { "message" } else { "messages" };
                self.status(&format!("Restored {count} queued {noun} to the editor"));
            }
        }
    }

    fn give_back(&mut self, texts: impl Iterator<Item = String>) {
        let texts: Vec<String> = texts.collect();
        if !texts.is_empty() {
            self.editor.give_back(&texts.join("\n\n"));
            self.edited();
        }
    }

    fn copy_answer(&mut self) {
        if let Some(text) = self.screen.selected_text() {
            return self.copy_selection(text);
        }
        let text = self.session.as_ref().and_then(|session| session.last_answer_text());
        match text {
            Some(text) => self.copy_text(text),
            None => self.status("There is no answer to copy"),
        }
    }

    /// Copies a text.
    pub(super) fn copy_text(&mut self, text: String) {
        let (clipboard, teller) = (self.clipboard.clone(), self.teller.clone());
        self.tasks.spawn(async move {
            let said = match clipboard.copy(&text).await {
                Ok(copied) => Said::Copied(copied),
                Err(error) => Said::Error(error.to_string()),
            };
            teller.tell(Told::Done(said));
        });
    }

    fn cycle_model(&mut self, direction: Direction) {
        let Some(session) = self.session.clone() else { return };
        let teller = self.teller.clone();
        self.tasks.spawn(async move {
            let said = match session.cycle_model(direction).await {
                Ok(Some(cycled)) => {
                    let name = cycled.model.name.clone();
                    Said::Status(format!("Switched to {name} (thinking: {})", cycled.thinking_level))
                }
                Ok(None) => Said::Status("There is only one model".to_owned()),
                Err(error) => Said::Error(error.to_string()),
            };
            teller.tell(Told::Done(said));
        });
    }

    fn cycle_thinking(&mut self) {
        let Some(session) = &self.session else { return };
        match session.cycle_thinking() {
            Ok(Some(level)) => self.status(&format!("Thinking level: {level}")),
            Ok(None) => self.status("The model does not think"),
            Err(error) => self.error(&error.to_string()),
        }
    }

    fn toggle_thinking(&mut self) {
        let hides = !self.chat.hides_thinking();
        self.chat.hide_thinking(&mut self.screen.transcript, hides);
        self.keep_setting(keys::HIDE_THINKING_BLOCK, hides.into());
        self.status(if hides { "Thinking: hidden" } else { "Thinking: shown" });
    }

    /// As [`App::toggle_tools`] where everything above can change: on the alternate screen.
    pub(super) fn toggle_tools_in_pager(&mut self) {
        let expands = !self.chat.expands_tools();
        self.chat.expand_tools(&mut self.screen.transcript, expands);
        self.facts.is_stale = true;
        self.mounts.tell_all(&Signal::Expand(expands));
        self.status(if expands { "Tool output: expanded" } else { "Tool output: collapsed" });
    }

    fn toggle_tools(&mut self) {
        self.toggle_tools_in_pager();
        if self.screen.window().is_some() {
            return;
        }
        let expands = self.chat.expands_tools();
        // What is in the scrollback cannot be expanded there.
        let hint = self.pager_hint();
        if expands && let Some(block) = self.chat.last_tool() {
            let (pager, transcript) = self.screen.open_pager(hint);
            pager.window.show(transcript, block);
        }
    }
}
