//! Kitty's graphics protocol. Terminals are asked not to answer (`q=2`): an answer would come as a key.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Fit;

/// How much of an image one sequence holds, in characters of base64.
const CHUNK: usize = 4096;

/// A part of an image, as rows of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Band {
    /// The first row.
    pub(crate) from: u16,
    /// How many rows.
    pub(crate) rows: u16,
}

/// Sequences that send a PNG under an id, as one piece each; the first one says `control` too.
fn sent(id: u32, png: &[u8], control: &str) -> Vec<String> {
    let text = STANDARD.encode(png);
    let mut rest = text.as_str();
    let mut pieces = Vec::with_capacity(text.len() / CHUNK + 1);
    loop {
        let (chunk, after) = rest.split_at(CHUNK.min(rest.len()));
        let more = u8::from(!after.is_empty());
        pieces.push(if pieces.is_empty() {
            format!("\x1b_G{control},f=100,i={id},q=2,m={more};{chunk}\x1b\\")
        } else {
            format!("\x1b_Gq=2,m={more};{chunk}\x1b\\")
        });
        if after.is_empty() {
            return pieces;
        }
        rest = after;
    }
}

/// Sends a PNG under an id; nothing is shown.
pub(crate) fn send(id: u32, png: &[u8]) -> String {
    sent(id, png, "a=t").concat()
}

/// Sends a PNG under an id through tmux, with a size in cells for the placeholders that show it.
pub(crate) fn send_for_placeholders(id: u32, png: &[u8], fit: Fit) -> String {
    let control = format!("a=T,U=1,c={},r={}", fit.columns, fit.rows);
    sent(id, png, &control).iter().map(|piece| super::passed::passed(piece)).collect()
}

/// Shows a part of an image that was sent, of so many pixels, with its first row where the cursor is, which stays. The
/// same id of a placement moves it.
pub(crate) fn place(id: u32, placement: u32, (width, height): (u32, u32), fit: Fit, band: Band) -> String {
    let mut sequence =
        format!("\x1b_Ga=p,i={id},p={placement},c={},r={},C=1,q=2", fit.columns, band.rows.min(fit.rows));
    if band.rows < fit.rows {
        let pixels = |row: u16| (u64::from(height) * u64::from(row) / u64::from(fit.rows.max(1))) as u32;
        let (top, end) = (pixels(band.from), pixels(band.from + band.rows));
        // Writing to a string cannot fail.
        let _ = write!(sequence, ",x=0,y={top},w={width},h={}", (end - top).max(1));
    }
    sequence + "\x1b\\"
}

/// Takes a placement off the screen; the data stay.
pub(crate) fn unplace(id: u32, placement: u32) -> String {
    format!("\x1b_Ga=d,d=i,i={id},p={placement},q=2\x1b\\")
}

/// Takes an image off the screen, and gives its data up.
pub(crate) fn forget(id: u32) -> String {
    format!("\x1b_Ga=d,d=I,i={id},q=2\x1b\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIT: Fit = Fit { columns: 10, rows: 4 };

    #[test]
    fn data_are_sent_in_pieces_that_say_whether_more_follow() {
        assert_eq!(send(7, b"PNG"), "\x1b_Ga=t,f=100,i=7,q=2,m=0;UE5H\x1b\\");
        let pieces = sent(7, &[0; 7000], "a=t");
        let data: Vec<&str> =
            pieces.iter().map(|piece| piece.split_once(';').expect("data").1.trim_end_matches("\x1b\\")).collect();
        assert_eq!(data.iter().map(|data| data.len()).collect::<Vec<_>>(), [4096, 4096, 1144]);
        assert_eq!(STANDARD.decode(data.concat()).expect("base64"), vec![0; 7000]);
        let more: Vec<bool> = pieces.iter().map(|piece| piece.contains("m=1")).collect();
        assert_eq!(more, [true, true, false]);
        assert!(pieces[1].starts_with("\x1b_Gq=2,m=1;") && pieces[0].starts_with("\x1b_Ga=t,f=100,i=7,q=2,m=1;"));
        // A whole number of pieces has no empty one at its end.
        assert_eq!(sent(7, &[0; 3072], "a=t").len(), 1);
    }

    #[test]
    fn a_part_of_an_image_is_cut_out_of_it() {
        let whole = Band { from: 0, rows: 4 };
        assert_eq!(place(7, 1, (100, 80), FIT, whole), "\x1b_Ga=p,i=7,p=1,c=10,r=4,C=1,q=2\x1b\\");
        let part = Band { from: 1, rows: 2 };
        assert_eq!(place(7, 1, (100, 82), FIT, part), "\x1b_Ga=p,i=7,p=1,c=10,r=2,C=1,q=2,x=0,y=20,w=100,h=41\x1b\\");
        assert_eq!(unplace(7, 1), "\x1b_Ga=d,d=i,i=7,p=1,q=2\x1b\\");
        assert_eq!(forget(7), "\x1b_Ga=d,d=I,i=7,q=2\x1b\\");
    }

    #[test]
    fn tmux_passes_each_piece_on() {
        let bytes = send_for_placeholders(7, &[0; 3073], FIT);
        let pieces: Vec<&str> = bytes.split_inclusive("\x1b\\\x1b\\").collect();
        assert_eq!(pieces.len(), 2, "{bytes:?}");
        assert!(pieces[0].starts_with("\x1bPtmux;\x1b\x1b_Ga=T,U=1,c=10,r=4,f=100,i=7,q=2,m=1;"), "{bytes:?}");
        assert_eq!(pieces[1], "\x1bPtmux;\x1b\x1b_Gq=2,m=0;AA==\x1b\x1b\\\x1b\\");
    }
}
