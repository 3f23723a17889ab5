//! The terminal as lines of text, for readers of screens and terminals that cannot move their cursor.
//!
//! Text is only ever appended. The cursor never moves, nothing is erased or animated, and no state is shown by colour alone:
//! every message has a label, every choice a number, and every answer is a line.

mod page;
mod question;
mod send;
mod talk;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tau_agent::settings::{Settings, keys};
use tau_agent::{AgentSession, Prompt};
use tau_hooks::Hooks;
use tau_hooks::dialogs::{DialogBackEnd, DialogEvent};
use tau_hooks::payload::StreamingBehavior;
use tau_launch::{Launcher, Notice, Prepared, Stop};
use tau_tui::terminal::{LineTerminal, Typed};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use self::page::Page;
use self::question::{Given, Questions};
use crate::app::{hint, say};
use crate::end::{self, End, end_session};
use crate::opening::{self, NotOpened, Opened};
use crate::told::{Listener, Said, Teller, Told};

/// How long the terminal, and tasks, may take at the end.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is said, and the session it is about.
struct Plain {
    page: Page,
    hooks: Arc<Hooks>,
    back_end: DialogBackEnd,
    teller: Teller,
    tasks: TaskTracker,
    session: Option<Arc<AgentSession>>,
    /// Extensions are bound.
    is_ready: bool,
    questions: Questions,
    /// Prompts that are still to be sent.
    first: VecDeque<Prompt>,
    /// The lines of a prompt so far.
    draft: String,
    /// The lines that come at once with an answer are nothing: a secret that is pasted with an end of a line in it must not
    /// become a prompt.
    drops: bool,
    /// The prompt that was typed and is not in the conversation yet.
    typed: Option<String>,
    /// How many texts were sent whose place is not known yet.
    waiting: usize,
    runs: bool,
    runs_shell: bool,
    /// The parts of the answer that have begun.
    parts: HashSet<usize>,
    /// Calls that are not over, with what they are called, and the one that was said last.
    calls: HashMap<String, String>,
    last_call: Option<String>,
    hides_thinking: bool,
    /// What extensions show all the time, and what of it is new.
    statuses: BTreeMap<String, String>,
    new_statuses: BTreeSet<String>,
    said_no_components: bool,
    /// The last key was ctrl+c at an empty prompt.
    is_interrupted: bool,
    quits: bool,
}

/// Opens the session and works with it until the end.
pub(crate) async fn run(launcher: &Launcher, prepared: Prepared, stop: Stop) -> End {
    let (teller, told) = Teller::new();
    let (sender, typed) = mpsc::unbounded_channel();
    let terminal = LineTerminal::take(io::stdin(), io::stdout(), move |typed| {
        if sender.send((typed, Instant::now())).is_err() {
            tracing::debug!("something was typed after the end");
        }
    });
    let page = match terminal {
        Ok(terminal) => Page::new(terminal),
        Err(error) => {
            launcher.voice().error(format!("the terminal cannot be used: {error}"));
            return End::Failed(1);
        }
    };
    let mut plain = Plain::new(page, &prepared, &teller);
    if prepared.args().fullscreen == Some(true) {
        plain.page.say("Warning", "--tui-mode fullscreen has no effect here: text is only appended");
    }
    let voice = teller.clone();
    launcher.voice().redirect(move |notice| voice.tell(Told::Notice(notice)));
    let diverted = crate::stray::divert(&teller);
    if let Err(error) = &diverted {
        tracing::warn!(%error, "what others write to standard error stands among the text");
    }
    if let Err(error) = stop.watch() {
        launcher.voice().error(format!("signals cannot be watched: {error}"));
    }
    let opening = opening::open(prepared, &teller, launcher.voice());
    let failed = plain.work(told, typed, opening, &stop).await;
    plain.leave(failed.is_none()).await;
    drop(diverted);
    launcher.voice().redirect(say);
    match failed {
        Some(not_opened) => not_opened.say(launcher.voice()),
        None => End::Own(0),
    }
}

