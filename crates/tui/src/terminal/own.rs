//! The terminal as a whole: taken, lent, and given back.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal as Number;
use rustix::termios::isatty;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::answers::{Answers, Asked};
use super::guard::Guard;
use super::input::{CursorReports, Event, Timing};
use super::reader::{Inbox, Reader, is_character};
use super::size::{Settling, Size};
use super::switches::{FENCE, Question, Switch, Wanted};
use super::tty::Tty;
use super::writer::{Output, Writer};

/// How long a terminal that is known to answer may take when it is given back.
const ANSWERS: Duration = Duration::from_secs(1);
/// How long one may take that never answered.
const SILENT: Duration = Duration::from_millis(50);
/// How long the last bytes may take before another program gets the terminal.
const WRITTEN: Duration = Duration::from_millis(500);
/// How often a program that was continued in the background looks whether it still is there.
const LOOK: Duration = Duration::from_secs(1);

/// From how many characters at once on they are no single keys.
const BURST: usize = 32;
/// Takes back what a program may have left that was ended while it had the terminal: reports of the mouse, the other
/// screen, a hidden cursor, colours. Some terminals move the cursor with that; it ends up under everything.
const FOREIGN: &str = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1049l\x1b[?25h\x1b[0m\x1b[999;1H\r\n";

/// Looks up a variable of the environment.
pub type Variable = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// How a terminal is taken.
#[derive(Clone)]
pub struct Options {
    /// What is switched on, and what is asked.
    pub wanted: Wanted,
    /// How long the rest of a key may take.
    pub timing: Timing,
    /// What this terminal answered the last time.
    pub known: Answers,
    /// The environment.
    pub variable: Variable,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("wanted", &self.wanted).field("timing", &self.timing).finish_non_exhaustive()
    }
}

/// Something that happened at the terminal.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// It sent something.
    Event(Event),
    /// It answered everything that it was asked, or never will.
    Answered {
        /// Something is not as it was the last time.
        differs: bool,
    },
    /// Its size changed, and stays for now; it may be the same again.
    Resized(Size),
    /// A signal asks the program to stop: call [`Terminal::suspend`].
    Suspend,
    /// The program was stopped without being asked, and continues. The modes are set again; what the screen shows is unknown.
    Continued,
}

/// The terminal of this program, for as long as this lives. It is put back when this is dropped, and by
/// [`restore_now`](super::restore_now); [`Terminal::close`] does it with care.
///
/// It is made on a runtime of tokio with time and signals.
#[derive(Debug)]
pub struct Terminal {
    tty: Arc<Tty>,
    guard: Arc<Guard>,
    reader: Reader,
    inbox: Inbox,
    output: Output,
    asked: Asked,
    differs: bool,
    wants_keyboard: bool,
    /// The end was reported.
    end_reported: bool,
    size: Size,
    options: Options,
    settling: Settling,
    window: Signal,
    stop: Signal,
    go_on: Signal,
    /// What happened beside what came.
    also: VecDeque<Incoming>,
}

impl Terminal {
    /// Takes the terminal: makes it raw, and writes what is wanted and asked at once. Waits for no answer. In the background
    /// it stops the program until it is in the foreground.
    ///
    /// # Errors
    /// When it is no terminal, or the system refuses.
    pub fn take(input: impl AsFd, output: impl AsFd, options: Options) -> io::Result<Self> {
        if !isatty(&input) || !isatty(&output) {
            return Err(rustix::io::Errno::NOTTY.into());
        }
        let window = signal(SignalKind::window_change())?;
        let stop = signal(SignalKind::from_raw(Number::TSTP.as_raw()))?;
        let go_on = signal(SignalKind::from_raw(Number::CONT.as_raw()))?;
        let size = Size::of(&output, &*options.variable);
        let tty = Arc::new(Tty::new(input, output)?);
        let guard = Guard::begin(Arc::clone(&tty))?;
        let begin = || Ok((Output::begin(Arc::clone(&tty))?, Reader::begin(Arc::clone(&tty), options.timing)?));
        let (output, reader) = match begin() {
            Ok(begun) => begun,
            Err(error) => {
                guard.restore();
                return Err(error);
            }
        };
        let wanted = &options.wanted;
        let mut bytes: String = guard.switch(|on| wanted.switches.iter().map(|switch| on.on(*switch)).collect());
        let mut asked = Asked::new(options.known.clone());
        asked.ask(&wanted.questions);
        bytes.extend(wanted.questions.iter().map(|question| question.ask()));
        output.writer().commit(bytes + FENCE);
        Ok(Self {
            inbox: reader.inbox(),
            wants_keyboard: wanted.switches.contains(&Switch::Keyboard),
            options,
            settling: Settling::default(),
            also: VecDeque::new(),
            differs: false,
            end_reported: false,
            tty,
            guard,
            reader,
            output,
            asked,
            size,
            window,
            stop,
            go_on,
        })
    }

    /// Where to write. A clone writes while the terminal is lent.
    pub fn writer(&self) -> &Writer {
        self.output.writer()
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Whether its size changes, also if no signal said so yet; until [`Incoming::Resized`]. Rows are not where they were
    /// then, and what is painted may end up on others.
    pub fn is_changing_size(&mut self) -> bool {
        if !self.size_settles() && Size::of(self.tty.output(), &*self.options.variable) != self.size {
            self.settling.changed(std::time::Instant::now());
        }
        self.size_settles()
    }

    /// Whether a change of its size was noticed that [`Incoming::Resized`] did not report yet.
    pub fn size_settles(&self) -> bool {
        self.settling.deadline().is_some()
    }

    /// What it answered, now or the last time.
    pub fn answers(&self) -> &Answers {
        self.asked.answers()
    }

    /// For those who ask where the cursor is: [`CursorReports::expect`], then [`Question::Cursor`].
    pub fn cursor_reports(&self) -> &CursorReports {
        self.inbox.cursor_reports()
    }

    /// What happens next. Can be given up and called again.
    pub async fn next(&mut self) -> Incoming {
        loop {
            if let Some(incoming) = self.also.pop_front() {
                return incoming;
            }
            // Before what comes: a flood of it must not keep the screen from being painted.
            if self.settling.settles(std::time::Instant::now()) {
                self.resized();
                return Incoming::Resized(self.size);
            }
            let settled = self.settling.deadline().map(Instant::from_std);
            tokio::select! {
                biased;
                event = self.inbox.next_or_back() => match event {
                    Some(event) => {
                        self.note(&event);
                        self.end_reported |= matches!(event, Event::End(_));
                        return Incoming::Event(event);
                    }
                    None if self.continued() => return Incoming::Continued,
                    None => {}
                },
                // What is written may go elsewhere, and end alone.
                end = self.output.writer().ended(), if !self.end_reported => {
                    self.end_reported = true;
                    return Incoming::Event(Event::End(end));
                }
                _ = self.stop.recv() => return Incoming::Suspend,
                _ = self.go_on.recv() => {
                    if self.continued() {
                        return Incoming::Continued;
                    }
                }
                _ = self.window.recv() => self.settling.changed(std::time::Instant::now()),
                () = until(settled), if settled.is_some() => {}
            }
        }
    }

    /// The rest of a text of which `first` is the first key, if much of it came already: more than is typed key by key.
    pub fn take_text(&mut self, first: &str) -> Option<String> {
        let rest = if is_character(first) { self.inbox.take_text(BURST) } else { String::new() };
        (!rest.is_empty()).then(|| format!("{first}{rest}"))
    }

    /// Asks something. The answer comes as an event, and [`Incoming::Answered`] when it came or never will.
    pub fn ask(&mut self, questions: &[Question]) {
        self.asked.ask(questions);
        let asked: String = questions.iter().map(|question| question.ask()).collect();
        self.writer().commit(asked + FENCE);
    }

    /// Switches something on. It is switched off when the terminal is given back.
    pub fn switch_on(&self, switch: Switch) {
        self.guard.switch(|on| self.writer().commit(on.on(switch)));
    }

    /// Switches something off.
    pub fn switch_off(&self, switch: Switch) {
        self.guard.switch(|on| self.writer().commit(on.off(switch)));
    }

    /// What brings the cursor to where the next program can write, for when the terminal is put back at once.
    pub fn set_below(&self, bytes: impl Into<Vec<u8>>) {
        self.guard.set_below(bytes.into());
    }

    /// Sets the modes again, because another program changed them without asking. What is on the screen is not touched.
    pub(crate) fn reassert(&self) {
        if self.tty.is_in_background() {
            return;
        }
        if let Err(error) = self.guard.enter() {
            tracing::debug!(%error, "the modes of the terminal cannot be set");
        }
        // Before what is waiting, which expects them.
        self.writer().resume(self.guard.switch(|on| on.quiet() + &on.rest() + &on.again()).into_bytes());
    }

    /// As [`Terminal::reassert`], if the modes are others by now: for when a command has ended, which could reach the
    /// terminal. Whether they were; then what is on the screen may be anything.
    pub fn reassert_if_changed(&self) -> bool {
        let is_changed = self.guard.is_changed();
        if is_changed {
            self.reassert();
        }
        is_changed
    }

    /// Lends the terminal to another program, as it was before this one, until `run` is done. Afterwards the modes are set
    /// again, whatever that program left; the caller paints. Keys of that moment are dropped.
    pub async fn lend<T>(&mut self, run: impl Future<Output = T>) -> T {
        self.give_back(true, WRITTEN).await;
        // Also when this is given up.
        let mut lent = Lent { terminal: self, is_done: false };
        let done = run.await;
        lent.is_done = true;
        drop(lent);
        done
    }

    /// Stops this program and its process group, as ctrl+z does, and takes the terminal again when it is continued in the
    /// foreground. The caller paints.
    ///
    /// # Errors
    /// When the system refuses.
    pub async fn suspend(&mut self) -> io::Result<()> {
        self.give_back(true, WRITTEN).await;
        let lent = Lent { terminal: self, is_done: true };
        let stopped = tau_sys::signals::stop_group();
        while lent.terminal.tty.is_in_background() {
            let continued = timeout(LOOK, lent.terminal.go_on.recv()).await;
            tracing::debug!(woken = continued.is_ok(), "in the background");
        }
        drop(lent);
        // What was sent to stop or to continue is done.
        for signal in [&mut self.stop, &mut self.go_on] {
            while timeout(Duration::ZERO, signal.recv()).await.is_ok_and(|sent| sent.is_some()) {}
        }
        stopped
    }

    /// Gives the terminal back. What is committed has this long to be written.
    pub async fn close(mut self, patience: Duration) {
        if timeout(patience, self.writer().ready()).await.is_err() {
            tracing::debug!(bytes = self.writer().waiting(), "the terminal does not read");
        }
        self.give_back(false, WRITTEN.min(patience)).await;
        self.guard.forget();
    }

    /// Whether everything is answered by that.
    fn note(&mut self, event: &Event) -> bool {
        let Event::Reply(reply) = event else { return false };
        let change = self.asked.take(reply);
        self.differs |= change.differs;
        if change.has_kitty {
            self.switch_off(Switch::OtherKeys);
        } else if change.lacks_kitty && self.wants_keyboard {
            self.switch_on(Switch::OtherKeys);
        }
        // One that is late counts by itself.
        if change.closed || (self.differs && !self.asked.waits()) {
            self.also.push_back(Incoming::Answered { differs: std::mem::take(&mut self.differs) });
        }
        change.closed
    }

    fn resized(&mut self) -> Option<Size> {
        let size = Size::of(self.tty.output(), &*self.options.variable);
        let before = std::mem::replace(&mut self.size, size);
        (before != size).then_some(size)
    }

    /// Whether this program has the terminal after something continued it.
    fn continued(&mut self) -> bool {
        self.reader.look();
        if self.tty.is_in_background() {
            return false;
        }
        self.reassert();
        let resized = self.resized();
        self.also.extend(resized.map(Incoming::Resized));
        true
    }

    /// Makes the terminal what it was. First it is made silent, and what it still says is read, up to its answer to the
    /// fence: otherwise the next program would find it.
    async fn give_back(&mut self, typed: bool, patience: Duration) {
        if self.tty.is_in_background() {
            self.reader.rest();
            self.writer().hold();
            self.left(typed);
            return;
        }
        let quiet = self.guard.switch(|on| on.quiet());
        self.writer().commit(quiet + FENCE);
        self.asked.ask(&[]);
        let until = Instant::now() + if self.asked.answers_fences() { ANSWERS } else { SILENT };
        while let Ok(event) = timeout_at(until, self.inbox.next()).await {
            if self.note(&event) || matches!(event, Event::End(_)) {
                break;
            }
        }
        self.reader.rest();
        while let Some(event) = self.inbox.try_next() {
            self.note(&event);
            if matches!(event, Event::End(_)) {
                break;
            }
        }
        self.cursor_reports().forget();
        self.writer().commit(self.guard.switch(|on| on.rest()));
        if timeout(patience, self.writer().ready()).await.is_err() {
            self.writer().abandon();
        }
        self.writer().hold();
        self.left(typed);
    }

    fn left(&self, typed: bool) {
        if let Err(error) = self.guard.leave(typed) {
            tracing::debug!(%error, "the modes of the terminal cannot be put back");
        }
    }

    fn take_again(&mut self) {
        if let Err(error) = self.guard.enter() {
            tracing::debug!(%error, "the modes of the terminal cannot be set");
        }
        self.writer().resume(self.guard.switch(|on| on.again()).into_bytes());
        self.reader.resume();
        let resized = self.resized();
        self.also.extend(resized.map(Incoming::Resized));
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.guard.restore();
        self.guard.forget();
    }
}

/// The terminal while another program has it.
struct Lent<'a> {
    terminal: &'a mut Terminal,
    /// The other program is done. One that is ended because this one ends leaves the screen as it is just then.
    is_done: bool,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.terminal.writer().commit(FOREIGN);
        }
        self.terminal.tty.take_foreground_back();
        self.terminal.take_again();
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use rustix::io::Errno;
    use tau_sys::pty::Pty;

    use super::super::input::End;
    use super::*;

    fn options() -> Options {
        let wanted = Wanted { switches: vec![Switch::Paste], questions: Vec::new() };
        Options { wanted, timing: Timing::default(), known: Answers::default(), variable: Arc::new(|_: &str| None) }
    }

    #[tokio::test]
    async fn an_output_that_ends_alone_is_the_end() {
        let (input, output) = (Pty::open().expect("a terminal"), Pty::open().expect("a terminal"));
        let (theirs, shown) = (input.theirs().expect("the terminal"), output.theirs().expect("the terminal"));
        let mut terminal = Terminal::take(&theirs, &shown, options()).expect("taken");
        let mut first = vec![0; "\x1b[?2004h\x1b[c".len()];
        output.ours().read_exact(&mut first).expect("shown");
        assert_eq!(first, b"\x1b[?2004h\x1b[c");
        drop(output);
        terminal.writer().commit("more");
        assert_eq!(terminal.next().await, Incoming::Event(Event::End(End::Failed(Errno::IO))));
        // It is said once; what is typed still comes.
        io::Write::write_all(&mut input.ours(), b"x").expect("typed");
        assert_eq!(terminal.next().await, Incoming::Event(Event::Key("x".to_owned())));
    }

    #[test]
    fn what_is_no_terminal_is_not_taken() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let file = std::fs::File::open("/dev/null").expect("a file");
        let _entered = runtime.enter();
        let error = Terminal::take(&file, &file, options()).expect_err("no terminal");
        assert_eq!(error.raw_os_error(), Some(Errno::NOTTY.raw_os_error()));
    }
}
