//! Formulas in LaTeX as text: Greek letters, operators, superscripts and fractions in Unicode.
//!
//! What has no readable form as text is not guessed at: such a formula is better shown as it was written.

mod block;
mod layout;
mod parse;
mod scripts;
mod symbols;

/// The formula `source`, without its delimiters, as text of one or more lines; `None` if it is malformed or uses
/// commands that have no such form.
///
/// With `display`, as for a formula on lines of its own, fractions and limits are stacked over each other.
pub fn render(source: &str, display: bool) -> Option<String> {
    let nodes = parse::parse(source)?;
    let text = layout::render(&nodes, display);
    Some(text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"))
}
