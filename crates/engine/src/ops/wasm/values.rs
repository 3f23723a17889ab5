//! Values on their way between the interpreter and JavaScript.
//!
//! Functions cross as their numbers. Of other objects of JavaScript only a number crosses too: the runtime has the objects.

use rquickjs::{BigInt, Ctx, Value};
use wasmi::{Extern, ExternRef, ExternType, F32, F64, Nullable, Ref, Val, ValType};

use super::super::OpError;
use super::errors::Failed;
use super::store::Inner;

/// The name of a type.
pub(super) fn name_of(kind: ValType) -> &'static str {
    match kind {
        ValType::I32 => "i32",
        ValType::I64 => "i64",
        ValType::F32 => "f32",
        ValType::F64 => "f64",
        ValType::V128 => "v128",
        ValType::FuncRef => "anyfunc",
        ValType::ExternRef => "externref",
    }
}

/// The type of that name.
pub(super) fn kind_of(name: &str) -> Result<ValType, OpError> {
    let kinds = [ValType::I32, ValType::I64, ValType::F32, ValType::F64, ValType::FuncRef, ValType::ExternRef];
    kinds.into_iter().find(|kind| name_of(*kind) == name).ok_or_else(|| unfit("this is no type of WebAssembly"))
}

/// The names of types.
pub(super) fn names_of(kinds: &[ValType]) -> Vec<&'static str> {
    kinds.iter().map(|kind| name_of(*kind)).collect()
}

/// What kind of thing something is, as JavaScript calls it.
pub(super) fn kind_name(kind: &ExternType) -> &'static str {
    match kind {
        ExternType::Func(_) => "function",
        ExternType::Table(_) => "table",
        ExternType::Memory(_) => "memory",
        ExternType::Global(_) => "global",
    }
}

fn unfit(message: &str) -> OpError {
    OpError::type_error("ERR_INVALID_ARG_TYPE", message)
}

/// A value for the interpreter. The runtime has converted it to what its type takes.
pub(super) fn from_js(inner: &mut Inner, kind: ValType, value: &Value<'_>) -> Result<Val, Failed> {
    let number = || value.as_number().ok_or_else(|| unfit("this value must be a number"));
    Ok(match kind {
        ValType::I32 => Val::I32(value.as_int().ok_or_else(|| unfit("this value must be an integer"))?),
        ValType::I64 => {
            let number = value.as_big_int().ok_or_else(|| unfit("this value must be a BigInt"))?;
            Val::I64(number.clone().to_i64()?)
        }
        #[expect(clippy::cast_possible_truncation, reason = "that is what a number of 32 bits is")]
        ValType::F32 => Val::F32(F32::from_float(number()? as f32)),
        ValType::F64 => Val::F64(F64::from_float(number()?)),
        ValType::V128 => return Err(vectors().into()),
        ValType::FuncRef => Val::FuncRef(match reference(value)? {
            Some(function) => Nullable::Val(inner.function(function)?),
            None => Nullable::Null,
        }),
        ValType::ExternRef => Val::ExternRef(match reference(value)? {
            Some(object) => Nullable::Val(ExternRef::new(&mut inner.store, object)),
            None => Nullable::Null,
        }),
    })
}

/// As [`from_js`], for what is in a table.
pub(super) fn ref_from_js(inner: &mut Inner, kind: ValType, value: &Value<'_>) -> Result<Ref, Failed> {
    match from_js(inner, kind, value)? {
        Val::FuncRef(function) => Ok(Ref::Func(function)),
        Val::ExternRef(object) => Ok(Ref::Extern(object)),
        _ => Err(unfit("a table holds references").into()),
    }
}

/// The number that stands for a function or an object; nothing for `null`.
fn reference(value: &Value<'_>) -> Result<Option<u32>, OpError> {
    if value.is_null() {
        return Ok(None);
    }
    let number =
        value.as_number().filter(|number| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is a whole number within the bounds"
    )]
    number.map(|number| Some(number as u32)).ok_or_else(|| unfit("this value must be a reference"))
}

/// A value for JavaScript.
pub(super) fn to_js<'js>(ctx: &Ctx<'js>, inner: &mut Inner, value: &Val) -> Result<Value<'js>, Failed> {
    let number = |number: f64| Value::new_float(ctx.clone(), number);
    Ok(match *value {
        Val::I32(value) => Value::new_int(ctx.clone(), value),
        Val::I64(value) => BigInt::from_i64(ctx.clone(), value)?.into_value(),
        Val::F32(value) => number(f64::from(value.to_float())),
        Val::F64(value) => number(value.to_float()),
        Val::V128(_) => return Err(vectors().into()),
        Val::FuncRef(Nullable::Null) | Val::ExternRef(Nullable::Null) => Value::new_null(ctx.clone()),
        Val::FuncRef(Nullable::Val(function)) => number(f64::from(inner.number(Extern::Func(function)))),
        Val::ExternRef(Nullable::Val(object)) => {
            let object = object.data(&inner.store).downcast_ref::<u32>().copied();
            number(f64::from(object.ok_or_else(|| unfit("this reference is none of JavaScript"))?))
        }
    })
}

/// As [`to_js`], for what is in a table.
pub(super) fn ref_to_js<'js>(ctx: &Ctx<'js>, inner: &mut Inner, value: Ref) -> Result<Value<'js>, Failed> {
    let value = match value {
        Ref::Func(function) => Val::FuncRef(function),
        Ref::Extern(object) => Val::ExternRef(object),
    };
    to_js(ctx, inner, &value)
}

/// The error for vectors, which JavaScript does not have.
pub(super) fn vectors() -> OpError {
    unfit("type incompatibility when transforming from/to JS")
}
