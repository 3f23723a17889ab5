use std::convert::Infallible;

use proptest::prelude::*;
use tau_view::markdown::{DefaultStyle, Options, Style, Theme, render};
use tau_view::width::visible_width;

/// Marks styled text with the name of its style.
struct Tags;

impl Theme for Tags {
    type Error = Infallible;

    fn apply(&mut self, style: Style, text: &str) -> Result<String, Infallible> {
        Ok(format!("<{}>{text}</>", style.name()))
    }
}

/// Shows only the text.
struct Plain;

impl Theme for Plain {
    type Error = Infallible;

    fn apply(&mut self, _: Style, text: &str) -> Result<String, Infallible> {
        Ok(text.to_owned())
    }

    fn highlight(&mut self, code: &str, language: Option<&str>) -> Result<Option<Vec<String>>, Infallible> {
        Ok((language == Some("shout")).then(|| code.lines().map(str::to_uppercase).collect()))
    }
}

fn plain(text: &str, width: usize) -> String {
    let Ok(lines) = render(text, width, &Options::default(), &mut Plain);
    lines.join("\n")
}

fn tagged(text: &str, options: &Options) -> String {
    let Ok(lines) = render(text, 400, options, &mut Tags);
    lines.join("\n")
}

#[test]
fn blocks_keep_the_blank_lines_of_the_source() {
    let text = "\
# Title
Intro with a [link](https://x.y):
- one
- two
  1. nested
  2. and a longer item that wraps

```rust
fn main() {}
```
> quoted
> text

| name | value |
|------|-------|
| a | 1 |
| b | a cell that needs to wrap |

---
<details>
The end.";
    insta::assert_snapshot!(plain(text, 36));
}

#[test]
fn styles_nest_and_come_back() {
    let options = Options { default_style: DefaultStyle { color: true, ..Default::default() }, ..Options::default() };
    insta::assert_snapshot!(tagged("a **b *c* `d`** e\n\n### h `x` y\n\n> q **b** r", &options), @r"
    <color>a </><bold><color>b </><italic><color>c</></><color><color> </><code>d</></><color><color> e</>

    <heading><bold>### </></><heading><bold>h </></><code>x</><heading><bold><heading><bold> y</></>

    <quoteBorder>│ </><quote><italic>q <bold>b</><quote><italic> r</></>
    ");
}

#[test]
fn addresses_are_links_without_being_marked() {
    let text = "See https://x.y/a_b_c. Or www.x.y, me@x.y, <https://z.w>, not `https://code`.";
    insta::assert_snapshot!(tagged(text, &Options::default()), @"See <link><underline>https://x.y/a_b_c</></>. Or <link><underline>www.x.y</></><linkUrl> (http://www.x.y)</>, <link><underline>me@x.y</></>, <link><underline>https://z.w</></>, not <code>https://code</>.");
    let options = Options { hyperlinks: true, ..Options::default() };
    assert_eq!(tagged("[a](b)", &options), "\x1b]8;;b\x1b\\<link><underline>a</></>\x1b]8;;\x1b\\");
}

#[test]
fn formulas_are_not_markdown() {
    assert_eq!(
        plain(r"With $a_1 * b_2 * c$, \(x^2\) and $5 to $6 or `$x$`.", 80),
        "With a₁ * b₂ * c, x² and $5 to $6 or `$x$`.".replace('`', "")
    );
    assert_eq!(plain("Then:\n$$\nx = \\frac{1}{2}\n$$\nend", 80), "Then:\n\n    1\nx = ─\n    2\n\nend");
    assert_eq!(plain(r"Not \(unfinished", 80), r"Not \(unfinished");
}

#[test]
fn written_markers_and_escapes_may_be_kept() {
    let options = Options { preserve_list_markers: true, preserve_escapes: true, ..Options::default() };
    assert_eq!(tagged("7) a\\*\n7) b", &options), "<listBullet>7) </>a\\*\n<listBullet>7) </>b");
    assert_eq!(plain("7) a\\*\n7) b\n\n* [x] c", 80), "7. a*\n8. b\n\n- [x] c");
}

#[test]
fn streamed_code_does_not_flicker() {
    let shown = ["```\nx", "```\nx\n", "```\nx\n`", "```\nx\n``", "```\nx\n```"].map(|text| plain(text, 80));
    assert_eq!(shown, ["```\n  x\n```"; 5]);
}

#[test]
fn code_is_highlighted_by_language() {
    assert_eq!(plain("```shout\nhey\n```\n\n    indented", 80), "```shout\n  HEY\n```\n\n```\n  indented\n```");
}

#[test]
fn a_table_without_room_is_shown_as_written() {
    assert_eq!(plain("| a | b |\n|---|---|\n| 1 | 2 |", 8), "| a | b\n|\n|---|---\n|\n| 1 | 2\n|");
}

proptest! {
    #[test]
    fn any_text_is_rendered_in_its_width(text in r"[a-z#*_`~>|\[\]()!<\\$ \n0-9.:-]{0,80}", width in 3usize..40) {
        for line in plain(&text, width).lines() {
            prop_assert!(visible_width(line) <= width, "{line:?}");
        }
    }
}
