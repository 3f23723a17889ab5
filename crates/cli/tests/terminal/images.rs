//! Images of results and prompts, in terminals that show them and in others.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Seat;
use crate::place::Place;

const KITTY: (&str, &str) = ("KITTY_WINDOW_ID", "1");
const ITERM: (&str, &str) = ("TERM_PROGRAM", "iTerm.app");

/// A picture of one pixel, as GIF.
const DOT: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/// A picture of 90 by 36 pixels, which are ten columns and two rows, as BMP.
fn bitmap() -> Vec<u8> {
    let (width, height) = (90u32, 36u32);
    let row = (width * 3).next_multiple_of(4);
    let mut file = b"BM".to_vec();
    for number in [54 + row * height, 0, 54, 40, width, height, 1 | (24 << 16), 0, row * height, 0, 0, 0, 0] {
        file.extend(number.to_le_bytes());
    }
    file.resize((54 + row * height) as usize, 0x7f);
    file
}

/// tau that reads a file in a terminal with these variables.
fn reading(name: &str, bytes: &[u8], variables: &[(&str, &str)]) -> Seat {
    let place = Place::new();
    place.write(&format!("work/{name}"), bytes);
    let script = format!("replies:\n  - [{{tool_call: {{name: read, arguments: {{path: {name}}}}}}}]\n  - Seen.");
    let mut seat = Seat::with(place, &script, &["look"], variables);
    seat.shows("Seen.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat
}

fn written(seat: &Seat) -> String {
    String::from_utf8_lossy(&seat.bytes).into_owned()
}

#[test]
fn a_result_has_its_image_once_and_the_pager_takes_its_own_away() {
    let mut seat = reading("picture.bmp", &bitmap(), &[KITTY]);
    seat.until_true("the image", |seat| written(seat).contains(",c=10,r=2,C=1,q=2\x1b\\"));
    let bytes = written(&seat);
    assert_eq!(bytes.matches("\x1b_Ga=t,f=100,i=").count(), 1);
    assert_eq!(bytes.matches(",c=10,r=2,C=1,q=2\x1b\\").count(), 1, "{bytes:?}");
    let data = bytes.split("\x1b_G").nth(1).and_then(|sequence| sequence.split_once(';')).expect("the data").1;
    let data = data.split_once("\x1b\\").expect("its end").0;
    assert!(STANDARD.decode(data).is_ok_and(|data| data.starts_with(b"\x89PNG")), "{data}");
    assert!(!seat.rows().join("\n").contains("[Image: "));
    // What comes later does not send it again.
    seat.types("some text");
    seat.shows("some text");
    assert_eq!(written(&seat).matches("a=t,f=100").count(), 1);
    let before = seat.bytes.len();
    seat.types("\x03\x1b[5~");
    seat.shows("Transcript · ");
    let paged = String::from_utf8_lossy(&seat.bytes[before..]).into_owned();
    assert_eq!((paged.matches("a=t,f=100").count(), paged.matches("a=p,").count()), (1, 1), "{paged:?}");
    let before = seat.bytes.len();
    seat.types("q");
    seat.until("the editor", |screen| !screen.contains("Transcript · "));
    let left = String::from_utf8_lossy(&seat.bytes[before..]).into_owned();
    assert_eq!((left.matches("a=d,d=I,").count(), left.matches("a=t").count()), (1, 0), "{left:?}");
    seat.quits();
}

/// A tool and a message of an extension that draw an image.
const DRAWS: &str = "import { Image } from '@earendil-works/pi-tui';
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const image = () => new Image(dot, 'image/png', { fallbackColor: (text) => text }, { maxWidthCells: 10 });
    export default (pi) => {
        pi.registerTool({ name: 'looks', label: 'looks', description: 'looks', parameters: { type: 'object', properties: {} },
            execute: async () => ({ content: [{ type: 'text', text: 'seen' }], details: {} }), renderResult: image });
        pi.registerMessageRenderer('picture', image);
        pi.registerCommand('show', { description: 'shows', handler: async () => {
            pi.sendMessage({ customType: 'picture', content: 'a picture', display: true });
        }});
    };";

#[test]
fn what_an_extension_draws_of_a_block_can_be_an_image() {
    for (variables, how) in [
        (&[KITTY][..], Some("\x1b_Ga=t,f=100,i=")),
        (&[ITERM][..], Some("\x1b]1337;File=inline=1;size=70;width=1;height=1;")),
        (&[][..], None),
    ] {
        let place = Place::new();
        place.write("agent/extensions/draws.ts", DRAWS);
        let script = "replies:\n  - [{tool_call: {name: looks, arguments: {}}}]\n  - Seen.";
        let mut seat = Seat::with(place, script, &["look"], variables);
        seat.shows("Seen.");
        let count = |seat: &Seat, how: &str| written(seat).matches(how).count();
        let Some(how) = how else {
            seat.shows("[Image: [image/png] 1x1]");
            assert_eq!(count(&seat, "\x1b_G") + count(&seat, "1337;File"), 0);
            continue;
        };
        seat.until_true("the image of the result", |seat| count(seat, how) == 1);
        assert!(!seat.rows().join("\n").contains("[Image"), "{:?}", seat.rows());
        seat.submits("/show");
        seat.until_true("the image of the message", |seat| count(seat, how) == 2);
    }
}

#[test]
fn another_kind_is_converted_before_it_is_final() {
    let dot = STANDARD.decode(DOT).expect("a picture");
    let mut seat = reading("dot.gif", &dot, &[KITTY]);
    seat.until_true("the image", |seat| written(seat).contains(",c=1,r=1,C=1,q=2"));
    let bytes = written(&seat);
    assert!(bytes.contains("\x1b_Ga=t,f=100,i="), "{bytes:?}");
    assert!(bytes.contains(";iVBOR"), "it is a PNG: {bytes:?}");
}

#[test]
fn iterm_gets_the_file_itself() {
    let dot = STANDARD.decode(DOT).expect("a picture");
    let mut seat = reading("dot.gif", &dot, &[ITERM]);
    seat.until_true("the image", |seat| written(seat).contains("preserveAspectRatio=1:"));
    let bytes = written(&seat);
    let file = format!("]1337;File=inline=1;size={};width=1;height=1;preserveAspectRatio=1:{DOT}\x07", dot.len());
    assert_eq!(bytes.matches(&file).count(), 1, "{bytes:?}");
    assert!(!bytes.contains("\x1b_G"));
}

#[test]
fn elsewhere_a_text_says_what_it_is() {
    let dot = STANDARD.decode(DOT).expect("a picture");
    for variables in [&[][..], &[KITTY, ("PI_IMAGE_PROTOCOL", "none")], &[("TMUX", "x"), KITTY]] {
        let mut seat = reading("dot.gif", &dot, variables);
        seat.shows("[Image: dot.gif [image/gif] 1x1]");
        assert!(!written(&seat).contains("\x1b_G") && !written(&seat).contains("1337;File"));
    }
    // So it does where the user wants none.
    let place = Place::new();
    place.write("agent/settings.json", r#"{"terminal": {"showImages": false}}"#);
    place.write("work/dot.gif", &dot);
    let mut seat = Seat::with(place, "replies: [Seen.]", &["@dot.gif", "what is it?"], &[KITTY]);
    seat.shows("Seen.");
    seat.shows("[Image: [image/gif] 1x1]");
    assert!(!written(&seat).contains("\x1b_G"));
}

#[test]
fn a_prompt_shows_what_was_attached_and_so_does_a_session_that_is_opened_again() {
    let place = Place::new();
    place.write("work/dot.gif", STANDARD.decode(DOT).expect("a picture"));
    let mut seat = Seat::with(place, "replies: [Seen.]", &["@dot.gif", "what is it?"], &[KITTY]);
    seat.shows("Seen.");
    seat.until("the end of the run", |screen| !screen.contains("Working"));
    seat.until_true("the image of the prompt", |seat| written(seat).contains(",c=1,r=1,C=1,q=2"));
    seat.quits();
    let place = std::mem::replace(&mut seat.place, Place::new());
    let mut seat = Seat::with(place, "replies: []", &["-c"], &[KITTY]);
    seat.is_ready();
    seat.until_true("the image", |seat| written(seat).contains(",c=1,r=1,C=1,q=2"));
    seat.shows("Seen.");
    assert!(!seat.rows().join("\n").contains("[Image: "));
}
