//! A place on the screen with a component in it: what it was told, what it gave, and when it is asked again.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tau_hooks::HandlerError;
use tau_hooks::mount::{
    Component, Drawn as Given, Interrupted, OverlayOptions, Place, Signal, Space, Turn, WorkingStatus,
};
use tau_tui::Drawn;
use tau_tui::screen::Size;

use super::shown::Shown;

/// The shortest time between two times that lines are asked for, unless a key was typed: thirty times a second.
const BETWEEN: Duration = Duration::from_millis(33);
/// After how many failures in a row a component is taken away.
const MOST_FAILURES: u32 = 3;
/// How many signals may wait for a component that does not answer. Nobody types so much; a paste is one.
const MOST_SIGNALS: usize = 100_000;

/// A place with a component. Clones are the same place.
#[derive(Clone)]
pub(crate) struct Slot(Arc<Mutex<State>>);

struct State {
    id: u64,
    owner: Arc<str>,
    place: Place,
    /// There is none before the factory is done, and none after the end.
    component: Option<Arc<dyn Component>>,
    signals: VecDeque<Signal>,
    /// A turn is under way.
    is_busy: bool,
    /// It is told keys in it.
    has_keys: bool,
    /// Others have the keys by now: those that it is not told in its turn are for them.
    passes_keys: bool,
    /// It is done.
    is_done: bool,
    /// New lines are wanted.
    is_dirty: bool,
    /// A key of the component itself may have changed it.
    is_urgent: bool,
    /// Where it is to draw itself; nothing while it is not in sight.
    space: Option<Space>,
    shown: Option<Shown>,
    asked: Option<Instant>,
    failures: u32,
    overlay: Option<OverlayOptions>,
    wants_releases: bool,
    takes_mouse: bool,
    takes_scroll_keys: bool,
    embeds_working: bool,
    /// What it was told last of what is under way.
    working: Option<WorkingStatus>,
    has_focus: bool,
    is_over: bool,
    /// What it is not told any more is for who has the keys after it.
    leaves_keys: bool,
}

/// What became of a turn.
#[derive(Debug, PartialEq)]
pub(crate) enum Ended {
    /// It gave what was asked for.
    Fine,
    /// It gave the keys to others before it was told all of them: these are for them.
    Passes(Vec<Arc<str>>),
    /// It failed, for the first time in a row.
    Failed(HandlerError),
    /// It failed again.
    FailedAgain,
    /// It has failed so often that it is taken away.
    GivenUp(HandlerError),
}

impl State {
    /// The keys and pastes that wait.
    fn take_keys(&mut self) -> Vec<Arc<str>> {
        let (mut keys, mut others) = (Vec::new(), VecDeque::new());
        for signal in self.signals.drain(..) {
            match signal {
                Signal::Key(key) => keys.push(key),
                other => others.push_back(other),
            }
        }
        self.signals = others;
        keys
    }
}

impl Slot {
    pub(crate) fn new(id: u64, owner: Arc<str>, place: Place) -> Self {
        Self(Arc::new(Mutex::new(State {
            id,
            owner,
            place,
            component: None,
            signals: VecDeque::new(),
            is_busy: false,
            has_keys: false,
            passes_keys: false,
            is_done: false,
            is_dirty: true,
            is_urgent: false,
            space: None,
            shown: None,
            asked: None,
            failures: 0,
            overlay: None,
            wants_releases: false,
            takes_mouse: false,
            takes_scroll_keys: false,
            embeds_working: false,
            working: None,
            has_focus: false,
            is_over: false,
            leaves_keys: place == Place::Editor,
        })))
    }

    pub(crate) fn id(&self) -> u64 {
        self.0.lock().id
    }

    pub(crate) fn owner(&self) -> Arc<str> {
        Arc::clone(&self.0.lock().owner)
    }

    pub(crate) fn place(&self) -> Place {
        self.0.lock().place
    }

    /// The factory is done.
    pub(crate) fn mounted(&self, component: Arc<dyn Component>) {
        let mut state = self.0.lock();
        if !state.is_over {
            state.component = Some(component);
        }
    }

    /// Whether there is a component.
    pub(crate) fn is_mounted(&self) -> bool {
        self.0.lock().component.is_some()
    }

    /// Takes the component away, for good. It is the caller's to dispose of.
    pub(crate) fn end(&self) -> Option<Arc<dyn Component>> {
        let mut state = self.0.lock();
        state.is_over = true;
        state.component.take()
    }

    /// It is done: what was typed since is not for it.
    pub(crate) fn leaves_keys(&self) {
        let mut state = self.0.lock();
        (state.leaves_keys, state.is_done) = (true, true);
    }

