//! The loop.

use std::future::pending;
use std::time::{Duration, Instant};

use tau_agent::settings::SettingsStore;
use tau_hooks::dialogs::DialogEvent;
use tau_launch::{Launcher, Prepared, Stop};
use tau_tui::terminal::Incoming;
use tokio::sync::watch;
use tokio::time::sleep_until;

use super::App;
use crate::end::{self, End};
use crate::opening::{self, NotOpened, Opened};
use crate::told::{Listener, Teller, Told};

/// How often something that moves is drawn.
const TICK: Duration = Duration::from_millis(80);
/// How many messages are taken before a frame is looked at.
const BATCH: usize = 256;

/// Why the work is over.
enum Over {
    Wanted,
    HungUp,
    NotOpened(NotOpened),
}

/// Something that happened.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is not kept")]
enum Happened {
    Terminal(Incoming),
    Told(Option<(Instant, Told)>),
    Dialog(Option<(Instant, DialogEvent)>),
    Opened(Result<Opened, NotOpened>),
    Started,
    Loaded,
    Frame,
    /// A component of an extension is to be asked for its lines.
    Turn,
    Tick,
    Ready,
    Stop,
    Quit,
}

/// Shows the first frame, opens the session and works with it until the end.
pub(crate) async fn run(launcher: &Launcher, prepared: Prepared, stop: Stop) -> End {
    let (teller, told) = Teller::new();
    let mut app = match App::new(&prepared, &teller) {
        Ok(app) => app,
        Err(error) => {
            launcher.voice().error(format!("the terminal cannot be used: {error}"));
            return End::Failed(1);
        }
    };
    let voice = teller.clone();
    launcher.voice().redirect(move |notice| voice.tell(Told::Notice(notice)));
    let diverted = crate::stray::divert(&teller);
    if let Err(error) = &diverted {
        tracing::warn!(%error, "standard error cannot be kept off the screen");
    }
    if let Err(error) = stop.watch() {
        launcher.voice().error(format!("signals cannot be watched: {error}"));
    }
    app.paint();
    let opening = opening::open(prepared, &teller, launcher.voice());
    let over = app.work(told, opening, &stop).await;
    let end = app.leave(matches!(over, Over::Wanted)).await;
    drop(diverted);
    launcher.voice().redirect(say);
    match over {
        Over::Wanted => end,
        Over::HungUp => End::HungUp,
        Over::NotOpened(not_opened) => not_opened.say(launcher.voice()),
    }
}

/// On standard error, once the screen belongs to the shell again.
pub(crate) fn say(notice: tau_launch::Notice) {
    use std::io::Write as _;
    use tau_launch::Notice;
    let line = match notice {
        Notice::Error(text) => format!("Error: {text}"),
        Notice::Warning(text) => format!("Warning: {text}"),
        Notice::Note(text) => text,
    };
    if writeln!(std::io::stderr().lock(), "{line}").is_err() {
        tracing::debug!("standard error is gone");
    }
}

