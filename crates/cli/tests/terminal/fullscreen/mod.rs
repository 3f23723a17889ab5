//! Full-screen mode: the whole conversation in a window over the editor.

mod keys;
mod leaving;
mod mode;
mod pointer;
mod reading;
mod selecting;

use super::Seat;
use crate::place::Place;

/// The sizes that everything must work in.
const SIZES: [(u16, u16); 2] = [(100, 30), (40, 20)];

/// tau in full-screen mode, ready for a prompt.
fn full(place: Place, script: &str, size: (u16, u16)) -> Seat {
    full_with(place, script, &[], size, &[])
}

fn full_with(place: Place, script: &str, more: &[&str], size: (u16, u16), variables: &[(&str, &str)]) -> Seat {
    let args = [&["--tui-mode", "fullscreen"], more].concat();
    let mut seat = Seat::with_variables(place, script, &args, size, variables);
    seat.is_ready();
    seat
}

/// An answer of so many lines, each with its number.
fn long_answer(lines: usize) -> String {
    let lines: Vec<String> = (1..=lines).map(|line| format!("line {line} of it")).collect();
    format!("replies: [\"{}\", Second., Third.]", lines.join("\\n\\n"))
}

/// Sends a prompt and waits for the end of the run.
fn answered(seat: &mut Seat, prompt: &str, end: &str) {
    seat.submits(prompt);
    seat.until("the answer", |screen| screen.contains(end) && !screen.contains("Working"));
}

/// The row and the column of a text.
fn place_of(seat: &Seat, text: &str) -> (usize, usize) {
    let rows = seat.rows();
    let found = rows.iter().enumerate().find_map(|(row, line)| Some((row, line[..line.find(text)?].chars().count())));
    found.unwrap_or_else(|| panic!("{text} is not there:\n{}", rows.join("\n")))
}

/// What a terminal reports of the mouse: a code of a button, and whether it was let go.
fn report(seat: &mut Seat, code: u16, (row, column): (usize, usize), is_up: bool) {
    seat.types(&format!("\x1b[<{code};{};{}{}", column + 1, row + 1, if is_up { 'm' } else { 'M' }));
}

const LEFT: u16 = 0;
const DRAG: u16 = 32;
const WHEEL_UP: u16 = 64;
const WHEEL_DOWN: u16 = 65;
const ALT: u16 = 8;

fn click(seat: &mut Seat, at: (usize, usize)) {
    clicks(seat, at, 1);
}

/// So many clicks in one place, as fast as they can be.
fn clicks(seat: &mut Seat, (row, column): (usize, usize), count: usize) {
    let place = format!("{};{}", column + 1, row + 1);
    seat.types(&format!("\x1b[<0;{place}M\x1b[<0;{place}m").repeat(count));
}

fn drag(seat: &mut Seat, from: (usize, usize), to: (usize, usize)) {
    report(seat, LEFT, from, false);
    report(seat, DRAG, to, false);
    report(seat, LEFT, to, true);
}

/// Whether a text was sent to the clipboard of the terminal.
fn is_copied(seat: &Seat, text: &str) -> bool {
    use base64::Engine as _;
    let sent = format!("\x1b]52;c;{}", base64::engine::general_purpose::STANDARD.encode(text));
    String::from_utf8_lossy(&seat.bytes).contains(&sent)
}

/// Waits until a text was sent to the clipboard of the terminal.
fn copies(seat: &mut Seat, text: &str) {
    seat.until_true(&format!("a copy of {text:?}"), |seat| is_copied(seat, text));
}
