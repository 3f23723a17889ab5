//! What frames cost, in bytes.

use tau_tui::screen::{Block, Dock, Features, Fixed, Line, Position, Regular, Size, Start, Text, Transcript};

use super::models::{Alacritty, Terminal};
use super::world::dock;

struct Session {
    regular: Regular,
    transcript: Transcript,
    terminal: Alacritty,
    dock: Dock,
}

impl Session {
    fn new(columns: usize, rows: usize) -> Session {
        let size = Size::new(columns, rows);
        let features = Features { synchronized: true, ..Features::default() };
        let regular = Regular::new(size, features, Start::At(Position { row: 0, column: 0 }));
        Session {
            regular,
            transcript: Transcript::new(),
            terminal: Alacritty::new(size),
            dock: dock(6, "", 0, false, columns),
        }
    }

    fn paint(&mut self) -> usize {
        let mut bytes = Vec::new();
        while self.regular.paint(&mut self.transcript, &self.dock, &mut bytes) {}
        self.terminal.write(&bytes);
        bytes.len()
    }
}

fn filled(blocks: usize) -> Session {
    let mut session = Session::new(100, 30);
    for block in 0..blocks {
        session.transcript.push(Block::finished(Text::new(format!("block {block}\nwith two lines"))));
    }
    session.paint();
    session
}

#[test]
fn a_key_costs_few_bytes_however_long_the_session_is() {
    for blocks in [0, 500, 5000] {
        let mut session = filled(blocks);
        let mut typed = String::new();
        for ch in "a prompt of some words, with 你好 and e\u{301} in it".chars() {
            typed.push(ch);
            session.dock = dock(6, &typed, 0, false, 100);
            let bytes = session.paint();
            assert!((1..=150).contains(&bytes), "{bytes} bytes for {ch:?} after {blocks} blocks");
            assert_eq!(session.paint(), 0);
        }
        session.dock = dock(6, &typed, 7, false, 100);
        assert!(session.paint() <= 150);
        session.dock = dock(6, &typed, 7, true, 100);
        assert!(session.paint() <= 150);
    }
}

#[test]
fn a_token_costs_few_bytes_in_any_place_of_any_answer() {
    let words: Vec<&str> =
        "the quick brown fox jumps over the lazy dog and then sleeps for a while".split(' ').collect();
    for blocks in [0, 5000] {
        for (kind, settles) in [("prose", true), ("code", false)] {
            let mut session = filled(blocks);
            let id = session.transcript.push(Block::new());
            session.transcript.edit(id).expect("a block").push(Text::new(""));
            let mut paragraph = String::new();
            let mut most = 0;
            let mut total = 0;
            let count = 1500;
            for token in 0..count {
                let word = words[token % words.len()];
                let ends = token % 12 == 11;
                paragraph.push_str(word);
                paragraph.push(if ends && kind == "code" { '\n' } else { ' ' });
                let block = session.transcript.edit(id).expect("a block");
                let last = block.parts() - 1;
                block.replace(last, vec![Box::new(Text::new(paragraph.clone()))]);
                if settles && token % 60 == 59 {
                    block.settle(last + 1);
                    block.push(Text::new(""));
                    paragraph.clear();
                }
                let bytes = session.paint();
                most = most.max(bytes);
                total += bytes;
            }
            println!("{kind} after {blocks} blocks: {} bytes for a token, at most {most}", total / count);
            assert!(most <= 200, "{most} bytes for a token of {kind}");
            assert!(total / count <= 100);
        }
    }
}

#[test]
fn a_spinner_costs_a_character() {
    let mut session = filled(3);
    for frame in ["⠋", "⠙", "⠹", "⠸"] {
        session.dock.lines[0] = Line::new(&format!("── {frame} Working {}", "─".repeat(88)), 100);
        session.paint();
    }
    session.dock.lines[0] = Line::new(&format!("── ⠼ Working {}", "─".repeat(88)), 100);
    assert!(session.paint() <= 60);
    session.dock.lines[0] = Line::new(&format!("── ⠴ Working {} 3s ─", "─".repeat(82)), 100);
    assert!(session.paint() <= 80);
}

