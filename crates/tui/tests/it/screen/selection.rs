//! What is selected with the mouse, and what is under it.

use std::num::NonZeroU16;

use proptest::prelude::*;
use tau_tui::blocks::{Kind, Message, User};
use tau_tui::look::{Look, SharedLook};
use tau_tui::screen::{
    Block, Cursor, Dock, Features, Fixed, Full, Line, Overlay, Scroll, Scrollbar, Size, Text, Transcript, Under, Unit,
};
use tau_tui::style::{ColorDepth, Styles};
use tau_view::theme::ColorTheme;

fn look() -> SharedLook {
    let theme = ColorTheme::builtin("dark").expect("a theme");
    SharedLook::new(Look { padding: 1, ..Look::plain(Styles::new(&theme, ColorDepth::Indexed)) })
}

fn message(text: &str) -> Block {
    Block::finished(Message::new(look(), Kind::Answer, text))
}

fn count(count: usize) -> NonZeroU16 {
    u16::try_from(count).ok().and_then(NonZeroU16::new).expect("a size")
}

struct Window {
    full: Full,
    transcript: Transcript,
    terminal: vt100::Parser,
    dock: Dock,
    overlays: Vec<Overlay>,
}

impl Window {
    fn new(columns: usize, rows: usize, blocks: Vec<Block>) -> Self {
        let size = Size::new(columns, rows);
        let mut transcript = Transcript::new();
        for block in blocks {
            transcript.push(block);
        }
        let full = Full::new(size, Features::default());
        let terminal = vt100::Parser::new(count(rows), count(columns), 0);
        let mut window = Self { full, transcript, terminal, dock: Dock::default(), overlays: Vec::new() };
        window.paint();
        window
    }

    fn paint(&mut self) {
        let mut bytes = Vec::new();
        let latest = Line::new("[latest]", 20);
        self.full.paint(&mut self.transcript, &self.dock, Some(&latest), &self.overlays, &mut bytes);
        self.terminal.process(&bytes);
    }

    fn select(&mut self, from: (usize, usize), to: (usize, usize), unit: Unit) -> Option<String> {
        self.full.select(&mut self.transcript, from.0, from.1, unit);
        self.full.select_to(&mut self.transcript, to.0, to.1);
        self.full.selected_text(&mut self.transcript)
    }

    fn under(&self, row: usize, column: usize) -> Under {
        self.full.under(&self.transcript, row, column)
    }

    /// The cells that are shown inverse, as rows of marks.
    fn inverse(&mut self) -> Vec<String> {
        self.paint();
        let screen = self.terminal.screen();
        let (rows, columns) = screen.size();
        let mark = |row, column| match screen.cell(row, column) {
            Some(cell) if cell.inverse() => '#',
            _ => ' ',
        };
        (0..rows.get()).map(|row| (0..columns.get()).map(|column| mark(row, column)).collect()).collect()
    }

    fn row(&self, row: usize) -> String {
        let columns = self.terminal.screen().size().1.get();
        self.terminal.screen().rows(0, columns).nth(row).expect("a row").trim_end().to_owned()
    }

    fn resize(&mut self, columns: usize, rows: usize) {
        self.full.resize(Size::new(columns, rows));
        self.terminal.screen_mut().set_size(count(rows), count(columns));
        self.paint();
    }
}

#[test]
fn wrapped_rows_are_one_line_and_margins_are_left_out() {
    let text = "one two three four five six seven\n\nlast";
    let mut window = Window::new(16, 12, vec![message(text)]);
    assert_eq!(window.select((0, 0), (11, 15), Unit::Characters).as_deref(), Some(text));
    // From within the first row to within the third one.
    assert_eq!(window.row(1), " one two three");
    assert_eq!(window.select((1, 5), (3, 3), Unit::Characters).as_deref(), Some("two three four five six sev"));
    assert_eq!(window.select((3, 3), (1, 5), Unit::Characters).as_deref(), Some("two three four five six sev"));
    let shown = window.inverse();
    assert_eq!(shown[1].trim_end(), "     #########");
    assert_eq!(shown[2].trim_end(), " #############");
    assert_eq!(shown[3].trim_end(), " ###");
    assert_eq!(shown[4].trim_end(), "");
}

