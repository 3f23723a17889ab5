//! The window on the whole transcript.

use std::num::NonZeroU16;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use tau_tui::screen::{
    Block, BlockId, Content, Dock, Features, Found, Full, Line, Overlay, Scroll, Scrollbar, Size, Tints, Transcript,
};
use tau_tui::style::{ColorDepth, Styles};
use tau_view::theme::ColorTheme;

use super::models::{Alacritty, Terminal, Vt100};

/// Lines with an estimate that may be wrong, and a count of how often they were laid out.
struct Guessed {
    lines: Vec<String>,
    estimate: usize,
    laid: Arc<AtomicUsize>,
}

impl Content for Guessed {
    fn lines(&self, width: usize) -> Vec<Line> {
        self.laid.fetch_add(1, Ordering::Relaxed);
        self.lines.iter().map(|line| Line::new(line, width)).collect()
    }

    fn estimate(&self, _: usize) -> usize {
        self.estimate
    }
}

#[derive(Debug, Clone)]
enum Event {
    Push {
        lines: usize,
        estimate: usize,
        prompt: bool,
    },
    /// A block gets other lines.
    Reshape {
        block: usize,
        lines: usize,
    },
    Scroll(Scroll),
    Dock(usize),
    Resize(usize, usize),
}

struct World<T> {
    terminal: T,
    full: Full,
    transcript: Transcript,
    blocks: Vec<(BlockId, Vec<String>, bool)>,
    dock: usize,
    size: Size,
    /// The first line of the window; none when it follows the end.
    top: Option<(usize, usize)>,
    names: usize,
    laid: Arc<AtomicUsize>,
}

impl<T: Terminal> World<T> {
    fn new(columns: usize, rows: usize) -> World<T> {
        let size = Size::new(columns, rows);
        let features = Features { synchronized: true, ..Features::default() };
        World {
            terminal: T::new(size),
            full: Full::new(size, features),
            transcript: Transcript::new(),
            blocks: Vec::new(),
            dock: 1,
            size,
            top: None,
            names: 0,
            laid: Arc::default(),
        }
    }

    fn lines(&mut self, count: usize) -> Vec<String> {
        let first = self.names;
        self.names += count;
        (first..first + count).map(|name| format!("n{name}")).collect()
    }

    fn content(&self, lines: &[String], estimate: usize) -> Box<dyn Content> {
        Box::new(Guessed { lines: lines.to_vec(), estimate, laid: Arc::clone(&self.laid) })
    }

    fn push(&mut self, lines: usize, estimate: usize, prompt: bool) {
        let lines = self.lines(lines);
        let mut block = Block::new();
        block.replace(0, vec![self.content(&lines, estimate)]);
        block.finish();
        let id = self.transcript.push(if prompt { block.prompt() } else { block });
        self.blocks.push((id, lines, prompt));
    }

    fn all(&self) -> Vec<((usize, usize), &String)> {
        let lines = self.blocks.iter().enumerate();
        lines
            .flat_map(|(block, (_, lines, _))| lines.iter().enumerate().map(move |(line, text)| ((block, line), text)))
            .collect()
    }

    fn window(&self) -> usize {
        self.size.rows - self.dock.min(self.size.rows)
    }

    /// The index of the first line of the window.
    fn first(&self) -> usize {
        let all = self.all();
        let last = all.len().saturating_sub(self.window());
        match self.top {
            None => last,
            Some(top) => all.iter().position(|(place, _)| *place >= top).unwrap_or(all.len()).min(last),
        }
    }

    fn show(&mut self, first: usize) {
        let all = self.all();
        let last = all.len().saturating_sub(self.window());
        let top = all.get(first).filter(|_| first < last).map(|(place, _)| *place);
        self.top = top;
    }

    fn prompt_start(&self, block: usize) -> usize {
        self.all().iter().position(|(place, _)| *place >= (block, 0)).unwrap_or(usize::MAX)
    }

