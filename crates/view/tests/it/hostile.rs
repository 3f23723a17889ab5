//! Texts that nest without end: every one is laid out on a small stack, in time.

use std::convert::Infallible;
use std::thread;

use tau_view::latex;
use tau_view::markdown::{Options, Style, Theme, render};

const LEVELS: usize = 100_000;
/// Much less than any thread of a front end has.
const STACK: usize = 2 << 20;

struct Ansi;

impl Theme for Ansi {
    type Error = Infallible;

    fn apply(&mut self, style: Style, text: &str) -> Result<String, Infallible> {
        Ok(match style {
            Style::Italic | Style::Quote => format!("\x1b[0m\x1b[3m{text}\x1b[0m"),
            Style::Bold => format!("\x1b[1m{text}\x1b[22m"),
            _ => text.to_owned(),
        })
    }
}

struct Plain;

impl Theme for Plain {
    type Error = Infallible;

    fn apply(&mut self, _: Style, text: &str) -> Result<String, Infallible> {
        Ok(text.to_owned())
    }
}

fn on_a_small_stack<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work).expect("a thread");
    thread.join().expect("no panic")
}

fn nested(levels: usize, before: &str, inner: &str, after: &str) -> String {
    [&before.repeat(levels), inner, &after.repeat(levels)].concat()
}

/// Items, each in the one before, on lines of their own.
fn staircase(levels: usize) -> String {
    (0..levels).map(|level| format!("{}- a\n", "  ".repeat(level))).collect()
}

#[test]
fn markdown_without_end_is_laid_out() {
    let marks: &[(&str, &str, &str, &str)] = &[
        ("", ">", "a", ""),
        ("", "> ", "a\nb", ""),
        ("", "- ", "a", ""),
        ("", "1. ", "a", ""),
        ("", "> - ", "a", ""),
        ("", "- > 1. > ", "a *b* c", ""),
        ("", "> ", "|a|\n|-|\n|b|", ""),
        ("", "*", "a", "*"),
        ("", "*", "a", " a*"),
        ("", "**", "a", "**"),
        ("", "*a _b ", "c", "_ d*"),
        ("", "~~a ", "b", " c~~"),
        ("", "~a ", "b", " c~"),
        ("", "![", "a", "](u)"),
        ("", "![", "a", ""),
        ("", "[", "a", "](u)"),
        ("", "*a ![", "b", "](u) c*"),
        ("|a|\n|-|\n|", "*a _b ", "c", "_ d*|"),
        ("# ", "*a _b ", "c", "_ d*"),
        ("", "$$\\sqrt", "x$$", ""),
        ("$$", "\\sqrt", " x$$", ""),
        ("", "$", "x", "$"),
        ("", "\\(", "x", "\\)"),
        ("", "<b>", "a", "</b>"),
        ("", "<!--", "a", "-->"),
        ("", "`", "a", "`a"),
        ("", "www.a(", "a", ")"),
    ];
    for (lead, before, inner, after) in marks {
        // Quotes break their lines at every level, which takes long in a debug build.
        let levels = if before.contains('>') { LEVELS / 10 } else { LEVELS };
        let text = (*lead).to_owned() + &nested(levels, before, inner, after);
        let lines = on_a_small_stack(before, move || {
            let Ok(lines) = render(&text, 10_000, &Options::default(), &mut Plain);
            lines.len()
        });
        assert!(lines > 0, "{before}");
    }
}

/// The last room for nested marks is one column: breaking them at each level would double the lines each time.
#[test]
fn nested_blocks_in_narrow_room_stay_small() {
    for mark in [">", "> ", "- ", "> - ", "- > ", "- - > ", "1. > "] {
        for width in [1, 2, 3, 4, 5, 8, 20, 40, 80] {
            let text = nested(32, mark, "some *text* here", "");
            let Ok(lines) = render(&text, width, &Options::default(), &mut Ansi);
            let bytes: usize = lines.iter().map(String::len).sum();
            assert!(bytes < 200_000, "{mark} in {width}: {} lines, {bytes} bytes", lines.len());
        }
    }
    let text = staircase(300);
    let Ok(lines) = render(&text, 80, &Options::default(), &mut Ansi);
    assert!(lines.len() < 20_000, "{}", lines.len());
}