#[test]
fn long_words_code_and_quotes_are_what_their_author_wrote() {
    let text = "```rust\n    let wide = \"a b c d e f g h i j\";\n}\n```\n\n> quoted words that go on and on\n\n- an item that goes on for long\n- two";
    let mut window = Window::new(24, 30, vec![message(text)]);
    let selected = window.select((0, 0), (29, 23), Unit::Characters).expect("a text");
    for line in [
        "    let wide = \"a b c d e f g h i j\";",
        "quoted words that go on and on",
        "- an item that goes on for long",
        "- two",
    ] {
        assert!(selected.lines().any(|found| found.trim_start_matches("│ ") == line), "{line}\n{selected}");
    }
    let address = "https://example.org/a/path/that/is/longer/than/the/screen";
    let mut window = Window::new(24, 10, vec![Block::finished(Text::new(address))]);
    assert_eq!(window.select((1, 3), (1, 3), Unit::Lines).as_deref(), Some(address));
}

#[test]
fn blocks_are_apart_as_on_the_screen_and_padding_is_left_out() {
    let boxed = Block::finished(User::new(look(), "a prompt"));
    let lines = Fixed::new(["first", "second"].map(|text| Line::new(text, 20)).to_vec());
    let mut window = Window::new(30, 20, vec![boxed, message("an answer"), Block::finished(lines)]);
    let selected = window.select((0, 0), (19, 29), Unit::Characters);
    assert_eq!(selected.as_deref(), Some("a prompt\n\nan answer\nfirst\nsecond"));
}

#[test]
fn words_and_lines_grow_by_words_and_lines() {
    let mut window = Window::new(40, 10, vec![message("run src/main.rs --flag now\n\nand more")]);
    assert_eq!(window.select((1, 8), (1, 8), Unit::Words).as_deref(), Some("src/main.rs"));
    assert_eq!(window.select((1, 8), (1, 19), Unit::Words).as_deref(), Some("src/main.rs --flag"));
    assert_eq!(window.select((1, 19), (1, 2), Unit::Words).as_deref(), Some("run src/main.rs --flag"));
    assert_eq!(window.select((1, 19), (3, 2), Unit::Lines).as_deref(), Some("run src/main.rs --flag now\n\nand more"));
    // A press alone selects nothing.
    assert_eq!(window.select((1, 3), (1, 3), Unit::Characters), None);
    assert!(!window.full.selects());
}

#[test]
fn a_selection_stays_with_its_lines_and_goes_when_they_are_others() {
    let many = (0..40).map(|line| format!("line{line}\n")).collect::<String>();
    let mut window = Window::new(20, 10, vec![Block::finished(Text::new(many))]);
    assert_eq!(window.select((2, 0), (3, 5), Unit::Characters).as_deref(), Some("line33\nline34"));
    window.full.scroll(&mut window.transcript, Scroll::Lines(-5));
    assert_eq!(window.inverse()[7].trim_end(), "######");
    window.transcript.push(message("more"));
    window.paint();
    assert_eq!(window.full.selected_text(&mut window.transcript).as_deref(), Some("line33\nline34"));
    window.resize(18, 10);
    assert_eq!(window.full.selected_text(&mut window.transcript), None);
}

#[test]
fn the_dock_and_overlays_are_selected_for_themselves_without_their_frames() {
    let mut window = Window::new(30, 10, vec![message("text of the transcript")]);
    window.dock = Dock::new(["── working ──", "typed", "──────"].map(|text| Line::new(text, 30)).to_vec(), None);
    let lines = ["┌────────┐", "│ inside │", "└────────┘"].map(|text| Line::new(text, 30)).to_vec();
    window.overlays = vec![Overlay { lines, row: 1, column: 5, width: 10, cursor: None }];
    window.paint();
    assert_eq!(window.select((1, 5), (9, 29), Unit::Characters).as_deref(), Some("inside"));
    assert_eq!(window.inverse()[2].trim_end(), "     ##########");
    assert_eq!(window.select((7, 0), (0, 29), Unit::Lines).as_deref(), Some("working"));
    assert_eq!(window.select((7, 0), (9, 29), Unit::Characters).as_deref(), Some("working\ntyped"));
}