#[test]
fn what_a_frame_paints_is_bounded_by_the_screen() {
    let mut session = filled(10);
    let id = session.transcript.push(Block::new());
    let line = |number: usize| Line::new(&format!("row {number}"), 100);
    session.transcript.edit(id).expect("a block").push(Fixed::new((0..10_000).map(line).collect()));
    let bytes = session.paint();
    assert!(bytes <= 30 * 40, "{bytes} bytes for a block of 10,000 rows");
    assert!(session.terminal.picture().starts_with("↑ 9977 lines\nrow 9977\n"), "{}", session.terminal.picture());
    session.transcript.edit(id).expect("a block").finish();
    let bytes = session.paint();
    assert!(bytes <= 10_000 * 16 + 4096, "{bytes} bytes to commit 10,000 rows");
    let (rows, _) = session.terminal.rows();
    let numbers: Vec<&str> = rows.iter().filter_map(|row| row.text.strip_prefix("row ")).collect();
    let expected: Vec<String> = (0..10_000).map(|number| number.to_string()).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn a_flood_leaves_room_for_keys() {
    let mut session = filled(0);
    for block in 0..5000 {
        session.transcript.push(Block::finished(Text::new(format!("flood {block}"))));
    }
    let mut bytes = Vec::new();
    assert!(session.regular.paint(&mut session.transcript, &session.dock, &mut bytes), "there is more");
    assert!(bytes.len() <= 1000 * 20 + 2048, "{} bytes in one frame", bytes.len());
    session.terminal.write(&bytes);
    session.paint();
    let (rows, _) = session.terminal.rows();
    let numbers: Vec<&str> = rows.iter().filter_map(|row| row.text.strip_prefix("flood ")).collect();
    assert_eq!(numbers.len(), 5000);
    assert!(numbers.iter().enumerate().all(|(at, number)| *number == at.to_string()));
}

#[test]
fn a_long_session_begins_with_its_last_lines() {
    let mut session = Session::new(100, 30);
    for block in 0..5000 {
        session.transcript.push(Block::finished(Text::new(format!("block {block}\nsecond line"))));
    }
    session.transcript.begin_with_last(0, 200, 100, |earlier| Line::new(&format!("{earlier} earlier messages"), 100));
    let bytes = session.paint();
    assert!(bytes <= 8192, "{bytes} bytes");
    let (rows, _) = session.terminal.rows();
    assert_eq!(rows[0].text, "4900 earlier messages");
    assert_eq!(rows[1].text, "block 4900");
    assert_eq!(rows[200].text, "second line");
}

#[test]
fn what_was_there_before_a_long_session_stays_above_it() {
    let mut session = Session::new(100, 30);
    session.transcript.push(Block::finished(Text::new("written")));
    session.paint();
    session.transcript.push(Block::finished(Text::new("on its way")));
    let from = session.transcript.len();
    for block in 0..5000 {
        session.transcript.push(Block::finished(Text::new(format!("block {block}\nsecond line"))));
    }
    // The first of them that has room is cut.
    session.transcript.begin_with_last(from, 201, 100, |earlier| Line::new(&format!("{earlier} earlier"), 100));
    session.transcript.push(Block::finished(Text::new("later")));
    session.paint();
    let (rows, _) = session.terminal.rows();
    let rows: Vec<&str> = rows.iter().take(205).map(|row| row.text.as_str()).collect();
    assert_eq!(rows[..5], ["written", "on its way", "4900 earlier", "second line", "block 4900"]);
    assert_eq!(rows[203..], ["second line", "later"]);
}

#[test]
fn a_short_session_is_written_as_a_whole() {
    let mut session = Session::new(100, 30);
    session.transcript.push(Block::finished(Text::new("one\ntwo")));
    session.transcript.begin_with_last(0, 2, 100, |earlier| Line::new(&format!("{earlier} earlier"), 100));
    session.paint();
    let (rows, _) = session.terminal.rows();
    assert_eq!([rows[0].text.as_str(), rows[1].text.as_str()], ["one", "two"]);
}
