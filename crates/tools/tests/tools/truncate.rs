use proptest::prelude::*;
use tau_tools::truncate::{
    HeadTruncator, Limits, TruncatedBy, TruncationResult, format_size, truncate_head, truncate_line, truncate_tail,
};

fn limits(max_lines: usize, max_bytes: usize) -> Limits {
    Limits { max_lines, max_bytes }
}

fn kept(result: &TruncationResult) -> (&str, Option<TruncatedBy>, usize, usize) {
    (&result.content, result.truncated_by, result.output_lines, result.total_lines)
}

#[test]
fn sizes() {
    for (bytes, shown) in [
        (0, "0B"),
        (1023, "1023B"),
        (1024, "1.0KB"),
        (51200, "50.0KB"),
        (52480, "51.3KB"),
        (1024 * 1024 - 1, "1024.0KB"),
        (1024 * 1024, "1.0MB"),
        (1_600_000, "1.5MB"),
    ] {
        assert_eq!(format_size(bytes), shown);
    }
}

#[test]
fn heads() {
    use TruncatedBy::{Bytes, Lines};
    for (content, lines, bytes, expected) in [
        ("", 2, 10, ("", None, 0, 0)),
        ("a\nb\n", 2, 10, ("a\nb\n", None, 2, 2)),
        ("a\nb\nc", 2, 10, ("a\nb", Some(Lines), 2, 3)),
        ("a\nb\n\n", 2, 10, ("a\nb", Some(Lines), 2, 3)),
        ("aaa\nbbb\nccc", 9, 7, ("aaa\nbbb", Some(Bytes), 2, 3)),
        ("aaa\nbbb\nccc", 9, 6, ("aaa", Some(Bytes), 1, 3)),
        ("ééé\nb", 9, 5, ("", Some(Bytes), 0, 2)),
        ("aaa\n", 9, 3, ("aaa", Some(Lines), 1, 1)),
    ] {
        assert_eq!(kept(&truncate_head(content, limits(lines, bytes))), expected, "{content:?}");
    }
    assert!(truncate_head("ééé\nb", limits(9, 5)).first_line_exceeds_limit);
}

#[test]
fn tails() {
    use TruncatedBy::{Bytes, Lines};
    for (content, lines, bytes, expected) in [
        ("a\nb\n", 2, 10, ("a\nb\n", None, 2, 2)),
        ("a\nb\nc\n", 2, 10, ("b\nc", Some(Lines), 2, 3)),
        ("aaa\nbbb\nccc", 9, 7, ("bbb\nccc", Some(Bytes), 2, 3)),
        ("aaa\nbbb\nccc", 9, 6, ("ccc", Some(Bytes), 1, 3)),
        ("a\nééé", 9, 5, ("éé", Some(Bytes), 1, 2)),
    ] {
        assert_eq!(kept(&truncate_tail(content, limits(lines, bytes))), expected, "{content:?}");
    }
    assert!(truncate_tail("a\nééé", limits(9, 5)).last_line_partial);
}

#[test]
fn details_have_the_names_that_extensions_read() {
    insta::assert_json_snapshot!(truncate_head("a\nb", limits(1, 10)), @r#"
    {
      "content": "a",
      "truncated": true,
      "truncatedBy": "lines",
      "totalLines": 2,
      "totalBytes": 3,
      "outputLines": 1,
      "outputBytes": 1,
      "lastLinePartial": false,
      "firstLineExceedsLimit": false,
      "maxLines": 1,
      "maxBytes": 10
    }
    "#);
}

#[test]
fn lines_are_cut_by_characters() {
    assert_eq!(truncate_line("äöü", 3), ("äöü".to_owned(), false));
    assert_eq!(truncate_line("äöüx", 3), ("äöü... [truncated]".to_owned(), true));
    // An emoji takes two units and is not cut in half.
    assert_eq!(truncate_line("ab😀", 4), ("ab😀".to_owned(), false));
    assert_eq!(truncate_line("ab😀", 3), ("ab... [truncated]".to_owned(), true));
}

proptest! {
    #[test]
    fn pieces_or_whole_is_the_same(pieces in prop::collection::vec("[aé\n]{0,8}", 0..8), lines in 1usize..6, bytes in 1usize..20) {
        let mut truncator = HeadTruncator::new(limits(lines, bytes));
        for piece in &pieces {
            truncator.push(piece);
        }
        prop_assert_eq!(truncator.finish(), truncate_head(&pieces.concat(), limits(lines, bytes)));
    }

    #[test]
    fn what_is_kept_is_within_the_limits_and_from_the_right_end(content in "[aé\n]{0,40}", lines in 1usize..6, bytes in 1usize..20) {
        let head = truncate_head(&content, limits(lines, bytes));
        let tail = truncate_tail(&content, limits(lines, bytes));
        let body = content.strip_suffix('\n').unwrap_or(&content);
        for result in [&head, &tail] {
            prop_assert!(result.output_lines <= lines);
            prop_assert!(result.content.len() <= bytes);
            prop_assert_eq!(result.output_bytes, result.content.len());
            prop_assert_eq!(result.total_bytes, content.len());
            let all: Vec<&str> = body.split('\n').collect();
            prop_assert_eq!(result.total_lines, if content.is_empty() { 0 } else { all.len() });
            prop_assert_eq!(result.truncated, result.total_lines > lines || content.len() > bytes);
        }
        prop_assert!(content.starts_with(&head.content));
        prop_assert!(content.ends_with(&tail.content) || body.ends_with(&tail.content));
        // One more line would have been too much.
        if head.truncated && head.output_lines < lines.min(head.total_lines) {
            let more: Vec<&str> = body.split('\n').take(head.output_lines + 1).collect();
            prop_assert!(more.join("\n").len() > bytes);
        }
    }
}