    /// Another one may have the keys from now on. What is typed waits until it is known which ones this one was told.
    pub(crate) fn focus_moves(&self) {
        let mut state = self.0.lock();
        state.passes_keys = state.is_busy && state.has_keys;
    }

    /// Whether what is typed has to wait for its turn.
    pub(crate) fn passes_keys(&self) -> bool {
        self.0.lock().passes_keys
    }

    /// A turn is under way, and may leave keys for others.
    pub(crate) fn may_leave_keys(&self) -> bool {
        let state = self.0.lock();
        state.is_busy && state.leaves_keys
    }

    /// The keys and pastes that it was not told, once it is over.
    pub(crate) fn left_keys(&self) -> Vec<Arc<str>> {
        let mut state = self.0.lock();
        let keys = state.take_keys();
        if state.leaves_keys { keys } else { Vec::new() }
    }

    /// Tells the component something.
    pub(crate) fn tell(&self, signal: Signal) {
        let mut state = self.0.lock();
        if state.is_over || state.signals.len() >= MOST_SIGNALS {
            return;
        }
        state.is_urgent |= matches!(signal, Signal::Key(_) | Signal::Mouse(_));
        state.is_dirty = true;
        state.signals.push_back(signal);
    }

    /// A key, which is left out when the component does not want those that are let go.
    pub(crate) fn key(&self, data: &str) {
        if !tau_view::keys::is_key_release(data) || self.0.lock().wants_releases {
            self.tell(Signal::Key(data.into()));
        }
    }

    /// Says whether it has the keys, if that is new.
    pub(crate) fn focus(&self, has_focus: bool) {
        if std::mem::replace(&mut self.0.lock().has_focus, has_focus) != has_focus {
            self.tell(Signal::Focus(has_focus));
        }
    }

    pub(crate) fn takes_mouse(&self) -> bool {
        self.0.lock().takes_mouse
    }

    /// The keys that scroll the conversation are for it.
    pub(crate) fn takes_scroll_keys(&self) -> bool {
        self.0.lock().takes_scroll_keys
    }

    /// An editor that shows itself what is under way.
    pub(crate) fn embeds_working(&self) -> bool {
        self.0.lock().embeds_working
    }

    /// Says what is under way, if that is new.
    pub(crate) fn works(&self, working: Option<WorkingStatus>) {
        let mut state = self.0.lock();
        if state.working == working {
            return;
        }
        state.working.clone_from(&working);
        // Of what one did not hear yet only the last counts.
        state.signals.retain(|signal| !matches!(signal, Signal::Working(_)));
        drop(state);
        self.tell(Signal::Working(working));
    }

    /// Over the screen, it takes the keys when it comes.
    pub(crate) fn captures(&self) -> bool {
        self.0.lock().component.as_ref().is_some_and(|component| component.captures())
    }

    /// Over the screen, it is hidden until it says otherwise.
    pub(crate) fn begins_hidden(&self) -> bool {
        self.0.lock().component.as_ref().is_some_and(|component| component.is_hidden())
    }

    /// It is not to be seen on a screen of this size, as far as is known.
    pub(crate) fn is_out_of_sight(&self) -> bool {
        let state = self.0.lock();
        let coming = || state.component.as_ref().is_some_and(|component| component.is_out_of_sight());
        state.overlay.map_or_else(coming, |overlay| overlay.is_hidden)
    }

    /// New lines are wanted.
    pub(crate) fn redraw(&self) {
        self.0.lock().is_dirty = true;
    }

    /// How it lies over the screen.
    pub(crate) fn overlay(&self) -> Option<OverlayOptions> {
        self.0.lock().overlay
    }

    /// It is in sight, on a screen of this size.
    pub(crate) fn stands(&self, width: usize, size: Size) {
        let mut state = self.0.lock();
        let space = Some(Space { width: width.max(1), columns: size.columns, rows: size.rows });
        if state.space != space {
            (state.space, state.is_dirty) = (space, true);
        }
    }

    /// It is not in sight.
    pub(crate) fn is_covered(&self) {
        self.0.lock().space = None;
    }

    /// How many lines it has.
    pub(crate) fn height(&self) -> usize {
        self.0.lock().shown.as_ref().map_or(0, Shown::len)
    }

    /// The last rows that it gave.
    pub(crate) fn end_rows(&self, rows: usize) -> Drawn {
        self.draw(|shown| shown.end(rows))
    }

    /// The rows that it gave which there is room for: the first or the last ones, with the row that is worked in.
    pub(crate) fn window_rows(&self, rows: usize, from_end: bool) -> Drawn {
        self.draw(|shown| shown.window(rows, from_end))
    }