    fn step(&mut self, event: &Event) {
        match event {
            Event::Push { lines, estimate, prompt } => self.push(*lines, *estimate, *prompt && *lines > 0),
            Event::Reshape { block, lines } if !self.blocks.is_empty() => {
                let block = block % self.blocks.len();
                let lines = self.lines(*lines);
                let content = self.content(&lines, 3);
                self.transcript.reshape(self.blocks[block].0, vec![content]);
                if let Some(top) = self.top.as_mut().filter(|top| top.0 == block) {
                    top.1 = top.1.min(lines.len().saturating_sub(1));
                }
                self.blocks[block].1 = lines;
            }
            Event::Scroll(_) if self.window() == 0 => {}
            Event::Scroll(by) => {
                self.full.scroll(&mut self.transcript, *by);
                let (first, count) = (self.first(), self.all().len());
                let page = self.window().saturating_sub(4).max(1);
                let here = self.all().get(first).map(|(place, _)| *place).unwrap_or_default();
                match by {
                    Scroll::Lines(lines) => self.show(first.saturating_add_signed(*lines)),
                    Scroll::Pages(pages) => self.show(first.saturating_add_signed(*pages * page as isize)),
                    Scroll::Start => self.show(0),
                    Scroll::End => self.top = None,
                    Scroll::PreviousPrompt => {
                        let before =
                            (0..self.blocks.len()).rev().find(|block| self.blocks[*block].2 && (*block, 0) < here);
                        self.show(before.map_or(0, |block| self.prompt_start(block)));
                    }
                    Scroll::NextPrompt => {
                        let next = (0..self.blocks.len()).find(|block| self.blocks[*block].2 && *block > here.0);
                        self.show(next.map_or(count, |block| self.prompt_start(block)));
                    }
                    Scroll::Bar(_) => {}
                }
            }
            Event::Dock(lines) => self.dock = *lines,
            Event::Resize(columns, rows) => {
                self.size = Size::new(*columns, *rows);
                self.terminal.resize(self.size);
                self.full.resize(self.size);
            }
            Event::Reshape { .. } => {}
        }
        self.check();
        // A window that reached the end stays there.
        if self.first() == self.all().len().saturating_sub(self.window()) && self.window() > 0 {
            self.top = None;
        } else if self.window() > 0 {
            self.top = self.all().get(self.first()).map(|(place, _)| *place);
        }
    }

    fn dock(&self) -> Dock {
        Dock::new((0..self.dock).map(|line| Line::new(&format!("dock {line}"), 20)).collect(), None)
    }

    fn paint(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let dock = self.dock();
        self.full.paint(&mut self.transcript, &dock, None, &[], &mut bytes);
        self.terminal.write(&bytes);
        bytes
    }

    fn check(&mut self) {
        self.paint();
        assert!(self.paint().is_empty(), "a frame without a change");
        let first = self.first();
        let mut expected: Vec<String> =
            self.all().iter().skip(first).take(self.window()).map(|(_, text)| (*text).clone()).collect();
        expected.resize(self.window(), String::new());
        let dock = self.dock.min(self.size.rows);
        expected.extend((self.dock - dock..self.dock).map(|line| format!("dock {line}")));
        let columns = self.size.columns;
        let shown: Vec<String> = self.terminal.screen().into_iter().map(|row| row.text).collect();
        let expected: Vec<String> = expected
            .iter()
            .enumerate()
            .map(|(row, line)| {
                let width = if row < self.window() { (columns - 1).max(1) } else { columns };
                line.chars().take(width).collect::<String>().trim_end().to_owned()
            })
            .collect();
        assert_eq!(shown, expected);
    }
}

fn scroll() -> impl Strategy<Value = Scroll> {
    prop_oneof![
        (-30..30isize).prop_map(Scroll::Lines),
        (-3..3isize).prop_map(Scroll::Pages),
        Just(Scroll::Start),
        Just(Scroll::End),
        Just(Scroll::PreviousPrompt),
        Just(Scroll::NextPrompt),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => (0..12usize, 0..30usize, any::<bool>()).prop_map(|(lines, estimate, prompt)| Event::Push { lines, estimate, prompt }),
        1 => (any::<usize>(), 1..20usize).prop_map(|(block, lines)| Event::Reshape { block, lines }),
        5 => scroll().prop_map(Event::Scroll),
        1 => (0..6usize).prop_map(Event::Dock),
        1 => (2..30usize, 1..12usize).prop_map(|(columns, rows)| Event::Resize(columns, rows)),
    ]
}

fn run<T: Terminal>(blocks: &[(usize, usize, bool)], events: &[Event]) {
    let mut world = World::<T>::new(20, 8);
    for (lines, estimate, prompt) in blocks {
        world.push(*lines, *estimate, *prompt && *lines > 0);
    }
    world.check();
    for event in events {
        world.step(event);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 2, ..ProptestConfig::default() })]

    #[test]
    fn the_window_shows_the_lines_it_holds_on_to(
        blocks in prop::collection::vec((0..12usize, 0..30usize, any::<bool>()), 0..30),
        events in prop::collection::vec(event(), 1..30),
    ) {
        run::<Alacritty>(&blocks, &events);
        run::<Vt100>(&blocks, &events);
    }
}

