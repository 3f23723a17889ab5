//! What is done with the mouse: clicks, drags, turns of the wheel.

use std::time::{Duration, Instant};

use tau_tui::screen::{BlockId, Under, Unit};

use super::Ways;

/// How soon a click has to follow another one to be a double click.
const DOUBLE: Duration = Duration::from_millis(400);
/// How long a click on a block waits for another one, which would make it the selection of a word.
const SINGLE: Duration = Duration::from_millis(300);
/// How often a drag past an edge scrolls.
const EDGE: Duration = Duration::from_millis(50);
/// How soon a step of the wheel has to follow another one to go further, and how far at most.
const QUICK: Duration = Duration::from_millis(100);
const FASTEST: usize = 6;
/// How much further a step goes with alt.
const ALT: usize = 5;

/// What a button of the mouse has led to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pointed {
    /// Nothing.
    Nothing,
    /// Something looks different; nothing more is to be done.
    Done,
    /// A link was clicked.
    Link(String),
    /// A row of the dock was clicked: the index of its line, and the column.
    Dock { row: usize, column: usize },
    /// A text was selected.
    Selected(String),
}

/// A button that is held.
#[derive(Debug)]
pub(super) struct Gesture {
    /// Where it was pressed.
    pub(super) from: (usize, usize),
    pub(super) under: Under,
    /// Where the pointer is.
    pub(super) at: (usize, usize),
    /// Which way the window scrolls while the pointer is past its edge, and when next.
    pub(super) edge: Option<(isize, Instant)>,
}

impl Gesture {
    /// The pointer is somewhere else; `rows` is how many rows the window has.
    pub(super) fn moved(&mut self, at: (usize, usize), rows: usize, now: Instant) {
        self.at = at;
        // Nothing is above the first row: being in it is being past it, for a drag that comes from below.
        let way = match at.0 {
            0 if self.from.0 > 0 => Some(-1),
            row if row >= rows && self.from.0 < rows => Some(1),
            _ => None,
        };
        self.edge = way.map(|way| match self.edge {
            Some((before, next)) if before == way => (way, next),
            _ => (way, now),
        });
    }

    /// How many lines the window scrolls now.
    pub(super) fn scrolls(&mut self, now: Instant) -> Option<isize> {
        let (way, next) = self.edge.as_mut()?;
        (*next <= now).then(|| {
            *next = now + EDGE;
            *way
        })
    }
}

/// Counts clicks that follow each other.
#[derive(Debug, Default)]
pub(super) struct Clicks {
    last: Option<(Instant, (usize, usize))>,
    count: usize,
    /// A block that was clicked once, and from when on that is sure.
    once: Option<(BlockId, Instant)>,
}

impl Clicks {
    /// A button was pressed; what a drag selects from here on.
    pub(super) fn pressed(&mut self, at: (usize, usize), now: Instant) -> Unit {
        let follows = self.last.is_some_and(|(last, place)| place == at && now.duration_since(last) <= DOUBLE);
        self.count = if follows { self.count % 3 + 1 } else { 1 };
        (self.last, self.once) = (Some((now, at)), None);
        match self.count {
            1 => Unit::Characters,
            2 => Unit::Words,
            _ => Unit::Lines,
        }
    }

    /// Whether it was one click, so far.
    pub(super) fn is_single(&self) -> bool {
        self.count == 1
    }

    /// A block was clicked once, unless another click follows.
    pub(super) fn clicked(&mut self, block: BlockId, now: Instant) {
        self.once = Some((block, now + SINGLE));
    }

    /// When it is sure that a click was a single one.
    pub(super) fn due(&self) -> Option<Instant> {
        self.once.map(|(_, due)| due)
    }

    /// The block that was clicked once, as soon as that is sure.
    pub(super) fn take(&mut self, now: Instant) -> Option<BlockId> {
        let (block, _) = self.once.take_if(|(_, due)| *due <= now)?;
        // The next click begins anew: what is under it may be something else by now.
        self.last = None;
        Some(block)
    }

