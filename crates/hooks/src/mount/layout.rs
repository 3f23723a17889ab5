//! How a component lies over the screen.

use serde::{Deserialize, Deserializer, Serialize};

/// How wide an overlay is that does not say, in columns.
const USUAL_WIDTH: usize = 80;

/// A number of cells, or a share of what there is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extent {
    /// Cells.
    Cells(i64),
    /// A share in percent.
    Percent(f64),
}

impl Extent {
    /// How many of `whole` cells that is.
    fn of(self, whole: usize) -> i64 {
        match self {
            Self::Cells(cells) => cells,
            #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "cells of a screen")]
            Self::Percent(percent) => (whole as f64 * percent / 100.0).floor() as i64,
        }
    }
}

/// A place that an overlay keeps to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Anchor {
    /// The middle.
    #[default]
    Center,
    /// A corner.
    TopLeft,
    /// A corner.
    TopRight,
    /// A corner.
    BottomLeft,
    /// A corner.
    BottomRight,
    /// The middle of an edge.
    TopCenter,
    /// The middle of an edge.
    BottomCenter,
    /// The middle of an edge.
    LeftCenter,
    /// The middle of an edge.
    RightCenter,
}

/// Where something is along one direction.
#[derive(Clone, Copy)]
enum Side {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// Down and across.
    fn sides(self) -> (Side, Side) {
        use Side::{End, Middle, Start};
        match self {
            Self::Center => (Middle, Middle),
            Self::TopLeft => (Start, Start),
            Self::TopRight => (Start, End),
            Self::BottomLeft => (End, Start),
            Self::BottomRight => (End, End),
            Self::TopCenter => (Start, Middle),
            Self::BottomCenter => (End, Middle),
            Self::LeftCenter => (Middle, Start),
            Self::RightCenter => (Middle, End),
        }
    }
}

/// What stays free at the edges of the screen, in cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Margin {
    /// Rows.
    pub top: usize,
    /// Columns.
    pub right: usize,
    /// Rows.
    pub bottom: usize,
    /// Columns.
    pub left: usize,
}

/// How an overlay lies over the screen. What an extension gives that is of no use counts as not given.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OverlayOptions {
    /// Columns.
    pub width: Option<Extent>,
    /// Columns that it has at least.
    pub min_width: Option<usize>,
    /// Rows that it has at most.
    pub max_height: Option<Extent>,
    /// Where it stands.
    pub anchor: Anchor,
    /// Columns to the right of there.
    pub offset_x: i64,
    /// Rows below.
    pub offset_y: i64,
    /// The row in place of that of the anchor; a share is one of the room that is free.
    pub row: Option<Extent>,
    /// The column in place of that of the anchor; a share is one of the room that is free.
    pub column: Option<Extent>,
    /// What stays free at the edges.
    pub margin: Margin,
    /// It leaves the keys to others until it is given them.
    pub non_capturing: bool,
    /// It is not to be seen on a screen of this size.
    pub is_hidden: bool,
}

/// A place on a screen, in cells from the top left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// The first row.
    pub row: usize,
    /// The first column.
    pub column: usize,
    /// Columns; at least one.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl OverlayOptions {
    /// The columns and the most rows that it has on a screen of this size.
    pub fn room(&self, columns: usize, rows: usize) -> (usize, usize) {
        let Margin { top, right, bottom, left } = self.margin;
        let across = columns.saturating_sub(left.saturating_add(right)).max(1);
        let down = rows.saturating_sub(top.saturating_add(bottom)).max(1);
        let width = self.width.map_or(USUAL_WIDTH.min(across), |width| cells(width.of(columns)));
        let width = width.max(self.min_width.unwrap_or(1)).clamp(1, across);
        let height = self.max_height.map_or(down, |height| cells(height.of(rows)).clamp(1, down));
        (width, height)
    }

    /// Where it lies when it has so many lines.
    pub fn place(&self, lines: usize, columns: usize, rows: usize) -> Rect {
        let (width, most) = self.room(columns, rows);
        let height = lines.min(most);
        let Margin { top, right, bottom, left } = self.margin;
        let (down, across) = self.anchor.sides();
        let row = along(down, self.row, self.offset_y, height, top, bottom, rows);
        let column = along(across, self.column, self.offset_x, width, left, right, columns);
        Rect { row, column, width, height: height.min(rows.saturating_sub(row)) }
    }
}

/// Where something of this size begins between two margins.
fn along(
    side: Side,
    fixed: Option<Extent>,
    offset: i64,
    size: usize,
    before: usize,
    after: usize,
    whole: usize,
) -> usize {
    let last = whole.saturating_sub(after.saturating_add(size)).max(before.min(whole.saturating_sub(1)));
    let free = last.saturating_sub(before);
    let start = match fixed {
        Some(Extent::Cells(at)) => at,
        Some(share @ Extent::Percent(_)) => signed(before).saturating_add(share.of(free)),
        None => signed(match side {
            Side::Start => before,
            Side::Middle => before + free / 2,
            Side::End => last,
        }),
    };
    let before = before.min(last);
    cells(start.saturating_add(offset)).clamp(before, last)
}

fn signed(cells: usize) -> i64 {
    i64::try_from(cells).unwrap_or(i64::MAX)
}

fn cells(number: i64) -> usize {
    usize::try_from(number.max(0)).unwrap_or(usize::MAX)
}