#[test]
fn only_blocks_near_the_window_are_laid_out() {
    let mut world = World::<Vt100>::new(80, 24);
    for block in 0..10_000 {
        world.push(3, 5, block % 10 == 0);
    }
    world.check();
    let laid = |world: &World<Vt100>| world.laid.swap(0, Ordering::Relaxed);
    assert!(laid(&world) <= 24, "to show the end");
    for by in
        [Scroll::Lines(-1), Scroll::Pages(-1), Scroll::Start, Scroll::Bar(12), Scroll::PreviousPrompt, Scroll::Lines(3)]
    {
        world.full.scroll(&mut world.transcript, by);
        world.paint();
        let laid = laid(&world);
        assert!(laid <= 40, "{laid} blocks to scroll by {by:?}");
    }
}

#[test]
fn inside_a_long_block_a_frame_costs_what_is_on_the_screen() {
    let mut world = World::<Vt100>::new(80, 24);
    world.push(10_000, 10_000, false);
    world.check();
    for _ in 0..100 {
        world.full.scroll(&mut world.transcript, Scroll::Lines(-1));
        assert!(world.paint().len() <= 24 * 24);
    }
    assert_eq!(world.laid.load(Ordering::Relaxed), 1);
}

fn searched(texts: &[&str], needle: &str, budget: usize) -> (Vec<Found>, Alacritty) {
    let size = Size::new(24, 6);
    let mut full = Full::new(size, Features::default());
    let mut terminal = Alacritty::new(size);
    let mut transcript = Transcript::new();
    for text in texts {
        transcript.push(Block::finished(tau_tui::screen::Text::new(*text)));
    }
    full.scroll(&mut transcript, Scroll::Start);
    full.search(&mut transcript, needle);
    let mut found = Vec::new();
    loop {
        let now = full.search_on(&mut transcript, budget);
        found.push(now);
        let mut bytes = Vec::new();
        full.paint(&mut transcript, &Dock::default(), None, &[], &mut bytes);
        terminal.write(&bytes);
        if now.complete {
            break;
        }
    }
    found.push(full.search_go(&mut transcript, true));
    found.push(full.search_go(&mut transcript, false));
    found.push(full.search_go(&mut transcript, false));
    let mut bytes = Vec::new();
    full.paint(&mut transcript, &Dock::default(), None, &[], &mut bytes);
    terminal.write(&bytes);
    (found, terminal)
}

#[test]
fn a_search_finds_across_line_breaks_and_without_case() {
    for budget in [1, 2, 1000] {
        let text = "alpha beta gamma delta\n   epsilon\nzeta eta Delta Epsilon theta";
        let (found, mut terminal) = searched(&["one", text, "delta", "", "deltaepsilon"], "  DELTA \t epsilon", budget);
        // The blank at the start of what is searched for needs one in the text.
        let last = found.last().copied().expect("a result");
        assert_eq!((last.current, last.hits, last.complete), (2, 2, true), "{found:?}");
        let screen = terminal.screen();
        let inverse: Vec<bool> = screen.iter().map(|row| row.looks.contains("INVERSE")).collect();
        let underlined: Vec<bool> = screen.iter().map(|row| row.looks.contains("UNDERLINE")).collect();
        assert_eq!(underlined, [false, true, true, false, false, false], "{}", terminal.picture());
        assert_eq!(inverse, [false, false, false, true, false, false], "{}", terminal.picture());
    }
}

#[test]
fn a_search_is_bounded_in_each_step_and_counts_everything() {
    let many = vec!["x needle y\n"; 500].concat();
    let (found, _) = searched(&["a", &many, "b needle"], "needle", 100);
    assert_eq!(found.first().map(|found| (found.complete, found.current)), Some((false, 1)));
    assert!(found.len() >= 6);
    let steps: Vec<usize> = found.iter().map(|found| found.hits).collect();
    assert!(steps.windows(2).all(|pair| pair[1] - pair[0] <= 101), "{steps:?}");
    assert_eq!(found.last().map(|found| (found.hits, found.current)), Some((501, 501)));
}

