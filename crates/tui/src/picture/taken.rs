//! Images in lines that components of extensions draw.
//!
//! A component writes the sequences of its images itself: Kitty's in the first line, and rows without anything after it;
//! iTerm2's in the last line, after a move up. They are taken out here as data, to be drawn as all images are, or replaced by a
//! text. Nothing else of the sequences is kept, and nothing of them is ever written.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The most that an image may have, in characters of base64.
const MOST: usize = 32 << 20;

/// The most rows and columns that are believed.
const CELLS: u16 = 500;

/// A part of what a component drew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A line, with whatever else is in it.
    Line(String),
    /// An image.
    Image(Taken),
}

/// An image that was taken out of lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Its id in Kitty's protocol: the same image comes with the same one.
    pub id: Option<u32>,
    /// The columns that it is meant to take, if that is said.
    pub columns: Option<u16>,
    /// The rows that it takes of the lines, at least one.
    pub rows: u16,
    /// Columns before it.
    pub left: u16,
    /// Its file; empty where it was only placed, by its id.
    pub data: Vec<u8>,
    /// Why there are no data, where there should be some.
    pub problem: Option<&'static str>,
}

/// Takes the images out of lines.
pub fn take(lines: &[impl AsRef<str>]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::with_capacity(lines.len());
    let mut skips: usize = 0;
    for line in lines {
        let line = line.as_ref();
        if skips > 0 && line.trim().is_empty() {
            skips -= 1;
            continue;
        }
        skips = 0;
        let Some((before, start, kind)) = begins(line) else {
            parts.push(Part::Line(line.to_owned()));
            continue;
        };
        let left = tau_view::width::visible_width(&without_moves(before));
        let left = u16::try_from(left).unwrap_or(u16::MAX).min(CELLS);
        match kind {
            Kind::Kitty => match kitty(start) {
                Some(taken) => {
                    skips = usize::from(taken.rows) - 1;
                    parts.push(Part::Image(Taken { left, ..taken }));
                }
                // A sequence that shows nothing, such as one that deletes.
                None => parts.push(Part::Line(before.to_owned())),
            },
            Kind::Iterm => {
                let taken = iterm(start);
                let up = moved_up(before).min(usize::from(CELLS) - 1);
                let blank = |part: &&Part| matches!(part, Part::Line(line) if line.trim().is_empty());
                let above = parts.iter().rev().take(up).take_while(blank).count();
                parts.truncate(parts.len() - above);
                let rows = u16::try_from(above + 1).unwrap_or(CELLS);
                parts.push(Part::Image(Taken { left, rows, ..taken }));
            }
        }
    }
    parts
}

enum Kind {
    Kitty,
    Iterm,
}

/// What stands before the first image of a line, and the sequence without what introduces it.
fn begins(line: &str) -> Option<(&str, &str, Kind)> {
    let kitty = line.find("\x1b_G").map(|at| (at, 3, Kind::Kitty));
    let iterm = line.find("\x1b]1337;File=").map(|at| (at, 12, Kind::Iterm));
    let (at, skipped, kind) = [kitty, iterm].into_iter().flatten().min_by_key(|(at, ..)| *at)?;
    Some((&line[..at], &line[at + skipped..], kind))
}

/// What stands before the end of a sequence, and behind it.
fn ended(text: &str) -> Option<(&str, &str)> {
    let end = text.find(['\x07', '\x1b'])?;
    let length = if text[end..].starts_with("\x1b\\") {
        2
    } else if text[end..].starts_with('\x07') {
        1
    } else {
        return None;
    };
    Some((&text[..end], &text[end + length..]))
}

/// An image of Kitty's protocol, from all the sequences that stand one behind the other.
fn kitty(mut text: &str) -> Option<Taken> {
    let mut taken = Taken { rows: 1, ..Taken::default() };
    let mut encoded = String::new();
    let (mut shows, mut is_png, mut is_first) = (false, false, true);
    while let Some((sequence, rest)) = ended(text) {
        let (control, data) = sequence.split_once(';').unwrap_or((sequence, ""));
        let value = |name: &str| control.split(',').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        let number = |name: &str| value(name).and_then(|text| text.parse::<u32>().ok());
        let cells = |name: &str| number(name).map(|cells| u16::try_from(cells).unwrap_or(CELLS).clamp(1, CELLS));
        if is_first || value("a").is_some() {
            shows |= matches!(value("a"), Some("T" | "p"));
            is_png |= value("f") == Some("100");
            taken.id = number("i").or(taken.id);
            taken.columns = cells("c").or(taken.columns);
            taken.rows = cells("r").unwrap_or(taken.rows);
        }
        is_first = false;
        if encoded.len() + data.len() > MOST {
            taken.problem = Some("it is too large");
        } else {
            encoded.push_str(data);
        }
        match rest.strip_prefix("\x1b_G") {
            Some(next) => text = next,
            None => break,
        }
    }
    if !shows {
        return None;
    }
    if !encoded.is_empty() && !is_png {
        taken.problem = Some("it is no PNG");
    }
    Some(with_data(taken, &encoded))
}

