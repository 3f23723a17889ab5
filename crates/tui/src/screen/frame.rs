//! What stands around the bytes of a frame.

use super::dock::Cursor;
use super::features::Features;
use super::pen::Pen;

/// Adds what was painted and where the cursor is to be to `out`. `painted` says whether more than the cursor changes,
/// `shown` whether the terminal shows its cursor, as far as that is known.
pub(super) fn finish(
    pen: &Pen,
    painted: bool,
    cursor: Option<Cursor>,
    features: Features,
    shown: &mut Option<bool>,
    out: &mut Vec<u8>,
) {
    let visible = cursor.is_some_and(|cursor| cursor.visible);
    if painted {
        if features.synchronized {
            out.extend_from_slice(b"\x1b[?2026h");
        }
        // A line that a terminal finds wider than it is must not push the others down.
        out.extend_from_slice(b"\x1b[?7l");
        if *shown != Some(false) && (!visible || !features.synchronized) {
            out.extend_from_slice(b"\x1b[?25l");
            *shown = Some(false);
        }
    }
    out.extend_from_slice(pen.bytes.as_bytes());
    if *shown != Some(visible) {
        out.extend_from_slice(if visible { b"\x1b[?25h" } else { b"\x1b[?25l" });
        *shown = Some(visible);
    }
    if painted {
        out.extend_from_slice(b"\x1b[?7h");
        if features.synchronized {
            out.extend_from_slice(b"\x1b[?2026l");
        }
    }
}