#[test]
fn a_search_without_hits_ends() {
    let (found, _) = searched(&["a", "b"], "c", 100);
    assert!(found.last().is_some_and(|found| found.complete));
    assert!(found.iter().all(|found| found.hits == 0 && found.current == 0));
    let (found, _) = searched(&["a", "b"], "   ", 100);
    assert!(found.first().is_some_and(|found| found.complete && found.hits == 0));
}

#[test]
fn bar_latest_and_overlays_lie_over_the_window() {
    let size = Size::new(30, 8);
    let mut full = Full::new(size, Features::default());
    let mut terminal = Vt100::new(size);
    let mut transcript = Transcript::new();
    for block in 0..40 {
        transcript.push(Block::finished(tau_tui::screen::Text::new(format!("block number {block}"))));
    }
    full.set_scrollbar(Scrollbar::Visible);
    full.scroll(&mut transcript, Scroll::Start);
    full.scroll(&mut transcript, Scroll::Lines(3));
    let dock = Dock::new(vec![Line::new("──────────", 30), Line::new("> text", 30)], None);
    let box_lines = ["┌──────┐", "│ find │", "└──────┘"].map(|line| Line::new(line, 30)).to_vec();
    let overlay = Overlay { lines: box_lines, row: 0, column: 18, width: 8, cursor: None };
    let mut bytes = Vec::new();
    full.paint(&mut transcript, &dock, Some(&Line::new("↓ latest", 30)), &[overlay], &mut bytes);
    terminal.write(&bytes);
    let expected = "\
block number 3    ┌──────┐   ┃
block number 4    │ find │   ┃
block number 5    └──────┘   │
block number 6               │
block number 7               │
block numb↓ latest           │
──────────
> text
";
    assert_eq!(terminal.picture(), expected);
    assert_eq!(full.at(&transcript, 2).map(|(id, line)| (transcript.place(id), line)), Some((Some(5), 0)));
}

/// A theme in which the window has colours of its own.
fn tints(depth: ColorDepth) -> Tints {
    let mut theme = include_str!("../../../../view/src/theme/dark.json").to_owned();
    for (token, was, colour) in [
        ("scrollbarTrack", "gray3", "#010203"),
        ("scrollbarThumb", "gray1", "#040506"),
        ("searchMatchText", "ink", "#070809"),
        ("searchMatchBg", "match", "#0a0b0c"),
    ] {
        theme = theme.replace(&format!(r#""{token}": "{was}""#), &format!(r#""{token}": "{colour}""#));
    }
    let theme = ColorTheme::parse(&theme).expect("a theme");
    Tints::new(&Styles::new(&theme, depth))
}

#[test]
fn the_scrollbar_and_what_is_found_have_the_colours_of_the_theme() {
    for (depth, has_colours) in [(ColorDepth::True, true), (ColorDepth::None, false)] {
        let size = Size::new(24, 4);
        let mut full = Full::new(size, Features::default());
        let mut transcript = Transcript::new();
        for text in ["a needle", "b", "c", "\x1b[33ma needle\x1b[39m", "d", "e", "f", "g"] {
            transcript.push(Block::finished(tau_tui::screen::Text::new(text)));
        }
        full.set_tints(tints(depth));
        full.set_scrollbar(Scrollbar::Visible);
        full.scroll(&mut transcript, Scroll::Start);
        full.search(&mut transcript, "needle");
        full.search_on(&mut transcript, 100);
        let mut bytes = Vec::new();
        full.paint(&mut transcript, &Dock::default(), None, &[], &mut bytes);
        let number = |number| NonZeroU16::new(number).expect("not zero");
        let mut terminal = vt100::Parser::new(number(4), number(24), 0);
        terminal.process(&bytes);
        let cell = |row, column| terminal.screen().cell(row, column).expect("a cell");
        let (current, other, thumb, track) = (cell(0, 2), cell(3, 2), cell(0, 23), cell(3, 23));
        assert_eq!([current.inverse(), other.inverse(), other.underline()], [true, false, true]);
        assert_eq!((thumb.contents(), track.contents(), track.dim()), ("┃", "│", !has_colours));
        let found = [thumb.fgcolor(), track.fgcolor(), current.fgcolor(), current.bgcolor(), other.bgcolor()];
        let own = [(4, 5, 6), (1, 2, 3), (7, 8, 9), (10, 11, 12), (10, 11, 12)];
        let expected = own.map(
            |(red, green, blue)| if has_colours { vt100::Color::Rgb(red, green, blue) } else { vt100::Color::Default },
        );
        assert_eq!(found, expected);
    }
}
