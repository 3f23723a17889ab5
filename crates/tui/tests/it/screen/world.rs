//! A session on a terminal: what happens, and what must be on the screen after it.

use proptest::prelude::*;
use tau_tui::screen::{
    Block, BlockId, Content, Cursor, Dock, Features, Line, Position, Reflow, Regular, Resized, Size, Start, Text,
    Transcript,
};

use super::models::{Row, Terminal};

/// Something that happens.
#[derive(Debug, Clone)]
pub enum Event {
    /// A block appears, with words, and finished or not.
    Push {
        words: Vec<String>,
        finished: bool,
    },
    /// An unfinished block gets another part.
    Grow {
        block: usize,
        words: Vec<String>,
    },
    /// The last part of an unfinished block is another one.
    Replace {
        block: usize,
        words: Vec<String>,
    },
    /// All parts of an unfinished block but the last are settled.
    Settle {
        block: usize,
    },
    Finish {
        block: usize,
    },
    /// Many finished blocks at once.
    Flood {
        blocks: usize,
    },
    /// The dock has so many lines.
    Dock {
        lines: usize,
    },
    /// A key in the editor.
    Type {
        text: String,
    },
    Clear,
    /// The cursor moves, shown or not.
    Move {
        back: usize,
        visible: bool,
    },
    Resize {
        sizes: Vec<(usize, usize)>,
    },
    /// The shell is in front for a while, and prints lines, the last one with or without a line break.
    Suspend {
        lines: usize,
        broken: bool,
    },
    /// Something else writes on the screen.
    Foreign {
        lines: usize,
    },
    /// No frame is painted after the next event.
    Skip,
}

/// How the world is set up.
#[derive(Debug, Clone)]
pub struct Setup {
    pub size: (usize, usize),
    /// Lines of the shell, and whether its last one has no end.
    pub shell: usize,
    pub broken: bool,
    /// Whether the terminal says where its cursor is.
    pub reports: bool,
    /// Whether it is known if the terminal wraps lines again.
    pub known: bool,
    pub synchronized: bool,
    /// Whether widths can be so small that a terminal that cuts lines off loses words; if not, each has a line of its own
    /// there.
    pub lossy: bool,
}

#[derive(Debug, Clone)]
struct State {
    parts: Vec<String>,
    settled: usize,
    finished: bool,
    id: BlockId,
}

/// A session on a terminal.
pub struct World<T> {
    pub terminal: T,
    pub regular: Regular,
    pub transcript: Transcript,
    blocks: Vec<State>,
    dock_lines: usize,
    typed: String,
    back: usize,
    visible: bool,
    setup: Setup,
    shell: Vec<String>,
    words: usize,
    skip: bool,
    /// Whether what is in the scrollback can be told from the blocks alone.
    pristine: bool,
    /// How many rows the terminal may show twice.
    repeated: usize,
    narrow: bool,
    /// The bytes of the last frame.
    pub frame: Vec<u8>,
}

pub fn dock(lines: usize, typed: &str, back: usize, visible: bool, columns: usize) -> Dock {
    let mut rows = vec![Line::new(&"─".repeat(columns), columns)];
    let mut text = typed.to_owned();
    let count = text.chars().count();
    let at = count - back.min(count);
    let inverse: String = text
        .chars()
        .chain([' '])
        .enumerate()
        .map(|(index, ch)| if index == at && !visible { format!("\x1b[7m{ch}\x1b[27m") } else { ch.to_string() })
        .collect();
    text.truncate(text.char_indices().nth(at).map_or(text.len(), |(at, _)| at));
    let column = tau_view::width::visible_width(&text);
    rows.push(Line::new(&inverse, columns));
    rows.push(Line::new(&"─".repeat(columns), columns));
    for line in 3..lines {
        rows.push(Line::new(&format!("\x1b[2mfooter {line}"), columns));
    }
    rows.truncate(lines);
    let row = 1;
    Dock::new(rows, (lines > 1).then_some(Cursor { row, column, visible }))
}

fn content(text: &str) -> Box<dyn Content> {
    Box::new(Text::new(text))
}

