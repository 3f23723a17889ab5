use proptest::prelude::*;
use tau_view::input::{Input, Window};
use tau_view::width::visible_width;

fn typed(text: &str) -> Input {
    let mut input = Input::new();
    for ch in text.chars() {
        input.type_text(&ch.to_string());
    }
    input
}

#[test]
fn words_are_killed_and_yanked_back() {
    let mut input = typed("one two three");
    input.kill_word_backward();
    input.kill_word_backward();
    assert_eq!(input.value(), "one ");
    input.move_to_start();
    input.yank();
    assert_eq!((input.value(), input.cursor()), ("two threeone ", 9));
    input.kill_to_end();
    input.yank();
    input.yank_pop();
    assert_eq!(input.value(), "two threetwo three");
}

#[test]
fn undo_goes_word_by_word() {
    let mut input = typed("one two");
    input.undo();
    assert_eq!(input.value(), "one");
    input.undo();
    assert_eq!(input.value(), "");
}

#[test]
fn clusters_are_one_character() {
    let mut input = typed("");
    input.paste("a👨‍👩‍👧\r\nb");
    input.move_left();
    input.delete_backward();
    assert_eq!((input.value(), input.cursor()), ("ab", 1));
}

#[test]
fn the_window_follows_the_cursor() {
    let mut input = typed("0123456789");
    assert_eq!(input.window(6), Window { before: "56789".into(), after: String::new(), start: 5 });
    input.move_to_start();
    assert_eq!(input.window(6), Window { before: String::new(), after: "012345".into(), start: 0 });
    assert_eq!(input.window(11), Window { before: String::new(), after: "0123456789".into(), start: 0 });
}

proptest! {
    #[test]
    fn the_window_is_never_wider_than_asked(text in "[a-z你👍 ]{0,20}", moves in 0usize..20, width in 0usize..15) {
        let mut input = typed(&text);
        for _ in 0..moves {
            input.move_left();
        }
        let window = input.window(width);
        prop_assert!(visible_width(&window.before) + visible_width(&window.after) <= width);
    }
}
