//! How many cells an image takes.

use super::Drawing;

/// How many rows and columns an image has at most: for so many there are characters that stand for its cells.
pub(super) const MOST: usize = 128;

/// A size in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    /// Columns, at least one.
    pub columns: u16,
    /// Rows, at least one.
    pub rows: u16,
}

/// The cells for an image of so many pixels where there are `room` columns: no more than are wanted, no more than it has
/// pixels for, and no higher than as wide. None where there is no room, or where the image has no size.
pub fn fit((width, height): (u32, u32), room: usize, drawing: Drawing) -> Option<Fit> {
    let (cell_width, cell_height) = (u64::from(drawing.cell.0.max(1)), u64::from(drawing.cell.1.max(1)));
    let (width, height) = (u64::from(width), u64::from(height));
    let most = u64::from(drawing.columns).min(room as u64).min(MOST as u64);
    if most == 0 || width == 0 || height == 0 {
        return None;
    }
    let columns = most.min(width.div_ceil(cell_width));
    // The square on the most columns is as high as an image may be.
    let most_rows = (most * cell_width / cell_height).clamp(1, MOST as u64);
    let rows_of = |columns: u64| (columns * cell_width * height).div_ceil(width * cell_height).max(1);
    let rows = rows_of(columns);
    let (columns, rows) = if rows <= most_rows {
        (columns, rows)
    } else {
        let columns = (most_rows * cell_height * width / (height * cell_width)).clamp(1, columns);
        (columns, rows_of(columns).min(most_rows))
    };
    Some(Fit { columns: columns as u16, rows: rows as u16 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::picture::How;

    fn drawing(columns: u16) -> Drawing {
        Drawing { how: How::Kitty, cell: (9, 18), columns }
    }

    fn size(pixels: (u32, u32), room: usize, columns: u16) -> Option<(u16, u16)> {
        fit(pixels, room, drawing(columns)).map(|fit| (fit.columns, fit.rows))
    }

    #[test]
    fn an_image_has_the_columns_that_are_wanted_and_no_more_than_it_has_pixels_for() {
        assert_eq!(size((1080, 540), 78, 60), Some((60, 15)));
        assert_eq!(size((1080, 540), 40, 60), Some((40, 10)));
        assert_eq!(size((90, 90), 78, 60), Some((10, 5)));
        assert_eq!(size((1, 1), 78, 60), Some((1, 1)));
        // As high as wide, and then as narrow as that makes it.
        assert_eq!(size((540, 1080), 78, 60), Some((30, 30)));
        assert_eq!(size((540, 5400), 78, 60), Some((6, 30)));
        for none in [size((0, 5), 78, 60), size((5, 5), 0, 60), size((5, 5), 78, 0)] {
            assert_eq!(none, None);
        }
    }

    proptest! {
        #[test]
        fn any_image_fits(width in 1u32.., height in 1u32.., room in 1usize..500, columns in 1u16.., cell in (1u16.., 1u16..)) {
            let drawing = Drawing { how: How::Kitty, cell, columns };
            let fit = fit((width, height), room, drawing).expect("there is room");
            prop_assert!(fit.columns >= 1 && usize::from(fit.columns) <= room && fit.columns <= columns);
            prop_assert!(fit.rows >= 1 && usize::from(fit.rows) <= MOST);
        }
    }
}
