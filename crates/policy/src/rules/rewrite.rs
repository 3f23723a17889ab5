//! Changes to commands.

use super::verdict::Edit;
use crate::arguments::{Takes, parse as parse_options};
use crate::invocation::{Invocation, Stdin};
use crate::site::Span;

/// Whether a call brings a trailer itself.
pub(crate) fn has_trailer(invocation: &Invocation, trailer: &str) -> bool {
    let in_stdin = match &invocation.stdin {
        Stdin::Text(text) => text.shown().contains(trailer),
        Stdin::Inherited => false,
    };
    in_stdin || invocation.argv.iter().any(|arg| arg.text.shown().contains(trailer))
}

/// The options of git itself that take a value.
const GLOBAL: &[&str] =
    &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path", "--super-prefix"];

/// Inserts the trailer after the subcommand; `None` where the text of the command is not the call itself.
pub(crate) fn trailer_edit(invocation: &Invocation, trailer: &str) -> Option<Edit> {
    let args = invocation.argv.get(1..)?;
    let takes = Takes::new(GLOBAL.iter().map(|name| (*name).to_owned()).collect());
    let parsed = parse_options(args, &takes);
    // An unknown argument in front may take the subcommand for its value.
    let subcommand =
        parsed.operands.first().filter(|arg| arg.known() == Some("commit") && arg.is_exact && arg.site.script == 0)?;
    let at = subcommand.site.span.end;
    Some(Edit { span: Span { start: at, end: at }, text: format!(" --trailer {}", quoted(trailer)) })
}

/// A word for a shell that stands for exactly this text.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text with changes, which are in the order of their places.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut changed = text.to_owned();
    for edit in edits.iter().rev() {
        let Span { start, end } = edit.span;
        if changed.is_char_boundary(start) && changed.is_char_boundary(end) && start <= end {
            changed.replace_range(start..end, &edit.text);
        }
    }
    changed
}
