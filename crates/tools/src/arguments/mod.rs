//! Checking the arguments of a tool call against the tool's schema.
//!
//! Models are careless with types: they send `"7"` for a number, `null` for an option they mean to leave out,
//! or one thing where a list of things is wanted. What can only mean one thing is converted first; the rest
//! fails with a text that tells the model, line by line, what to fix.

mod coerce;
mod compiled;
mod describe;
mod order;
mod plain;
mod references;
mod weight;

use serde_json::Value;
use tau_ai::{both_ends, received_arguments};

use crate::ToolFailure;

/// Converts `args` where they plainly mean what `schema` asks for, and checks them. Properties that the schema
/// does not name are kept. The failure lists every complaint with its path and repeats the arguments as
/// received, of long ones both ends ([`tau_ai::MAX_RECEIVED`]); a schema that is itself invalid is a failure too, and so is a value whose schema is a reference that leads
/// nowhere, or outside of the schema.
pub fn validate(tool_name: &str, schema: &Value, args: Value) -> Result<Value, ToolFailure> {
    if plain::certainly_valid(schema, &args) && !coerce::may_drop_nulls(&args) {
        return Ok(args);
    }
    let (validator, checked) = compiled::root_validator(schema).map_err(|reason| {
        ToolFailure::new(format_args!("The parameter schema of tool \"{tool_name}\" is invalid: {reason}"))
    })?;
    if validator.is_valid(&args) && !coerce::may_drop_nulls(&args) {
        return Ok(args);
    }
    let mut coerced = args.clone();
    coerce::drop_optional_nulls(&mut coerced, schema);
    coerced = coerce::Coercion::new(schema).coerce(coerced, schema);
    let complaints = describe::complaints(&validator, &checked, &coerced);
    if complaints.is_empty() {
        return Ok(coerced);
    }
    Err(ToolFailure::new(format_args!(
        "Validation failed for tool \"{tool_name}\":\n{}\n\nReceived arguments:\n{}",
        both_ends(&complaints.join("\n")),
        received_arguments(&args)
    )))
}

/// What is wrong with a value by a schema, line by line; nothing is converted. A schema that is itself invalid is what is
/// wrong then.
pub fn complaints(schema: &Value, value: &Value) -> Vec<String> {
    if plain::certainly_valid(schema, value) {
        return Vec::new();
    }
    match compiled::root_validator(schema) {
        Ok((validator, _)) if validator.is_valid(value) => Vec::new(),
        Ok((validator, checked)) => {
            let lines = describe::complaints(&validator, &checked, value);
            let plain = |line: &String| line.trim_start_matches("  - ").trim_start_matches("root: ").to_owned();
            lines.iter().map(plain).collect()
        }
        Err(reason) => vec![format!("the schema is invalid: {reason}")],
    }
}

/// Whether `schema` can be used to check arguments; the error says what is wrong with it. References may lead nowhere.
pub fn check_schema(schema: &Value) -> Result<(), String> {
    if plain::certainly_a_schema(schema) { Ok(()) } else { compiled::root_validator(schema).map(|_| ()) }
}
