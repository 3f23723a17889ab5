use insta::assert_snapshot;

use super::{bare, look, pictures, plain, styled};
use crate::blocks::{Custom, EndNote, HiddenThinking, Kind, Message, Skill, User};
use crate::screen::{Content, Mark};

#[test]
fn a_user_message_is_a_box_with_the_text_as_it_was_written() {
    let user = User::new(look(), "Please fix these:\n\n3. the *parser*\n7. C:\\temp\\*.rs and `a b`\n");
    assert_snapshot!(pictures(&user));
    assert_snapshot!("user_in_colours", styled(&user.lines(24)));
}

#[test]
fn a_user_message_is_marked_as_a_prompt() {
    let marks: Vec<_> = User::new(look(), "hello").lines(30).iter().map(|line| line.mark()).collect();
    assert_eq!(marks, [None, Some(Mark::Start), None, Some(Mark::End)]);
}

#[test]
fn without_colours_a_sign_tells_a_user_message() {
    assert_eq!(
        plain(&User::new(bare(), "one two three four\n\nfive").lines(16)),
        "\n\n > one two\n   three four\n\n   five\n\n"
    );
}

#[test]
fn an_answer_is_markdown_below_an_empty_line() {
    let text = "\n\n# Title\n\nSome **bold** text that is longer than a narrow screen.\n\n```rs\nfn main() {}\n```\n\n- one\n- two\n";
    let answer = Message::new(look(), Kind::Answer, text);
    assert_snapshot!(pictures(&answer));
    assert_eq!(Message::new(look(), Kind::Answer, " \n ").lines(80), []);
}

#[test]
fn thinking_is_in_italics_or_a_label() {
    let thinking = Message::new(look(), Kind::Thinking, "Let me see.\n\nFirst the *tests*.");
    assert_snapshot!(styled(&thinking.lines(40)));
    assert_eq!(plain(&HiddenThinking::new(look(), "Thinking...").lines(40)), "\n Thinking...\n");
    assert_eq!(HiddenThinking::new(look(), "").lines(40), []);
}

#[test]
fn an_answer_that_ends_early_says_why() {
    let line = |note: EndNote| plain(&note.content(look()).lines(60));
    assert_eq!(line(EndNote::Length), "\n Response was truncated before completion.\n");
    assert_eq!(line(EndNote::Aborted { retries: 0 }), "\n Operation aborted\n");
    assert_eq!(line(EndNote::Aborted { retries: 1 }), "\n Aborted after 1 retry attempt\n");
    assert_eq!(line(EndNote::Aborted { retries: 3 }), "\n Aborted after 3 retry attempts\n");
    assert_eq!(line(EndNote::Failed("429 slow\x1b[2J down\n".into())), "\n Error: 429 slow down\n");
}

#[test]
fn messages_of_extensions_and_skills_have_a_tag() {
    assert_snapshot!("custom", pictures(&Custom::new(look(), "todo-list", "- [ ] write **tests**\n- [x] read\n")));
    assert_snapshot!("skill", pictures(&Skill::new(look(), "release", "Long text", false, "ctrl+o")));
    assert_snapshot!("skill_expanded", pictures(&Skill::new(look(), "release", "Long *text*", true, "ctrl+o")));
    assert_snapshot!("skill_in_colours", styled(&Skill::new(look(), "release", "", false, "").lines(24)));
}
