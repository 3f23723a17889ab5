//! Questions: choices have numbers, and every answer is a line.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use tau_agent::session_line;
use tau_hooks::dialogs::{DialogAnswer, DialogKind, DialogRequest};
use tau_launch::FolderAnswer;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::Plain;
use crate::dialogs::is_secret;
use crate::told;

/// How many sessions are offered at once.
const SESSIONS: usize = 50;

/// What an answer can be.
pub(super) enum Form {
    /// One of these.
    Pick(Vec<String>),
    /// Yes or no.
    Confirm,
    /// A line.
    Line,
    /// A line that nobody else may read.
    Secret,
    /// Several lines.
    Text,
}

impl Form {
    fn hint(&self) -> String {
        match self {
            Self::Pick(options) => format!("Type a number from 1 to {}, or q to leave:", options.len()),
            Self::Confirm => "Type y or n:".to_owned(),
            Self::Line => "Type a line:".to_owned(),
            Self::Secret => "Type a line, which is not shown:".to_owned(),
            Self::Text => "Type the text; a line that ends with \\ continues:".to_owned(),
        }
    }
}

/// An answer.
pub(super) enum Given {
    Picked(usize),
    Confirmed(bool),
    Text(String),
    /// The user left without one.
    Left,
}

/// What follows from an answer.
type Done = Box<dyn FnOnce(&mut Plain, Given) + Send>;

/// A question that is open.
pub(super) struct Question {
    id: Option<Uuid>,
    title: String,
    owner: Option<String>,
    form: Form,
    done: Done,
    /// The lines of a text so far.
    text: String,
    /// When it was shown.
    shown: Option<Instant>,
}

impl Question {
    pub(super) fn new(
        title: impl Into<String>,
        form: Form,
        done: impl FnOnce(&mut Plain, Given) + Send + 'static,
    ) -> Self {
        let (title, text) = (title.into(), String::new());
        Self { id: None, title, owner: None, form, done: Box::new(done), text, shown: None }
    }
}

/// The questions that are open, in the order in which they are asked.
#[derive(Default)]
pub(super) struct Questions(VecDeque<Question>);

impl Questions {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a line that was typed then can be the answer: not before its question was there.
    pub(super) fn waits_since_before(&self, typed: Instant) -> bool {
        self.0.front().is_some_and(|question| question.shown.is_some_and(|shown| shown <= typed))
    }
}

impl Plain {
    /// Asks, after what is asked already.
    pub(super) fn ask(&mut self, question: Question) {
        self.questions.0.push_back(question);
    }

    /// Asks what an extension wants to know.
    pub(super) fn ask_for(&mut self, request: &Arc<DialogRequest>) {
        let (title, form) = match request.kind.clone() {
            DialogKind::Select { title, options } => (title, Form::Pick(options)),
            DialogKind::Confirm { title, message } => (format!("{title}\n{message}"), Form::Confirm),
            DialogKind::Input { title, placeholder } => {
                let form = if is_secret(&title) { Form::Secret } else { Form::Line };
                let hint = placeholder.filter(|hint| !hint.is_empty()).map(|hint| format!(" ({hint})"));
                (title + &hint.unwrap_or_default(), form)
            }
            DialogKind::Editor { title, prefill } => {
                let before = prefill.filter(|text| !text.is_empty()).map(|text| format!("\nIt is now:\n{text}"));
                (title + &before.unwrap_or_default(), Form::Text)
            }
            DialogKind::Custom { .. } => {
                self.no_components();
                return self.answer(request.id(), DialogAnswer::Cancelled);
            }
        };
        let asked = Arc::clone(request);
        let mut question = Question::new(title, form, move |plain, given| {
            let answer = match (given, &asked.kind) {
                (Given::Picked(at), DialogKind::Select { options, .. }) => {
                    options.get(at).map(|option| DialogAnswer::Value(option.clone()))
                }
                (Given::Confirmed(yes), _) => Some(DialogAnswer::Confirmed(yes)),
                (Given::Text(text), _) => Some(DialogAnswer::Value(text)),
                _ => None,
            };
            plain.answer(asked.id(), answer.unwrap_or_else(|| asked.kind.default_answer()));
        });
        question.id = Some(request.id());
        question.owner = Some(crate::paths::short_owner(&request.owner)).filter(|owner| owner != "tau");
        self.ask(question);
    }

    fn answer(&self, id: Uuid, answer: DialogAnswer) {
        if let Err(error) = self.back_end.answer(id, answer) {
            // Somebody was faster, or the asker gave up.
            tracing::debug!(%error, "an answer does not count");
        }
    }

