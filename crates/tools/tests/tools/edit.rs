use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tau_tools::Tool;
use tau_tools::edit::EditTool;

use crate::support::{call, failure, invocation, temp, text_of};

fn edits(pairs: &[(&str, &str)]) -> Value {
    json!(pairs.iter().map(|(old, new)| json!({"oldText": old, "newText": new})).collect::<Vec<_>>())
}

/// Edits a file of this content: the new content, or the failure.
async fn edit(content: &str, pairs: &[(&str, &str)]) -> Result<String, String> {
    let dir = temp();
    std::fs::write(dir.path().join("f"), content).unwrap();
    let tool = EditTool::new(dir.path().to_owned());
    let result = call(&tool, json!({"path": "f", "edits": edits(pairs)})).await;
    let after = std::fs::read_to_string(dir.path().join("f")).unwrap();
    match result {
        Ok(output) => {
            assert_eq!(text_of(&output), format!("Successfully replaced {} block(s) in f.", pairs.len()));
            Ok(after)
        }
        Err(failure) => {
            assert_eq!(after, content);
            Err(failure.message)
        }
    }
}

#[tokio::test]
async fn exact_replacements() {
    for (content, pairs, expected) in [
        ("a b c", &[("b", "x")][..], "a x c"),
        ("one\ntwo\nthree\n", &[("three", "3"), ("one\n", "")], "two\n3\n"),
        ("a\r\nb\r\nc\r\n", &[("a\nb", "x\ny\nz")], "x\r\ny\r\nz\r\nc\r\n"),
        ("\u{FEFF}a\nb", &[("a", "c")], "\u{FEFF}c\nb"),
        ("a\rb\rc", &[("b", "x\ny")], "a\rx\ry\rc"),
        // Endings of lines that stay are kept, even when the file mixes them.
        ("a\nb\r\nc\rd\n", &[("b", "x")], "a\nx\r\nc\rd\n"),
        ("a\r\nb\nc\r\n", &[("b\nc", "x\ny")], "a\r\nx\r\ny\r\n"),
        ("a  \nb", &[("b", "x")], "a  \nx"),
        ("“a” – b", &[("b", "x")], "“a” – x"),
    ] {
        assert_eq!(edit(content, pairs).await.as_deref(), Ok(expected), "{content:?}");
    }
}

#[tokio::test]
async fn loose_replacements_touch_only_their_lines() {
    for (content, pairs, expected) in [
        ("“keep”  \n“it’s” here\nend  \n", &[("\"it's\" here", "changed")][..], "“keep”  \nchanged\nend  \n"),
        ("a – b \nc\n", &[("a - b\nc", "d")], "d\n"),
        ("x\u{A0}y z\n“q”\n", &[("x y", "w")], "w z\n“q”\n"),
        ("ﬁne ①  \r\nrest “r”\r\n", &[("fine 1", "new\nline")], "new\r\nline\r\nrest “r”\r\n"),
        ("“a”\n“b”\n“c”\n", &[("\"a\"", "1"), ("“c”", "3")], "1\n“b”\n3\n"),
    ] {
        assert_eq!(edit(content, pairs).await.as_deref(), Ok(expected), "{content:?}");
    }
}

