//! Arguments of tool calls, checked against a schema.

use rquickjs::Ctx;
use tau_tools::arguments::validate;

use crate::ops::table::ops;
use crate::ops::{Json, OpError};

ops! {
    /// Arguments of tool calls, checked against a schema.
    pub(crate) static OPS: watched;

    /// Arguments of a tool call, checked against a schema and converted.
    fn piValidateArguments(tool, schema, args) = pi_validate_arguments, Pure;
    /// Both ends of a text of arguments that cannot be used.
    fn piBothEnds(text) = pi_both_ends, Pure;
}

fn pi_both_ends(text: String) -> String {
    tau_ai::both_ends(&text).into_owned()
}

fn pi_validate_arguments<'js>(ctx: Ctx<'js>, tool: String, schema: Json, args: Json) -> rquickjs::Result<Json> {
    let checked = validate(&tool, &schema.0, args.0);
    checked.map(Json).map_err(|failure| OpError::message(failure.message).throw(&ctx))
}
