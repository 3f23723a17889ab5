//! Arguments of tool calls, checked against a schema.

use rquickjs::Ctx;
use tau_tools::arguments::validate;

use crate::ops::{Json, OpError, Ops};

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    ops.function(
        "piValidateArguments",
        |ctx: Ctx<'js>, tool: String, schema: Json, args: Json| -> rquickjs::Result<Json> {
            let checked = validate(&tool, &schema.0, args.0);
            checked.map(Json).map_err(|failure| OpError::message(failure.message).throw(&ctx))
        },
    )
}