impl<T: Terminal> World<T> {
    pub fn new(setup: Setup) -> World<T> {
        let size = Size::new(setup.size.0, setup.size.1);
        let mut terminal = T::new(size);
        let shell: Vec<String> = (0..setup.shell).map(|line| format!("$s{line};")).collect();
        terminal.write(shell.join("\r\n").as_bytes());
        if !setup.broken && setup.shell > 0 {
            terminal.write(b"\r\n");
        }
        let start = if setup.reports {
            Start::At(terminal.cursor())
        } else if setup.broken {
            Start::Cursor
        } else {
            Start::At(Position { row: terminal.cursor().row, column: 0 })
        };
        let reflow = match (setup.known, T::reflows()) {
            (false, _) => Reflow::Unknown,
            (true, true) => Reflow::Yes,
            (true, false) => Reflow::No,
        };
        let features = Features { synchronized: setup.synchronized, reflow, marks: false };
        World {
            terminal,
            regular: Regular::new(size, features, start),
            transcript: Transcript::new(),
            blocks: Vec::new(),
            dock_lines: 4,
            typed: String::new(),
            back: 0,
            visible: false,
            setup,
            shell,
            words: 0,
            skip: false,
            // On one column every frame begins in a new row.
            pristine: size.columns > 1,
            repeated: 0,
            narrow: false,
            frame: Vec::new(),
        }
    }

    fn dock(&self) -> Dock {
        dock(self.dock_lines, &self.typed, self.back, self.visible, self.regular.size().columns)
    }

    /// Words that occur once.
    fn text(&mut self, words: &[String]) -> String {
        let mut text = String::new();
        for word in words {
            match word.as_str() {
                "\n" => text.push('\n'),
                word => {
                    self.words += 1;
                    text.push_str(&format!("#{}{word};", self.words));
                    let alone = !T::reflows() && !self.setup.lossy;
                    text.push(if alone || self.words.is_multiple_of(3) { '\n' } else { ' ' });
                }
            }
        }
        text.trim_end().to_owned()
    }

    fn unfinished(&self, block: usize) -> Option<usize> {
        let open: Vec<usize> = (0..self.blocks.len()).filter(|at| !self.blocks[*at].finished).collect();
        (!open.is_empty()).then(|| open[block % open.len()])
    }

    fn push(&mut self, words: &[String], finished: bool) {
        let text = self.text(words);
        let mut block = Block::new();
        block.push(Text::new(text.clone()));
        if finished {
            block.finish();
        }
        let id = self.transcript.push(block);
        self.blocks.push(State { parts: vec![text], settled: usize::from(finished), finished, id });
    }

    fn edit(&mut self, at: usize, edit: impl FnOnce(&mut Block)) {
        edit(self.transcript.edit(self.blocks[at].id).expect("a block"));
    }

    pub fn step(&mut self, event: &Event) {
        if self.happen(event) {
            self.paint();
            self.check();
        }
    }

    /// Lets something happen and paints a frame, whatever comes of it.
    pub fn step_unchecked(&mut self, event: &Event) {
        if self.happen(event) {
            self.paint();
        }
    }

