use proptest::prelude::*;
use tau_view::ansi::strip;
use tau_view::theme::ColorTheme;

use super::*;
use crate::Drawn;
use crate::style::{ColorDepth, Styles};

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const ALT_UP: &str = "\x1b[1;3A";
const ALT_DOWN: &str = "\x1b[1;3B";
const DELETE: &str = "\x1b[3~";
const ENTER: &str = "\r";
const ESCAPE: &str = "\x1b";

fn steer(text: &str) -> Queued {
    Queued { kind: Kind::Steer, text: text.to_owned() }
}

fn later(text: &str) -> Queued {
    Queued { kind: Kind::FollowUp, text: text.to_owned() }
}

fn press(queue: &mut QueueEditor, keys: &[&str]) -> Queue {
    let keymap = Keymap::default();
    keys.iter().map(|key| queue.key(key, &keymap)).last().expect("a key")
}

fn draw(queue: &mut QueueEditor, width: usize) -> Drawn {
    let styles = Styles::new(&ColorTheme::builtin("dark").expect("a theme"), ColorDepth::None);
    let keys = Keymap::default();
    let mut drawn = queue.draw(width, &QueueLook { styles: &styles, keys: &keys, rows: 24, cursor: false });
    drawn.lines.iter_mut().for_each(|line| *line = strip(line));
    drawn
}

#[test]
fn messages_stand_in_rows_with_their_kind_and_the_keys_below() {
    let mut queue = QueueEditor::new(vec![steer("use tabs\n\nnot spaces"), later("then\x1b[2J test")], 5);
    let expected = [
        "  steer      use tabs ↵ not spaces",
        "→ follow-up  then test",
        "enter edit · alt+up up · alt+down down · delete remove · escape close",
    ];
    assert_eq!(draw(&mut queue, 80).lines, expected);
    let mut queue = QueueEditor::new((0..9).map(|number| later(&number.to_string())).collect(), 2);
    assert_eq!(draw(&mut queue, 30).lines[1..3], ["→ follow-up  8", "  (9/9)"]);
    assert_eq!(draw(&mut QueueEditor::new(Vec::new(), 2), 30).lines, ["  No message waits"]);
}

#[test]
fn a_message_is_changed_in_place() {
    let mut queue = QueueEditor::new(vec![steer("one"), later("two")], 5);
    assert_eq!(press(&mut queue, &[ENTER, "!"]), Queue::Taken);
    let drawn = draw(&mut queue, 20);
    let expected = ["  steer      one", "── follow-up ───────", "two!", "────────────────────", "enter keep · escape…"];
    assert_eq!((drawn.lines.as_slice(), drawn.cursor), (&expected.map(str::to_owned)[..], Some((2, 4))));
    assert_eq!(press(&mut queue, &[ENTER]), Queue::Changed(vec![steer("one"), later("two!")]));
    // Left without a change.
    assert_eq!(press(&mut queue, &[ENTER, "?", ESCAPE]), Queue::Taken);
    assert_eq!((press(&mut queue, &[ESCAPE]), queue.messages()[1].text.as_str()), (Queue::Left, "two!"));
    assert_eq!(press(&mut queue, &[ENTER, ENTER]), Queue::Taken, "nothing was changed");
    assert_eq!(press(&mut queue, &[ENTER, "\x15", ENTER]), Queue::Changed(vec![steer("one")]), "no text, no message");
}

#[test]
fn a_message_is_moved_among_its_kind_and_removed() {
    let mut queue = QueueEditor::new(vec![steer("a"), steer("b"), later("x"), steer("c")], 5);
    assert_eq!(press(&mut queue, &[ALT_UP]), Queue::Changed(vec![steer("a"), steer("c"), later("x"), steer("b")]));
    assert_eq!(press(&mut queue, &[ALT_UP]), Queue::Changed(vec![steer("c"), steer("a"), later("x"), steer("b")]));
    assert_eq!(press(&mut queue, &[ALT_UP]), Queue::Taken, "it is the first");
    assert_eq!(press(&mut queue, &[UP, ALT_DOWN]), Queue::Taken, "it is the last of its kind");
    assert_eq!(press(&mut queue, &[UP, DELETE]), Queue::Changed(vec![steer("c"), steer("a"), steer("b")]));
    assert_eq!(press(&mut queue, &[DOWN, "\x7f"]), Queue::Changed(vec![steer("a"), steer("b")]));
    assert_eq!(press(&mut queue, &[DELETE, DELETE]), Queue::Changed(Vec::new()));
    assert_eq!(press(&mut queue, &[DELETE, UP, ENTER, ALT_UP]), Queue::Taken);
}

#[test]
fn what_is_sent_meanwhile_costs_neither_the_selection_nor_what_is_written() {
    let mut queue = QueueEditor::new(vec![steer("a"), steer("same"), steer("same"), later("x")], 5);
    press(&mut queue, &[UP]);
    assert_eq!((queue.update(vec![steer("same"), steer("same"), later("x")]), queue.selected()), (None, Some(1)));
    assert_eq!((queue.update(vec![steer("same"), later("x")]), queue.selected()), (None, Some(0)));
    press(&mut queue, &[ENTER, "!"]);
    assert_eq!((queue.update(vec![steer("same"), later("x"), later("y")]), queue.is_editing()), (None, true));
    assert_eq!((queue.update(vec![later("x"), later("y")]), queue.is_editing()), (Some("same!".into()), false));
    assert_eq!((queue.update(Vec::new()), queue.selected()), (None, None));
}

#[test]
fn other_keys_are_left_to_others() {
    let mut queue = QueueEditor::new(vec![steer("a")], 5);
    assert_eq!(press(&mut queue, &["q", "\x1b[24~"]), Queue::Nothing);
    queue.paste("text");
    assert_eq!(queue.messages(), [steer("a")]);
    press(&mut queue, &[ENTER]);
    queue.paste(" and b");
    assert_eq!(press(&mut queue, &[ENTER]), Queue::Changed(vec![steer("a and b")]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever is pressed, no message is lost but by removing it, its kind stays, and rows fit.
    #[test]
    fn any_keys_are_fine(
        kinds in proptest::collection::vec(any::<bool>(), 0..5),
        keys in proptest::collection::vec(prop_oneof![
            Just(UP), Just(DOWN), Just(ALT_UP), Just(ALT_DOWN), Just("\x1b[6~"), Just(ENTER), Just("z"), Just(ESCAPE),
        ], 0..30),
        width in 1usize..40,
    ) {
        let message = |(at, is_steer): (usize, &bool)| if *is_steer { steer(&at.to_string()) } else { later(&at.to_string()) };
        let messages: Vec<Queued> = kinds.iter().enumerate().map(message).collect();
        let mut queue = QueueEditor::new(messages.clone(), 3);
        let sorted = |messages: &[Queued]| {
            let mut all: Vec<(&str, String)> =
                messages.iter().map(|one| (one.kind.name(), one.text.replace('z', ""))).collect();
            all.sort();
            all.into_iter().map(|(kind, text)| format!("{kind} {text}")).collect::<Vec<_>>()
        };
        for key in keys {
            if let Queue::Changed(told) = press(&mut queue, &[key]) {
                prop_assert_eq!(&told, queue.messages());
            }
            prop_assert_eq!(sorted(queue.messages()), sorted(&messages));
            let drawn = draw(&mut queue, width);
            prop_assert!(drawn.lines.iter().all(|line| tau_view::width::visible_width(line) <= width), "{:?}", drawn.lines);
            prop_assert!(drawn.cursor.is_none_or(|(row, column)| row < drawn.lines.len() && column < width));
        }
    }
}