fn iterm(text: &str) -> Taken {
    let mut taken = Taken { rows: 1, ..Taken::default() };
    let Some((sequence, _)) = ended(text) else {
        return Taken { problem: Some("its sequence has no end"), ..taken };
    };
    let (control, data) = sequence.split_once(':').unwrap_or((sequence, ""));
    let value = |name: &str| control.split(';').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    taken.columns = value("width").and_then(|text| text.parse::<u16>().ok()).map(|columns| columns.clamp(1, CELLS));
    if data.len() > MOST {
        taken.problem = Some("it is too large");
    }
    with_data(taken, data)
}

fn with_data(taken: Taken, encoded: &str) -> Taken {
    if taken.problem.is_some() {
        return taken;
    }
    match STANDARD.decode(encoded) {
        Ok(data) => Taken { data, ..taken },
        Err(_) => Taken { problem: Some("its data are damaged"), ..taken },
    }
}

/// How many rows the cursor moves up at the end of a text.
fn moved_up(text: &str) -> usize {
    let Some(rest) = text.strip_suffix('A') else { return 0 };
    let Some((_, count)) = rest.rsplit_once("\x1b[") else { return 0 };
    if count.is_empty() { 1 } else { count.parse().unwrap_or(0) }
}

/// A text without a move up at its end.
fn without_moves(text: &str) -> String {
    match text.rsplit_once("\x1b[") {
        Some((before, _)) if moved_up(text) > 0 => before.to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn image(part: &Part) -> &Taken {
        match part {
            Part::Image(taken) => taken,
            Part::Line(line) => panic!("it is a line: {line:?}"),
        }
    }

    #[test]
    fn an_image_of_kitty_takes_the_empty_rows_behind_it() {
        // As pi-tui's component draws it: one sequence, or several of 4096 characters.
        let lines = ["text", "\x1b_Ga=T,f=100,q=2,C=1,c=10,r=3,i=42;UE5H\x1b\\", "", "", "", "after"];
        let parts = take(&lines);
        assert_eq!(parts.len(), 4, "{parts:?}");
        let expected = Taken { id: Some(42), columns: Some(10), rows: 3, data: b"PNG".to_vec(), ..Taken::default() };
        assert_eq!(*image(&parts[1]), expected);
        assert_eq!(parts[2..], [Part::Line(String::new()), Part::Line("after".to_owned())]);
        let pieces = "  \x1b_Ga=T,f=100,q=2,c=4,r=1,i=9,m=1;UE\x1b\\\x1b_Gm=0;5H\x1b\\";
        let taken = take(&[pieces]);
        assert_eq!(image(&taken[0]).data, b"PNG");
        assert_eq!((image(&taken[0]).left, image(&taken[0]).id), (2, Some(9)));
    }

    #[test]
    fn an_image_of_iterm_takes_the_rows_above_it() {
        let lines = ["text", "", "", "\x1b[2A\x1b]1337;File=inline=1;width=10;height=auto:UE5H\x07", "after"];
        let parts = take(&lines);
        let expected = Taken { columns: Some(10), rows: 3, data: b"PNG".to_vec(), ..Taken::default() };
        assert_eq!(parts.len(), 3, "{parts:?}");
        assert_eq!(*image(&parts[1]), expected);
        // Rows that hold something are not the image's.
        let parts = take(&["text", "\x1b[5A\x1b]1337;File=inline=1:UE5H\x1b\\"]);
        assert_eq!((parts.len(), image(&parts[1]).rows), (2, 1));
    }

    #[test]
    fn what_shows_nothing_is_left_out_and_what_is_damaged_says_so() {
        assert_eq!(take(&["a\x1b_Ga=d,d=I,i=3\x1b\\"]), [Part::Line("a".to_owned())]);
        for (line, problem) in [
            ("\x1b_Ga=T,f=24,s=1,v=1;AAAA\x1b\\", "it is no PNG"),
            ("\x1b_Ga=T,f=100;!!\x1b\\", "its data are damaged"),
            ("\x1b]1337;File=inline=1:UE5H", "its sequence has no end"),
        ] {
            let parts = take(&[line]);
            assert_eq!((image(&parts[0]).problem, image(&parts[0]).data.len()), (Some(problem), 0), "{line:?}");
        }
        // Numbers that nobody means are not believed.
        let parts = take(&["\x1b_Ga=T,f=100,r=4000000000,c=0,i=-1;\x1b\\", ""]);
        let taken = image(&parts[0]);
        assert_eq!((taken.rows, taken.columns, taken.id), (500, Some(1), None));
    }

    proptest! {
        #[test]
        fn no_line_makes_it_fail_or_passes_a_sequence_of_an_image_on(lines in prop::collection::vec(
            "(\x1b_G|\x1b\\]1337;File=|a=T|f=100|r=3|,|;|:|AAAA|\x1b\\\\|\x07|\x1b\\[2A| |x){0,12}", 0..6
        )) {
            for part in take(&lines) {
                if let Part::Line(line) = part {
                    prop_assert!(!line.contains("\x1b_G") && !line.contains("\x1b]1337;File="), "{line:?}");
                }
            }
        }
    }
}
