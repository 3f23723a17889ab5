//! The main screen.

use proptest::prelude::*;

use tau_tui::screen::{
    Block, Dock, Features, Fixed, Line, Mark, Position, Reflow, Regular, Resized, Size, Start, Transcript,
};

use super::models::{Alacritty, Row, Terminal, Vt100};
use super::world::{Event, Setup, World, dock, event, quiet_event, setup};

fn run<T: Terminal>(setup: Setup, events: &[Event]) {
    let mut world = World::<T>::new(setup);
    world.paint();
    world.check();
    for event in events {
        world.step(event);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_those_of_a_fresh_screen_where_lines_wrap_again(
        setup in setup((8, 3), false), events in prop::collection::vec(quiet_event(), 1..30)
    ) {
        run::<Alacritty>(setup, &events);
    }

    #[test]
    fn rows_are_those_of_a_fresh_screen_where_lines_are_cut(
        setup in setup((8, 3), false), events in prop::collection::vec(quiet_event(), 1..30)
    ) {
        run::<Vt100>(setup, &events);
    }

    // The model has at least two columns; with one it does not find an end for wide characters.
    #[test]
    fn nothing_is_lost_by_changes_of_the_size_where_lines_wrap_again(
        setup in setup((2, 1), false), events in prop::collection::vec(event((2, 1)), 1..30)
    ) {
        run::<Alacritty>(setup, &events);
    }

    #[test]
    fn nothing_is_lost_by_changes_of_the_size_where_lines_are_cut(
        setup in setup((14, 2), false), events in prop::collection::vec(event((14, 2)), 1..30)
    ) {
        run::<Vt100>(setup, &events);
    }

    #[test]
    fn live_rows_are_right_on_the_smallest_screens(
        setup in setup((1, 1), true), events in prop::collection::vec(event((1, 1)), 1..30)
    ) {
        run::<Vt100>(setup, &events);
    }
}

/// The terminal keeps the blank rows below when it wraps the dock, and so pushes the first live rows into the scrollback.
#[test]
fn rows_that_the_terminal_pushes_away_above_blank_ones_are_repeated_once() {
    let setup =
        Setup { size: (2, 1), shell: 0, broken: false, reports: false, known: true, synchronized: false, lossy: false };
    let push = Event::Push { words: vec![String::new()], finished: false };
    let resize = |columns, rows| Event::Resize { sizes: vec![(columns, rows)] };
    run::<Alacritty>(setup.clone(), &[push.clone(), resize(20, 8), resize(4, 14)]);
    run::<Alacritty>(Setup { size: (60, 20), ..setup }, &[push, resize(16, 20)]);
}

fn session<T: Terminal>() -> World<T> {
    let setup = Setup {
        size: (60, 12),
        shell: 20,
        broken: false,
        reports: true,
        known: false,
        synchronized: true,
        lossy: false,
    };
    let mut world = World::<T>::new(setup);
    world.paint();
    world
}

#[test]
fn what_the_terminal_reports_tells_whether_it_wraps_lines_again() {
    let narrow = Event::Resize { sizes: vec![(30, 12)] };
    let mut wraps = session::<Alacritty>();
    wraps.step(&narrow);
    assert_eq!(wraps.regular.features().reflow, Reflow::Yes);
    let rules = |rows: Vec<Row>| rows.iter().filter(|row| row.text.starts_with('─')).count();
    assert_eq!(rules(wraps.terminal.rows().0), 2, "nothing of the old rows is left");

    let mut cuts = session::<Vt100>();
    cuts.step(&narrow);
    assert_eq!(cuts.regular.features().reflow, Reflow::Unknown);
    assert_eq!(rules(cuts.terminal.rows().0), 2);
}

#[test]
fn a_frame_that_came_after_the_size_had_changed_clears_nothing_of_others() {
    let mut world = session::<Alacritty>();
    let size = Size::new(20, 12);
    // The frame below was made for the width before, and the live rows have not been wrapped but cut.
    world.terminal.resize(size);
    world.regular.set_features(Features { reflow: Reflow::Yes, ..world.regular.features() });
    world.step_unchecked(&Event::Push { words: vec!["late".to_owned()], finished: false });
    assert_eq!(world.regular.resize(size), Resized::Settle);
    world.regular.distrust();
    let cursor = world.terminal.cursor();
    world.regular.settle(Some(cursor));
    world.paint();
    let (rows, _) = world.terminal.rows();
    let shell: Vec<&str> = rows.iter().map(|row| row.text.as_str()).filter(|text| text.starts_with('$')).collect();
    let expected: Vec<String> = (0..20).map(|line| format!("$s{line};")).collect();
    assert_eq!(shell, expected);
}

fn finds_rows_again<T: Terminal>() {
    let mut world = session::<T>();
    let size = world.regular.size();
    world.terminal.resize(Size::new(size.columns, 5));
    world.terminal.resize(size);
    assert_eq!(world.regular.disturb(), Resized::Settle);
    let cursor = world.terminal.cursor();
    world.regular.settle(Some(cursor));
    world.step_unchecked(&Event::Push { words: vec!["more".to_owned()], finished: true });
    let (rows, _) = world.terminal.rows();
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(texts.iter().filter(|text| text.starts_with('─')).count(), 2, "{texts:#?}");
    assert_eq!(texts.iter().filter(|text| text.contains("more")).count(), 1, "{texts:#?}");
}

#[test]
fn rows_are_found_again_when_the_size_was_another_one_for_a_moment() {
    finds_rows_again::<Alacritty>();
    finds_rows_again::<Vt100>();
}

/// A dock as high as the screen, in which all rows of a frame show its number.
fn animation(rows: usize, frame: usize) -> Dock {
    Dock::new((0..rows).map(|row| Line::new(&format!("row {row} of frame {frame}"), 40)).collect(), None)
}

fn keeps_the_scrollback_whole<T: Terminal>() {
    let (high, low) = (Size::new(40, 20), Size::new(40, 8));
    let mut terminal = T::new(high);
    let mut regular = Regular::new(high, Features::default(), Start::At(Position { row: 0, column: 0 }));
    let mut transcript = Transcript::new();
    let mut paint = |regular: &mut Regular, terminal: &mut T, frame, rows| {
        let mut bytes = Vec::new();
        regular.paint(&mut transcript, &animation(rows, frame), &mut bytes);
        terminal.write(&bytes);
        bytes
    };
    paint(&mut regular, &mut terminal, 0, 20);
    terminal.resize(low);
    let pushed = terminal.rows().1;
    for frame in 1..5 {
        paint(&mut regular, &mut terminal, frame, 20);
    }
    assert_eq!(terminal.rows().1, pushed, "frames push nothing into the scrollback");
    assert_eq!(regular.resize(low), Resized::Paint);
    let bytes = paint(&mut regular, &mut terminal, 5, 8);
    let (rows, first) = terminal.rows();
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    let expected = |frame, count| (0..count).map(|row| format!("row {row} of frame {frame}")).collect::<Vec<_>>();
    assert_eq!(texts[..first], expected(0, pushed), "what the terminal itself pushed there");
    assert_eq!(texts[first..], expected(5, 8));
    // From the first cell on, tmux would move all rows into the scrollback before it erases them.
    assert!(!String::from_utf8(bytes).expect("text").contains("\r\x1b[J"));
}

#[test]
fn frames_of_an_animation_that_come_late_leave_the_scrollback_alone() {
    keeps_the_scrollback_whole::<Alacritty>();
    keeps_the_scrollback_whole::<Vt100>();
}

#[test]
fn final_rows_are_whole_although_the_terminal_got_narrower_before_it_took_them() {
    let (wide, narrow) = (Size::new(60, 20), Size::new(20, 20));
    let mut terminal = Alacritty::new(wide);
    let mut regular = Regular::new(wide, Features::default(), Start::At(Position { row: 0, column: 0 }));
    let mut transcript = Transcript::new();
    let row = |number: usize| Line::new(&format!("this is row {number}"), 60);
    let id = transcript.push(Block::new());
    transcript.edit(id).expect("a block").push(Fixed::new((0..60).map(row).collect()));
    let paint = |regular: &mut Regular, terminal: &mut Alacritty, transcript: &mut Transcript| {
        let mut bytes = Vec::new();
        while regular.paint(transcript, &dock(5, "", 0, false, regular.size().columns), &mut bytes) {}
        terminal.write(&bytes);
    };
    paint(&mut regular, &mut terminal, &mut transcript);
    // The rules around the editor take three rows each now.
    terminal.resize(narrow);
    transcript.edit(id).expect("a block").finish();
    paint(&mut regular, &mut terminal, &mut transcript);
    regular.distrust();
    regular.repeat(narrow);
    assert_eq!(regular.resize(narrow), Resized::Settle);
    regular.settle(Some(terminal.cursor()));
    paint(&mut regular, &mut terminal, &mut transcript);
    let (rows, _) = terminal.rows();
    let found: Vec<&str> = rows.iter().filter_map(|row| row.text.strip_prefix("this is row ")).collect();
    let all = found.iter().fold(0, |next, number| if *number == next.to_string() { next + 1 } else { next });
    assert_eq!(all, 60, "a row is lost: {found:?}");
}

#[test]
fn nothing_is_painted_while_the_size_changes() {
    let mut world = session::<Alacritty>();
    assert_eq!(world.regular.resize(Size::new(40, 12)), Resized::Settle);
    let mut bytes = Vec::new();
    world.regular.paint(&mut world.transcript, &Dock::default(), &mut bytes);
    assert!(bytes.is_empty());
    world.regular.settle(None);
    world.regular.paint(&mut world.transcript, &Dock::default(), &mut bytes);
    assert!(!bytes.is_empty());
    assert_eq!(world.regular.resize(Size::new(40, 12)), Resized::Nothing);
    assert_eq!(world.regular.resize(Size::new(40, 10)), Resized::Paint);
}

#[test]
fn prompts_are_marked_where_the_terminal_takes_marks() {
    for marks in [true, false] {
        let size = Size::new(40, 10);
        let start = Start::At(Position { row: 0, column: 0 });
        let mut regular = Regular::new(size, Features { marks, ..Features::default() }, start);
        let mut transcript = Transcript::new();
        let lines =
            vec![Line::new("a prompt", 40).marked(Mark::Start), Line::new("of two lines", 40).marked(Mark::End)];
        transcript.push(Block::finished(Fixed::new(lines)));
        let mut bytes = Vec::new();
        regular.paint(&mut transcript, &Dock::default(), &mut bytes);
        let text = String::from_utf8(bytes).expect("text");
        let marked = "\x1b]133;A\x1b\\a prompt\r\nof two lines\x1b]133;B\x1b\\\x1b]133;C\x1b\\";
        assert_eq!(text.contains(marked), marks, "{text:?}");
        assert_eq!(text.contains("133"), marks, "{text:?}");
    }
}

#[test]
fn a_block_that_is_removed_or_takes_another_shape_changes_nothing_in_the_scrollback() {
    let mut world = session::<Vt100>();
    let first = world.transcript.push(Block::finished(Fixed::new(vec![Line::new("first", 60)])));
    let gone = world.transcript.push(Block::new());
    world.transcript.edit(gone).expect("a block").push(Fixed::new(vec![Line::new("going", 60)]));
    world.transcript.push(Block::finished(Fixed::new(vec![Line::new("last", 60)])));
    world.paint();
    assert!(world.terminal.picture().contains("first\ngoing\nlast\n"));
    world.transcript.reshape(first, vec![Box::new(Fixed::new(vec![Line::new("expanded", 60)]))]);
    world.transcript.remove(gone);
    world.paint();
    assert!(world.terminal.picture().contains("first\nlast\n─"), "{}", world.terminal.picture());
}
