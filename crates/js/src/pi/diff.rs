//! Showing what changed in a text.

use serde_json::json;
use tau_tools::edit::changes;

use crate::convert::text_of;
use crate::ops::Json;
use crate::ops::table::ops;

ops! {
    /// Showing what changed in a text.
    pub(crate) static OPS: watched;

    /// What changed in a text.
    fn piDiff(path, before, after, context) -> "{ diff: string; patch: string; firstChangedLine?: number | null }" = pi_diff, Pure;
}

fn pi_diff<'js>(
    path: String,
    before: rquickjs::String<'js>,
    after: rquickjs::String<'js>,
    context: f64,
) -> rquickjs::Result<Json> {
    // `as` saturates: whatever is no count is none.
    let changes = changes(&path, &text_of(&before)?, &text_of(&after)?, context as usize);
    Ok(Json(json!({
        "diff": changes.diff,
        "patch": changes.patch,
        "firstChangedLine": changes.first_changed_line,
    })))
}
