use std::convert::Infallible;

use proptest::prelude::*;

use super::super::{CodeLines, DefaultStyle, Options, Style, Theme, render};
use super::MarkdownStream;

/// Shows only the text.
struct Plain;

impl Theme for Plain {
    type Error = Infallible;

    fn apply(&mut self, _: Style, text: &str) -> Result<String, Infallible> {
        Ok(text.to_owned())
    }
}

/// Sequences before and after, and code coloured by what stands above it.
struct Ansi;

impl Theme for Ansi {
    type Error = Infallible;

    fn apply(&mut self, style: Style, text: &str) -> Result<String, Infallible> {
        let (on, off) = match style {
            Style::Bold => (1, 22),
            Style::Italic => (3, 23),
            Style::Underline => (4, 24),
            Style::Strikethrough => (9, 29),
            style => (30 + style as usize % 8, 39),
        };
        Ok(format!("\x1b[{on}m{text}\x1b[{off}m"))
    }

    fn highlight(&mut self, code: &str, language: Option<&str>) -> Result<Option<Vec<String>>, Infallible> {
        let lines = self.code_lines(language);
        Ok(lines.map(|mut lines| code.split('\n').map(|line| lines.line(line)).collect()))
    }

    fn code_lines(&mut self, language: Option<&str>) -> Option<Box<dyn CodeLines>> {
        (language == Some("n")).then(|| Box::new(Numbers(0)) as Box<dyn CodeLines>)
    }
}

struct Numbers(usize);

impl CodeLines for Numbers {
    fn line(&mut self, line: &str) -> String {
        self.0 += 1;
        format!("{}:{line}", self.0)
    }

    fn fork(&self) -> Box<dyn CodeLines> {
        Box::new(Self(self.0))
    }
}

fn options(styled: bool) -> Options {
    let default_style = DefaultStyle { color: styled, italic: styled, ..DefaultStyle::default() };
    Options { default_style, hyperlinks: styled, ..Options::default() }
}

/// Streams the parts, and compares the lines with those of the whole after each.
fn check<T: Theme<Error = Infallible>>(
    parts: &[&str],
    width: usize,
    options: &Options,
    theme: &mut T,
) -> Result<(), TestCaseError> {
    let mut stream = MarkdownStream::new(width, options.clone());
    stream.paragraph_part = 12;
    let mut settled: Vec<String> = Vec::new();
    for part in parts {
        stream.push(part);
        let Ok(()) = stream.lay_out(theme);
        let lines: Vec<&str> = stream.tail(usize::MAX).collect();
        let Ok(whole) = render(stream.text(), width, options, theme);
        prop_assert_eq!(&lines, &whole, "{:?}", stream.text());
        prop_assert!(stream.final_lines() >= settled.len());
        let kept = &lines[..stream.final_lines()];
        prop_assert_eq!(&kept[..settled.len()], &settled, "final lines of {:?}", stream.text());
        settled = kept.iter().map(|line| (*line).to_owned()).collect();
    }
    stream.finish();
    let Ok(()) = stream.lay_out(theme);
    let Ok(whole) = render(stream.text(), width, options, theme);
    prop_assert_eq!(stream.tail(usize::MAX).collect::<Vec<_>>(), whole.clone());
    prop_assert_eq!(stream.final_lines(), whole.len());
    prop_assert_eq!(&whole[..settled.len()], &settled);
    Ok(())
}