/// Something that happened.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is not kept")]
enum Happened {
    Typed(Option<(Typed, Instant)>),
    Told(Option<(Instant, Told)>),
    Dialog(Option<DialogEvent>),
    Opened(Result<Opened, NotOpened>),
    Started,
    Stop,
}

impl Plain {
    fn new(page: Page, prepared: &Prepared, teller: &Teller) -> Self {
        let hooks = Arc::clone(prepared.hooks());
        // What a project says counts once it is trusted.
        let settings = Settings::load(prepared.env(), false);
        let mut plain = Self {
            page,
            back_end: hooks.dialogs.subscribe_mounting(),
            hooks,
            teller: teller.clone(),
            tasks: TaskTracker::new(),
            session: None,
            is_ready: false,
            questions: Questions::default(),
            first: VecDeque::new(),
            draft: String::new(),
            drops: false,
            typed: None,
            waiting: 0,
            runs: false,
            runs_shell: false,
            parts: HashSet::new(),
            calls: HashMap::new(),
            last_call: None,
            hides_thinking: settings.of(keys::HIDE_THINKING_BLOCK),
            statuses: BTreeMap::new(),
            new_statuses: BTreeSet::new(),
            said_no_components: false,
            is_interrupted: false,
            quits: false,
        };
        if settings.of(keys::QUIET_STARTUP) != Some(&serde_json::Value::Bool(true)) {
            plain.page.line(concat!(
                "tau ",
                env!("CARGO_PKG_VERSION"),
                ". Type a prompt and Enter; a line that ends with \\ continues. Ctrl+C stops a run, Ctrl+D ends tau."
            ));
        }
        plain
    }

    /// Works until the end; gives why there was no session, if there was none.
    async fn work(
        &mut self,
        mut told: Listener,
        mut typed: mpsc::UnboundedReceiver<(Typed, Instant)>,
        opening: impl Future<Output = Result<Opened, NotOpened>>,
        stop: &Stop,
    ) -> Option<NotOpened> {
        let mut opening = Box::pin(opening);
        let mut is_opening = true;
        let mut starting: Option<std::pin::Pin<Box<dyn Future<Output = ()>>>> = None;
        loop {
            self.go_on();
            let session = self.session.clone();
            let happened = tokio::select! {
                biased;
                () = stop.fired() => Happened::Stop,
                () = end::is_wanted(session) => Happened::Stop,
                typed = typed.recv() => Happened::Typed(typed),
                told = told.recv() => Happened::Told(told),
                event = self.back_end.recv() => Happened::Dialog(event),
                done = &mut opening, if is_opening => Happened::Opened(done),
                () = async { match &mut starting { Some(starting) => starting.await, None => pending().await } } => {
                    Happened::Started
                }
            };
            match happened {
                Happened::Typed(Some((typed, at))) => self.typed(typed, at),
                // Extensions and the session are heard in the order in which they spoke.
                Happened::Told(Some((at, told))) => {
                    while let Some(event) = self.back_end.try_recv_before(at) {
                        self.dialog(event);
                    }
                    self.told(told);
                }
                Happened::Dialog(Some(event)) => self.dialog(event),
                // The broker lives as long as the hooks, and so do the senders of the others.
                Happened::Told(None) | Happened::Dialog(None) => {}
                Happened::Opened(Ok(Opened { unstarted, prompts })) => {
                    is_opening = false;
                    let session = Arc::clone(unstarted.session());
                    opening::listen(&session, &self.teller);
                    self.session = Some(session);
                    // Before what was typed meanwhile.
                    prompts.into_iter().rev().for_each(|prompt| self.first.push_front(prompt));
                    starting = Some(Box::pin(async move {
                        unstarted.start().await;
                    }));
                }
                Happened::Opened(Err(why)) => return Some(why),
                Happened::Started => {
                    starting = None;
                    self.is_ready = true;
                    self.say_history();
                }
                Happened::Typed(None) | Happened::Stop => return None,
            }
            if self.quits {
                return None;
            }
        }
    }