    /// The first rows that it gave.
    pub(crate) fn start_rows(&self, rows: usize) -> Drawn {
        self.draw(|shown| shown.start(rows))
    }

    /// The first rows that it gave, without a word about others.
    pub(crate) fn start_lines(&self, rows: usize) -> Drawn {
        self.draw(|shown| shown.first(rows))
    }

    fn draw(&self, part: impl FnOnce(&Shown) -> Drawn) -> Drawn {
        self.0.lock().shown.as_ref().map(part).unwrap_or_default()
    }

    /// Whether it failed the last time.
    pub(crate) fn is_failing(&self) -> bool {
        self.0.lock().failures > 0
    }

    /// When the next turn may begin, not before `now`; nothing while none is wanted or one is under way.
    pub(crate) fn due(&self, now: Instant) -> Option<Instant> {
        let state = self.0.lock();
        let wants = !state.signals.is_empty() || (state.is_dirty && state.space.is_some());
        if state.is_busy || state.component.is_none() || !wants {
            return None;
        }
        Some(match state.asked {
            Some(asked) if !state.is_urgent => (asked + BETWEEN).max(now),
            _ => now,
        })
    }

    /// Begins a turn.
    pub(crate) fn begin(&self) -> Option<(Arc<dyn Component>, Turn)> {
        let mut state = self.0.lock();
        let component = Arc::clone(state.component.as_ref()?);
        let space = state.space.filter(|_| state.is_dirty);
        let turn = Turn { signals: state.signals.drain(..).collect(), space };
        state.has_keys = turn.signals.iter().any(|signal| matches!(signal, Signal::Key(_)));
        (state.is_busy, state.is_dirty, state.is_urgent) = (true, false, false);
        state.asked = Some(Instant::now());
        Some((component, turn))
    }