/// Pieces of Markdown that meet in every order.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[a-z]{1,6} ".prop_map(String::from),
        6 => Just("\n".to_owned()),
        3 => Just("\n\n".to_owned()),
        3 => "( {0,5}|  )(- |\\* |1\\. |2\\) |> |>|\\+ )".prop_map(String::from),
        2 => " {0,4}(```|~~~|````)[an]?\n".prop_map(String::from),
        2 => Just("| a | b |\n|---|---|\n".to_owned()),
        2 => "\\| [a-z ]{0,9} \\| [a-z]{0,9} \\|\n".prop_map(String::from),
        1 => "\n?#{1,4} ".prop_map(String::from),
        1 => prop::sample::select(vec!["---\n", "===\n", "***\n", "-", "=", "|", "    ", "  ", "\t"]).prop_map(str::to_owned),
        2 => prop::sample::select(vec!["**", "*", "_", "`", "``", "~~", "~", "\\", "&amp;", "&"]).prop_map(str::to_owned),
        2 => prop::sample::select(vec!["[a]", "[b]: <u v>", "[a]: /x\n", "\n[b]: y 't'\n", "[c d](e)", "![](x)", "![i", "]", "](u)", "[", "(", ")"])
            .prop_map(str::to_owned),
        1 => prop::sample::select(vec!["<b>", "<!-- c\n", "-->", "<pre>\n", "</pre>", "<div>\n", "<", "www.x.y ", "https://a.b "])
            .prop_map(str::to_owned),
        1 => prop::sample::select(vec!["$x$", "$$", "$$\nx = y\n$$\n", "$$\n", "\\(", "\\)", "\\[", "\\]\n", "$", "\u{100001}"])
            .prop_map(str::to_owned),
        1 => prop::sample::select(vec!["- [x] ", "- [ ] ", "-\n", "你好", "👍 ", "\x1b[31m", "\u{202e}", "\r\n", "> > ", "- - ", "1. - > "])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..28).prop_map(|pieces| pieces.concat())
}

/// Whole structures, so that nested ones get long.
fn structured() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "[a-z]{1,5}( [a-z*]{1,5}){0,4}".prop_map(String::from),
        2 => "- [a-z]{1,5}".prop_map(String::from),
        2 => "[1-3]\\. [a-z]{1,5}".prop_map(String::from),
        2 => Just("```n".to_owned()),
        2 => Just("```".to_owned()),
        1 => Just("| a | b |\n|---|---|".to_owned()),
        2 => "\\| [a-z ]{0,9} \\| [a-z]{0,9} \\|".prop_map(String::from),
        2 => Just(String::new()),
        1 => Just("> q".to_owned()),
        1 => Just("# h".to_owned()),
        1 => "[a-c]: /[a-z]".prop_map(|text| format!("[{}", text.replacen(':', "]:", 1))),
        1 => Just("see [a] and [b]".to_owned()),
    ];
    let prefix = prop::sample::select(vec![
        "", "", "", "  ", "   ", "    ", "> ", "> ", "- ", "  > ", "> - ", ">   ", "1. ", "     ", "   - ",
    ]);
    prop::collection::vec((prefix, line), 0..24).prop_map(|lines| {
        let lines: Vec<String> = lines
            .into_iter()
            .map(|(prefix, line)| line.split('\n').map(|line| format!("{prefix}{line}\n")).collect())
            .collect();
        lines.concat()
    })
}

/// The text cut into parts of these lengths, in turn.
fn cut<'a>(text: &'a str, lengths: &[usize]) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut rest = text;
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let end = rest.char_indices().nth(*length).map_or(rest.len(), |(index, _)| index);
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    parts
}

fn cases() -> ProptestConfig {
    ProptestConfig { cases: 400, max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default() }
}

