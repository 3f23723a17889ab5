//! What the user sends, and what comes of it at once.

use std::sync::Arc;

use tau_agent::outcome::{BuiltinOutcome, Choice, Opened, Replacement, TreeMoved, TreeView};
use tau_agent::{Prompt, PromptError, Prompted, ToProblem, UserCommand, shown_name};
use tau_hooks::payload::{BashResult, StreamingBehavior};

use super::question::{Form, Given, Question};
use super::{Plain, talk};
use crate::app::{shell, submit};
use crate::told::Told;

impl Plain {
    /// A line of a prompt. One that ends with a backslash continues, and so do lines that come at once.
    pub(super) fn prompt_line(&mut self, line: &str, more: bool) {
        let continues = line.strip_suffix('\\');
        self.draft.push_str(continues.unwrap_or(line));
        if continues.is_some() || more {
            self.draft.push('\n');
            if !more {
                self.page.ask("Continued:");
            }
            return;
        }
        let text = std::mem::take(&mut self.draft);
        if text.trim().is_empty() {
            return;
        }
        if !self.is_ready {
            // What is typed during the start is kept.
            self.first.push_back(Prompt::new(text));
            return;
        }
        match UserCommand::parse(&text) {
            Some(command) => self.run_shell(command),
            None => {
                self.typed = Some(text.trim().to_owned());
                self.send(Prompt::new(text), StreamingBehavior::Steer);
            }
        }
    }

    pub(super) fn send(&mut self, prompt: Prompt, behavior: StreamingBehavior) {
        let Some(session) = self.session.clone() else { return };
        self.waiting += 1;
        let (teller, number) = (self.teller.clone(), 0);
        self.tasks.spawn(async move {
            let prompt = Prompt { streaming_behavior: Some(behavior), ..prompt };
            let done = submit(&session, prompt).await;
            teller.tell(Told::Submitted { number, done });
        });
    }

    fn run_shell(&mut self, command: UserCommand) {
        let Some(session) = self.session.clone() else { return };
        if session.is_bash_running() {
            return self.page.say("Warning", "A command is running; stop it first");
        }
        self.runs_shell = true;
        self.tasks.spawn(shell(session, command, self.teller.clone()));
    }

    /// A command of the user is over.
    pub(super) fn shell_ended(&mut self, done: Result<Box<BashResult>, String>) {
        self.runs_shell = false;
        let result = match done {
            Ok(result) => result,
            Err(why) => return self.page.say("Error", &why),
        };
        self.page.say("Result", &talk::shortened(&result.output));
        match result.exit_code {
            _ if result.cancelled => self.page.say("Note", "The command was stopped."),
            Some(0) => {}
            Some(code) => self.page.say("Note", &format!("The command ended with code {code}.")),
            None => self.page.say("Note", "The command did not end by itself."),
        }
    }

    /// What became of a text.
    pub(super) fn submitted(&mut self, done: Result<Prompted, PromptError>) {
        self.waiting -= 1;
        match done {
            Ok(Prompted::Queued) => {
                // It is said when the model gets it.
                self.typed = None;
                self.page.say("Note", "Queued for the next request.");
            }
            Ok(Prompted::Ran) => {}
            Ok(Prompted::Handled | Prompted::Command { .. }) => self.typed = None,
            Ok(Prompted::Builtin(outcome)) => {
                self.typed = None;
                self.outcome(outcome);
            }
            Err(error) => {
                self.typed = None;
                self.page.say("Error", &error.to_problem().to_string());
            }
        }
    }

    fn outcome(&mut self, outcome: BuiltinOutcome) {
        match outcome {
            BuiltinOutcome::Nothing => {}
            BuiltinOutcome::Text(text) => self.page.line(&text),
            BuiltinOutcome::Choice(choice) => self.choose(choice),
            BuiltinOutcome::Tree(tree) => self.choose_place(&tree),
            BuiltinOutcome::Moved(moved) => {
                self.page.say("Note", &moved.to_string());
                if let TreeMoved::To { text: Some(text), .. } = &moved {
                    self.page.say("The message was", text);
                }
            }
            BuiltinOutcome::Replaced(replaced) => self.replaced(&replaced),
            BuiltinOutcome::Copies(_) | BuiltinOutcome::Changes(_) | BuiltinOutcome::Checked(_) => {
                self.page.line(&outcome.to_string());
            }
        }
    }

    fn replaced(&mut self, replaced: &Replacement) {
        self.page.say("Note", &replaced.to_string());
        if let Some(Opened { text: Some(text), .. }) = &replaced.opened {
            self.page.say("The message was", text);
        }
    }

    fn choose(&mut self, choice: Choice) {
        if choice.options.is_empty() {
            return self.page.line(&choice.text);
        }
        let option = |option: &tau_agent::outcome::ChoiceOption| {
            let says_more = !option.label.is_empty() && option.label != option.value;
            let label = if says_more { format!(", {}", option.label) } else { String::new() };
            let current = if option.current { " (in use now)" } else { "" };
            shown_name(&format!("{}{label}{current}", option.value))
        };
        let lines = choice.options.iter().map(|option| format!("/{} {}", choice.command, option.value)).collect();
        let options = choice.options.iter().map(option).collect();
        self.choose_line(&format!("/{}", choice.command), options, lines);
    }

    fn choose_place(&mut self, tree: &TreeView) {
        if tree.places.is_empty() {
            return self.page.line("The session is empty.");
        }
        let option = |place: &tau_agent::outcome::TreePlace| {
            let label = place.label.as_deref().map(|label| format!("[{label}] ")).unwrap_or_default();
            let branch = if place.on_path { "" } else { " (on another branch)" };
            format!("{label}{}{branch}", place.text)
        };
        let lines = tree.places.iter().map(|place| format!("/tree {}", place.id)).collect();
        self.choose_line("/tree", tree.places.iter().map(option).collect(), lines);
    }

    /// Sends one of several lines.
    fn choose_line(&mut self, title: &str, options: Vec<String>, lines: Vec<String>) {
        self.ask(Question::new(title, Form::Pick(options), move |plain, given| {
            if let Given::Picked(at) = given
                && let Some(line) = lines.get(at)
            {
                plain.send(Prompt::new(line.clone()), StreamingBehavior::Steer);
            }
        }));
    }

    /// Stops what is under way; whether something was.
    pub(super) fn abort(&mut self) -> bool {
        let Some(session) = self.session.clone() else { return false };
        if session.is_compacting() {
            session.abort_compaction();
        } else if session.is_retrying() {
            session.abort_retry();
        } else if !session.is_idle() || self.waiting > 0 {
            let queued = session.clear_queue();
            for text in queued.steering.into_iter().chain(queued.follow_up) {
                self.page.say("Not sent", &text);
            }
            session.abort();
        } else if session.is_bash_running() {
            session.abort_bash();
        } else {
            return false;
        }
        true
    }

    /// Whether the user is expected to type a prompt.
    pub(super) fn is_idle(&self) -> bool {
        let settled =
            self.session.as_ref().is_some_and(|session: &Arc<_>| session.is_idle() && !session.is_compacting());
        self.is_ready && settled && !self.runs && !self.runs_shell && self.waiting == 0
    }
}
