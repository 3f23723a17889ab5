//! The mouse, for components that take it: a button that went down over one is its own until it comes up.

use std::time::{Duration, Instant};

use tau_hooks::mount::{Mouse as Told, MouseKind as Kind, Place, Signal};
use tau_tui::screen::Under;
use tau_tui::terminal::input::{Button, Mouse, MouseKind, Wheel};

use super::App;
use crate::mounts::Slot;

/// How soon a click counts as another one of the same.
const AGAIN: Duration = Duration::from_millis(500);

/// A component on the screen: where its first row and column are, and its size.
struct Spot {
    slot: Slot,
    row: usize,
    column: usize,
    width: usize,
    height: usize,
}

/// A button that went down over a component.
struct Pressed {
    spot: Spot,
    at: (u16, u16),
    /// The pointer was elsewhere since.
    has_moved: bool,
}

/// A click on a component.
struct Clicked {
    slot: u64,
    at: (u16, u16),
    when: Instant,
    count: u8,
}

/// What the mouse does with components.
#[derive(Default)]
pub(super) struct ComponentMouse {
    pressed: Option<Pressed>,
    clicked: Option<Clicked>,
}

impl Spot {
    fn tell(&self, mouse: &Mouse, kind: Kind) {
        let (screen_row, screen_column) = (usize::from(mouse.row), usize::from(mouse.column));
        let row = screen_row.saturating_sub(self.row).min(self.height.saturating_sub(1));
        let column = screen_column.saturating_sub(self.column).min(self.width.saturating_sub(1));
        let (width, height) = (self.width, self.height);
        let (shift, alt, ctrl) = (mouse.shift, mouse.alt, mouse.ctrl);
        let told = Told { kind, row, column, screen_row, screen_column, width, height, shift, alt, ctrl };
        self.slot.tell(Signal::Mouse(told));
    }
}

impl ComponentMouse {
    /// Follows a button that went down over a component; whether one did.
    fn follow(&mut self, mouse: &Mouse) -> bool {
        let Some(pressed) = &mut self.pressed else { return false };
        let at = (mouse.row, mouse.column);
        pressed.has_moved |= at != pressed.at;
        match mouse.kind {
            MouseKind::Drag(button) => pressed.spot.tell(mouse, Kind::Drag(number(button))),
            MouseKind::Release(button) => {
                let Some(Pressed { spot, has_moved, .. }) = self.pressed.take() else { return false };
                let button = button.map_or(0, number);
                spot.tell(mouse, Kind::Release(button));
                if !has_moved {
                    let count = self.count(&spot, at);
                    spot.tell(mouse, Kind::Click(button, count));
                }
            }
            // The terminal did not say that it came up.
            MouseKind::Press(_) | MouseKind::Move => {
                self.pressed = None;
                return false;
            }
            MouseKind::Wheel(_) => return false,
        }
        true
    }

    /// For the how many-th time in a row this place was clicked.
    fn count(&mut self, spot: &Spot, at: (u16, u16)) -> u8 {
        let (slot, when) = (spot.slot.id(), Instant::now());
        let is_again = |last: &Clicked| last.slot == slot && last.at == at && when.duration_since(last.when) <= AGAIN;
        let count = self.clicked.take().filter(is_again).map_or(1, |last| last.count.saturating_add(1));
        self.clicked = Some(Clicked { slot, at, when, count });
        count
    }
}

impl App {
    /// What the mouse did, for the component under it; whether there is one that is told of the mouse.
    pub(super) fn mouse_of_component(&mut self, mouse: &Mouse) -> bool {
        if self.component_mouse.follow(mouse) {
            return true;
        }
        let Some(spot) = self.component_under(mouse) else { return false };
        if !spot.slot.takes_mouse() {
            // What lies over the screen covers what is below, also for the mouse.
            return spot.slot.place() == Place::Overlay;
        }
        let kind = match mouse.kind {
            MouseKind::Press(button) => Kind::Press(number(button)),
            MouseKind::Release(button) => Kind::Release(button.map_or(0, number)),
            MouseKind::Drag(button) => Kind::Drag(number(button)),
            MouseKind::Move => Kind::Move,
            MouseKind::Wheel(Wheel::Up | Wheel::Down) => {
                let lines = self.screen.turned(mouse).unwrap_or_default();
                Kind::Wheel(i8::try_from(lines).unwrap_or(if lines < 0 { i8::MIN } else { i8::MAX }))
            }
            MouseKind::Wheel(_) => return true,
        };
        spot.tell(mouse, kind);
        if let Kind::Press(_) = kind {
            self.component_mouse.pressed = Some(Pressed { spot, at: (mouse.row, mouse.column), has_moved: false });
        }
        true
    }

    fn component_under(&mut self, mouse: &Mouse) -> Option<Spot> {
        let (screen_row, screen_column) = (usize::from(mouse.row), usize::from(mouse.column));
        match self.screen.under(mouse)? {
            Under::Overlay { index, row, column } => {
                let laid = self.laid.get(index)?;
                let (row, column) = (screen_row.saturating_sub(row), screen_column.saturating_sub(column));
                Some(Spot { slot: laid.slot.clone(), row, column, width: laid.rect.width, height: laid.rect.height })
            }
            Under::Dock { row, column } => {
                let regions = &self.dock.regions;
                let (slot, region) = if regions.panel.contains(&row) {
                    (self.panels.component()?, regions.panel.clone())
                } else if regions.editor.contains(&row) {
                    (self.standing.editor.clone().filter(Slot::is_mounted)?, regions.editor.clone())
                } else {
                    regions.components.iter().find(|(_, region)| region.contains(&row))?.clone()
                };
                let row = screen_row.saturating_sub(row - region.start);
                let column = screen_column.saturating_sub(column);
                Some(Spot { slot, row, column, width: self.screen.size().columns, height: region.len() })
            }
            Under::Block { .. } | Under::Latest | Under::Bar | Under::Nothing => None,
        }
    }
}

fn number(button: Button) -> u8 {
    match button {
        Button::Left => 0,
        Button::Middle => 1,
        Button::Right => 2,
        Button::Extra(extra) => extra,
    }
}
