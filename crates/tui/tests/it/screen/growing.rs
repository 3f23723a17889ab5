//! A message that grows on a terminal whose size changes meanwhile.

use tau_tui::blocks::{Growing, Kind};
use tau_tui::look::{Look, SharedLook};
use tau_tui::screen::{Block, Features, Position, Reflow, Regular, Resized, Size, Start, Transcript};
use tau_tui::style::{ColorDepth, Styles};
use tau_view::theme::ColorTheme;

use super::models::{Alacritty, Terminal, Vt100};
use super::world::dock;

const WORDS: usize = 600;

/// One after another; the height stays.
const WIDTHS: &[(usize, usize)] = &[(60, 20), (34, 20), (80, 20), (21, 20), (47, 20)];

/// Words in paragraphs, lists and code, each with its number.
fn source() -> Vec<String> {
    let between = |word: usize| match word % 97 {
        30 => "\n\n- ",
        31..=50 if word.is_multiple_of(5) => "\n- ",
        51 => "\n\n```\n",
        52..=70 if word.is_multiple_of(5) => "\n",
        71 => "\n```\n\n",
        _ if word.is_multiple_of(41) => "\n\n",
        _ => " ",
    };
    (0..WORDS).map(|word| format!("w{word};{}", between(word))).collect()
}

/// The numbers of the words on the screen and above it, in their order.
fn numbers(text: &str) -> Vec<usize> {
    text.split('w').filter_map(|word| word.split_once(';')?.0.parse().ok()).collect()
}

/// Grows a message while the terminal takes these sizes. With `late` frames come in between that were painted for the size
/// before.
fn grows<T: Terminal>(sizes: &[(usize, usize)], late: bool) {
    let theme = ColorTheme::builtin("dark").expect("a theme");
    let look = SharedLook::new(Look::plain(Styles::new(&theme, ColorDepth::True)));
    let mut size = Size::new(60, 20);
    let mut terminal = T::new(size);
    let reflow = if T::reflows() { Reflow::Yes } else { Reflow::No };
    let start = Start::At(Position { row: 0, column: 0 });
    let mut regular = Regular::new(size, Features { reflow, ..Features::default() }, start);
    let mut transcript = Transcript::new();
    let id = transcript.push(Block::new());
    let mut growing = Some(Growing::new(look, Kind::Answer));
    let source = source();
    for (frame, words) in source.chunks(7).enumerate() {
        if frame % 17 == 16 {
            let (columns, rows) = sizes[frame / 17 % sizes.len()];
            size = Size::new(columns, rows);
            terminal.resize(size);
            if late {
                let message = growing.as_mut().expect("a message");
                message.update(transcript.edit(id).expect("a block"), size.columns);
                paint(&mut regular, &mut transcript, &mut terminal);
                regular.repeat(size);
            }
            if regular.resize(size) == Resized::Settle {
                let cursor = terminal.cursor();
                regular.settle(Some(cursor));
            }
        }
        let message = growing.as_mut().expect("a message");
        message.push(&words.concat());
        if late && frame % 17 == 15 {
            continue;
        }
        message.update(transcript.edit(id).expect("a block"), size.columns);
        paint(&mut regular, &mut transcript, &mut terminal);
    }
    let whole = growing.take().expect("a message").finish(transcript.edit(id).expect("a block"), size.columns);
    transcript.reshape(id, vec![whole]);
    paint(&mut regular, &mut transcript, &mut terminal);
    let (rows, _) = terminal.rows();
    let written = numbers(&rows.iter().map(|row| row.text.trim()).collect::<String>());
    let mut next = 0;
    for word in &written {
        assert!(*word <= next, "w{next} is missing before w{word}");
        next = next.max(word + 1);
    }
    assert_eq!(next, WORDS, "the last words are there");
    let again = written.len() - WORDS;
    let most = if late { 5 * 300 } else { 4 * 80 };
    assert!(again <= most, "{again} words are there twice, after {} resizes", source.len() / 7 / 17);
}

fn paint<T: Terminal>(regular: &mut Regular, transcript: &mut Transcript, terminal: &mut T) {
    loop {
        let mut bytes = Vec::new();
        let more = regular.paint(transcript, &dock(3, "typed", 0, false, 20), &mut bytes);
        terminal.write(&bytes);
        if !more {
            return;
        }
    }
}

#[test]
fn no_word_is_lost_where_lines_are_wrapped_again() {
    grows::<Alacritty>(WIDTHS, false);
}

#[test]
fn no_word_is_lost_where_lines_are_cut() {
    grows::<Vt100>(WIDTHS, false);
}

/// A terminal that gets smaller drops rows under the cursor, as tmux does, and may read what was written before that later.
#[test]
fn no_word_is_lost_when_frames_come_after_the_height_has_changed() {
    grows::<Alacritty>(&[(60, 20), (60, 19), (60, 18), (60, 17), (60, 16), (60, 30)], true);
    grows::<Alacritty>(&[(60, 20), (60, 12), (60, 25), (60, 9), (60, 30), (60, 14)], true);
}