/// How extensions in JavaScript write it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    #[serde(default, deserialize_with = "extent")]
    width: Option<Extent>,
    #[serde(default, deserialize_with = "whole")]
    min_width: Option<i64>,
    #[serde(default, deserialize_with = "extent")]
    max_height: Option<Extent>,
    #[serde(default, deserialize_with = "anchor")]
    anchor: Anchor,
    #[serde(default, deserialize_with = "whole")]
    offset_x: Option<i64>,
    #[serde(default, deserialize_with = "whole")]
    offset_y: Option<i64>,
    #[serde(default, deserialize_with = "extent")]
    row: Option<Extent>,
    #[serde(default, deserialize_with = "extent")]
    col: Option<Extent>,
    #[serde(default, deserialize_with = "margin")]
    margin: Margin,
    #[serde(default, deserialize_with = "yes")]
    non_capturing: bool,
    #[serde(default, deserialize_with = "yes")]
    hidden: bool,
}

impl<'de> Deserialize<'de> for OverlayOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(deserializer)?;
        Ok(Self {
            width: written.width,
            min_width: written.min_width.map(cells),
            max_height: written.max_height,
            anchor: written.anchor,
            offset_x: written.offset_x.unwrap_or(0),
            offset_y: written.offset_y.unwrap_or(0),
            row: written.row,
            column: written.col,
            margin: written.margin,
            non_capturing: written.non_capturing,
            is_hidden: written.hidden,
        })
    }
}

type Json = serde_json::Value;

/// A number, without what comes behind the point.
fn number(value: &Json) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "it stays within the range of the type")]
    value.as_f64().filter(|number| number.is_finite()).map(|number| number.floor() as i64)
}

fn extent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Extent>, D::Error> {
    let value = Json::deserialize(deserializer)?;
    let percent = value.as_str().and_then(|text| text.strip_suffix('%')?.trim().parse::<f64>().ok());
    let percent = percent.filter(|percent| percent.is_finite()).map(Extent::Percent);
    Ok(percent.or_else(|| number(&value).map(Extent::Cells)))
}

fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    Ok(number(&Json::deserialize(deserializer)?))
}

fn yes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Json::deserialize(deserializer)? == Json::Bool(true))
}

fn anchor<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Anchor, D::Error> {
    Ok(serde_json::from_value(Json::deserialize(deserializer)?).unwrap_or_default())
}

fn margin<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Margin, D::Error> {
    let value = Json::deserialize(deserializer)?;
    let side = |name| number(value.get(name).unwrap_or(&value)).map_or(0, cells);
    Ok(Margin { top: side("top"), right: side("right"), bottom: side("bottom"), left: side("left") })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn options(value: Json) -> OverlayOptions {
        serde_json::from_value(value).expect("anything is read")
    }

    fn at(value: Json, lines: usize) -> (usize, usize, usize, usize) {
        let Rect { row, column, width, height } = options(value).place(lines, 100, 30);
        (row, column, width, height)
    }

    #[test]
    fn an_overlay_stands_where_it_says() {
        assert_eq!(at(json!({}), 10), (10, 10, 80, 10));
        assert_eq!(at(json!({"width": 40, "anchor": "top-right", "margin": 2}), 5), (2, 58, 40, 5));
        assert_eq!(at(json!({"width": "50%", "anchor": "bottom-center"}), 4), (26, 25, 50, 4));
        assert_eq!(at(json!({"width": 20, "row": "25%", "col": "100%"}), 6), (6, 80, 20, 6));
        assert_eq!(at(json!({"width": 20, "row": 3, "col": 7}), 6), (3, 7, 20, 6));
        assert_eq!(at(json!({"width": 20, "anchor": "left-center", "offsetX": 3, "offsetY": -2}), 6), (10, 3, 20, 6));
        assert_eq!(at(json!({"width": 10, "minWidth": 30, "maxHeight": 10}), 50), (10, 35, 30, 10));
        assert_eq!(at(json!({"maxHeight": "50%", "margin": {"left": 10}}), 50), (7, 15, 80, 15));
    }

    #[test]
    fn what_is_of_no_use_counts_as_not_given() {
        let odd = json!({"width": {}, "anchor": "middle", "margin": "wide", "row": "x%", "nonCapturing": 1, "maxHeight": null});
        assert_eq!(options(odd), OverlayOptions::default());
    }

    fn values() -> impl Strategy<Value = Json> {
        prop_oneof![
            Just(Json::Null),
            any::<i64>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            "-?[0-9]{1,5}%".prop_map(Json::from),
        ]
    }

    proptest! {
        #[test]
        fn an_overlay_stays_on_the_screen(
            values in prop::collection::vec(values(), 8),
            anchor in 0_usize..9,
            lines in 0_usize..500,
            columns in 1_usize..300,
            rows in 1_usize..100,
        ) {
            let names = ["width", "minWidth", "maxHeight", "offsetX", "offsetY", "row", "col", "margin"];
            let all = ["center", "top-left", "top-right", "bottom-left", "bottom-right", "top-center", "bottom-center",
                "left-center", "right-center"];
            let mut written: serde_json::Map<String, Json> =
                names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), value)).collect();
            written.insert("anchor".to_owned(), all[anchor].into());
            let Rect { row, column, width, height } = options(written.into()).place(lines, columns, rows);
            prop_assert!(width >= 1 && column + width <= columns);
            prop_assert!(row + height <= rows && height <= lines);
        }
    }
}
