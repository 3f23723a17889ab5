//! Output that is only added to.

use tau_tui::screen::{Block, Line, Plain, Text, Transcript};

fn written(plain: Plain, transcript: &mut Transcript) -> String {
    let mut bytes = Vec::new();
    while plain.paint(transcript, &mut bytes) {}
    String::from_utf8(bytes).expect("text")
}

#[test]
fn lines_are_labelled_and_written_once_as_they_become_final() {
    let plain = Plain { colors: false, columns: 20 };
    let mut transcript = Transcript::new();
    transcript.push(Block::finished(Text::new("\x1b[31mhello\x1b[m you")).labelled("user"));
    let answer = transcript.push(Block::new().labelled("assistant"));
    transcript.push(Block::finished(Text::new("later")).labelled("tool"));
    assert_eq!(written(plain, &mut transcript), "user:\r\nhello you\r\n");

    let block = transcript.edit(answer).expect("a block");
    block.push(Text::new("first part of the answer"));
    block.push(Text::new("unsettled"));
    block.settle(1);
    assert_eq!(written(plain, &mut transcript), "assistant:\r\nfirst part of the\r\nanswer\r\n");
    assert_eq!(written(plain, &mut transcript), "");

    let block = transcript.edit(answer).expect("a block");
    block.replace(1, vec![Box::new(Text::new("the end"))]);
    block.finish();
    assert_eq!(written(plain, &mut transcript), "the end\r\ntool:\r\nlater\r\n");
}

#[test]
fn colours_stay_where_they_are_wanted_and_nothing_moves() {
    let plain = Plain { colors: true, columns: 20 };
    let mut transcript = Transcript::new();
    transcript.push(Block::finished(Text::new("\x1b[31mred\x1b[m\x1b[2J\x1b[5A\x07 text")));
    assert_eq!(written(plain, &mut transcript), "\x1b[31mred \x1b[mtext\r\n");
    let mut bytes = Vec::new();
    plain.line(&Line::new("1) yes", 20), &mut bytes);
    assert_eq!(bytes, b"1) yes\r\n");
}
