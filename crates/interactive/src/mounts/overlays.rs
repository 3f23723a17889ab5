//! Components that lie over the screen: in which order, and which of them has the keys.

use std::collections::HashMap;

use tau_hooks::mount::{OverlayOptions, Rect};
use tau_tui::screen::Size;

use super::Slot;

/// A component over the screen.
struct Over {
    slot: Slot,
    /// When it came, in the order of all that was opened.
    opened: u64,
    /// When it was raised; what was raised last lies on top.
    raised: u64,
    is_hidden: bool,
    /// It was given the keys, or takes them by itself.
    takes_keys: bool,
}

/// An overlay of a frame.
pub(crate) struct Laid {
    pub(crate) slot: Slot,
    pub(crate) rect: Rect,
}

/// All components over the screen.
#[derive(Default)]
pub(crate) struct Overlays {
    all: Vec<Over>,
    raised: u64,
    /// Places in the order of those that were asked for and are not there yet, by component.
    reserved: HashMap<u64, u64>,
    /// When components in the place of the editor got the keys, by component, in the order in which overlays are raised.
    inline: HashMap<u64, u64>,
}

impl Overlays {
    /// A component that is not there yet lies above those before, and below those that come later.
    pub(crate) fn reserve(&mut self, slot: &Slot) {
        let raised = self.raise();
        self.reserved.insert(slot.id(), raised);
    }

    fn raise(&mut self) -> u64 {
        self.raised += 1;
        self.raised
    }

    /// A component is there.
    pub(crate) fn open(&mut self, slot: Slot, opened: u64, captures: bool) {
        let raised = self.reserved.remove(&slot.id()).unwrap_or_else(|| self.raise());
        self.all.push(Over { slot, opened, raised, is_hidden: false, takes_keys: captures });
    }

    /// Takes one away.
    pub(crate) fn close(&mut self, id: u64) {
        self.all.retain(|over| over.slot.id() != id);
        self.reserved.remove(&id);
        self.inline.remove(&id);
    }

    /// A component in the place of the editor is there: it has the keys, although the overlays of its extension stay in sight.
    pub(crate) fn inline(&mut self, slot: &Slot) {
        let raised = self.raise();
        self.inline.insert(slot.id(), raised);
    }

    pub(crate) fn hide(&mut self, id: u64, hides: bool) {
        self.change(id, |over, _| over.is_hidden = hides);
    }

    /// One wants the keys, and to lie on top.
    pub(crate) fn focus(&mut self, id: u64) {
        let raised = self.raise();
        if let Some(inline) = self.inline.get_mut(&id) {
            *inline = raised;
        }
        self.change(id, |over, raised| (over.raised, over.takes_keys) = (raised, true));
    }

    /// One gives the keys back.
    pub(crate) fn unfocus(&mut self, id: u64) {
        self.change(id, |over, _| over.takes_keys = false);
    }

    fn change(&mut self, id: u64, change: impl FnOnce(&mut Over, u64)) {
        let raised = self.raised;
        if let Some(over) = self.all.iter_mut().find(|over| over.slot.id() == id) {
            change(over, raised);
        }
    }

    /// Whether none is there.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Those that are in sight, the lowest first. A question that came after one is seen instead of it: `covered` says
    /// whether one came after it was opened.
    fn in_sight(&self, covered: impl Fn(&Slot, u64) -> bool) -> Vec<&Over> {
        let is_seen =
            |over: &&Over| !over.is_hidden && !over.slot.is_out_of_sight() && !covered(&over.slot, over.opened);
        let mut seen: Vec<&Over> = self.all.iter().filter(is_seen).collect();
        seen.sort_by_key(|over| over.raised);
        seen
    }

    /// The one that has the keys. `inline` is the component in the place of the editor, if one is there.
    pub(crate) fn focused(&self, covered: impl Fn(&Slot, u64) -> bool, inline: Option<&Slot>) -> Option<Slot> {
        let since = inline.and_then(|inline| Some((self.inline.get(&inline.id())?, inline.owner())));
        let is_below = |over: &Over| {
            since.as_ref().is_some_and(|(since, owner)| over.raised < **since && over.slot.owner() == *owner)
        };
        let mut seen = self.in_sight(covered).into_iter().rev();
        seen.find(|over| over.takes_keys && !is_below(over)).map(|over| over.slot.clone())
    }