    /// Lets something happen; whether a frame follows.
    fn happen(&mut self, event: &Event) -> bool {
        let mut paint = !self.skip;
        self.skip = false;
        match event {
            Event::Push { words, finished } => self.push(words, *finished),
            Event::Grow { block, words } => {
                if let Some(at) = self.unfinished(*block) {
                    let text = self.text(words);
                    self.edit(at, |block| block.push(Text::new(text.clone())));
                    self.blocks[at].parts.push(text);
                }
            }
            Event::Replace { block, words } => {
                if let Some(at) =
                    self.unfinished(*block).filter(|at| self.blocks[*at].settled < self.blocks[*at].parts.len())
                {
                    let text = self.text(words);
                    let last = self.blocks[at].parts.len() - 1;
                    self.edit(at, |block| block.replace(last, vec![content(&text)]));
                    self.blocks[at].parts[last] = text;
                }
            }
            Event::Settle { block } => {
                if let Some(at) = self.unfinished(*block) {
                    let settled = self.blocks[at].parts.len() - 1;
                    self.edit(at, |block| block.settle(settled));
                    self.blocks[at].settled = settled;
                }
            }
            Event::Finish { block } => {
                if let Some(at) = self.unfinished(*block) {
                    self.edit(at, Block::finish);
                    self.blocks[at].finished = true;
                    self.blocks[at].settled = self.blocks[at].parts.len();
                }
            }
            Event::Flood { blocks } => {
                for _ in 0..*blocks {
                    self.push(&["flood".to_owned()], true);
                }
            }
            Event::Dock { lines } => self.dock_lines = *lines,
            Event::Type { text } => self.typed.push_str(text),
            Event::Clear => self.typed.clear(),
            Event::Move { back, visible } => (self.back, self.visible) = (*back, *visible),
            Event::Skip => {
                self.skip = true;
                paint = false;
            }
            Event::Resize { sizes } => {
                let sizes: Vec<Size> = sizes.iter().map(|(columns, rows)| Size::new(*columns, *rows)).collect();
                let live = self.live_words();
                let mut known = self.setup.known && self.agrees_about_widths();
                let above = self.above_the_live_rows();
                for size in sizes {
                    self.resize(size);
                    known = known && self.above_the_screen() <= above;
                }
                if !known {
                    self.repeated += live;
                }
                let report = self.setup.reports.then(|| self.terminal.cursor());
                self.regular.settle(report);
                paint = true;
            }
            Event::Suspend { lines, broken } => {
                let mut bytes = Vec::new();
                self.regular.leave(Start::Cursor, &mut bytes);
                self.terminal.write(&bytes);
                assert!(self.terminal.shows_cursor(), "the shell gets its cursor");
                self.shell_prints(*lines, *broken);
                self.regular.begin_at(match (self.setup.reports, *broken) {
                    (true, _) => Start::At(self.terminal.cursor()),
                    (false, _) => Start::Cursor,
                });
                self.pristine = false;
                paint = true;
            }
            Event::Foreign { lines } => {
                self.repeated += self.live_words();
                self.terminal.write(b"\r\n");
                self.shell_prints(*lines, true);
                self.regular.begin_at(if self.setup.reports {
                    Start::At(self.terminal.cursor())
                } else {
                    Start::Bottom
                });
                self.pristine = false;
                paint = true;
            }
        }
        paint
    }

    fn shell_prints(&mut self, lines: usize, broken: bool) {
        for line in 0..lines {
            let word = format!("$s{};", self.shell.len());
            self.terminal.write(format!("\x1b[K{word}").as_bytes());
            if line + 1 < lines || !broken {
                self.terminal.write(b"\r\n");
            }
            self.shell.push(word);
        }
    }

    fn resize(&mut self, size: Size) {
        self.terminal.resize(size);
        if self.regular.resize(size) != Resized::Nothing {
            self.pristine = false;
        }
    }

    /// Whether the terminal gives the live rows the widths that they are made for.
    fn agrees_about_widths(&self) -> bool {
        let agreed = |line: &Line| line.plain().chars().all(|ch| ch.is_ascii() || ch == '─');
        self.regular.rows().iter().all(agreed)
    }

    /// How much there is above the live rows.
    fn above_the_live_rows(&mut self) -> usize {
        let (rows, first) = self.terminal.rows();
        let end = first + self.terminal.cursor().row + self.regular.rows_below() + 1;
        Self::amount(&rows[..end - self.regular.rows().len()])
    }

    /// How much there is in the scrollback. If it is more than what was above the live rows, the terminal has pushed some
    /// of these up to where they stay. It also does so to make room for rows that wrapping adds while blank rows are left
    /// below.
    fn above_the_screen(&mut self) -> usize {
        let (rows, first) = self.terminal.rows();
        Self::amount(&rows[..first])
    }

    /// What a change of the size leaves as it is: words where lines wrap again, otherwise rows.
    fn amount(rows: &[Row]) -> usize {
        if T::reflows() { rows.iter().map(|row| row.text.matches(';').count()).sum() } else { rows.len() }
    }