impl App {
    /// Works until the end; gives why it is over.
    async fn work(
        &mut self,
        mut told: Listener,
        opening: impl Future<Output = Result<Opened, NotOpened>>,
        stop: &Stop,
    ) -> Over {
        let mut opening = Box::pin(opening);
        let mut is_opening = true;
        let mut starting: Option<std::pin::Pin<Box<dyn Future<Output = ()>>>> = None;
        let mut loaded: Option<watch::Receiver<()>> = None;
        loop {
            let session = self.session.clone();
            let frame = self.screen.deadline();
            let tick = self.moves().then(|| Instant::now() + TICK);
            let turn = self.mounts.deadline();
            let waits = frame.is_none() && self.screen.wants_frame();
            let writer = self.screen.terminal.writer().clone();
            let happened = tokio::select! {
                biased;
                () = stop.fired() => Happened::Stop,
                incoming = self.screen.terminal.next() => Happened::Terminal(incoming),
                () = until(frame) => Happened::Frame,
                () = until(turn) => Happened::Turn,
                told = told.recv() => Happened::Told(told),
                event = self.back_end.recv_at() => Happened::Dialog(event),
                () = self.quits.cancelled() => Happened::Quit,
                () = end::is_wanted(session) => Happened::Quit,
                done = &mut opening, if is_opening => Happened::Opened(done),
                () = async { match &mut starting { Some(starting) => starting.await, None => pending().await } } => {
                    Happened::Started
                }
                () = changed(&mut loaded) => Happened::Loaded,
                _ = writer.ready(), if waits => Happened::Ready,
                () = until(tick) => Happened::Tick,
            };
            match happened {
                Happened::Terminal(incoming) => {
                    // Another program may have the terminal for long, or never give it back.
                    match stop.unless(self.incoming(incoming)).await {
                        Some(true) => {}
                        Some(false) => return Over::HungUp,
                        None => return Over::Wanted,
                    }
                }
                // Extensions and the session are heard in the order in which they spoke.
                Happened::Told(first) => {
                    let rest = std::iter::from_fn(|| told.try_recv());
                    for (at, told) in first.into_iter().chain(rest.take(BATCH)) {
                        while let Some(event) = self.back_end.try_recv_before(at) {
                            self.dialog(event);
                        }
                        self.told(told);
                    }
                }
                Happened::Dialog(Some(first)) => {
                    let mut next = Some(first);
                    for left in (0..BATCH).rev() {
                        let Some((at, event)) = next.take() else { break };
                        while let Some(told) = told.try_recv_before(at) {
                            self.told(told);
                        }
                        self.dialog(event);
                        next = (left > 0).then(|| self.back_end.try_recv_at()).flatten();
                    }
                }
                // The broker lives as long as the hooks.
                Happened::Dialog(None) => {}
                Happened::Opened(Ok(Opened { unstarted, prompts })) => {
                    is_opening = false;
                    let session = std::sync::Arc::clone(unstarted.session());
                    opening::listen(&session, &self.teller);
                    loaded = Some(session.loaded_changes());
                    self.begin(&session, prompts);
                    starting = Some(Box::pin(async move {
                        unstarted.start().await;
                    }));
                }
                Happened::Opened(Err(why)) => return Over::NotOpened(why),
                Happened::Started => {
                    starting = None;
                    self.started();
                }
                Happened::Loaded => self.loaded(),
                Happened::Frame => self.paint(),
                Happened::Turn => self.mounts.pump(),
                Happened::Tick => self.screen.changed(),
                Happened::Ready => {}
                Happened::Stop | Happened::Quit => return Over::Wanted,
            }
            // Wherever they were heard: those who ask hold up their extension until they have it.
            if !self.lends.is_empty() && stop.unless(self.lend_to_extensions(stop)).await.is_none() {
                return Over::Wanted;
            }
        }
    }

    /// Paints a frame.
    pub(super) fn paint(&mut self) {
        self.tell_state();
        self.tell_progress();
        self.shape_cursor();
        self.count_notices();
        let size = self.screen.size();
        self.tell_facts();
        self.tell_focus();
        self.follow_header();
        self.toggle_clicked();
        let width = self.screen.width();
        self.chat.update(&mut self.screen.transcript, width);
        let dock = self.draw_dock(size);
        let overlays = self.lay_overlays(size);
        self.screen.paint(&dock, &overlays);
        let in_view = self.screen.in_view();
        self.chat.follow_in_view(&mut self.screen.transcript, &in_view);
        self.mounts.pump();
    }

    /// Whether something on the screen changes by itself.
    fn moves(&self) -> bool {
        !self.capabilities.plain
            && (self.dock.moves()
                || self.sent.waits()
                || self.chat.moves()
                || self.panels.counts_down()
                || self.notices.waits()
                || !self.progress_of.is_empty())
    }

    /// The settings in force, before and after there is a session.
    pub(super) fn settings(&self) -> std::sync::Arc<tau_agent::settings::Settings> {
        match &self.session {
            Some(session) => session.settings().snapshot(),
            None => SettingsStore::open(&self.env, false).snapshot(),
        }
    }
}

/// Waits for the next report; without anybody who reports, for ever.
async fn changed(reports: &mut Option<watch::Receiver<()>>) {
    if let Some(reports) = reports
        && reports.changed().await.is_ok()
    {
        return;
    }
    pending().await
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline.into()).await,
        None => pending().await,
    }
}