    /// Forgets clicks.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// How fast the wheel turns.
#[derive(Debug, Default)]
pub(super) struct Turns {
    last: Option<(Instant, bool)>,
    speed: usize,
}

impl Turns {
    /// How many lines a step goes, up if negative.
    pub(super) fn step(&mut self, is_up: bool, alt: bool, ways: &Ways, now: Instant) -> isize {
        let is_quick = self.last.is_some_and(|(last, was_up)| was_up == is_up && now.duration_since(last) <= QUICK);
        self.last = Some((now, is_up));
        self.speed = if is_quick { (self.speed + 1).min(FASTEST) } else { 1 };
        let lines = ways.wheel.unwrap_or(if ways.is_steady { 1 } else { self.speed });
        let lines = isize::try_from(if alt { lines * ALT } else { lines }).unwrap_or(1);
        if is_up { -lines } else { lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn clicks_in_the_same_place_soon_after_each_other_take_more() {
        let (mut clicks, now) = (Clicks::default(), Instant::now());
        assert_eq!(clicks.pressed((1, 2), now), Unit::Characters);
        assert_eq!(clicks.pressed((1, 2), now + 400 * MS), Unit::Words);
        assert_eq!(clicks.pressed((1, 2), now + 500 * MS), Unit::Lines);
        assert_eq!(clicks.pressed((1, 2), now + 600 * MS), Unit::Characters);
        assert_eq!(clicks.pressed((1, 3), now + 700 * MS), Unit::Characters);
        assert_eq!(clicks.pressed((1, 3), now + 1101 * MS), Unit::Characters);
        assert!(clicks.is_single());
    }

    #[test]
    fn a_click_on_a_block_waits_for_another_one_and_is_over_then() {
        let (mut clicks, now) = (Clicks::default(), Instant::now());
        let mut transcript = tau_tui::screen::Transcript::new();
        let block = transcript.push(tau_tui::screen::Block::new());
        clicks.pressed((1, 2), now);
        clicks.clicked(block, now);
        assert_eq!((clicks.take(now + 299 * MS), clicks.due()), (None, Some(now + 300 * MS)));
        assert_eq!(clicks.take(now + 300 * MS), Some(block));
        assert_eq!(clicks.pressed((1, 2), now + 350 * MS), Unit::Characters);
        clicks.clicked(block, now + 350 * MS);
        assert_eq!(clicks.pressed((1, 2), now + 400 * MS), Unit::Words);
        assert_eq!(clicks.take(now + 5000 * MS), None);
    }

    #[test]
    fn fast_turns_go_further_unless_a_number_is_wanted() {
        let now = Instant::now();
        let steps = |ways: &Ways, gap: u32, alt: bool| -> Vec<isize> {
            let mut turns = Turns::default();
            (0..8).map(|step| turns.step(true, alt, ways, now + step * gap * MS)).collect()
        };
        let auto = Ways::default();
        assert_eq!(steps(&auto, 100, false), [-1, -2, -3, -4, -5, -6, -6, -6]);
        assert_eq!(steps(&auto, 101, false), [-1; 8]);
        assert_eq!(steps(&auto, 200, true), [-5; 8]);
        assert_eq!(steps(&Ways { is_steady: true, ..auto.clone() }, 1, false), [-1; 8]);
        assert_eq!(steps(&Ways { wheel: Some(3), ..auto.clone() }, 1, false), [-3; 8]);
        let mut turns = Turns::default();
        let both = [true, true, false].map(|up| turns.step(up, false, &auto, now));
        assert_eq!(both, [-1, -2, 1]);
    }

    #[test]
    fn a_drag_scrolls_past_the_edges_that_it_did_not_begin_in() {
        let now = Instant::now();
        let gesture = |row| Gesture { from: (row, 0), under: Under::Nothing, at: (row, 0), edge: None };
        let mut first = gesture(0);
        first.moved((0, 5), 10, now);
        assert_eq!(first.scrolls(now), None);
        first.moved((10, 5), 10, now);
        assert_eq!(
            (first.scrolls(now), first.scrolls(now + 49 * MS), first.scrolls(now + 50 * MS)),
            (Some(1), None, Some(1))
        );
        first.moved((9, 5), 10, now);
        assert_eq!(first.scrolls(now + 60 * MS), None);
        let mut last = gesture(9);
        last.moved((0, 5), 10, now);
        assert_eq!(last.scrolls(now), Some(-1));
        let mut dock = gesture(11);
        dock.moved((12, 0), 10, now);
        assert_eq!(dock.scrolls(now), None);
    }
}