    /// How many words are live, and may be repeated.
    fn live_words(&self) -> usize {
        self.regular.rows().iter().map(|line| line.plain().matches(';').count()).sum()
    }

    pub fn paint(&mut self) {
        let dock = self.dock();
        self.frame.clear();
        let mut more = true;
        while more {
            let mut bytes = Vec::new();
            more = self.regular.paint(&mut self.transcript, &dock, &mut bytes);
            self.terminal.write(&bytes);
            self.frame.extend(bytes);
        }
        for forbidden in ["\x1b[3J", "\x1b[2J", "\x1b[1J", "\x1b[H", "\x1b[r", "\x1b[S", "\x1b[T", "\x1bM", "\x1bD"] {
            let found = self.frame.windows(forbidden.len()).any(|bytes| bytes == forbidden.as_bytes());
            assert!(!found, "{forbidden:?} in {:?}", String::from_utf8_lossy(&self.frame));
        }
        let mut again = Vec::new();
        self.regular.paint(&mut self.transcript, &dock, &mut again);
        assert!(again.is_empty(), "a frame without a change: {:?}", String::from_utf8_lossy(&again));
    }

    /// The same state on a terminal that nothing happened on.
    fn fresh(&self) -> (T, Regular) {
        let size = self.regular.size();
        let mut transcript = Transcript::new();
        for state in &self.blocks {
            let mut block = Block::new();
            for part in &state.parts {
                block.push(Text::new(part.clone()));
            }
            block.settle(state.settled);
            if state.finished {
                block.finish();
            }
            transcript.push(block);
        }
        let mut terminal = T::new(size);
        let mut regular = Regular::new(size, Features::default(), Start::At(Position { row: 0, column: 0 }));
        let mut more = true;
        while more {
            let mut bytes = Vec::new();
            more = regular.paint(&mut transcript, &self.dock(), &mut bytes);
            terminal.write(&bytes);
        }
        (terminal, regular)
    }

    pub fn check(&mut self) {
        let (mut fresh, fresh_regular) = self.fresh();
        let cursor = self.terminal.cursor();
        let fresh_cursor = fresh.cursor();
        let (rows, first) = self.terminal.rows();
        let (fresh_rows, fresh_first) = fresh.rows();
        let rows_of = |rows: &[Row], end: usize| rows[..end].to_vec();

        // The live rows, at the end of both.
        let live = self.regular.rows().len();
        let below = self.regular.rows_below();
        let end = first + cursor.row + below + 1;
        let fresh_end = fresh_first + fresh_cursor.row + fresh_regular.rows_below() + 1;
        let shown = rows[end - live..end].to_vec();
        let expected = fresh_rows[fresh_end - live..fresh_end].to_vec();
        assert_eq!(shown, expected, "live rows");
        assert!(rows[end..].iter().all(|row| row.looks.is_empty()), "rows under the last one: {:#?}", &rows[end..]);
        assert_eq!(cursor.column, fresh_cursor.column, "the column of the cursor");
        assert_eq!(below, fresh_regular.rows_below(), "the row of the cursor");
        assert_eq!(self.terminal.shows_cursor(), fresh.shows_cursor(), "whether the cursor is shown");

        // Everything above them.
        if self.pristine {
            let columns = self.regular.size().columns;
            let shell = self.shell.iter().flat_map(|line| line.as_bytes().chunks(columns)).map(|row| {
                let text = String::from_utf8_lossy(row).into_owned();
                Row { looks: text.clone(), text }
            });
            let mut expected: Vec<Row> = shell.collect();
            if self.setup.broken && !self.setup.reports && self.shell.is_empty() {
                expected.push(Row { text: String::new(), looks: String::new() });
            }
            expected.extend(rows_of(&fresh_rows, fresh_end));
            assert_eq!(rows_of(&rows, end), expected, "all rows");
        }
        let everything: String =
            rows.iter().flat_map(|row| row.text.chars()).filter(|ch| !ch.is_whitespace()).collect();
        let words: Vec<&str> =
            everything.split_inclusive(';').filter_map(|word| word.rfind(['#', '$']).map(|at| &word[at..])).collect();
        let fresh_text: String = fresh_rows[..fresh_end - fresh_regular.rows().len()]
            .iter()
            .flat_map(|row| row.text.chars())
            .filter(|ch| !ch.is_whitespace())
            .collect();
        // A terminal that cuts lines off makes other words of them when it is narrow.
        self.narrow = self.narrow || self.regular.size().columns < 14;
        if T::reflows() || !self.setup.lossy {
            let shell: Vec<&str> = words.iter().copied().filter(|word| word.starts_with('$')).collect();
            assert_eq!(shell, self.shell, "lines of the shell");
            let committed: Vec<&str> = fresh_text.split_inclusive(';').filter(|word| word.ends_with(';')).collect();
            let mut left = words.iter();
            for word in &committed {
                assert!(left.any(|found| found == word), "{word} is lost or out of order in {words:?}");
            }
        }
        if self.narrow && !T::reflows() {
            return;
        }
        let mut seen: Vec<&str> = words.clone();
        seen.sort_unstable();
        let total = seen.len();
        seen.dedup();
        assert!(total - seen.len() <= self.repeated, "{} words twice: {words:?}", total - seen.len());
    }
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-z]{0,5}",
        1 => Just("\n".to_owned()),
        2 => prop::sample::select(vec!["你好", "e\u{301}", "👍", "日本語"]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["\x1b[1mb", "\x1b[31mr", "\x1b[m", "\x1b[48;5;17mg", "\x1b]8;;https://x.y\x1b\\l", "\x1b]8;;\x1b\\"])
            .prop_map(str::to_owned),
    ]
}

