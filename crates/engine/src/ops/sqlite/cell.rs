//! The values of a database and of JavaScript.

use rquickjs::{BigInt, Ctx, FromJs, IntoJs, Value};
use rusqlite::types::{Value as Cell, ValueRef};

use super::super::{Bytes, OpError};
use super::Failure;

/// The largest whole number that every JavaScript number below is exact to.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// Numbers are real numbers, as Node has it: `BigInt` is what makes whole ones.
pub(super) fn all<'js>(ctx: &Ctx<'js>, values: Vec<Value<'js>>) -> rquickjs::Result<Vec<Cell>> {
    values.into_iter().map(|value| from_js(ctx, value)).collect()
}

fn from_js<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Cell> {
    if value.is_null() || value.is_undefined() {
        return Ok(Cell::Null);
    }
    if let Some(number) = value.as_number() {
        return Ok(Cell::Real(number));
    }
    if let Some(text) = value.as_string() {
        return Ok(Cell::Text(text.to_string()?));
    }
    if let Some(number) = value.as_big_int() {
        return Ok(Cell::Integer(number.clone().to_i64()?));
    }
    Ok(Cell::Blob(Bytes::from_js(ctx, value)?.0))
}

pub(super) fn to_js<'js>(ctx: &Ctx<'js>, value: ValueRef<'_>, big: bool) -> Result<Value<'js>, Failure> {
    Ok(match value {
        ValueRef::Null => Value::new_null(ctx.clone()),
        ValueRef::Integer(number) if big => BigInt::from_i64(ctx.clone(), number)?.into_value(),
        #[expect(clippy::cast_precision_loss, reason = "it is exact within these bounds")]
        ValueRef::Integer(number) if (-MAX_SAFE..=MAX_SAFE).contains(&number) => (number as f64).into_js(ctx)?,
        ValueRef::Integer(number) => {
            let message = format!("Value is too large to be represented as a JavaScript number: {number}");
            return Err(OpError::range_error("ERR_OUT_OF_RANGE", message).into());
        }
        ValueRef::Real(number) => number.into_js(ctx)?,
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into_js(ctx)?,
        ValueRef::Blob(bytes) => Bytes(bytes.to_vec()).into_js(ctx)?,
    })
}