#[test]
fn what_is_under_the_pointer_is_what_the_frame_showed_there() {
    let many = (0..40).map(|line| format!("line{line}\n")).collect::<String>();
    let mut window = Window::new(30, 12, vec![Block::finished(Text::new(many))]);
    window.full.set_scrollbar(Scrollbar::Visible);
    window.full.scroll(&mut window.transcript, Scroll::Lines(-3));
    let lines = vec![Line::new("over", 10)];
    let overlay = |row| Overlay { lines: lines.clone(), row, column: 4, width: 6, cursor: None };
    window.overlays = vec![overlay(2), Overlay { column: 8, ..overlay(2) }];
    let dock = (0..15).map(|line| Line::new(&format!("dock {line}"), 30)).collect();
    window.dock = Dock::new(dock, Some(Cursor { row: 14, column: 0, visible: false }));
    window.paint();
    // A dock that is larger than the screen has the end of it.
    assert_eq!(window.under(0, 3), Under::Dock { row: 3, column: 3 });
    window.dock.lines.truncate(2);
    window.paint();
    assert_eq!(window.under(11, 3), Under::Dock { row: 1, column: 3 });
    assert_eq!(window.under(2, 4), Under::Overlay { index: 0, row: 0, column: 0 });
    assert_eq!(window.under(2, 8), Under::Overlay { index: 1, row: 0, column: 0 });
    let block = window.transcript.id(0).expect("a block");
    let line = |row| match window.under(row, 3) {
        Under::Block { block: found, line, column: 3 } => (found == block).then_some(line),
        _ => None,
    };
    assert_eq!(line(1).zip(line(0)).map(|(one, other)| one - other), Some(1));
    assert_eq!(window.under(0, 29), Under::Bar);
    assert_eq!(window.under(9, 14), Under::Latest);
    let short = Window::new(30, 12, vec![message("x")]);
    assert_eq!((short.under(8, 3), short.under(1, 29)), (Under::Nothing, short.under(1, 29)));
    assert_ne!(short.under(1, 29), Under::Bar);
}

#[test]
fn the_last_overlay_with_a_cursor_has_it() {
    let mut window = Window::new(30, 10, vec![message("text")]);
    window.dock = Dock::new(vec![Line::new("> ", 30)], Some(Cursor { row: 0, column: 2, visible: true }));
    let overlay = |row, cursor| Overlay { lines: vec![Line::new("box", 10)], row, column: 3, width: 5, cursor };
    window.overlays = vec![overlay(1, Some(Cursor { row: 0, column: 1, visible: true })), overlay(4, None)];
    window.paint();
    assert_eq!(window.terminal.screen().cursor_position(), (1, 4));
    window.overlays.clear();
    window.paint();
    assert_eq!(window.terminal.screen().cursor_position(), (9, 2));
}

#[test]
fn links_are_found_in_their_columns() {
    let text = "see \x1b]8;;https://example.org/x\x1b\\the 你 page\x1b]8;;\x1b\\ now";
    let window = Window::new(40, 4, vec![Block::finished(Text::new(text))]);
    let link = |column| window.full.link_at(0, column);
    assert_eq!(link(3), None);
    assert_eq!(link(4).as_deref(), Some("https://example.org/x"));
    assert_eq!(link(9).as_deref(), Some("https://example.org/x"));
    assert_eq!(link(14).as_deref(), Some("https://example.org/x"));
    assert_eq!((link(15), link(39), window.full.link_at(9, 0)), (None, None, None));
}

/// Paragraphs of words without marks that Markdown knows.
fn paragraphs() -> impl Strategy<Value = Vec<String>> {
    let word = prop_oneof![6 => "[a-z]{1,9}", 1 => "[a-z]{20,50}", 1 => "[你好吗]{1,6}", 1 => "é[a-z]{2}"];
    prop::collection::vec(prop::collection::vec(word, 1..25).prop_map(|words| words.join(" ")), 1..6)
}

fn bare(text: &str) -> String {
    text.chars().filter(|ch| !ch.is_whitespace()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 2, ..ProptestConfig::default() })]

    #[test]
    fn everything_selected_is_the_text_at_any_width(texts in paragraphs(), columns in 12..70usize, boxed in any::<bool>()) {
        let text = texts.join("\n\n");
        let block = if boxed { Block::finished(User::new(look(), &text)) } else { message(&text) };
        // As high as its text, with a word in each row at worst: what is out of sight is not selected.
        let rows = 100 + text.len() / 5;
        let mut window = Window::new(columns, rows, vec![block]);
        let selected = window.select((0, 0), (rows - 1, columns - 1), Unit::Characters);
        prop_assert_eq!(selected.as_deref(), Some(&*text));
    }

    #[test]
    fn any_selection_is_a_part_of_the_text(
        texts in paragraphs(), columns in 12..50usize, from in (0..30usize, 0..50usize), to in (0..30usize, 0..50usize),
        unit in prop_oneof![Just(Unit::Characters), Just(Unit::Words), Just(Unit::Lines)],
    ) {
        let mut window = Window::new(columns, 30, texts.iter().map(|text| message(text)).collect());
        let whole = bare(&texts.concat());
        if let Some(selected) = window.select(from, to, unit) {
            prop_assert!(whole.contains(&bare(&selected)), "{:?} in {:?}", selected, texts);
            let marks: usize = window.inverse().iter().map(|row| row.matches('#').count()).sum();
            prop_assert!(marks > 0 || selected.trim().is_empty(), "{:?} is not shown", selected);
        }
        let back = window.select(to, from, unit);
        let forth = window.select(from, to, unit);
        prop_assert_eq!(back, forth);
    }
}