    /// Asks what has to be known before there is a session.
    pub(super) fn ask_early(&mut self, question: told::Question) {
        match question {
            told::Question::Session { here, all, answer } => {
                let own: Vec<_> = here.take(SESSIONS).collect();
                let others = all.take(SESSIONS).filter(|other| !own.iter().any(|one| one.path == other.path));
                let others: Vec<_> = others.collect();
                let theirs = others.iter().map(|info| format!("{} (another project)", session_line(info)));
                let lines = own.iter().map(session_line).chain(theirs).collect();
                let paths: Vec<PathBuf> = own.iter().chain(&others).map(|info| info.path.clone()).collect();
                self.ask(Question::new("Resume a session", Form::Pick(lines), move |_, given| {
                    let chosen = picked(&given).and_then(|at| paths.get(at)).cloned();
                    hand_over(answer, chosen);
                }));
            }
            told::Question::Forks { other, answer } => {
                let title =
                    format!("The session is of another project: {}\nContinue in a fork of it here?", other.display());
                self.ask(Question::new(title, Form::Confirm, move |_, given| {
                    hand_over(answer, matches!(given, Given::Confirmed(true)));
                }));
            }
            told::Question::Folder { missing, answer } => {
                let title = format!("The directory of the session is gone: {}", missing.folder.display());
                let here = missing.here.display();
                let options = vec![
                    format!("Continue in {here}; asks again next time"),
                    format!("Fork: a new session in {here}; this one stays as it is"),
                ];
                self.ask(Question::new(title, Form::Pick(options), move |_, given| {
                    let chosen = match picked(&given) {
                        Some(0) => FolderAnswer::Here,
                        Some(1) => FolderAnswer::Fork,
                        _ => FolderAnswer::Cancelled,
                    };
                    hand_over(answer, chosen);
                }));
            }
        }
    }

    /// Shows the question that is next, if it is not shown yet.
    pub(super) fn show_question(&mut self) {
        let Some(question) = self.questions.0.front_mut().filter(|question| question.shown.is_none()) else { return };
        if matches!(&question.form, Form::Pick(options) if options.is_empty()) {
            self.page.say("Question", &question.title);
            return self.end_question(Given::Left);
        }
        let label = match &question.owner {
            Some(owner) => format!("Question of {owner}"),
            None => "Question".to_owned(),
        };
        self.page.say(&label, &question.title);
        if let Form::Pick(options) = &question.form {
            for (at, option) in options.iter().enumerate() {
                self.page.line(&format!("{}. {}", at + 1, super::page::one_line(option)));
            }
        }
        if let Form::Secret = question.form
            && let Err(error) = self.page.terminal().echo(false)
        {
            self.page.say("Warning", &format!("what you type will be shown: {error}"));
        }
        // Before it is written: an answer may arrive while this still writes.
        question.shown = Some(Instant::now());
        self.page.ask(&question.form.hint());
    }

    /// A line for the question that is shown.
    pub(super) fn answer_line(&mut self, line: &str, more: bool) {
        let Some(question) = self.questions.0.front_mut() else { return };
        self.drops = more && !matches!(question.form, Form::Text);
        let word = line.trim().to_lowercase();
        let given = match &question.form {
            Form::Pick(options) => match word.parse::<usize>() {
                Ok(number) if (1..=options.len()).contains(&number) => Some(Given::Picked(number - 1)),
                _ if word == "q" => Some(Given::Left),
                _ => None,
            },
            Form::Confirm => match word.as_str() {
                "y" | "yes" => Some(Given::Confirmed(true)),
                "n" | "no" => Some(Given::Confirmed(false)),
                _ => None,
            },
            Form::Line | Form::Secret => Some(Given::Text(line.to_owned())),
            Form::Text => {
                let continues = line.strip_suffix('\\');
                question.text.push_str(continues.unwrap_or(line));
                if more || continues.is_some() {
                    question.text.push('\n');
                    if !more {
                        self.page.ask("Continued:");
                    }
                    return;
                }
                Some(Given::Text(std::mem::take(&mut question.text)))
            }
        };
        if self.drops {
            self.page.say("Note", "An answer is one line; what came behind it is left out.");
        }
        match given {
            Some(given) => self.end_question(given),
            None => self.page.ask(&question.form.hint()),
        }
    }

    /// The question that is shown is answered, or left.
    pub(super) fn end_question(&mut self, given: Given) {
        let Some(question) = self.questions.0.pop_front() else { return };
        self.shows_again(&question);
        (question.done)(self, given);
    }

    /// A question is settled, by the user or by somebody else.
    pub(super) fn settled_question(&mut self, id: Uuid) {
        let Some(at) = self.questions.0.iter().position(|question| question.id == Some(id)) else { return };
        let Some(question) = self.questions.0.remove(at) else { return };
        if question.shown.is_some() {
            self.shows_again(&question);
            self.page.say("Note", "The question is closed.");
        }
    }

    fn shows_again(&mut self, question: &Question) {
        if let Form::Secret = question.form
            && let Err(error) = self.page.terminal().echo(true)
        {
            self.page.say("Error", &format!("what you type is not shown: {error}"));
        }
    }
}

fn picked(given: &Given) -> Option<usize> {
    match given {
        Given::Picked(at) => Some(*at),
        _ => None,
    }
}

fn hand_over<T>(to: oneshot::Sender<T>, answer: T) {
    if to.send(answer).is_err() {
        tracing::debug!("the start was given up before this answer");
    }
}
