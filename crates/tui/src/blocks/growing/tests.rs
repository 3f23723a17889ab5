use proptest::collection::vec;
use proptest::prelude::*;

use super::Growing;
use crate::blocks::Kind;
use crate::blocks::tests::{look, plain};
use crate::look::Look;
use crate::screen::{Block, Content, Line, Plain, Transcript};

fn lines(block: &mut Block, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let height = block.height(width);
    block.lines(width, 0..height, &mut lines);
    lines
}

/// Lines without what only a resize adds: white space.
fn text(lines: &[Line]) -> String {
    plain(lines).split_whitespace().collect()
}

fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,9} ",
        1 => "[a-z *_`|>#-]{0,9}",
        1 => Just("\n".to_owned()),
        2 => Just("\n\n".to_owned()),
        1 => Just("\n```rs\nfn main() {\n".to_owned()),
        1 => Just("\n```rs\n/* a comment\n".to_owned()),
        1 => Just(" \"a */ b \n".to_owned()),
        1 => Just("\n```\n\n".to_owned()),
        1 => Just("\n- item ".to_owned()),
        1 => Just("\n1. item\n\n".to_owned()),
        1 => Just("\n\n| a | b |\n|---|---|\n| x | y |\n".to_owned()),
        1 => Just("\n| long cell of a table | z |\n".to_owned()),
        1 => Just("\n> quoted ".to_owned()),
        1 => Just("\n\n---\n\n".to_owned()),
        1 => Just("[link][a] ".to_owned()),
        1 => Just("\n\n[a]: http://x.y\n\n".to_owned()),
        1 => Just("\x1b[2J\t你好 ".to_owned()),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// `text` in parts that end where the numbers say.