#[tokio::test]
async fn failures() {
    for (content, pairs, message) in [
        (
            "abc",
            &[("x", "y")][..],
            "Could not find the exact text in f. The old text must match exactly including all whitespace and newlines.",
        ),
        (
            "abc",
            &[("a", "b"), ("x", "y")],
            "Could not find edits[1] in f. The oldText must match exactly including all whitespace and newlines.",
        ),
        (
            "a\na",
            &[("a", "b")],
            "Found 2 occurrences of the text in f. The text must be unique. Please provide more context to make it \
             unique.",
        ),
        (
            "\"a\" “a” c",
            &[("c", "d"), ("“a”", "b")],
            "Found 2 occurrences of edits[1] in f. Each oldText must be unique. Please provide more context to make it \
             unique.",
        ),
        ("abc", &[("", "x")], "oldText must not be empty in f."),
        ("abc", &[("a", "x"), ("", "x")], "edits[1].oldText must not be empty in f."),
        (
            "abcdef",
            &[("cd", "x"), ("abc", "y")],
            "edits[1] and edits[0] overlap in f. Merge them into one edit or target disjoint regions.",
        ),
        (
            "abc",
            &[("b", "b")],
            "No changes made to f. The replacement produced identical content. This might indicate an issue with \
             special characters or the text not existing as expected.",
        ),
        ("abc", &[("b", "b"), ("a", "a")], "No changes made to f. The replacements produced identical content."),
        ("abc", &[], "Edit tool input is invalid. edits must contain at least one replacement."),
        // Only white space, and not there as it is.
        (
            "abc",
            &[("  ", "x")],
            "Could not find the exact text in f. The old text must match exactly including all whitespace and newlines.",
        ),
        (
            "",
            &[("a", "x")],
            "Could not find the exact text in f. The old text must match exactly including all whitespace and newlines.",
        ),
    ] {
        assert_eq!(edit(content, pairs).await, Err(message.to_owned()), "{content:?}");
    }
}

#[tokio::test]
async fn files_that_cannot_be_edited() {
    let dir = temp();
    std::fs::write(dir.path().join("binary"), b"a\xff").unwrap();
    let tool = EditTool::new(dir.path().to_owned());
    let args = |path: &str| json!({"path": path, "edits": edits(&[("a", "b")])});
    assert_eq!(failure(&tool, args("none")).await, "Could not edit file: none. Error code: ENOENT.");
    assert_eq!(failure(&tool, args(".")).await, "Could not edit file: .. Error code: EISDIR.");
    assert_eq!(failure(&tool, args("binary")).await, "Could not edit file: binary. It is not valid UTF-8 text.");
    let stopped = invocation(args("binary"));
    stopped.cancel.cancel();
    assert_eq!(tool.execute(stopped).await.unwrap_err().message, "Operation aborted");
}