    /// Lays those in sight over a screen of this size, the lowest first, and asks each for the lines that it needs.
    pub(crate) fn lay(&self, size: Size, covered: impl Fn(&Slot, u64) -> bool) -> Vec<Laid> {
        let seen = self.in_sight(&covered);
        let mut laid = Vec::new();
        for over in &self.all {
            if over.is_hidden || covered(&over.slot, over.opened) {
                over.slot.is_covered();
            } else {
                let overlay = over.slot.overlay().unwrap_or_default();
                over.slot.stands(overlay.room(size.columns, size.rows).0, size);
            }
        }
        for over in seen {
            let overlay: OverlayOptions = over.slot.overlay().unwrap_or_default();
            let rect = overlay.place(over.slot.height(), size.columns, size.rows);
            if rect.height > 0 {
                laid.push(Laid { slot: over.slot.clone(), rect });
            }
        }
        laid
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tau_hooks::mount::Place;

    use super::*;

    fn slot(id: u64) -> Slot {
        Slot::new(id, Arc::from("an extension"), Place::Overlay)
    }

    fn focused(overlays: &Overlays, question: Option<u64>) -> Option<u64> {
        let covered = |_: &Slot, opened| question.is_some_and(|question| opened <= question);
        overlays.focused(covered, None).map(|slot| slot.id())
    }

    #[test]
    fn keys_go_to_the_one_on_top_and_back_to_what_was_below() {
        let mut overlays = Overlays::default();
        assert_eq!(focused(&overlays, None), None);
        overlays.open(slot(1), 1, true);
        overlays.open(slot(2), 2, true);
        overlays.open(slot(3), 3, false);
        assert_eq!(focused(&overlays, None), Some(2), "the last one leaves the keys to others");
        overlays.hide(2, true);
        assert_eq!(focused(&overlays, None), Some(1));
        overlays.hide(2, false);
        overlays.focus(1);
        assert_eq!(focused(&overlays, None), Some(1), "it was raised");
        overlays.unfocus(1);
        assert_eq!(focused(&overlays, None), Some(2));
        overlays.focus(3);
        assert_eq!(focused(&overlays, None), Some(3));
        overlays.close(3);
        overlays.close(2);
        assert_eq!(focused(&overlays, None), None, "the first one gave its keys back");
    }

    #[test]
    fn a_component_in_the_place_of_the_editor_has_the_keys_over_overlays_of_its_extension() {
        let mut overlays = Overlays::default();
        let inline = Slot::new(9, Arc::from("an extension"), Place::Dialog);
        let focused = |overlays: &Overlays| overlays.focused(|_, _| false, Some(&inline)).map(|slot| slot.id());
        overlays.reserve(&slot(1));
        overlays.inline(&inline);
        overlays.open(slot(1), 1, true);
        assert_eq!(focused(&overlays), None, "it was asked for before");
        let of_others = Slot::new(2, Arc::from("another one"), Place::Overlay);
        overlays.open(of_others, 2, true);
        overlays.inline(&inline);
        assert_eq!(focused(&overlays), Some(2), "keys of others are not taken");
        overlays.close(2);
        overlays.focus(1);
        assert_eq!(focused(&overlays), Some(1));
        overlays.focus(9);
        assert_eq!(focused(&overlays), None);
        overlays.close(9);
        assert_eq!(focused(&overlays), Some(1), "it has them again");
    }

    #[test]
    fn a_question_that_comes_later_is_seen_instead() {
        let mut overlays = Overlays::default();
        overlays.open(slot(1), 1, true);
        overlays.open(slot(2), 3, true);
        assert_eq!(focused(&overlays, Some(2)), Some(2));
        overlays.close(2);
        assert_eq!(focused(&overlays, Some(2)), None);
        assert_eq!(focused(&overlays, None), Some(1));
    }
}
