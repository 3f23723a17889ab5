//! Output that is only ever added to: for terminals that cannot move their cursor, and for screen readers.

use super::line::Line;
use super::transcript::Transcript;

/// How many lines are written at once at most.
const BUDGET: usize = 1000;

/// Writes the lines of a transcript one after the other, as they become final. Nothing is ever written over, and nothing
/// moves.
#[derive(Debug, Clone, Copy)]
pub struct Plain {
    /// Whether lines keep their colours and links.
    pub colors: bool,
    /// The columns that lines are wrapped at.
    pub columns: usize,
}

impl Plain {
    /// Adds what has become final since the last time to `out`: finished blocks, and the settled parts of the one after
    /// them. A block that has a label begins with it, in a line of its own. True if there is more.
    pub fn paint(&self, transcript: &mut Transcript, out: &mut Vec<u8>) -> bool {
        for _ in 0..BUDGET {
            let Some(taken) = transcript.take(self.columns, true) else { return false };
            let label = taken.begins.and_then(|block| transcript.look_at(block)).and_then(|block| block.label());
            if let Some(label) = label {
                self.line(&Line::new(&format!("{label}:"), self.columns), out);
            }
            self.line(&taken.line, out);
        }
        true
    }

    /// Adds one line to `out`: a question, a choice.
    pub fn line(&self, line: &Line, out: &mut Vec<u8>) {
        if self.colors {
            out.extend_from_slice(line.as_str().as_bytes());
        } else {
            out.extend_from_slice(line.plain().as_bytes());
        }
        out.extend_from_slice(b"\r\n");
    }
}
