//! Code that programs make at run time.
#![allow(unsafe_code, clippy::allow_attributes)]

use std::ffi::CString;

use rquickjs::{Ctx, Error, Result, Value, qjs};

/// Runs a text as a script, whose functions then belong to a file of this name. The text is in the engine's own form of
/// UTF-8, which has half characters too.
///
/// # Errors
/// What the compiler or the script throws.
pub fn evaluate<'js>(ctx: &Ctx<'js>, mut source: Vec<u8>, file: &str) -> Result<Value<'js>> {
    let file = CString::new(file)?;
    let length = source.len();
    // The compiler reads up to a zero.
    source.push(0);
    // SAFETY: the engine keeps neither the text nor the name.
    unsafe {
        let flags = qjs::JS_EVAL_TYPE_GLOBAL as i32;
        let value = qjs::JS_Eval(ctx.as_raw().as_ptr(), source.as_ptr().cast(), length as _, file.as_ptr(), flags);
        if qjs::JS_IsException(value) { Err(Error::Exception) } else { Ok(Value::from_raw(ctx.clone(), value)) }
    }
}
