//! Images in blocks.

use super::paint::Margin;
use crate::look::Look;
use crate::picture::{Drawing, Image, Picture, Slice, State, fit};
use crate::screen::Line;
use tau_view::wrap::wrap_text;

/// About how many rows an image takes.
pub(super) const ROWS: usize = 15;

/// The rows of an image behind so many empty columns; where it is not drawn, what is said of it.
pub(super) fn lines(look: &Look, image: &Image, width: usize, left: usize) -> Vec<Line> {
    lines_within(look, image, width, left, u16::MAX)
}

/// The same for an image that takes so many columns at most.
pub(super) fn lines_within(look: &Look, image: &Image, width: usize, left: usize, columns: u16) -> Vec<Line> {
    drawn(look, image, width, left, columns).unwrap_or_else(|| {
        let text = look.styles.fg("muted", &image.label());
        let rows = wrap_text(&text, width.saturating_sub(left).max(1));
        rows.iter().map(|row| Line::new(&format!("{}{row}", " ".repeat(left)), width)).collect()
    })
}

/// Images one below the other, each with an empty row above, in the columns of the text of a message.
pub(super) fn all(look: &Look, images: &[Image], width: usize) -> Vec<Line> {
    let left = Margin::new(look.padding, width).left;
    let rows = |image| std::iter::once(Line::empty()).chain(lines(look, image, width, left));
    images.iter().flat_map(rows).collect()
}

fn drawn(look: &Look, image: &Image, width: usize, left: usize, columns: u16) -> Option<Vec<Line>> {
    let drawing = look.pictures?;
    let drawing = Drawing { columns: drawing.columns.min(columns), ..drawing };
    let State::Ready(pixels_across, pixels_down) = image.state() else { return None };
    // An empty column at both sides, as a terminal may not draw into the last one.
    let room = width.saturating_sub(left.max(1) + 1);
    let fit = fit((pixels_across, pixels_down), room, drawing)?;
    let picture = Picture::new(image.clone(), drawing.how, fit, u16::try_from(left).ok()?);
    Some((0..fit.rows).map(|row| Line::picture(Slice { picture: picture.clone(), row })).collect())
}