fn split<'t>(text: &'t str, cuts: &[usize]) -> Vec<&'t str> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut % (text.len() + 1))).collect();
    places.extend([0, text.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_ends_in_the_same_lines(
        text in markdown(),
        cuts in vec(any::<usize>(), 0..20),
        width in 4usize..60,
        thinking: bool,
    ) {
        let kind = if thinking { Kind::Thinking } else { Kind::Answer };
        let (mut growing, mut block) = (Growing::new(look(), kind), Block::new());
        let mut settled: Vec<Line> = Vec::new();
        for part in split(&text, &cuts) {
            growing.push(part);
            growing.update(&mut block, width);
            let now = lines(&mut block, width);
            prop_assert!(now.starts_with(&settled), "what is settled stays");
            settled = now[..growing.settled + usize::from(growing.led)].to_vec();
            prop_assert!(!growing.is_dirty(width));
        }
        let whole = growing.finish(&mut block, width);
        prop_assert!(block.is_finished());
        prop_assert_eq!(lines(&mut block, width), whole.lines(width));
        let again = crate::blocks::Message::new(look(), kind, &text);
        prop_assert_eq!(plain(&again.lines(width)), plain(&whole.lines(width)));
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_resize_loses_nothing(
        words in vec("[a-z]{1,14}", 1..100),
        breaks in vec(0usize..6, 100),
        widths in vec(4usize..60, 1..8),
    ) {
        // Prose, lists and code: their text is the same at every width.
        let between = [" ", " ", " ", "\n\n", "\n\n- ", "\n\n```\ncode\n```\n\n"];
        let mut source = String::new();
        for (word, gap) in words.iter().zip(&breaks) {
            source.push_str(word);
            source.push_str(between[*gap]);
        }
        let (mut growing, mut transcript) = (Growing::new(look(), Kind::Answer), Transcript::new());
        let id = transcript.push(Block::new());
        let mut out = Vec::new();
        let step = source.len().div_ceil(widths.len()).max(1);
        let mut rest = source.as_str();
        let mut width = widths[0];
        for next in &widths {
            let (part, tail) = rest.split_at(step.min(rest.len()));
            rest = tail;
            width = *next;
            for piece in split(part, &[7, 23, 41]) {
                growing.push(piece);
                growing.update(transcript.edit(id).expect("a block"), width);
                while (Plain { colors: false, columns: width }).paint(&mut transcript, &mut out) {}
            }
        }
        let whole = growing.finish(transcript.edit(id).expect("a block"), width);
        let expected = whole.lines(width);
        // The pager shows the whole message; the scrollback gets the rest of it as it was.
        transcript.reshape(id, vec![whole]);
        while (Plain { colors: false, columns: width }).paint(&mut transcript, &mut out) {}
        let written = String::from_utf8(out).expect("text");
        let found: String = written.split_whitespace().collect();
        prop_assert_eq!(found, text(&expected));
        prop_assert_eq!(lines(transcript.edit(id).expect("a block"), width), expected);
    }
}

#[test]
fn a_resize_in_a_paragraph_goes_on_behind_the_last_word() {
    let (mut growing, mut block) = (Growing::new(look(), Kind::Answer), Block::new());
    growing.push("```\none\ntwo is a longer line of code\nthree\nfour\n");
    growing.update(&mut block, 60);
    assert!(block.settled() > 0);
    growing.update(&mut block, 20);
    growing.push("five is a longer line of code\n```\nend");
    growing.update(&mut block, 20);
    let whole = growing.finish(&mut block, 20);
    assert_eq!(text(&lines(&mut block, 20)), text(&whole.lines(20)));
}

#[test]
fn tables_that_look_different_stay_at_their_width() {
    let table = "| one | two |\n|---|---|\n| a long cell with words | another long cell |\n\nafter\n\n";
    let (mut growing, mut block) = (Growing::new(look(), Kind::Answer), Block::new());
    growing.push(table);
    growing.push("next\nwords");
    growing.update(&mut block, 80);
    let before = block.settled();
    assert!(before > 0, "the table is settled");
    growing.push(" that come later, and go on");
    growing.update(&mut block, 30);
    drop(growing.finish(&mut block, 30));
    let shown = plain(&lines(&mut block, 30));
    assert!(shown.contains("that come later,"), "{shown}");
    assert_eq!(text(&lines(&mut block, 30)).matches("anotherlongcell").count(), 1, "{shown}");
}

#[test]
fn another_look_paints_what_is_not_settled() {
    let shared = look();
    let (mut growing, mut block) = (Growing::new(shared.clone(), Kind::Answer), Block::new());
    growing.push("# Title\n\ntext **bold**");
    growing.update(&mut block, 40);
    assert!(!growing.is_dirty(40));
    shared.set(Look { padding: 3, ..(*shared.get()).clone() });
    assert!(growing.is_dirty(40));
    growing.update(&mut block, 40);
    assert_eq!(plain(&lines(&mut block, 40)).lines().last(), Some("   text bold"));
}

#[test]
fn a_message_without_text_has_no_lines() {
    let (mut growing, mut block) = (Growing::new(look(), Kind::Answer), Block::new());
    growing.push(" \n\n ");
    growing.update(&mut block, 40);
    assert_eq!(block.height(40), 0);
    assert_eq!(growing.finish(&mut block, 40).lines(40), []);
}

/// How many lines the last hundred updates made, of a message of so many pieces.
fn last_updates(piece: impl Fn(usize) -> String, pieces: usize) -> usize {
    let (mut growing, mut block) = (Growing::new(look(), Kind::Answer), Block::new());
    for index in 0..pieces - 100 {
        growing.push(&piece(index));
        // A frame holds several deltas.
        if index % 50 == 0 {
            growing.update(&mut block, 80);
        }
    }
    growing.update(&mut block, 80);
    let before = growing.made;
    for index in pieces - 100..pieces {
        growing.push(&piece(index));
        growing.update(&mut block, 80);
    }
    growing.made - before
}

#[test]
fn an_update_costs_the_same_in_a_short_and_in_a_long_message() {
    let prose = |index: usize| if index % 60 == 59 { "end.\n\n".to_owned() } else { "word ".to_owned() };
    let paragraph = |_: usize| "word ".to_owned();
    let code = |index: usize| match index {
        0 => "```rs\n".to_owned(),
        index if index % 8 == 0 => "\n".to_owned(),
        _ => "word ".to_owned(),
    };
    let table = |index: usize| match index {
        0 => "| a | b |\n|---|---|\n".to_owned(),
        index if index % 8 == 0 => "| x\n".to_owned(),
        index if index % 4 == 0 => "| ".to_owned(),
        _ => "word ".to_owned(),
    };
    let list = |index: usize| if index.is_multiple_of(12) { "\n- ".to_owned() } else { "word ".to_owned() };
    let kinds: [(&str, &dyn Fn(usize) -> String); 5] =
        [("prose", &prose), ("paragraph", &paragraph), ("code", &code), ("table", &table), ("list", &list)];
    for (name, piece) in kinds {
        let (short, long) = (last_updates(piece, 600), last_updates(piece, 2_000));
        // An update makes the lines that changed, which are the last ones.
        let most = 100 * 12;
        assert!(short <= most && long <= most, "{name}: {short} lines in a short message, {long} in a long one");
    }
}

#[test]
fn what_cannot_change_any_more_is_settled_however_much_comes_at_once() {
    let paragraph = |at: usize| format!("the end.\n\nParagraph {at} begins here, ");
    let item = |at: usize| format!("the end.\n\n1. Item {at} begins here, ");
    let code = |at: usize| format!("end {at}\n let a = ");
    for (name, begin, piece) in [
        ("prose", "Some ", &paragraph as &dyn Fn(usize) -> String),
        ("list", "1. Some", &item),
        ("code", "```\n", &code),
    ] {
        let (mut growing, mut block) = (Growing::new(look(), Kind::Answer), Block::new());
        growing.push(begin);
        for frame in 0..100 {
            growing.push(&(0..3).map(|at| piece(frame * 3 + at)).collect::<String>());
            growing.update(&mut block, 60);
            let open = growing.open.len();
            assert!(open <= 12, "{name}: {open} lines are not settled in frame {frame}");
        }
    }
}
