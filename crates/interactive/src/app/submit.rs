//! What the user sends: prompts, commands, and commands of the shell.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tau_agent::doctor::Checked;
use tau_agent::outcome::{BuiltinOutcome, Choice, Opened, Replacement, TreeMoved};
use tau_agent::{AgentSession, Builtin, Prompt, PromptError, Prompted, Submitted, ToProblem, UserCommand, shown_name};
use tau_hooks::payload::StreamingBehavior;
use tau_tui::select::Item;

use super::App;
use crate::dialogs::Effect;
use crate::doctor::examine_terminal;
use crate::told::{Said, Teller, Told};

/// From when on it shows that a command is at work.
const PATIENCE: Duration = Duration::from_millis(300);

/// How long what is typed waits for a list.
const OPENS: Duration = Duration::from_secs(2);

/// What was sent and is not in the conversation yet.
#[derive(Default)]
pub(super) struct Sent {
    number: u64,
    /// Texts whose place is not known yet.
    waiting: Vec<Waiting>,
    /// The prompts of the command line that are still to be sent.
    pub(super) first: VecDeque<Prompt>,
    /// The prompt of the run that is under way, until something was answered.
    pub(super) unanswered: Option<String>,
    /// A run was begun and has not said so: handlers look at the prompt first.
    pub(super) begins_run: bool,
    /// The user stopped what is under way.
    pub(super) is_aborted: bool,
}

/// A text whose place is not known yet.
struct Waiting {
    number: u64,
    text: String,
    since: Instant,
    /// Nobody typed it into the editor.
    is_own: bool,
    /// What is typed behind it waits for the list that it opens.
    holds_keys: bool,
}

impl Sent {
    /// Whether something was sent whose place is not known yet.
    pub(super) fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether what is typed waits for a list.
    pub(super) fn holds_keys(&self) -> bool {
        self.waiting.iter().any(|waiting| waiting.holds_keys)
    }

    /// What is typed does not wait for this one any more.
    fn let_go(&mut self, number: u64) {
        let waiting = self.waiting.iter_mut().find(|waiting| waiting.number == number);
        waiting.into_iter().for_each(|waiting| waiting.holds_keys = false);
    }

    /// The model begins to answer; what it answers counts as one once there is something of it.
    pub(super) fn begins_answer(&mut self) {
        self.is_aborted = false;
    }

    /// Whether a command was sent and is not done.
    pub(super) fn has(&self, command: &str) -> bool {
        self.waiting.iter().any(|waiting| waiting.text.split_whitespace().next() == Some(command))
    }

    /// What a command that nobody typed is at, in words, once it takes its time.
    pub(super) fn aside(&self) -> Option<&'static str> {
        let own = self.waiting.iter().find(|waiting| waiting.is_own && waiting.since.elapsed() >= PATIENCE)?;
        Some(if own.text.contains(" summarize") { "Summarizing branch" } else { "Working" })
    }

    /// What waits, with the time since when.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, Instant)> {
        self.waiting.iter().filter(|waiting| !waiting.is_own).map(|waiting| (waiting.text.as_str(), waiting.since))
    }
}

impl App {
    /// Sends what is in the editor.
    pub(super) fn submit(&mut self, behavior: StreamingBehavior) {
        if self.editor.text().trim().is_empty() {
            return;
        }
        if self.session.is_none() || !self.dock.is_ready {
            return self.status("Startup is still in progress");
        }
        let text = self.editor.submit();
        self.completing.list.close();
        self.keep_prompt(&text);
        self.edited();
        if let Some(command) = UserCommand::parse(&text) {
            return self.run_shell(command);
        }
        if text.starts_with('/') {
            // The user waits for what the command asks: the next keys are the answer.
            self.typed = None;
        }
        self.send(Prompt::new(text), behavior, false);
    }

    /// Sends a line that nobody typed.
    pub(super) fn send_command(&mut self, line: &str) {
        self.send(Prompt::new(line), StreamingBehavior::Steer, true);
    }

    pub(super) fn send(&mut self, prompt: Prompt, behavior: StreamingBehavior, is_own: bool) {
        let Some(session) = self.session.clone() else { return };
        self.sent.number += 1;
        let number = self.sent.number;
        let (text, holds_keys) = (prompt.text.clone(), Builtin::opens_list(&prompt.text));
        self.sent.waiting.push(Waiting { number, text, since: Instant::now(), is_own, holds_keys });
        self.sent.is_aborted = false;
        let teller = self.teller.clone();
        if holds_keys {
            let teller = teller.clone();
            self.tasks.spawn(async move {
                tokio::time::sleep(OPENS).await;
                teller.tell(Told::LateList(number));
            });
        }
        self.tasks.spawn(async move {
            let prompt = Prompt { streaming_behavior: Some(behavior), ..prompt };
            let done = submit(&session, prompt).await;
            teller.tell(Told::Submitted { number, done });
        });
        self.screen.changed_by_key();
    }

    /// Sends the next prompt of the command line.
    pub(super) fn send_next(&mut self) {
        if let Some(prompt) = self.sent.first.pop_front() {
            self.send(prompt, StreamingBehavior::FollowUp, false);
        }
    }

    /// A command that opens a list takes long: what was typed behind it waits no more.
    pub(super) fn list_is_late(&mut self, number: u64) {
        self.sent.let_go(number);
        self.hear_next();
    }

    /// What became of a text. What was typed behind it is for what it opened.
    pub(super) fn submitted(&mut self, number: u64, done: Result<Prompted, PromptError>) {
        self.became_of(number, done);
        self.hear_next();
    }

