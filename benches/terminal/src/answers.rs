//! What a usual terminal answers.

use vt100::{Callbacks, Screen};

/// Answers that wait to be typed.
#[derive(Default)]
pub struct Answers(pub Vec<u8>);

impl Answers {
    fn say(&mut self, answer: &str) {
        self.0.extend_from_slice(answer.as_bytes());
    }
}

impl Callbacks for Answers {
    fn unhandled_csi(
        &mut self,
        screen: &mut Screen,
        first: Option<u8>,
        second: Option<u8>,
        params: &[&[u16]],
        end: char,
    ) {
        let number = params.first().and_then(|param| param.first()).copied().unwrap_or_default();
        match (first, second, number, end) {
            (None, None, 0, 'c') => self.say("\x1b[?62;22c"),
            (None, None, 5, 'n') => self.say("\x1b[0n"),
            (None, None, 6, 'n') => {
                let (row, column) = screen.cursor_position();
                self.say(&format!("\x1b[{};{}R", row + 1, column + 1));
            }
            (None, None, 14, 't') => self.say("\x1b[4;480;800t"),
            (None, None, 16, 't') => self.say("\x1b[6;16;8t"),
            (Some(b'?'), Some(b'$'), mode, 'p') => {
                // Synchronized output is there, and off.
                self.say(&format!("\x1b[?{mode};{}$y", if mode == 2026 { 2 } else { 0 }));
            }
            _ => {}
        }
    }

    fn unhandled_osc(&mut self, _: &mut Screen, params: &[&[u8]]) {
        match params {
            [b"10", b"?"] => self.say("\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\"),
            [b"11", b"?"] => self.say("\x1b]11;rgb:1010/1010/1010\x1b\\"),
            [b"4", pairs @ ..] => {
                for pair in pairs.chunks_exact(2).filter(|pair| pair[1] == b"?") {
                    let index = String::from_utf8_lossy(pair[0]);
                    self.say(&format!("\x1b]4;{index};rgb:8080/8080/8080\x1b\\"));
                }
            }
            _ => {}
        }
    }
}