#[tokio::test]
async fn details_show_the_change() {
    let dir = temp();
    let before: String = (1..=30).map(|n| format!("line {n}\n")).collect();
    std::fs::write(dir.path().join("f"), before).unwrap();
    let tool = EditTool::new(dir.path().to_owned());
    let args = json!({"path": "f", "edits": edits(&[("line 6\n", "six\n6\n"), ("line 17\nline 18", "17"), ("line 30\n", "end")])});
    let preview = tool.preview(args.clone()).await.unwrap();
    let details = call(&tool, args).await.unwrap().details.unwrap();
    assert_eq!(details, json!(preview));
    assert_eq!(details["firstChangedLine"], 6);
    insta::assert_snapshot!(details["diff"].as_str().unwrap(), @r"
        ...
      2 line 2
      3 line 3
      4 line 4
      5 line 5
    - 6 line 6
    + 6 six
    + 7 6
      7 line 7
      8 line 8
      9 line 9
     10 line 10
        ...
     13 line 13
     14 line 14
     15 line 15
     16 line 16
    -17 line 17
    -18 line 18
    +18 17
     19 line 19
     20 line 20
     21 line 21
     22 line 22
        ...
     26 line 26
     27 line 27
     28 line 28
     29 line 29
    -30 line 30
    +30 end
    ");
    insta::assert_snapshot!(details["patch"].as_str().unwrap(), @r"
    --- f
    +++ f
    @@ -2,9 +2,10 @@
     line 2
     line 3
     line 4
     line 5
    -line 6
    +six
    +6
     line 7
     line 8
     line 9
     line 10
    @@ -13,10 +14,9 @@
     line 13
     line 14
     line 15
     line 16
    -line 17
    -line 18
    +17
     line 19
     line 20
     line 21
     line 22
    @@ -26,5 +26,5 @@
     line 26
     line 27
     line 28
     line 29
    -line 30
    +end
    \ No newline at end of file
    ");
}

#[tokio::test]
async fn a_file_that_becomes_empty() {
    let dir = temp();
    std::fs::write(dir.path().join("f"), "a\n").unwrap();
    let tool = EditTool::new(dir.path().to_owned());
    let output = call(&tool, json!({"path": "f", "edits": edits(&[("a\n", "")])})).await.unwrap();
    let expected = json!({"diff": "-1 a", "patch": "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n", "firstChangedLine": 1});
    assert_eq!(output.details, Some(expected));
}

#[tokio::test]
async fn older_shapes_of_arguments() {
    let tool = EditTool::new("/".into());
    let one = json!({"path": "f", "edits": [{"oldText": "a", "newText": "b"}]});
    for (raw, expected) in [
        (json!({"path": "f", "oldText": "a", "newText": "b"}), one.clone()),
        (json!({"path": "f", "edits": {"oldText": "a", "newText": "b"}}), one.clone()),
        (json!({"path": "f", "edits": "[{\"oldText\":\"a\",\"newText\":\"b\"}]"}), one.clone()),
        (json!({"path": "f", "edits": "{\"oldText\":\"a\",\"newText\":\"b\"}"}), one.clone()),
        (
            json!({"path": "f", "edits": [{"oldText": "a", "newText": "b"}], "oldText": "c", "newText": "d"}),
            json!({"path": "f", "edits": [{"oldText": "a", "newText": "b"}, {"oldText": "c", "newText": "d"}]}),
        ),
        (json!({"path": "f", "edits": "not json"}), json!({"path": "f", "edits": "not json"})),
        (json!({"path": "f", "edits": "3"}), json!({"path": "f", "edits": "3"})),
        (json!({"path": "f", "oldText": "a"}), json!({"path": "f", "oldText": "a"})),
        (one.clone(), one.clone()),
        (json!(null), json!(null)),
    ] {
        assert_eq!(tool.prepare_arguments(raw.clone()).await, Ok(expected), "{raw}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_of_one_file_at_once_all_count() {
    let dir = temp();
    let names: Vec<String> = (0..40).map(|n| format!("<{n}>")).collect();
    std::fs::write(dir.path().join("f"), names.join("\n")).unwrap();
    std::fs::set_permissions(dir.path().join("f"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("f", dir.path().join("link")).unwrap();
    let tool = Arc::new(EditTool::new(dir.path().to_owned()));
    let calls: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let path = if index % 2 == 0 { "f" } else { "link" };
            let args = json!({"path": path, "edits": edits(&[(name, &name.replace('<', "["))])});
            let tool = tool.clone();
            tokio::spawn(async move { call(&*tool, args).await.unwrap() })
        })
        .collect();
    for call in calls {
        call.await.unwrap();
    }
    let expected: Vec<String> = names.iter().map(|name| name.replace('<', "[")).collect();
    assert_eq!(std::fs::read_to_string(dir.path().join("f")).unwrap(), expected.join("\n"));
    assert_eq!(std::fs::metadata(dir.path().join("f")).unwrap().permissions().mode() & 0o777, 0o640);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Replacing one marked line, exactly or loosely, keeps every other byte of the file.
    #[test]
    fn all_other_bytes_survive(
        before in prop::collection::vec(("[ab “”’–\u{A0}é\t]{0,6}", "\r\n|\n|\r"), 0..6),
        after in prop::collection::vec(("[ab “”’–\u{A0}é\t]{0,6}", "\r\n|\n|\r"), 0..6),
        ending in "\r\n|\n|\r",
        loosely in any::<bool>(),
        mark in any::<bool>(),
    ) {
        // A line that begins with the second half of a line ending would join it.
        let side = |lines: &[(String, String)]| lines.iter().map(|(text, end)| format!("{text}.{end}")).collect::<String>();
        let (before, after) = (side(&before), side(&after));
        let mark = if mark { "\u{FEFF}" } else { "" };
        let content = format!("{mark}{before}<“target”>{ending}{after}");
        let wanted = if loosely { "<\"target\">" } else { "<“target”>" };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let edited = runtime.block_on(edit(&content, &[(wanted, "new")]));
        prop_assert_eq!(edited, Ok(format!("{mark}{before}new{ending}{after}")));
    }
}
