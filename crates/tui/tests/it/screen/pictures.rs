//! Screens as a user sees them.

use tau_tui::screen::{Block, Features, Position, Regular, Size, Start, Text, Transcript};

use super::models::{Alacritty, Terminal, Vt100};
use super::world::dock;

fn picture<T: Terminal>(columns: usize, rows: usize) -> (String, String) {
    let size = Size::new(columns, rows);
    let mut terminal = T::new(size);
    terminal.write(b"$ ls\r\nsrc  tests\r\n$ tau\r\n");
    let start = Start::At(Position { row: 3, column: 0 });
    let mut regular = Regular::new(size, Features::default(), start);
    let mut transcript = Transcript::new();
    let mut frame = |regular: &mut Regular, transcript: &mut Transcript, typed: &str| {
        let mut bytes = Vec::new();
        regular.paint(transcript, &dock(5, typed, 0, false, columns), &mut bytes);
        terminal.write(&bytes);
    };
    frame(&mut regular, &mut transcript, "");
    transcript.push(Block::finished(Text::new("> What is in this folder?\n")));
    let answer = transcript.push(Block::new());
    transcript.push(Block::finished(Text::new("$ cat Cargo.toml\n[package]\n")));
    let block = transcript.edit(answer).expect("a block");
    block.push(Text::new("The folder holds a crate: **src** has the sources, 你好, and tests are beside them.\n"));
    block.push(Text::new("- one\n- two\n- three"));
    block.settle(1);
    frame(&mut regular, &mut transcript, "next question");
    let live = terminal.picture();
    let mut frame = |regular: &mut Regular, transcript: &mut Transcript, typed: &str| {
        let mut bytes = Vec::new();
        regular.paint(transcript, &dock(5, typed, 0, false, columns), &mut bytes);
        terminal.write(&bytes);
    };
    transcript.edit(answer).expect("a block").finish();
    frame(&mut regular, &mut transcript, "");
    let (all, _) = terminal.rows();
    let all = all.iter().fold(String::new(), |picture, row| picture + &row.text + "\n");
    (live, all.trim_end().to_owned() + "\n")
}

fn both(columns: usize, rows: usize) -> (String, String) {
    let found = picture::<Alacritty>(columns, rows);
    assert_eq!(found, picture::<Vt100>(columns, rows));
    found
}

#[test]
fn a_wide_screen() {
    let (live, all) = both(100, 30);
    insta::assert_snapshot!("wide_live", live);
    insta::assert_snapshot!("wide_all", all);
}

#[test]
fn a_narrow_screen() {
    let (live, all) = both(40, 20);
    insta::assert_snapshot!("narrow_live", live);
    insta::assert_snapshot!("narrow_all", all);
}

#[test]
fn a_tiny_screen() {
    let (live, all) = both(20, 8);
    insta::assert_snapshot!("tiny_live", live);
    insta::assert_snapshot!("tiny_all", all);
}