    /// Does what comes next: asks, sends the next prompt, or waits for one.
    fn go_on(&mut self) {
        if !self.questions.is_empty() {
            return self.show_question();
        }
        if !self.is_idle() {
            return;
        }
        if let Some(prompt) = self.first.pop_front() {
            return self.send(prompt, StreamingBehavior::FollowUp);
        }
        if !self.page.asks() && self.draft.is_empty() {
            self.say_statuses();
            self.page.ask("You:");
        }
    }

    fn typed(&mut self, typed: Typed, at: Instant) {
        match typed {
            Typed::Line { text, more } => {
                self.is_interrupted = false;
                self.page.line_typed();
                if self.drops {
                    self.drops = more;
                    return;
                }
                // A line from before the question is no answer to it.
                if self.questions.waits_since_before(at) {
                    self.answer_line(&text, more)
                } else {
                    self.prompt_line(&text, more)
                }
            }
            Typed::Interrupt => {
                self.page.key_typed();
                self.draft.clear();
                if !self.questions.is_empty() {
                    self.end_question(Given::Left);
                } else if self.abort() {
                    self.is_interrupted = false;
                } else if self.is_interrupted {
                    self.quits = true;
                } else {
                    self.is_interrupted = true;
                    self.page.say("Note", "Press Ctrl+C again to end tau.");
                }
            }
            Typed::End if !self.questions.is_empty() => {
                self.page.key_typed();
                self.end_question(Given::Left);
            }
            Typed::End => {
                self.page.key_typed();
                self.quits = true;
            }
        }
    }

    fn told(&mut self, told: Told) {
        match told {
            Told::Session(event) => self.happened(*event),
            Told::Notice(Notice::Error(text)) => self.page.say("Error", &text),
            Told::Notice(Notice::Warning(text)) => self.page.say("Warning", &text),
            Told::Notice(Notice::Note(text)) => self.page.say("Note", &text),
            Told::Stray(line) => tracing::warn!(target: "tau::stray", "{line}"),
            Told::Ask(question) => self.ask_early(question),
            Told::Submitted { done, .. } => self.submitted(done),
            Told::Bash(done) => self.shell_ended(done),
            Told::Done(Said::Error(text)) => self.page.say("Error", &text),
            Told::Done(Said::Status(text) | Said::Note(text)) => self.page.say("Note", &text),
            // There is no clipboard, no branch and nothing to complete here; idleness is looked at each time.
            Told::Done(Said::Copied(_) | Said::Selected(_))
            | Told::LateList(_)
            | Told::Suggested
            | Told::Mount(..)
            | Told::Heard(..)
            | Told::ShortcutBegan
            | Told::NotAgain
            | Told::Provider(_)
            | Told::Painting(_)
            | Told::Branch(_)
            | Told::Idle
            | Told::Preview { .. }
            | Told::StatusLine(_)
            | Told::Kept(_)
            | Told::Pasted(_)
            | Told::Tmux(_)
            | Told::Settings
            | Told::Keys { .. }
            | Told::Models
            | Told::Changed
            | Told::Picture(_) => {}
        }
    }

    fn dialog(&mut self, event: DialogEvent) {
        match event {
            DialogEvent::Opened(request) => self.ask_for(&request),
            DialogEvent::Closed { id, .. } => self.settled_question(id),
            DialogEvent::Ui(event) => self.call(&event),
            DialogEvent::OwnerRemoved(_) => {}
        }
    }

    /// Ends the session. `says` how to go on with it.
    async fn leave(self, says: bool) {
        let Self { mut page, session, tasks, back_end, .. } = self;
        // Nobody answers any more: what is asked during the end gets its default.
        drop(back_end);
        if let Some(session) = session {
            end_session(&session, &tasks).await;
            if says && let Some(line) = hint(&session) {
                page.line(&line);
            }
        }
        page.end();
        // The terminal may be slow, and the program has one runtime.
        let flushed = tokio::task::spawn_blocking(move || page.terminal().flush(PATIENCE)).await;
        if let Err(error) = flushed {
            tracing::debug!(%error, "the terminal is not put back");
        }
    }
}