#[test]
fn what_nests_too_deep_is_shown_as_it_is_written() {
    let plain = |text: &str| {
        let Ok(lines) = render(text, 400, &Options::default(), &mut Plain);
        lines.join("\n")
    };
    assert_eq!(plain(&nested(32, "> ", "a", "")), nested(32, "│ ", "a", ""));
    assert_eq!(plain(&nested(34, "> ", "a", "")), nested(32, "│ ", "> > a", ""));
    assert!(plain(&nested(33, "- ", "a", "")).ends_with("- a"));
    assert_eq!(plain(&nested(32, "*a _b ", "c", "_ d*")), nested(32, "a b ", "c", " d"));
    assert_eq!(plain(&nested(33, "*a _b ", "$x^2$", "_ d*")), nested(32, "a b ", "*a _b $x^2$_ d*", " d"));
}

#[test]
fn formulas_without_end_are_left_to_the_caller() {
    let marks: &[(&str, &str, &str)] = &[
        ("{", "x", "}"),
        ("\\frac{", "x", "}{y}"),
        ("\\frac", " x", ""),
        ("\\left(", "x", "\\right)"),
        ("^", "x", ""),
        ("_", "x", ""),
        ("x^{", "x", "}"),
        ("x_\\hat", " x", ""),
        ("^1&", "x", ""),
        ("\\sqrt", " x", ""),
        ("\\sqrt[", "x", "]x"),
        ("\\not", " x", ""),
        ("\\hat", " x", ""),
        ("\\mathbf", " x", ""),
        ("\\overset a", " x", ""),
        ("\\binom a", " x", ""),
        ("\\pmod", " x", ""),
        ("\\boxed", " x", ""),
        ("\\begin{matrix}", "x", "\\end{matrix}"),
        ("\\begin{align}", "x", "\\end{align}"),
        ("^1\\!", "x", ""),
    ];
    for (before, inner, after) in marks {
        // As long as a formula may be, and longer.
        for levels in [60, 400, LEVELS] {
            let source = nested(levels, before, inner, after);
            let rendered =
                on_a_small_stack(before, move || [false, true].map(|display| latex::render(&source, display)));
            assert_eq!(rendered, [None, None], "{before} × {levels}");
        }
    }
}

/// Laying a root out more than once would double the work for each root in a root.
#[test]
fn formulas_as_deep_as_they_may_be_are_laid_out() {
    for (before, inner, after) in [
        ("\\sqrt{", "\\frac{a}{b}", "}"),
        ("\\sqrt[\\frac12]{", "\\frac{a}{b}", "}"),
        ("\\frac{", "x", "}{y}"),
        ("x^{", "\\beta", "}"),
        ("\\sum_{", "x", "}"),
        ("\\left(", "\\frac{a}{b}", "\\right)"),
        ("\\begin{aligned}", "x", "\\end{aligned}"),
        ("\\hat", " x", ""),
    ] {
        let source = nested(45, before, inner, after);
        let rendered = on_a_small_stack(before, move || [false, true].map(|display| latex::render(&source, display)));
        assert!(rendered.iter().flatten().all(|text| text.len() < 100_000), "{before}");
        assert!(rendered.iter().all(Option::is_some), "{before}");
    }
}

#[test]
fn large_formulas_are_left_to_the_caller() {
    let row = "&".repeat(3000);
    let sparse = format!("\\begin{{matrix}}{row}{}\\end{{matrix}}", "\\\\".repeat(1500));
    assert_eq!(latex::render(&sparse, true), None);
    assert_eq!(latex::render(&"x".repeat(100_000), true), None);
    assert_eq!(latex::render(&"x".repeat(1000), false), Some("x".repeat(1000)));
}
