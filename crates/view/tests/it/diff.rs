use proptest::prelude::*;
use tau_view::diff::{Diff, Kind, Style};
use tau_view::width::visible_width;

fn marked(style: Style, text: &str) -> String {
    match style {
        Style::AddedWords | Style::RemovedWords => format!("[{text}]"),
        _ => text.to_owned(),
    }
}

fn shown(diff: &Diff, width: usize) -> String {
    diff.lines(width, marked).join("\n")
}

#[test]
fn changed_words_are_marked_and_indentation_is_kept() {
    let old = "fn main() {\n    let a = one(1);\n    b();\n}\n";
    let new = "fn main() {\n    let a = two(1);\n        b();\n}\nend\n";
    insta::assert_snapshot!(shown(&Diff::between(old, new, 1), 60), @r"
     1 fn main() {
    -2     let a = [one](1);
    -3     b();
    +2     let a = [two](1);
    +3         b();
     4 }
    +5 end
    ");
}

#[test]
fn unchanged_lines_far_from_a_change_are_a_gap() {
    let lines = |changed: &str| {
        let line = |line| if line == 6 { format!("{changed}\n") } else { format!("{line}\n") };
        (1..=12).map(line).collect::<String>()
    };
    let diff = Diff::between(&lines("x"), &lines("y"), 2);
    insta::assert_snapshot!(shown(&diff, 60), @r"
       ...
     4 4
     5 5
    -6 x
    +6 y
     7 7
     8 8
       ...
    ");
    assert_eq!((diff.added, diff.removed), (1, 1));
    assert!(Diff::between("a\nb\n", "a\nb\n", 0).rows.iter().all(|row| row.kind == Kind::Context));
}

#[test]
fn numbered_lines_keep_their_numbers() {
    let numbered = "   ...\n 3 same\n-4 -- old\n+4 ++ new\n 5 tail";
    insta::assert_snapshot!(shown(&Diff::from_numbered(numbered), 60), @r"
       ...
     3 same
    -4 -- old
    +4 ++ new
     5 tail
    ");
}

#[test]
fn text_of_files_is_cleaned() {
    let diff = Diff::between("", "\u{1b}[2Jx\ty\u{202e}\r\n", 3);
    assert_eq!(shown(&diff, 60), "+1 x   y");
    assert_eq!(shown(&Diff::from_numbered("+1 \u{1b}]52;c;eA==\u{7}a\n"), 60), "+1 a");
}

#[test]
fn long_lines_go_on_under_their_text() {
    let diff = Diff::between("", "one two three four\n", 3);
    assert_eq!(shown(&diff, 14), "+1 one two\n   three four");
}

#[test]
fn huge_texts_are_compared_in_time() {
    let columns = "x".repeat(1_000_000);
    let diff = Diff::between(&columns, &(columns.clone() + "y"), 3);
    assert!(diff.rows.iter().all(|row| row.parts.iter().all(|part| part.text.len() < 5000)));

    let lines =
        |salt: &str| (0..100_000).map(|line| format!("{salt}{line} {}\n", line * 7919 % 1000)).collect::<String>();
    let other = Diff::between(&lines("a"), &lines("b"), 3);
    assert_eq!((other.added, other.removed), (100_000, 100_000));
    assert_eq!(other.rows.len() + other.left_out, 200_000);

    let mut changed = lines("a").replace("a500 ", "other ").replace("a90000 ", "more ");
    changed.insert_str(0, "first\n");
    let near = Diff::between(&lines("a"), &changed, 3);
    assert_eq!((near.added, near.removed), (3, 2));
}

proptest! {
    #[test]
    fn the_rows_are_both_texts(old in "([ab]{0,2}\n){0,12}", new in "([ab]{0,2}\n){0,12}") {
        let diff = Diff::between(&old, &new, usize::MAX);
        let side = |without: Kind| {
            let rows = diff.rows.iter().filter(|row| row.kind != without);
            rows.map(|row| row.parts.iter().map(|part| part.text.as_str()).collect::<String>() + "\n").collect::<String>()
        };
        if old == new {
            // Where nothing has changed, nothing stands around a change.
            prop_assert_eq!(diff, Diff::default());
        } else {
            prop_assert_eq!(side(Kind::Added), old);
            prop_assert_eq!(side(Kind::Removed), new);
        }
    }

    #[test]
    fn any_text_is_read_and_fits(text in r"[-+ @\\0-9,a\n.]{0,80}", width in 1usize..30) {
        for line in Diff::from_numbered(&text).lines(width, |_, text| text.to_owned()) {
            prop_assert!(visible_width(&line) <= width.max(2), "{line:?}");
        }
    }
}
