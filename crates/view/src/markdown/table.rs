//! Tables, drawn with borders in the room there is.

use super::document::{Inline, Table};
use super::measures::{Above, LaidTable, Measures};
use super::renderer::{Renderer, TextStyle};
use super::{Style, Theme};
use crate::width::visible_width;
use crate::wrap::wrap_text;

/// Ends every text style but the background at the end of a wrapped cell line.
const CELL_RESET: &str = "\x1b[22;23;24;25;27;28;29;39m";

impl<T: Theme> Renderer<'_, T> {
    /// Adds the lines of a table; where not even one column per cell is left, its source.
    pub(super) fn table(
        &mut self,
        table: &Table,
        width: usize,
        style: &TextStyle,
        lines: &mut Vec<String>,
    ) -> Result<(), T::Error> {
        self.table_part(table, None, width, style, lines).map(drop)
    }

    /// Adds the lines of the rows of a table that has other rows `above` them, with their border below. Nothing when
    /// the rows above would have to change for them.
    pub(super) fn table_part(
        &mut self,
        table: &Table,
        above: Option<&Above>,
        width: usize,
        style: &TextStyle,
        lines: &mut Vec<String>,
    ) -> Result<Option<()>, T::Error> {
        let columns = table.header.len();
        if columns == 0 {
            return Ok(above.is_none().then_some(()));
        }
        let Some(room) = table_room(columns, width) else {
            lines.extend(wrap_text(&table.raw, width));
            return Ok(above.is_none().then_some(()));
        };
        let header = self.cells(&table.header, style)?;
        let rows = table.rows.iter().map(|row| self.cells(row, style)).collect::<Result<Vec<_>, _>>()?;
        let mut measures = above.map_or_else(|| Measures::new(columns), |above| above.measures.clone());
        measures.add(&header);
        let measures_above = measures.clone();
        rows.iter().for_each(|row| measures.add(row));
        let widths = column_widths(&measures, room);
        if above.is_some_and(|above| above.widths != widths) {
            return Ok(None);
        }

        let rule = |left, middle, right| {
            let cells: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
            format!("{left}─{}─{right}", cells.join(&format!("─{middle}─")))
        };
        let prefix = match style {
            TextStyle::Default { .. } => "",
            style => style.prefix(),
        };
        if above.is_none() {
            lines.push(rule('┌', '┬', '┐'));
            for line in row_lines(&header, &widths, prefix) {
                let cells =
                    line.iter().map(|cell| self.theme.apply(Style::Bold, cell)).collect::<Result<Vec<_>, _>>()?;
                lines.push(format!("│ {} │", cells.join(" │ ")));
            }
            lines.push(rule('├', '┼', '┤'));
        }
        for (index, row) in rows.iter().enumerate() {
            if index > 0 || above.is_some() {
                lines.push(rule('├', '┼', '┤'));
            }
            lines.extend(row_lines(row, &widths, prefix).iter().map(|line| format!("│ {} │", line.join(" │ "))));
        }
        lines.push(rule('└', '┴', '┘'));
        if self.streaming {
            self.last_table = Some(LaidTable { above: measures_above, rows, widths });
        }
        Ok(Some(()))
    }

    fn cells(&mut self, cells: &[Vec<Inline>], style: &TextStyle) -> Result<Vec<String>, T::Error> {
        cells.iter().map(|cell| self.inlines(cell, style)).collect()
    }
}

/// The columns that the cells of a table share; nothing if that is less than one for each.
fn table_room(columns: usize, width: usize) -> Option<usize> {
    width.checked_sub(3 * columns + 1).filter(|room| *room >= columns)
}

/// The lines of a row, each cell padded to its column.
fn row_lines(cells: &[String], widths: &[usize], prefix: &str) -> Vec<Vec<String>> {
    let wrapped: Vec<Vec<String>> = cells
        .iter()
        .zip(widths)
        .map(|(cell, &width)| {
            let lines = wrap_text(cell, width.max(1));
            let last = lines.len() - 1;
            let reset = |index| if index < last { CELL_RESET } else { "" };
            lines.iter().enumerate().map(|(index, line)| format!("{line}{}{prefix}", reset(index))).collect()
        })
        .collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |column: usize, row: usize| {
        let text = wrapped[column].get(row).map_or("", String::as_str);
        format!("{text}{}", " ".repeat(widths[column].saturating_sub(visible_width(text))))
    };
    (0..height).map(|row| (0..wrapped.len()).map(|column| cell(column, row)).collect()).collect()
}

/// Shares `room` between the columns: all what they need if that fits, else at least their longest words, the
/// rest in proportion to what they would still need.
fn column_widths(measures: &Measures, room: usize) -> Vec<usize> {
    let (natural, words): (Vec<usize>, Vec<usize>) = measures.0.iter().copied().unzip();
    let minimum = if words.iter().sum::<usize>() > room { squeeze(&words, room) } else { words };
    if natural.iter().sum::<usize>() <= room {
        return natural.iter().zip(&minimum).map(|(natural, minimum)| *natural.max(minimum)).collect();
    }
    let wanted = |index: usize| natural[index].saturating_sub(minimum[index]);
    let total: usize = (0..minimum.len()).map(wanted).sum();
    let extra = room.saturating_sub(minimum.iter().sum());
    let mut widths: Vec<usize> =
        (0..minimum.len()).map(|index| minimum[index] + share(wanted(index), total, extra)).collect();
    let mut left = room.saturating_sub(widths.iter().sum());
    while left > 0 {
        let before = left;
        for (width, natural) in widths.iter_mut().zip(&natural) {
            if left > 0 && *width < *natural {
                *width += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    widths
}

/// Minimum widths for when not even the longest words fit: one column each, the rest by the length of the words.
fn squeeze(words: &[usize], room: usize) -> Vec<usize> {
    let remaining = room - words.len();
    let total: usize = words.iter().map(|width| width - 1).sum();
    let mut widths: Vec<usize> = words.iter().map(|width| 1 + share(width - 1, total, remaining)).collect();
    let left = room - widths.iter().sum::<usize>();
    for width in widths.iter_mut().take(left) {
        *width += 1;
    }
    widths
}

/// The whole columns of `amount` that `weight` of `total` gets.
fn share(weight: usize, total: usize, amount: usize) -> usize {
    if total == 0 { 0 } else { (weight as f64 / total as f64 * amount as f64) as usize }
}
