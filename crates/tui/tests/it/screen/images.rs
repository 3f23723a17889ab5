//! Images among the rows, on a terminal that knows Kitty's protocol, and the bytes of the other protocols.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use tau_tui::picture::{Fit, How, Image, Picture, Slice};
use tau_tui::screen::{
    Block, Cursor, Dock, Features, Fixed, Full, Line, Overlay, Regular, Scroll, Scrollbar, Size, Start, Transcript,
};

/// A part of an image on the screen: its first row of all rows there ever were, and which of its rows it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placement {
    row: usize,
    column: u16,
    columns: u16,
    rows: u16,
    /// The first pixel row that is shown, and how many are; none for all of them.
    crop: Option<(u32, u32)>,
}

/// A terminal that shows images.
struct Screen {
    text: vt100::Parser,
    /// What came of a sequence that is not complete.
    rest: String,
    images: BTreeMap<u32, Vec<u8>>,
    placed: BTreeMap<(u32, u32), Placement>,
    /// The image whose data come in pieces.
    open: Option<(u32, String)>,
    /// How many bytes of images came.
    sent: usize,
}

impl Screen {
    fn new(columns: u16, rows: u16) -> Self {
        let some = |count| NonZero::new(count).expect("there is room");
        Self {
            text: vt100::Parser::new(some(rows), some(columns), 100_000),
            rest: String::new(),
            images: BTreeMap::new(),
            placed: BTreeMap::new(),
            open: None,
            sent: 0,
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.rest.push_str(std::str::from_utf8(bytes).expect("text"));
        let text = std::mem::take(&mut self.rest);
        let mut rest = text.as_str();
        while let Some(at) = rest.find("\x1b_G") {
            self.text.process(&rest.as_bytes()[..at]);
            let (sequence, after) = rest[at + 3..].split_once("\x1b\\").expect("an end");
            self.graphics(sequence);
            rest = after;
        }
        assert!(!rest.contains("\x1b_"), "{rest:?}");
        self.text.process(rest.as_bytes());
    }

    fn graphics(&mut self, sequence: &str) {
        let (control, data) = sequence.split_once(';').unwrap_or((sequence, ""));
        let values: BTreeMap<&str, &str> = control.split(',').filter_map(|pair| pair.split_once('=')).collect();
        let number = |name: &str| values.get(name).map(|value| value.parse::<u32>().expect("a number"));
        assert_eq!(values.get("q"), Some(&"2"), "no answer is wanted: {control}");
        assert!(data.len() <= 4096);
        match values.get("a").copied() {
            Some("t") => {
                assert_eq!(values.get("f"), Some(&"100"));
                let id = number("i").expect("an id");
                // What has the id is replaced, with its placements.
                self.placed.retain(|(other, _), _| *other != id);
                self.open = Some((id, String::new()));
                self.data(data, number("m"));
            }
            None => self.data(data, number("m")),
            Some("p") => {
                let key = (number("i").expect("an id"), number("p").expect("a placement"));
                assert!(self.images.contains_key(&key.0), "the image is there: {control}");
                assert_eq!(values.get("C"), Some(&"1"), "the cursor stays");
                let (row, column) = self.text.screen().cursor_position();
                let cells = |name| u16::try_from(number(name).expect("cells")).expect("cells");
                let placement = Placement {
                    row: self.above() + usize::from(row),
                    column,
                    columns: cells("c"),
                    rows: cells("r"),
                    crop: number("y").zip(number("h")),
                };
                let (height, _) = self.text.screen().size();
                assert!(row + placement.rows <= height.get(), "it is on the screen: {control} at {row}");
                self.placed.insert(key, placement);
            }
            Some("d") => match values.get("d").copied() {
                Some("i") => {
                    let key = (number("i").expect("an id"), number("p").expect("a placement"));
                    assert!(self.placed.remove(&key).is_some(), "there was one: {control}");
                }
                Some("I") => {
                    let id = number("i").expect("an id");
                    self.placed.retain(|(other, _), _| *other != id);
                    self.images.remove(&id);
                }
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    fn data(&mut self, data: &str, more: Option<u32>) {
        self.sent += data.len();
        let (id, mut text) = self.open.take().expect("an image is sent");
        text.push_str(data);
        if more == Some(1) {
            self.open = Some((id, text));
        } else {
            self.images.insert(id, STANDARD.decode(text).expect("base64"));
        }
    }

    /// How many rows are in the scrollback.
    fn above(&mut self) -> usize {
        self.text.screen_mut().scrollback_len()
    }

    /// All rows there are, without spaces at their ends.
    fn rows(&mut self) -> Vec<String> {
        let above = self.above();
        let screen = self.text.screen_mut();
        let (_, columns) = screen.size();
        let mut rows = Vec::new();
        for at in (1..=above).rev() {
            screen.set_scrollback(at);
            rows.extend(screen.rows(0, columns.get()).next());
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, columns.get()));
        rows.iter().map(|row| row.trim_end().to_owned()).collect()
    }

    /// Which rows of an image are shown where, by the rows of all.
    fn shown(&self, size: u16) -> BTreeMap<usize, (Vec<u8>, u16)> {
        let mut shown = BTreeMap::new();
        for ((id, _), placement) in &self.placed {
            // A row of an image has ten pixels.
            let from = placement.crop.map_or(0, |(top, _)| u16::try_from(top / 10).expect("a row"));
            let rows = placement.crop.map_or(size, |(_, height)| u16::try_from(height / 10).expect("rows"));
            assert_eq!(placement.rows, rows, "{placement:?}");
            for row in 0..placement.rows {
                let before = shown.insert(placement.row + usize::from(row), (self.images[id].clone(), from + row));
                assert_eq!(before, None, "one lies over another: {:?}", self.placed);
            }
        }
        shown
    }
}

/// An image of so many rows of ten pixels, whose data are its name.
fn image(name: &str, rows: u16) -> Image {
    let image = Image::new(Some(name), "image/png", None, |_| {});
    let data: Arc<[u8]> = Arc::from(name.as_bytes());
    image.ready((40, u32::from(rows) * 10), &data);
    // As long as the test runs.
    std::mem::forget(data);
    image
}

fn picture(how: How, name: &str, rows: u16, left: u16) -> Vec<Line> {
    let picture = Picture::new(image(name, rows), how, Fit { columns: 4, rows }, left);
    (0..rows).map(|row| Line::picture(Slice { picture: Arc::clone(&picture), row })).collect()
}

/// A block with a line before its picture that names it, and one behind it.
fn lines(how: How, name: &str, rows: u16) -> Vec<Line> {
    let mut lines = vec![Line::new(&format!("before {name}"), 40)];
    lines.extend(picture(how, name, rows, 1));
    lines.push(Line::new(&format!("behind {name}"), 40));
    lines
}

fn dock(rows: usize) -> Dock {
    let lines = (0..rows).map(|row| Line::new(&format!("dock {row}"), 40)).collect();
    Dock::new(lines, Some(Cursor { row: 0, column: 2, visible: false }))
}

fn block(lines: Vec<Line>) -> Block {
    Block::finished(Fixed::new(lines))
}

/// The rows of each picture have the line before and the line behind around them, and are its rows.
fn check(screen: &mut Screen, rows: u16) {
    let (all, shown) = (screen.rows(), screen.shown(rows));
    let mut expected = BTreeMap::new();
    for (at, row) in all.iter().enumerate() {
        let Some(name) = row.strip_prefix("before ") else { continue };
        // On the alternate screen some of them may be beyond its edge.
        for part in 0..rows {
            expected.insert(at + 1 + usize::from(part), (name.as_bytes().to_vec(), part));
        }
        let behind = all.get(at + 1 + usize::from(rows)).map(String::as_str);
        assert_eq!(behind, Some(format!("behind {name}").as_str()), "{all:#?}");
    }
    assert_eq!(shown, expected, "{all:#?}");
}

#[test]
fn an_image_is_drawn_once_when_it_is_final_and_goes_with_its_rows() {
    let mut screen = Screen::new(40, 12);
    let mut painter = Regular::new(Size::new(40, 12), Features::default(), Start::Bottom);
    let mut transcript = Transcript::new();
    let mut paint = |transcript: &mut Transcript, screen: &mut Screen, dock: &Dock| {
        let mut out = Vec::new();
        painter.paint(transcript, dock, &mut out);
        screen.write(&out);
        String::from_utf8(out).expect("text")
    };
    let mut live = Block::new();
    live.push(Fixed::new(lines(How::Kitty, "one", 3)));
    let id = transcript.push(live);
    // Before it is final, it may still move and go.
    let bytes = paint(&mut transcript, &mut screen, &dock(2));
    assert!(bytes.contains("[Image: one [image/png] 40x30]") && !bytes.contains("\x1b_G"), "{bytes:?}");
    transcript.edit(id).expect("it is there").finish();
    let bytes = paint(&mut transcript, &mut screen, &dock(2));
    assert_eq!(bytes.matches("a=t,f=100").count(), 1, "{bytes:?}");
    assert!(bytes.contains(",c=4,r=3,C=1,q=2\x1b\\"), "{bytes:?}");
    check(&mut screen, 3);
    for number in 0..20 {
        transcript.push(block(vec![Line::new(&format!("line {number}"), 40)]));
        let bytes = paint(&mut transcript, &mut screen, &dock(2 + number % 3));
        assert!(!bytes.contains("\x1b_G"), "{bytes:?}");
        check(&mut screen, 3);
    }
    assert_eq!((screen.sent, screen.placed.len()), (4, 1));
}

#[test]
fn an_image_that_is_higher_than_the_screen_is_drawn_in_parts() {
    let mut screen = Screen::new(40, 8);
    let mut painter = Regular::new(Size::new(40, 8), Features::default(), Start::Bottom);
    let mut transcript = Transcript::new();
    transcript.push(block(lines(How::Kitty, "tall", 30)));
    let mut out = Vec::new();
    painter.paint(&mut transcript, &dock(2), &mut out);
    screen.write(&out);
    check(&mut screen, 30);
    assert_eq!(screen.images.len(), 1);
}

#[test]
fn data_that_are_gone_leave_the_text() {
    let gone = Image::new(Some("gone"), "image/png", Some((4, 5)), |_| {});
    gone.ready((4, 5), &Arc::from(&b"x"[..]));
    let picture = Picture::new(gone, How::Kitty, Fit { columns: 4, rows: 3 }, 0);
    let rows = (0..3).map(|row| Line::picture(Slice { picture: Arc::clone(&picture), row })).collect();
    let mut transcript = Transcript::new();
    transcript.push(block(rows));
    let mut screen = Screen::new(40, 8);
    let mut out = Vec::new();
    Regular::new(Size::new(40, 8), Features::default(), Start::Bottom).paint(&mut transcript, &dock(1), &mut out);
    screen.write(&out);
    let rows = screen.rows();
    let at = rows.iter().position(|row| row == "[Image: gone [image/png] 4x5]").expect("the text");
    assert_eq!(rows[at + 1..at + 4], ["", "", "dock 0"]);
}

#[test]
fn iterm_gets_a_whole_file_once_and_only_on_the_main_screen() {
    let mut transcript = Transcript::new();
    transcript.push(block(lines(How::Iterm, "one", 3)));
    let mut painter = Regular::new(Size::new(40, 12), Features::default(), Start::Bottom);
    let mut out = Vec::new();
    painter.paint(&mut transcript, &dock(1), &mut out);
    let bytes = String::from_utf8(out).expect("text");
    let file = "\x1b7\x1b]1337;File=inline=1;size=3;width=4;height=3;preserveAspectRatio=1:b25l\x07\x1b8";
    // Its rows are written, then it is drawn from the first one on.
    assert_eq!(bytes.matches("\x1b]1337").count(), 1);
    assert!(bytes.contains(&format!("before one\r\n\n\n\x1b[2A\x1b[2G{file}")), "{bytes:?}");
    let mut out = Vec::new();
    painter.paint(&mut transcript, &dock(2), &mut out);
    assert!(!out.windows(4).any(|window| window == b"1337"));
    let mut full = Full::new(Size::new(40, 12), Features::default());
    let mut out = Vec::new();
    full.paint(&mut transcript, &dock(1), None, &[], &mut out);
    let bytes = String::from_utf8(out).expect("text");
    assert!(!bytes.contains("1337") && bytes.contains("[Image: one [image/png] 40x30]"), "{bytes:?}");
}

#[test]
fn in_tmux_cells_are_characters_and_the_data_are_passed_on_once() {
    let mut transcript = Transcript::new();
    let mut live = Block::new();
    live.push(Fixed::new(lines(How::Placeholders, "one", 2)));
    let id = transcript.push(live);
    let mut painter = Regular::new(Size::new(40, 12), Features::default(), Start::Bottom);
    let mut all = String::new();
    let mut paint = |transcript: &mut Transcript, rows: usize| {
        let mut out = Vec::new();
        painter.paint(transcript, &dock(rows), &mut out);
        all.push_str(std::str::from_utf8(&out).expect("text"));
    };
    paint(&mut transcript, 1);
    paint(&mut transcript, 3);
    transcript.edit(id).expect("it is there").finish();
    paint(&mut transcript, 2);
    assert_eq!(all.matches("\x1bPtmux;").count(), 1, "{all:?}");
    let (_, sent) = all.split_once("\x1bPtmux;\x1b\x1b_Ga=T,U=1,c=4,r=2,f=100,i=").expect("the data");
    let (number, rest) = sent.split_once(',').expect("an id");
    assert!(rest.starts_with("q=2,m=0;b25l\x1b\x1b\\\x1b\\"), "{all:?}");
    let number: u32 = number.parse().expect("an id");
    let color = format!("\x1b[38;5;{}m\u{10eeee}\u{305}\u{305}", number & 0xff);
    assert!(all.contains(&color) || all.contains(&color.replace("38;5;", "3")), "{all:?}");
    assert_eq!(all.matches("\u{10eeee}").count() % 8, 0);
}

#[derive(Debug, Clone)]
enum Event {
    Push(bool),
    Dock(usize),
    Scroll(isize),
    Overlay(usize),
    Repaint,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => any::<bool>().prop_map(Event::Push),
        1 => (0usize..4).prop_map(Event::Dock),
        4 => (-9isize..9).prop_map(Event::Scroll),
        1 => (0usize..6).prop_map(Event::Overlay),
        1 => Just(Event::Repaint),
    ]
}

proptest! {
    #[test]
    fn whatever_comes_images_stand_in_their_rows_of_the_scrollback(
        pushes in prop::collection::vec((any::<bool>(), 0usize..4, 1usize..3), 1..12), rows in 4u16..20
    ) {
        let mut screen = Screen::new(40, rows);
        let mut painter = Regular::new(Size::new(40, rows.into()), Features::default(), Start::Bottom);
        let mut transcript = Transcript::new();
        for (number, (has_picture, height, frames)) in pushes.into_iter().enumerate() {
            let text = vec![Line::new(&format!("text {number}"), 40)];
            transcript.push(block(if has_picture { lines(How::Kitty, &number.to_string(), 5) } else { text }));
            for _ in 0..frames {
                let mut out = Vec::new();
                painter.paint(&mut transcript, &dock(height.min(usize::from(rows) - 1)), &mut out);
                screen.write(&out);
            }
        }
        let mut out = Vec::new();
        while painter.paint(&mut transcript, &dock(1), &mut out) {}
        screen.write(&out);
        check(&mut screen, 5);
    }

    #[test]
    fn whatever_comes_the_alternate_screen_shows_the_images_of_its_rows_and_no_others(
        events in prop::collection::vec(event(), 1..25), rows in 4u16..20
    ) {
        const HEIGHT: u16 = 5;
        let mut screen = Screen::new(40, rows);
        let mut painter = Full::new(Size::new(40, rows.into()), Features::default());
        painter.set_scrollbar(Scrollbar::Visible);
        let mut transcript = Transcript::new();
        let (mut height, mut covered) = (1, None);
        for (number, event) in events.into_iter().enumerate() {
            match event {
                Event::Push(true) => drop(transcript.push(block(lines(How::Kitty, &number.to_string(), HEIGHT)))),
                Event::Push(false) => drop(transcript.push(block(vec![Line::new(&format!("text {number}"), 40)]))),
                Event::Dock(rows_of_it) => height = rows_of_it.min(usize::from(rows) - 1),
                Event::Scroll(lines) => painter.scroll(&mut transcript, Scroll::Lines(lines)),
                Event::Overlay(row) => covered = (row > 0).then_some(row),
                Event::Repaint => painter.resize(Size::new(40, rows.into())),
            }
            let overlay = covered.map(|row| Overlay { lines: vec![Line::new("over", 4)], row, column: 10, width: 6, cursor: None });
            let mut out = Vec::new();
            painter.paint(&mut transcript, &dock(height), None, overlay.as_slice(), &mut out);
            screen.write(&out);
            // Which row of which picture stands in each row of the window.
            let mut expected = BTreeMap::new();
            for row in 0..usize::from(rows) - height {
                let Some((id, line)) = painter.at(&transcript, row) else { continue };
                let mut lines = Vec::new();
                transcript.edit(id).expect("it is there").lines(39, line..line + 1, &mut lines);
                let shown = format!("{:?}", lines[0]);
                if covered != Some(row) && shown.contains("Slice") {
                    expected.insert(row, u16::try_from(line - 1).expect("a row"));
                }
            }
            let shown: BTreeMap<usize, u16> =
                screen.shown(HEIGHT).into_iter().map(|(row, (_, part))| (row, part)).collect();
            prop_assert_eq!(&shown, &expected, "{:#?}", screen.rows());
            prop_assert!(screen.images.len() <= 16 + 4);
        }
        let mut out = Vec::new();
        painter.leave(&mut out);
        screen.write(&out);
        prop_assert!(screen.placed.is_empty() && screen.images.is_empty());
    }
}