fn words(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(word(), 0..most)
}

pub fn sizes(smallest: (usize, usize)) -> impl Strategy<Value = (usize, usize)> {
    let (columns, rows) = smallest;
    prop_oneof![
        1 => Just(smallest),
        2 => Just((20, 8)),
        1 => Just((40, 20)),
        4 => (columns..60, rows..24),
    ]
}

/// Events without a change of the size or someone else on the screen.
pub fn quiet_event() -> BoxedStrategy<Event> {
    prop_oneof![
        3 => (words(12), any::<bool>()).prop_map(|(words, finished)| Event::Push { words, finished }),
        1 => words(80).prop_map(|words| Event::Push { words, finished: false }),
        4 => (any::<usize>(), words(8)).prop_map(|(block, words)| Event::Grow { block, words }),
        2 => (any::<usize>(), words(40)).prop_map(|(block, words)| Event::Replace { block, words }),
        2 => any::<usize>().prop_map(|block| Event::Settle { block }),
        3 => any::<usize>().prop_map(|block| Event::Finish { block }),
        1 => (1..60usize).prop_map(|blocks| Event::Flood { blocks }),
        2 => (0..12usize).prop_map(|lines| Event::Dock { lines }),
        3 => prop::sample::select(vec!["a", "word ", "你", "e\u{301}", "👍"]).prop_map(|text| Event::Type { text: text.to_owned() }),
        1 => Just(Event::Clear),
        2 => (0..6usize, any::<bool>()).prop_map(|(back, visible)| Event::Move { back, visible }),
        2 => Just(Event::Skip),
    ]
    .boxed()
}

/// All events.
pub fn event(smallest: (usize, usize)) -> BoxedStrategy<Event> {
    prop_oneof![
        8 => quiet_event(),
        3 => prop::collection::vec(sizes(smallest), 1..3).prop_map(|sizes| Event::Resize { sizes }),
        1 => (0..4usize, any::<bool>()).prop_map(|(lines, broken)| Event::Suspend { lines, broken }),
        1 => (0..3usize).prop_map(|lines| Event::Foreign { lines }),
    ]
    .boxed()
}

pub fn setup(smallest: (usize, usize), lossy: bool) -> impl Strategy<Value = Setup> {
    (sizes(smallest), 0..40usize, any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        move |(size, shell, broken, reports, known, synchronized)| Setup {
            size,
            shell,
            broken: broken && shell > 0,
            reports,
            known,
            synchronized,
            lossy,
        },
    )
}