#[test]
fn what_follows_belongs_where_it_does_in_the_whole() {
    for text in [
        ">   ```n\n> aaaaa *\n  > aa\n>   | a | b |\n",
        "aaa\n\n>   ```\n> \n>   `",
        "  > \naa \n$$\naaaaaa aa aaaa > > ",
        "- aaa\n  - aa\n  > \n[a]: /a\n| a | b |\n|---|---|\n",
        "a\n\n    - |  |\n\n    ```\n\n",
        "- > q\n    \n  | a | b |\n  |---|---|\n- - a\n",
        "\n[b]: y 't'\n    - aaa \n\n[b]: y 't'\n  1. \n     - ",
        "  ```\n  \n  ```n\n    ```\n     ```\n   ```n\n",
        "- ```n\n  a\n  b\n  c\n",
        "     - a \n- [x]    ````n\n\n\n  $$\nx = y\n$$\n",
        "  + aa \n\naaaaaa -\n| -    ```n\n-    | a | b |\n|---|---|\n",
        "aa aa | a | b |\n|---|---|\na a \n| - aa 1.\n|---|---|\na a ",
        "> q\n- ```n\n  ```\n  a aa*\n  1. a\n- \n  > [a]: /a\n     a\n",
        "> - | a | b |\n>   |---|---|\n>   | 1 | 2 |\n>   | 3 | 4 |\n",
        "- a\n- \n  > \n     a\n",
    ] {
        let parts = cut(text, &[1]);
        for width in [1, 5, 6, 20] {
            if let Err(error) = check(&parts, width, &options(true), &mut Ansi) {
                panic!("{error}");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn streamed_pieces_look_like_the_whole(
        text in markdown(), lengths in prop::collection::vec(1usize..20, 1..6), width in 1usize..60, styled: bool,
    ) {
        check(&cut(&text, &lengths), width, &options(styled), &mut Plain)?;
        check(&cut(&text, &lengths), width, &options(styled), &mut Ansi)?;
    }

    #[test]
    fn streamed_structures_look_like_the_whole(
        text in structured(), lengths in prop::collection::vec(1usize..40, 1..6), width in 5usize..60, styled: bool,
    ) {
        check(&cut(&text, &lengths), width, &options(styled), &mut Ansi)?;
    }
}

/// Streams a text in small parts; gives how many bytes were read for a part: on average in the first and in the last
/// tenth, and all in all for each byte of the text.
fn costs(text: &str) -> [usize; 3] {
    let mut stream = MarkdownStream::new(80, options(true));
    let mut works = Vec::new();
    for part in cut(text, &[11, 3, 17, 5]) {
        let before = stream.work.get();
        stream.push(part);
        let Ok(()) = stream.lay_out(&mut Ansi);
        works.push(stream.work.get() - before);
    }
    let Ok(whole) = render(text, 80, &options(true), &mut Ansi);
    assert!(stream.tail(usize::MAX).eq(whole.iter().map(String::as_str)), "{:.60}", text);
    let tenth = works.len() / 10;
    let average = |works: &[usize]| works.iter().sum::<usize>() / works.len();
    [average(&works[..tenth]), average(&works[works.len() - tenth..]), works.iter().sum::<usize>() / text.len()]
}

#[test]
fn the_cost_of_a_part_does_not_grow_with_the_text() {
    const WORDS: [&str; 8] = ["some", "**bold**", "words", "and", "`code`", "in", "a", "snake_case"];
    let words = |count: usize| (0..count).map(|at| WORDS[at % 8].to_owned() + " ").collect::<String>();
    let lines = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let size = 300;
    let texts = [
        ("prose", lines(size / 10, &|_| words(30) + "\n\n")),
        ("hard breaks", lines(size, &|_| words(9) + "\n")),
        ("one paragraph", words(size * 8)),
        (
            "one paragraph with an open mark",
            "an [open *mark in ~/files ".to_owned() + &words(size * 8).replace('*', ""),
        ),
        ("code", "```n\n".to_owned() + &lines(size * 2, &|at| format!("let a{at} = {at};\n"))),
        ("indented code", lines(size * 2, &|at| format!("    let a{at} = {at};\n"))),
        ("code in an item", "1. a\n\n   ```n\n".to_owned() + &lines(size * 2, &|at| format!("   let a{at} = {at};\n"))),
        ("code in a quote", "> ```n\n".to_owned() + &lines(size * 2, &|at| format!("> let a{at} = {at};\n"))),
        (
            "table",
            "| a | b |\n|---|---|\n".to_owned() + &lines(size, &|at| format!("| r{at} | {} |\n", "x".repeat(at % 9))),
        ),
        (
            "table in an item",
            "- see\n\n  | a | b |\n  |---|---|\n".to_owned() + &lines(size, &|at| format!("  | r{at} | cell |\n")),
        ),
        ("tight list", lines(size, &|at| format!("- item {at} has text\n"))),
        ("loose list", lines(size, &|at| format!("{at}. item {at} has text\n\n"))),
        ("nested list", lines(size / 4, &|at| format!("- item {at}\n  - one\n    1. two\n\n       more\n"))),
        ("deep list", "- a\n  - b\n    > - c\n".to_owned() + &lines(size, &|at| format!("    > - item {at}\n"))),
        ("quote", lines(size / 2, &|_| "> quoted words\n>\n".to_owned())),
        ("list in a quote", lines(size, &|at| format!("> - item {at}\n"))),
        ("formulas", lines(size / 4, &|at| format!("It is $x_{at}$.\n\n$$\nx = {at}\n$$\n\n"))),
    ];
    for (name, text) in texts {
        let [first, last, whole] = costs(&text);
        assert!(last <= 3 * first + 600, "{name}: {first} bytes at first, {last} at the end");
        assert!(whole < 250, "{name}: {whole} times");
    }
}
