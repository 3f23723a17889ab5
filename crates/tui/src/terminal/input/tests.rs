//! The decoder as a whole.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// A decoder with a clock that only tests move.
struct Typed {
    decoder: Decoder,
    now: Instant,
    events: Vec<Event>,
}

impl Typed {
    fn new() -> Self {
        Self { decoder: Decoder::new(Timing::default()), now: Instant::now(), events: Vec::new() }
    }

    fn read(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let events = &mut self.events;
        self.decoder.feed(bytes.as_ref(), self.now, &mut |event| events.push(event));
        self
    }

    fn wait(&mut self, milliseconds: u64) -> &mut Self {
        self.now += Duration::from_millis(milliseconds);
        let events = &mut self.events;
        self.decoder.expire(self.now, &mut |event| events.push(event));
        self
    }

    fn end(&mut self) -> Vec<Event> {
        let events = &mut self.events;
        self.decoder.finish(self.now, &mut |event| events.push(event));
        assert_eq!(self.decoder.deadline(), None);
        std::mem::take(&mut self.events)
    }

    fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}

fn read(bytes: impl AsRef<[u8]>) -> Vec<Event> {
    Typed::new().read(bytes).end()
}

fn key(raw: &str) -> Event {
    Event::Key(raw.to_owned())
}

fn keys(raw: &[&str]) -> Vec<Event> {
    raw.iter().map(|raw| key(raw)).collect()
}

fn paste(text: &str, kind: PasteKind) -> Event {
    Event::Paste(Paste { text: text.to_owned(), kind })
}

