//! Drawing an editor.

use tau_view::editor::{Position, Row};
use tau_view::truncate::truncate_to_width;
use tau_view::width::{graphemes, visible_width};

use super::EditorView;
use crate::Drawn;
use crate::style::{Styles, inverse};

/// The fewest rows that an editor may grow to, and the share of the screen that it may have if that is more.
const FEWEST: usize = 5;
const SHARE: usize = 30;

/// A text in the rule above or below an editor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rule {
    /// What stands at its left, styled.
    pub left: Option<String>,
    /// What stands at its right, styled.
    pub right: Option<String>,
}

/// How an editor is drawn.
#[derive(Debug)]
pub struct EditorLook<'a> {
    /// The colours.
    pub styles: &'a Styles,
    /// The token that gives the rules their colour.
    pub rule: &'a str,
    /// Texts in the rule above.
    pub top: Rule,
    /// Texts in the rule below.
    pub bottom: Rule,
    /// Empty columns at both sides.
    pub padding: usize,
    /// Rows of the screen.
    pub rows: usize,
    /// Draw the cursor as an inverse cell. The cursor of the terminal is placed there in any case.
    pub cursor: bool,
}

impl EditorView {
    /// The rows of the editor between two rules, at most as wide as `width`.
    pub fn draw(&mut self, width: usize, look: &EditorLook<'_>) -> Drawn {
        // Narrow terminals have no room for padding; one column is kept for the cursor behind the last character.
        let padding = if width >= 20 { look.padding } else { 0 };
        let inner = width.saturating_sub(2 * padding + 1).max(1);
        self.model.set_width(inner);
        if let Some(vi) = &mut self.vi {
            vi.settle(&mut self.model);
        }
        let selected = self.selected();
        let rows = self.model.rows();
        let most = FEWEST.max(look.rows * SHARE / 100).min(look.rows.saturating_sub(3).max(1));
        let current = rows.iter().position(|row| row.cursor.is_some()).unwrap_or(0);
        let shown = rows.len().min(most);
        let first = scrolled(self.first, current, rows.len(), shown);
        let mut drawn = Drawn::default();
        let above = (first > 0).then(|| format!(" ↑ {first} more "));
        let below = rows.len() - first - shown;
        let below = (below > 0).then(|| format!(" ↓ {below} more "));
        drawn.lines.push(rule(width, look, &look.top, above.as_deref()));
        let margin = " ".repeat(padding);
        for row in &rows[first..first + shown] {
            if let Some(at) = row.cursor {
                let column = padding + visible_width(&row.text[..at.min(row.text.len())]);
                drawn.cursor = Some((drawn.lines.len(), column.min(width.saturating_sub(1))));
            }
            let line = styled(row, selected, look);
            drawn.lines.push(format!("{margin}{line}"));
        }
        drawn.lines.push(rule(width, look, &look.bottom, below.as_deref()));
        (self.first, self.shown, self.margin) = (first, shown, padding);
        drawn
    }
}

/// The row that is shown first so that the cursor's is among those shown, with as little movement as possible.
fn scrolled(first: usize, current: usize, rows: usize, shown: usize) -> usize {
    let last = rows.saturating_sub(shown);
    let least = (current + 1).saturating_sub(shown);
    first.clamp(least, current.max(least)).min(last)
}

/// A row with the colour of what is selected, and the character under the cursor inverse.
fn styled(row: &Row<'_>, selected: Option<(Position, Position)>, look: &EditorLook<'_>) -> String {
    let length = row.text.len();
    let cursor = row.cursor.filter(|_| look.cursor).map(|at| at.min(length));
    // The cells that have a style, as byte ranges of the row; the cell behind the text is beyond its end.
    let under = cursor.map(|at| at..at + graphemes(&row.text[at..]).next().map_or(1, str::len));
    let place = |column: usize| Position { line: row.line, column: row.start + column };
    let range = selected.map_or(0..0, |(from, to)| {
        let within = |end: Position| match end {
            end if end <= place(0) => 0,
            end if end.line > row.line => length,
            end => (end.column - row.start).min(length),
        };
        within(from)..within(to)
    });
    let plain = |range: std::ops::Range<usize>| row.text.get(range).unwrap_or_default();
    let chosen = |range: std::ops::Range<usize>| look.styles.bg("selectedBg", plain(range));
    let Some(under) = under else {
        return format!("{}{}{}", plain(0..range.start), chosen(range.clone()), plain(range.end..length));
    };
    let character = row.text.get(under.clone()).unwrap_or(" ");
    let end = under.end.min(length);
    let before = format!(
        "{}{}{}",
        plain(0..range.start.min(under.start)),
        chosen(range.start.min(under.start)..range.end.min(under.start)),
        plain(range.end.min(under.start)..under.start)
    );
    let after = format!(
        "{}{}{}",
        plain(end..range.start.max(end)),
        chosen(range.start.max(end)..range.end.max(end)),
        plain(range.end.max(end)..length)
    );
    format!("{before}{}{after}", inverse(character))
}

/// A rule across the screen, with texts in it. A text that does not fit is cut; how many rows are hidden is said first.
fn rule(width: usize, look: &EditorLook<'_>, texts: &Rule, hidden: Option<&str>) -> String {
    const DASH: &str = "─";
    /// Dashes before a text at the left and behind one at the right.
    const EDGE: usize = 2;
    let line = |columns: usize| look.styles.fg(look.rule, &DASH.repeat(columns));
    let mut left = texts.left.iter().map(|text| format!(" {text} ")).collect::<String>();
    left.push_str(&hidden.map(|text| look.styles.fg(look.rule, text)).unwrap_or_default());
    let room = width.saturating_sub(2 * EDGE);
    if left.is_empty() && texts.right.is_none() {
        return line(width);
    }
    let left = truncate_to_width(&left, room, "…", false);
    let taken = visible_width(&left);
    let right = texts.right.as_ref().map(|text| format!(" {text} ")).unwrap_or_default();
    let right_width = visible_width(&right);
    // The right one is left out when it does not fit, as what is less important.
    let (right, right_width) = if taken + right_width < room { (right, right_width) } else { (String::new(), 0) };
    if taken == 0 && right_width == 0 {
        return line(width);
    }
    let end = if right_width > 0 { EDGE } else { 0 };
    let start = if taken > 0 { EDGE } else { 0 };
    let middle = width.saturating_sub(start + taken + right_width + end);
    format!("{}{left}{}{right}{}", line(start), line(middle), line(end))
}