    /// A turn is over.
    pub(crate) fn ended(&self, turn: Turn, result: Result<Given, Interrupted>) -> Ended {
        let mut state = self.0.lock();
        (state.is_busy, state.passes_keys) = (false, false);
        match result {
            Ok(given) => {
                state.failures = 0;
                let told = turn.signals.len().saturating_sub(given.untold);
                for signal in turn.signals.into_iter().skip(told).rev() {
                    state.signals.push_front(signal);
                }
                let passes = given.gave_keys_away && !state.is_done && !state.is_over;
                if given.untold > 0 {
                    // It has not drawn what it looks like without the keys.
                    state.is_dirty = true;
                } else if let Some(space) = turn.space {
                    (state.wants_releases, state.takes_mouse) = (given.wants_releases, given.takes_mouse);
                    state.takes_scroll_keys = given.takes_scroll_keys;
                    state.embeds_working = given.embeds_working;
                    state.overlay = given.overlay;
                    state.shown = Some(Shown::new(space.width, given));
                }
                let keys = if passes { state.take_keys() } else { Vec::new() };
                if keys.is_empty() { Ended::Fine } else { Ended::Passes(keys) }
            }
            Err(Interrupted { told, error }) => {
                // What it was not told comes before what happened since. Each key is told once, whatever it did.
                for signal in turn.signals.into_iter().skip(told).rev() {
                    state.signals.push_front(signal);
                }
                state.failures += 1;
                // Nobody can work without an editor, so it is known soon whether it fails each time.
                state.is_dirty |= state.place == Place::Editor;
                match state.failures {
                    failures if failures >= MOST_FAILURES => Ended::GivenUp(error),
                    1 => Ended::Failed(error),
                    _ => Ended::FailedAgain,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tau_hooks::BoxFuture;

    use super::*;

    struct Nothing;

    impl Component for Nothing {
        fn turn(&self, _: Turn) -> BoxFuture<Result<Given, Interrupted>> {
            Box::pin(async { Ok(Given::default()) })
        }

        fn dispose(&self) {}
    }

    fn slot() -> Slot {
        let slot = Slot::new(1, "an extension".into(), Place::Dialog);
        slot.mounted(Arc::new(Nothing));
        slot
    }

    /// When the next turn may begin, seen from now.
    fn due(slot: &Slot) -> Option<Instant> {
        slot.due(Instant::now())
    }

    fn keys(turn: &Turn) -> Vec<&str> {
        turn.signals
            .iter()
            .filter_map(|signal| if let Signal::Key(key) = signal { Some(&**key) } else { None })
            .collect()
    }

    #[test]
    fn keys_are_told_once_and_in_order_whatever_fails() {
        let slot = slot();
        ["a", "b", "c"].iter().for_each(|key| slot.key(key));
        let (_, turn) = slot.begin().expect("a turn");
        assert_eq!(keys(&turn), ["a", "b", "c"]);
        assert_eq!(due(&slot), None, "one turn at a time");
        slot.key("d");
        let ended = slot.ended(turn, Err(Interrupted::at(1, HandlerError::msg("no"))));
        assert_eq!(ended, Ended::Failed(HandlerError::msg("no")));
        let (_, turn) = slot.begin().expect("a turn");
        assert_eq!(keys(&turn), ["c", "d"]);
        assert_eq!(slot.ended(turn, Ok(Given::default())), Ended::Fine);
        assert_eq!(due(&slot), None);
    }

    #[test]
    fn what_is_typed_behind_the_key_that_closes_a_component_is_for_others() {
        let slot = slot();
        ["x", "a", "b"].iter().for_each(|key| slot.key(key));
        let (_, turn) = slot.begin().expect("a turn");
        slot.key("c");
        slot.leaves_keys();
        slot.end();
        assert!(slot.may_leave_keys());
        slot.ended(turn, Ok(Given { untold: 2, ..Given::default() }));
        assert!(!slot.may_leave_keys());
        assert_eq!(slot.left_keys().iter().map(|key| &**key).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert!(slot.left_keys().is_empty());
    }

    #[test]
    fn what_is_typed_behind_the_key_that_gives_the_keys_to_another_one_is_for_that_one() {
        let slot = slot();
        ["x", "a"].iter().for_each(|key| slot.key(key));
        let (_, turn) = slot.begin().expect("a turn");
        slot.focus_moves();
        assert!(slot.passes_keys());
        slot.key("b");
        let given = Given { untold: 1, gave_keys_away: true, ..Given::default() };
        assert_eq!(slot.ended(turn, Ok(given)), Ended::Passes(vec!["a".into(), "b".into()]));
        assert!(!slot.passes_keys());
        slot.key("y");
        let (_, turn) = slot.begin().expect("a turn");
        slot.key("c");
        let given = Given { gave_keys_away: true, ..Given::default() };
        assert_eq!(slot.ended(turn, Ok(given)), Ended::Passes(vec!["c".into()]), "also what came during the turn");
    }

    #[test]
    fn a_component_that_is_taken_away_leaves_its_keys_to_nobody() {
        let slot = slot();
        slot.key("y");
        slot.end();
        assert!(slot.left_keys().is_empty(), "they were meant for it");
    }

    #[test]
    fn a_component_that_fails_three_times_in_a_row_is_given_up() {
        let slot = slot();
        let fail = || {
            slot.redraw();
            let (_, turn) = slot.begin().expect("a turn");
            slot.ended(turn, Err(Interrupted::drawing(0, HandlerError::msg("no"))))
        };
        let error = HandlerError::msg("no");
        assert_eq!([fail(), fail()], [Ended::Failed(error.clone()), Ended::FailedAgain]);
        let (_, turn) = slot.begin().expect("a turn");
        assert_eq!(slot.ended(turn, Ok(Given::default())), Ended::Fine);
        assert_eq!([fail(), fail(), fail()], [Ended::Failed(error.clone()), Ended::FailedAgain, Ended::GivenUp(error)]);
    }

    #[test]
    fn lines_are_asked_for_where_the_component_is_in_sight_and_not_more_often_than_it_shows() {
        let slot = slot();
        assert_eq!(due(&slot), None, "nobody sees it");
        let size = Size::new(100, 30);
        slot.stands(100, size);
        assert!(due(&slot).expect("a turn") <= Instant::now());
        let (_, turn) = slot.begin().expect("a turn");
        slot.ended(turn, Ok(Given { lines: Some(vec!["x".to_owned()]), ..Given::default() }));
        assert_eq!(due(&slot), None);
        slot.redraw();
        assert!(due(&slot).expect("a turn") > Instant::now(), "it was asked just now");
        slot.key("x");
        assert!(due(&slot).expect("a turn") <= Instant::now(), "a key is not kept waiting");
        let (_, turn) = slot.begin().expect("a turn");
        slot.ended(turn, Ok(Given::default()));
        slot.stands(90, size);
        assert!(due(&slot).is_some(), "it has other columns");
        assert_eq!(slot.end_rows(5).lines.len(), 0, "it gave no lines the last time");
    }

    #[test]
    fn keys_that_are_let_go_reach_only_those_who_want_them() {
        let slot = slot();
        slot.key("\x1b[97;1:3u");
        assert_eq!(due(&slot), None);
        slot.stands(10, Size::new(10, 10));
        let (_, turn) = slot.begin().expect("a turn");
        slot.ended(turn, Ok(Given { wants_releases: true, lines: Some(Vec::new()), ..Given::default() }));
        slot.key("\x1b[97;1:3u");
        assert_eq!(keys(&slot.begin().expect("a turn").1), ["\x1b[97;1:3u"]);
    }
}