    fn became_of(&mut self, number: u64, done: Result<Prompted, PromptError>) {
        let at = self.sent.waiting.iter().position(|waiting| waiting.number == number);
        let Some(waiting) = at.map(|at| self.sent.waiting.remove(at)) else { return };
        match done {
            Ok(Prompted::Ran) => {
                self.sent.unanswered = Some(waiting.text);
                self.sent.begins_run = self.dock.work.is_none();
            }
            Ok(Prompted::Queued | Prompted::Handled | Prompted::Command { .. }) => {}
            // Who types that does not wait for a run.
            Ok(Prompted::Builtin(_)) if Builtin::typed(&waiting.text).is_some_and(|typed| typed.name == "quit") => {
                self.quits.cancel();
            }
            Ok(Prompted::Builtin(outcome)) => {
                self.outcome(outcome);
                if waiting.holds_keys {
                    self.panels.is_expected();
                }
            }
            Err(error) => {
                if !waiting.is_own && !matches!(error, PromptError::ShuttingDown) {
                    self.editor.give_back(&waiting.text);
                    self.edited();
                }
                if !(self.sent.is_aborted && matches!(error, PromptError::Aborted)) {
                    self.error(&error.to_problem().to_string());
                }
            }
        }
    }

    /// Shows what a built-in command has to say.
    fn outcome(&mut self, outcome: BuiltinOutcome) {
        match outcome {
            BuiltinOutcome::Nothing => {}
            BuiltinOutcome::Text(text) => self.note(&text),
            BuiltinOutcome::Choice(choice) => self.choose(choice),
            BuiltinOutcome::Tree(_) => self.choose_place(),
            BuiltinOutcome::Copies(texts) => self.choose_text(texts),
            BuiltinOutcome::Changes(files) => self.show_changes(files),
            BuiltinOutcome::Checked(checked) => self.show_checks(checked),
            BuiltinOutcome::Moved(moved) => {
                if let TreeMoved::To { text: Some(text), .. } = &moved {
                    self.editor.give_back(text);
                    self.edited();
                }
                if let TreeMoved::To { .. } = moved {
                    self.redraw_history("The conversation continues from here");
                } else {
                    self.status(&moved.to_string());
                }
            }
            BuiltinOutcome::Replaced(replaced) => self.replaced(&replaced),
        }
    }

    fn replaced(&mut self, replaced: &Replacement) {
        match &replaced.opened {
            None => self.status(&replaced.to_string()),
            Some(Opened { text: Some(text), .. }) => {
                self.editor.give_back(text);
                self.edited();
            }
            Some(_) => {}
        }
    }

    /// Shows what checks found, with those of the terminal.
    fn show_checks(&mut self, mut checked: Vec<Checked>) {
        let (env, teller) = (self.env.clone(), self.teller.clone());
        self.tasks.spawn(async move {
            checked.extend(examine_terminal(|name| env.var(name).map(str::to_owned)).await);
            teller.tell(Told::Done(Said::Note(tau_agent::doctor::text(&checked))));
        });
    }

    fn choose(&mut self, choice: Choice) {
        match choice.command {
            "model" => return self.choose_model(),
            "thinking" => return self.choose_thinking(),
            "scoped-models" => return self.choose_scope(),
            "resume" => return self.choose_session(),
            "settings" => return self.choose_settings(),
            "theme" => return self.choose_theme(choice.options.into_iter().map(|option| option.value).collect()),
            "fork" => return self.choose_fork(),
            _ => {}
        }
        if choice.options.is_empty() {
            return self.note(&choice.text);
        }
        let item = |option: &tau_agent::outcome::ChoiceOption| {
            let mark = if option.current { "✓ " } else { "" };
            let [value, label] = [&option.value, &option.label].map(|text| shown_name(text));
            Item { label: format!("{mark}{value}"), description: label, ..Item::default() }
        };
        let items = choice.options.iter().map(item).collect();
        let current = choice.options.iter().position(|option| option.current);
        let title = format!("/{}", choice.command);
        let lines: Vec<String> =
            choice.options.iter().map(|option| format!("/{} {}", choice.command, option.value)).collect();
        self.open_list(title, items, current, move |at| match at.and_then(|at| lines.get(at)) {
            Some(line) => Effect::Send(line.clone()),
            None => Effect::Nothing,
        });
    }

    /// Runs a command of the user.
    fn run_shell(&mut self, command: UserCommand) {
        let Some(session) = self.session.clone() else { return };
        if session.is_bash_running() {
            self.editor.set_text(&format!("!{}", command.command));
            self.edited();
            return self.warn("A command is running; stop it first");
        }
        let keys = self.keys.keys_of("app.interrupt");
        self.chat.begin_bash(&mut self.screen.transcript, &command, keys);
        let teller = self.teller.clone();
        self.tasks.spawn(shell(session, command, teller));
    }
}

/// Runs a command of the user, and tells what became of it.
pub(crate) async fn shell(session: Arc<AgentSession>, command: UserCommand, teller: Teller) {
    let done = session.run_bash(command, None).await;
    teller.tell(Told::Bash(done.map(Box::new).map_err(|error| error.to_string())));
}

/// Sends a prompt, and starts the run that it begins.
pub(crate) async fn submit(session: &Arc<AgentSession>, prompt: Prompt) -> Result<Prompted, PromptError> {
    match session.submit(prompt).await? {
        Submitted::Done(prompted) => Ok(prompted),
        Submitted::Run(upcoming) => {
            upcoming.prepare().await?.start();
            Ok(Prompted::Ran)
        }
    }
}