#[test]
fn characters_and_sequences_are_told_apart() {
    let cases: &[(&str, &[&str])] = &[
        ("aé世😀", &["a", "é", "世", "😀"]),
        ("\x03\x7f\t", &["\x03", "\x7f", "\t"]),
        ("\x1b[A\x1b[1;5C\x1b[3~", &["\x1b[A", "\x1b[1;5C", "\x1b[3~"]),
        ("\x1bOPx", &["\x1bOP", "x"]),
        ("\x1b[[Ax", &["\x1b[[A", "x"]),
        ("\x1b[7$\x1b[7^", &["\x1b[7$", "\x1b[7^"]),
        ("\x1ba\x1bé\x1b\r", &["\x1ba", "\x1bé", "\x1b\r"]),
        ("\x1b[97;5u\x1b[13;2u\x1b[27;5;9~", &["\x1b[97;5u", "\x1b[13;2u", "\x1b[27;5;9~"]),
        // An escape before something else: two keys.
        ("\x1b\x1b[27;1:3u", &["\x1b", "\x1b[27;1:3u"]),
        ("\x1b\x1b", &["\x1b", "\x1b"]),
        // A sequence that another one, or a key, breaks off.
        ("\x1b[1;\x1b[A", &["\x1b[1;", "\x1b[A"]),
        ("\x1b[1\x03", &["\x1b[1", "\x03"]),
        ("\x1bO\x1b[B", &["\x1bO", "\x1b[B"]),
        ("\x1b]x\x1bPz\x1b_z", &["\x1b]", "x", "\x1bP", "z", "\x1b_", "z"]),
        // With a code, then as a character: one key. Another character is another key.
        ("\x1b[97ua", &["\x1b[97u"]),
        ("\x1b[97uaa", &["\x1b[97u", "a"]),
        ("\x1b[97:65uab", &["\x1b[97:65u", "b"]),
        ("\x1b[97ub", &["\x1b[97u", "b"]),
        ("\x1b[97;1:3ua", &["\x1b[97;1:3u", "a"]),
        // An end without a paste is nothing.
        ("a\x1b[201~b", &["a", "b"]),
    ];
    for (bytes, expected) in cases {
        assert_eq!(read(bytes), keys(expected), "{bytes:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_replacement_characters() {
    let cases: &[(&[u8], &[&str])] = &[
        (b"a\xffb", &["a", "\u{fffd}", "b"]),
        (b"\xe4\xb8a", &["\u{fffd}", "a"]),
        (b"\xe4\xb8\xe4\xb8\x96", &["\u{fffd}", "世"]),
        (b"\xf0\x9f\x98\x1b[A", &["\u{fffd}", "\x1b[A"]),
        (b"\xc0\x80", &["\u{fffd}", "\u{fffd}"]),
        (b"\xed\xa0\x80", &["\u{fffd}", "\u{fffd}", "\u{fffd}"]),
        (b"\x1b\xc3a", &["\x1b", "\u{fffd}", "a"]),
        (b"\x1b\xffa", &["\x1b", "\u{fffd}", "a"]),
    ];
    for (bytes, expected) in cases {
        assert_eq!(read(bytes), keys(expected), "{bytes:?}");
    }
}

#[test]
fn reports_and_answers_are_no_keys() {
    let typed = read("\x1b[<0;3;4M\x1b[M !!\x1b[I\x1b[O\x1b[?62;4c\x1b]11;rgb:00/00/00\x07\x1b[?1;2x\x1b]52;c;\x07a");
    assert!(matches!(typed[0], Event::Mouse(Mouse { column: 2, row: 3, .. })));
    assert!(matches!(typed[1], Event::Mouse(Mouse { column: 0, row: 0, .. })));
    assert_eq!(typed[2..4], [Event::Focus(true), Event::Focus(false)]);
    assert_eq!(typed[4], Event::Reply(Reply::Attributes(vec![62, 4])));
    assert!(matches!(typed[5], Event::Reply(Reply::Background(_))));
    assert_eq!(typed[6..], [Event::Other("\x1b[?1;2x".into()), Event::Other("\x1b]52;c;\x07".into()), key("a")]);
}

#[test]
fn a_report_of_the_cursor_is_one_when_it_was_asked_for() {
    let mut typed = Typed::new();
    // ctrl+F3, as xterm sends it.
    assert_eq!(typed.read("\x1b[1;5R").end(), keys(&["\x1b[1;5R"]));
    typed.decoder.cursor_reports().expect();
    typed.read("\x1b[1;5R\x1b[1;5R");
    assert_eq!(typed.end(), [Event::Reply(Reply::Cursor { row: 0, column: 4 }), key("\x1b[1;5R")]);
    assert_eq!(typed.read("\x1b[20;5R").end(), [Event::Reply(Reply::Cursor { row: 19, column: 4 })]);
}

#[test]
fn an_escape_is_a_key_when_nothing_follows_in_time() {
    let mut typed = Typed::new();
    typed.read("\x1b");
    assert_eq!(typed.decoder.deadline(), Some(typed.now + Duration::from_millis(10)));
    assert_eq!(typed.wait(9).take(), []);
    assert_eq!(typed.wait(1).take(), keys(&["\x1b"]));
    assert_eq!(typed.decoder.deadline(), None);
    assert_eq!(typed.read("[A").take(), keys(&["[", "A"]));
    // What was there in time is one sequence, however late it is read.
    typed.read("\x1b");
    typed.now += Duration::from_secs(1);
    assert_eq!(typed.read("[A").take(), keys(&["\x1b[A"]));
}

#[test]
fn other_beginnings_wait_longer_and_answers_longest() {
    for (beginning, milliseconds, expected) in [
        ("\x1b[", 50, vec![key("\x1b[")]),
        ("\x1bO", 50, vec![key("\x1bO")]),
        ("\x1b]", 50, vec![key("\x1b]")]),
        ("\x1b[1;5", 50, vec![key("\x1b[1;5")]),
        ("\x1b[?62", 150, vec![Event::Other("\x1b[?62".into())]),
        ("\x1b[<0;1", 150, vec![Event::Other("\x1b[<0;1".into())]),
        ("\x1b]11;rgb:0", 150, vec![Event::Other("\x1b]11;rgb:0".into())]),
        ("\x1bP>|x\x1b", 150, vec![Event::Other("\x1bP>|x\x1b".into())]),
    ] {
        let mut typed = Typed::new();
        typed.read(beginning).wait(milliseconds - 1);
        assert_eq!(typed.take(), [], "{beginning:?}");
        assert_eq!(typed.wait(1).take(), expected, "{beginning:?}");
    }
    let mut typed = Typed::new();
    assert_eq!(typed.read(b"\xe4\xb8").wait(49).take(), []);
    assert_eq!(typed.wait(1).take(), keys(&["\u{fffd}"]));
}

#[test]
fn an_answer_in_pieces_is_swallowed_as_a_whole() {
    let mut typed = Typed::new();
    for piece in ["\x1b[", "?6", "2;22", "c"] {
        typed.read(piece).wait(40);
    }
    for piece in ["\x1b]1", "1;rgb:ffff", "/ffff/ffff", "\x1b", "\\"] {
        typed.read(piece).wait(140);
    }
    let events = typed.take();
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events.iter().all(|event| matches!(event, Event::Reply(_))), "{events:?}");
}

#[test]
fn a_key_breaks_an_answer_off_that_does_not_end() {
    assert_eq!(read("\x1b]11;rgb:0\x03"), [Event::Other("\x1b]11;rgb:0".into()), key("\x03")]);
    assert_eq!(read("\x1b]11;x\x1b[A"), [Event::Other("\x1b]11;x".into()), key("\x1b[A")]);
}

#[test]
fn sequences_without_an_end_are_dropped_and_kept_in_no_memory() {
    let mut long = b"\x1b]11;".to_vec();
    long.resize(10_000_000, b'a');
    let mut typed = Typed::new();
    typed.read(&long).read("aa\x1b\\b");
    assert_eq!(typed.take(), keys(&["b"]));
    typed.read(format!("\x1b[{}", "1".repeat(1_000_000))).read("1Ab");
    assert_eq!(typed.take(), keys(&["b"]));
    // Nor does one take what is typed later.
    typed.read(&long).wait(150).read("b");
    assert_eq!(typed.take(), keys(&["b"]));
    typed.read(&long).read("\x03");
    assert_eq!(typed.take(), keys(&["\x03"]));
}

#[test]
fn a_paste_is_one_event_with_whatever_is_in_it() {
    let text = "one\rtwo\x03\x1b[A\x1b]11;rgb:0/0/0\x07\x1b[?1c\x1b[200~é";
    let typed = read(format!("a\x1b[200~{text}\x1b[201~b"));
    assert_eq!(typed, [key("a"), paste(text, PasteKind::Bracketed), key("b")]);
    assert_eq!(typed[1].raw(), Some(format!("\x1b[200~{text}\x1b[201~")));
    assert_eq!(read(b"\x1b[200~\xff\x1b[201~"), [paste("\u{fffd}", PasteKind::Bracketed)]);
    let empty = paste("", PasteKind::Bracketed);
    assert_eq!(read("\x1b[200~\x1b[201~\x1b[200~\x1b[201~"), [empty.clone(), empty]);
}

#[test]
fn a_paste_of_ten_megabytes_is_one_event() {
    let text = "some text in a line\r".repeat(500_000);
    let mut typed = Typed::new();
    typed.read("\x1b[200~");
    for piece in text.as_bytes().chunks(1000) {
        typed.read(piece);
    }
    typed.read("\x1b[201~").wait(5);
    assert_eq!(typed.take(), [paste(&text, PasteKind::Bracketed)]);
}

#[test]
fn a_paste_that_is_too_long_is_cut() {
    let piece = "x".repeat(1 << 20);
    let mut typed = Typed::new();
    typed.read("\x1b[200~");
    for _ in 0..33 {
        typed.read(&piece);
    }
    let events = typed.read("\x1b[201~b").end();
    let [Event::Paste(Paste { text, kind: PasteKind::Cut }), Event::Key(key)] = events.as_slice() else {
        panic!("{} events", events.len())
    };
    assert_eq!((text.len(), key.as_str()), (32 << 20, "b"));
}

#[test]
fn text_that_holds_the_end_of_a_paste_does_not_submit_itself() {
    let expected = [paste("onerm -rf\rtwo", PasteKind::Bracketed)];
    let bytes = "\x1b[200~one\x1b[201~rm -rf\rtwo\x1b[201~";
    assert_eq!(Typed::new().read(bytes).wait(5).take(), expected);
    let mut typed = Typed::new();
    for byte in bytes.bytes() {
        typed.read([byte]).wait(4);
    }
    assert_eq!(typed.wait(1).take(), expected);
    // Another paste is another paste.
    let typed = read("\x1b[200~one\x1b[201~x\x1b[200~two\x1b[201~");
    assert_eq!(typed, [paste("one", PasteKind::Bracketed), key("x"), paste("two", PasteKind::Bracketed)]);
    // After it, keys are keys soon.
    let mut typed = Typed::new();
    typed.read("\x1b[200~one\x1b[201~\r").wait(5);
    assert_eq!(typed.take(), [paste("one", PasteKind::Bracketed), key("\r")]);
}

#[test]
fn keys_after_a_paste_are_not_held_for_ever() {
    let mut typed = Typed::new();
    typed.read("\x1b[200~one\x1b[201~");
    for _ in 0..250 {
        typed.read("x").wait(4);
    }
    let events = typed.take();
    assert_eq!(events[0], paste("one", PasteKind::Bracketed));
    assert!(events.len() > 200, "{}", events.len());
}

#[test]
fn a_paste_without_an_end_is_one_after_a_second() {
    let mut typed = Typed::new();
    typed.read("\x1b[200~one\r\x1b[20").wait(999);
    assert_eq!(typed.take(), []);
    assert_eq!(typed.wait(1).take(), [paste("one\r\x1b[20", PasteKind::Unterminated)]);
    assert_eq!(typed.read("x\r").wait(10).take(), keys(&["x", "\r"]));
    // Its end is nothing any more.
    assert_eq!(typed.read("\x1b[201~y").take(), keys(&["y"]));
    assert_eq!(read("\x1b[200~one"), [paste("one", PasteKind::Unterminated)]);
}

#[test]
fn several_lines_at_once_are_a_paste() {
    let mut typed = Typed::new();
    assert_eq!(typed.read("one\rtwo\r").take(), []);
    assert_eq!(typed.wait(20).take(), [paste("one\rtwo\r", PasteKind::Burst)]);
    // The rest comes in more reads, and may be a line end alone.
    typed.read("one\rtwo").wait(19).read("\r").wait(19).read(b"thr\xc3").wait(19).read(b"\xa9e");
    assert_eq!(typed.take(), []);
    assert_eq!(typed.wait(20).take(), [paste("one\rtwo\rthrée", PasteKind::Burst)]);
    // Keys end it.
    typed.read("one\ntwo\x1b[A");
    assert_eq!(typed.end(), keys(&["o", "n", "e", "\n", "t", "w", "o", "\x1b[A"]));
    typed.read("one\ntwo").read("three\x03");
    assert_eq!(typed.take(), [paste("one\ntwothree", PasteKind::Burst), key("\x03")]);
}

#[test]
fn one_line_with_its_end_is_typed() {
    let mut typed = Typed::new();
    assert_eq!(typed.read("go\r").take(), keys(&["g", "o"]));
    assert_eq!(typed.wait(10).take(), keys(&["\r"]));
    // One that is followed at once was pasted.
    typed.read("go\r").wait(9).read("on\r").wait(20);
    assert_eq!(typed.take(), [key("g"), key("o"), paste("\ron\r", PasteKind::Burst)]);
    typed.read("go\r").read("\x1b[A");
    assert_eq!(typed.take(), keys(&["g", "o", "\r", "\x1b[A"]));
    // A key is one at once.
    assert_eq!(typed.read("\r").take(), keys(&["\r"]));
    assert_eq!(typed.read("y\r").take(), keys(&["y", "\r"]));
    assert_eq!(typed.read("\r\r").take(), keys(&["\r", "\r"]));
}

/// Pieces of which sequences are made, so that many of them are ones.
fn terminal_bytes() -> impl Strategy<Value = Vec<u8>> {
    let known: Vec<&[u8]> = vec![
        b"\x1b",
        b"\x1b[",
        b"\x1b]",
        b"\x1bP",
        b"\x1b_",
        b"\x1bO",
        b"\x1b\\",
        b"\x07",
        b"\x1b[200~",
        b"\x1b[201~",
        b"?",
        b";",
        b"1",
        b"20",
        b"~",
        b"u",
        b"c",
        b"R",
        b"M",
        b"<",
        b"$",
        b"\r",
        b"abc",
        b"\xc3\xa9",
        b"\xe4",
        b"\xff",
        b"11;rgb:0/0/0",
        b"\x1b[97ua",
        b"\x1b[I",
        b"G",
        b">|",
        b"\x03",
    ];
    let piece = prop_oneof![
        8 => prop::sample::select(known).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Events without the difference between lines that were typed and lines that came at once, which depends on the reads.
fn without_bursts(events: Vec<Event>) -> Vec<Event> {
    let keys = |event| match event {
        Event::Paste(Paste { text, kind: PasteKind::Burst }) => {
            let mut events = Vec::new();
            let mut decoder = Decoder::new(Timing::default());
            let now = Instant::now();
            for byte in text.bytes() {
                decoder.feed(&[byte], now, &mut |event| events.push(event));
            }
            decoder.finish(now, &mut |event| events.push(event));
            events
        }
        event => vec![event],
    };
    events.into_iter().flat_map(keys).collect()
}

proptest! {
    #[test]
    fn however_bytes_are_read_they_are_the_same_events(bytes in terminal_bytes(), cuts in prop::collection::vec(0_usize..80, 0..6)) {
        // A line end after a character that is not whole belongs to no burst, and text of bursts is decoded as a whole.
        prop_assume!(std::str::from_utf8(&bytes).is_ok() || !bytes.contains(&b'\r'));
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < bytes.len()).collect();
        cuts.sort_unstable();
        let mut typed = Typed::new();
        let mut last = 0;
        for cut in cuts {
            typed.read(&bytes[last..cut]);
            last = cut;
        }
        let cut = typed.read(&bytes[last..]).end();
        prop_assert_eq!(without_bursts(cut), without_bursts(read(&bytes)));
    }

    #[test]
    fn any_bytes_at_any_time_are_events(reads in prop::collection::vec((terminal_bytes(), 0_u64..200), 0..12)) {
        let mut typed = Typed::new();
        for (bytes, milliseconds) in reads {
            typed.read(bytes).wait(milliseconds);
        }
        typed.end();
    }

    #[test]
    fn no_text_is_lost(reads in prop::collection::vec(("[a-zäß世\r\n\t ]{0,12}", 0_u64..40), 0..12)) {
        let mut typed = Typed::new();
        let mut expected = String::new();
        for (text, milliseconds) in reads {
            typed.read(&text).wait(milliseconds);
            expected.push_str(&text);
        }
        let text: String = typed.end().into_iter().map(|event| match event {
            Event::Key(raw) => raw,
            Event::Paste(paste) => paste.text,
            event => panic!("{event:?}"),
        }).collect();
        prop_assert_eq!(text, expected);
    }
}
