//! Blocks of the conversation for components, drawn by the front end.

use rquickjs::Ctx;
use serde::Deserialize as _;
use tau_hooks::mount::{BlockSpace, ConversationBlock};

use super::super::extract::Bridged;
use crate::ops::table::ops;
use crate::ops::{Json, List, OpError};
use crate::pi::{Columns, rows_room};

ops! {
    /// Blocks of the conversation, for components.
    pub(in crate::bridge) static OPS: watched;

    /// The rows of a block of the conversation.
    fn blockRows(block, width, padding, expandKey) = block_rows, Pure;
}

fn block_rows(
    js: Ctx<'_>,
    Bridged(bridge): Bridged,
    Json(block): Json,
    Columns(width): Columns,
    Columns(padding): Columns,
    expand_key: String,
) -> rquickjs::Result<List<String>> {
    let lengths = Lengths::of(&block);
    let _room = rows_room(&js, lengths.bytes, lengths.lines, width)?;
    let wrong = |error| OpError::type_error("ERR_INVALID_ARG_VALUE", format!("no block: {error}")).throw(&js);
    let block = ConversationBlock::deserialize(block).map_err(wrong)?;
    let drawer = bridge.any_extension().and_then(|extension| extension.facts().blocks.clone());
    let space = BlockSpace { width: width.max(1), padding: padding.min(width), expand_key };
    Ok(List(match drawer {
        Some(drawer) => drawer.0.rows(&block, &space),
        None => block.plain_rows(space.width),
    }))
}

/// How long the texts of a value are.
#[derive(Default)]
struct Lengths {
    bytes: usize,
    lines: usize,
}

impl Lengths {
    fn of(value: &serde_json::Value) -> Self {
        let mut all = Self::default();
        let mut left = vec![value];
        while let Some(value) = left.pop() {
            match value {
                serde_json::Value::String(text) => {
                    all.bytes = all.bytes.saturating_add(text.len());
                    all.lines += text.bytes().filter(|byte| *byte == b'\n').count();
                }
                serde_json::Value::Array(items) => left.extend(items),
                serde_json::Value::Object(fields) => left.extend(fields.values()),
                _ => {}
            }
        }
        all
    }
}
