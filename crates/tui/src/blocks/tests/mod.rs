//! Blocks as a user sees them.

mod dock;
mod hostile;
mod message;
mod note;
mod tool;

use tau_view::theme::ColorTheme;

use crate::highlight::CodeColours;
use crate::look::{Highlighter, Look, SharedLook};
use crate::screen::{Content, Line};
use crate::style::{ColorDepth, Styles};

fn with_depth(depth: ColorDepth) -> SharedLook {
    let theme = ColorTheme::builtin("dark").expect("a theme");
    let highlighter = Some(std::sync::Arc::new(CodeColours) as std::sync::Arc<dyn Highlighter>);
    SharedLook::new(Look { highlighter, ..Look::plain(Styles::new(&theme, depth)) })
}

/// With colours.
pub(super) fn look() -> SharedLook {
    with_depth(ColorDepth::True)
}

/// Without colours.
pub(super) fn bare() -> SharedLook {
    with_depth(ColorDepth::None)
}

/// The characters of lines, each with a bar where it ends if that is not where its text ends.
pub(super) fn plain(lines: &[Line]) -> String {
    let text = |line: &Line| {
        let text = line.plain();
        if text.ends_with(' ') { format!("{text}|") } else { text }
    };
    lines.iter().map(|line| text(line) + "\n").collect()
}

/// Lines with what is written for their colours.
fn styled(lines: &[Line]) -> String {
    lines.iter().map(|line| line.as_str().replace('\x1b', "␛") + "\n").collect()
}

/// Content at three widths.
fn pictures(content: &dyn Content) -> String {
    at_widths(|width| content.lines(width))
}

fn at_widths(lines: impl Fn(usize) -> Vec<Line>) -> String {
    let mut pictures = String::new();
    for width in [100, 40, 20] {
        let lines = lines(width);
        assert!(lines.iter().all(|line| line.width() <= width), "no line is wider than {width}");
        pictures += &format!("=== {width}\n{}", plain(&lines));
    }
    pictures
}
