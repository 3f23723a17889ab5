//! Compiled functions as bytes. The build compiles the runtime's modules with this very file.
#![allow(unsafe_code, clippy::allow_attributes)]

use std::ffi::CString;
use std::mem::MaybeUninit;

use rquickjs::{Ctx, Error, Result, qjs};

/// Compiles a script without running it. The bytes fit this version of the engine only.
pub fn compile(ctx: &Ctx<'_>, source: &str, filename: &str) -> Result<Vec<u8>> {
    let filename = CString::new(filename)?;
    let length = source.len();
    // The engine needs a terminating zero behind the text.
    let source = CString::new(source)?;
    let flags = (qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY) as i32;
    // SAFETY: both strings end in zero and outlive the call; the compiled object is freed below on every path.
    unsafe {
        let object = qjs::JS_Eval(ctx.as_raw().as_ptr(), source.as_ptr(), length as _, filename.as_ptr(), flags);
        if qjs::JS_IsException(object) {
            return Err(Error::Exception);
        }
        let mut size = MaybeUninit::uninit();
        let flags = (qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE) as i32;
        let bytes = qjs::JS_WriteObject(ctx.as_raw().as_ptr(), size.as_mut_ptr(), object, flags);
        qjs::JS_FreeValue(ctx.as_raw().as_ptr(), object);
        if bytes.is_null() {
            return Err(Error::Exception);
        }
        let copy = std::slice::from_raw_parts(bytes, size.assume_init() as usize).to_vec();
        qjs::js_free(ctx.as_raw().as_ptr(), bytes.cast());
        Ok(copy)
    }
}
