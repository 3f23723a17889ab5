//! Whatever a session holds, a page of it is the program's own.

use proptest::prelude::*;
use serde_json::{Map, Value};
use tau_agent::export::{HtmlOptions, ToolInfo, export_html};
use tau_session::Session;

use super::audit::{audit, texts};
use super::data;

/// Texts that would be something else if anybody forgot to escape them.
const HOSTILE: &[&str] = &[
    "<script>document.title='owned'</script>",
    "</script><script>alert(1)</script>",
    "</style></title></pre></textarea></details><img src=x onerror=alert(1)>",
    "\" onclick=\"alert(1)\" x=\"",
    "' autofocus onfocus='alert(1)",
    "[a](javascript:alert(1)) ![b](javascript:alert(1)) <javascript:alert(1)> [c]: javascript:alert(1)",
    "[a](data:text/html;base64,PHNjcmlwdD4=) [b](vbscript:x) [c](file:///etc/passwd) [d](//evil.example)",
    "[a](https://e.org/\"onmouseover=\"alert(1)) [<img src=x>](https://e.org 'title\"><b>')",
    "![a](https://evil.example/pixel.png) [![b](https://e.org/b)](https://e.org)",
    "<!-- --><![CDATA[ ]]><?php ?><!DOCTYPE html><base href=//evil><meta http-equiv=refresh content=0>",
    "text/html",
    "image/svg+xml",
    "image/png;base64,AAAA\" onerror=\"alert(1)",
    "\u{1b}]8;;javascript:alert(1)\u{7}x\u{1b}]8;;\u{7}\u{1b}[38;2;1;2;3;\"><b>m<b>\u{1b}[31m</span>",
    "&lt;script&gt; &#60;b&#62; &amp;lt;",
    "\0\u{b}\u{202e}\u{2066}\u{feff}\u{fffe}\r\n\t",
    "```html\"><script>\n</code></pre><script>alert(1)</script>\n```\n\n- <li>\n\n| <td> | </table> |\n|---|---|\n| <svg onload=alert(1)> | x |",
    "<svg><math><mtext><style><a title=\"</style><img src onerror=alert(1)>\">",
];

/// What says of what kind something is, and so must stay for anything to be shown.
const STRUCTURE: &[&str] = &["type", "role"];
const KNOWN: &[&str] = &["garden_gnome", "hologram", "gnome"];
/// What refers to something, and so only gets longer.
const REFERENCES: &[&str] = &["id", "parentId", "targetId", "firstKeptEntryId", "fromId", "toolCallId"];

fn poison(key: &str, value: Value, with: &str) -> Value {
    match value {
        Value::String(text) if STRUCTURE.contains(&key) && !KNOWN.contains(&text.as_str()) => Value::String(text),
        Value::String(text) if STRUCTURE.contains(&key) || REFERENCES.contains(&key) => {
            Value::String(format!("{text}{with}"))
        }
        Value::String(_) => Value::String(with.to_owned()),
        Value::Number(number) if number.is_u64() && key != "version" && key != "timestamp" => Value::from(u64::MAX),
        Value::Array(items) => items.into_iter().map(|item| poison(key, item, with)).collect(),
        Value::Object(fields) => {
            let free = key == "arguments" || key == "details" || key == "data";
            let name = |name: String| if free && name != "diff" { format!("{name}{with}") } else { name };
            let field = |(key, value): (String, Value)| {
                let value = poison(&key, value, with);
                (name(key), value)
            };
            Value::Object(fields.into_iter().map(field).collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// The page of a session whose every text is this one, also the names of files, tools, models and types.
fn page(with: &str) -> String {
    let lines = std::fs::read_to_string(data("every-entry.jsonl")).expect("a file");
    let poisoned = lines.lines().map(|line| {
        let value: Value = serde_json::from_str(line).expect("JSON");
        format!("{}\n", poison("", value, with))
    });
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.jsonl");
    std::fs::write(&path, poisoned.collect::<String>()).expect("written");
    let session = Session::view(&path).expect("a session");
    assert_eq!(session.problems(), []);
    let options = HtmlOptions {
        system_prompt: Some(with.to_owned()),
        tools: vec![ToolInfo { name: with.to_owned(), description: with.to_owned() }],
    };
    export_html(&session, &options)
}

/// The text as a page shows it where it is nothing but text.
fn shown(text: &str) -> String {
    let replaced = |c: char| match c {
        '\n' | '\t' => c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().filter(|c| *c != '\r').map(replaced).collect()
}

#[test]
fn no_text_becomes_markup() {
    for text in HOSTILE {
        let document = audit(&page(text));
        assert!(texts(&document, ".system pre code").iter().all(|code| *code == shown(text)), "{text}");
        assert_eq!(texts(&document, "article").len(), 35, "{text}");
    }
}

#[test]
fn the_audit_finds_what_does_not_belong() {
    for bad in ["<b>x</b>", "<p onclick=x>", "<a href=javascript:x>x</a>", "<script>1</script>", "<!-- x -->"] {
        let page = page("x").replace("<main>", &format!("<main>{bad}"));
        assert!(std::panic::catch_unwind(|| audit(&page)).is_err(), "{bad}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_stays_text(text in prop_oneof![
        any::<String>(),
        "[\\[\\]()<>!`*_|~#&;:/\"'=\\\\ \\na-c-]{0,60}",
        "(<[a-z/!]{1,6}|[ \"'=>]|on[a-z]{1,5}=|\\[x\\]\\(|javascript:|https://|\u{1b}\\[[0-9;:]{0,9}m|&[a-z#0-9]{1,4};){0,20}",
    ]) {
        let document = audit(&page(&text));
        let prompts = texts(&document, ".system pre code");
        prop_assert!(!prompts.is_empty());
        for prompt in prompts {
            prop_assert_eq!(prompt, shown(&text));
        }
    }
}
