//! Prints what frames cost: `cargo run --release -p tau-tui --example frames`.

use std::time::Instant;

use tau_tui::screen::{
    Block, Cursor, Dock, Features, Full, Line, Position, Regular, Scroll, Size, Start, Text, Transcript,
};

const SIZE: Size = Size { columns: 100, rows: 30 };
const FRAMES: u32 = 1000;

fn dock(typed: &str) -> Dock {
    let rule = Line::new(&"─".repeat(SIZE.columns), SIZE.columns);
    let editor = Line::new(&format!("{typed}\x1b[7m \x1b[m"), SIZE.columns);
    let footer = Line::new("\x1b[2m~/project (main)        model", SIZE.columns);
    let cursor = Cursor { row: 1, column: typed.len().min(SIZE.columns - 1), visible: false };
    Dock::new(vec![rule.clone(), editor, rule, footer], Some(cursor))
}

fn transcript(blocks: usize) -> Transcript {
    let mut transcript = Transcript::new();
    for block in 0..blocks {
        let text = format!("message {block}\n\n{}", "some words of an answer ".repeat(16));
        transcript.push(Block::finished(Text::new(text)));
    }
    transcript
}

/// Microseconds and bytes of one of many frames.
fn measure(mut frame: impl FnMut(u32, &mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    let mut bytes = 0;
    let start = Instant::now();
    for number in 0..FRAMES {
        out.clear();
        frame(number, &mut out);
        bytes += out.len();
    }
    let micros = start.elapsed().as_secs_f64() * 1e6 / f64::from(FRAMES);
    format!("{micros:7.1} µs, {:5} bytes", bytes / FRAMES as usize)
}

fn main() {
    let features = Features { synchronized: true, ..Features::default() };
    for blocks in [0, 500, 5000, 10_000] {
        let mut transcript = transcript(blocks);
        let mut regular = Regular::new(SIZE, features, Start::At(Position { row: 0, column: 0 }));
        transcript
            .begin_with_last(0, 200, SIZE.columns, |earlier| Line::new(&format!("{earlier} earlier messages"), 100));
        let mut out = Vec::new();
        while regular.paint(&mut transcript, &dock(""), &mut out) {}

        let mut typed = String::new();
        let key = measure(|number, out| {
            if number % 80 == 0 {
                typed.clear();
            }
            typed.push('x');
            regular.paint(&mut transcript, &dock(&typed), out);
        });
        let id = transcript.push(Block::new());
        let mut paragraph = String::new();
        let token = measure(|number, out| {
            let block = transcript.edit(id).expect("it was just pushed");
            if number % 60 == 0 {
                block.settle(block.parts());
                block.push(Text::new(""));
                paragraph.clear();
            }
            paragraph.push_str("word ");
            block.replace(block.parts() - 1, vec![Box::new(Text::new(paragraph.clone()))]);
            regular.paint(&mut transcript, &dock(""), out);
        });
        let mut full = Full::new(SIZE, features);
        let opened = Instant::now();
        full.paint(&mut transcript, &dock(""), None, &[], &mut Vec::new());
        let opened = opened.elapsed().as_secs_f64() * 1e6;
        let scroll = measure(|number, out| {
            full.scroll(&mut transcript, Scroll::Lines(if number < FRAMES / 2 { -3 } else { 3 }));
            full.paint(&mut transcript, &dock(""), None, &[], out);
        });
        println!("{blocks:6} blocks: key {key}; token {token}; pager opens {opened:7.1} µs; scroll {scroll}");
    }
}
