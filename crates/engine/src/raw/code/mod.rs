//! Compiled functions. The engine trusts their bytes: what it did not write itself makes it run wild.
//!
//! So bytes only become [`Code`] in this module and the ones below it: compiled by the engine of this program, compiled by
//! the build of this program, or read from a folder that only this program's user can write, under a seal that no other
//! build of the program makes.

mod compile;
mod files;
#[cfg(test)]
mod fingerprint;

use std::borrow::Cow;

use rquickjs::{Ctx, Error, Result, Value, qjs};

pub use files::{CodeFiles, FolderError, Refusal, Sealed};

include!(concat!(env!("OUT_DIR"), "/runtime_code.rs"));

/// The runtime's modules as the build compiled them.
static RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.qjs"));

/// A compiled script of this very engine version.
pub struct Code {
    bytes: Cow<'static, [u8]>,
    /// Where the script begins in the bytes.
    start: usize,
}

impl Code {
    /// Compiles a script without running it.
    pub fn compile(ctx: &Ctx<'_>, source: &str, filename: &str) -> Result<Self> {
        Ok(Self { bytes: Cow::Owned(compile::compile(ctx, source, filename)?), start: 0 })
    }

    /// A module of the runtime, by its place among them.
    pub fn of_runtime(place: usize) -> Option<Self> {
        let (start, end) = *RUNTIME_PLACES.get(place)?;
        let bytes = RUNTIME.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
        Some(Self { bytes: Cow::Borrowed(bytes), start: 0 })
    }

    /// Runs the script and gives its value.
    pub fn run<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        let bytes = self.bytes();
        // SAFETY: the bytes were written by this engine version, as the fields of this type are private to this module and
        // all that makes one makes sure of it; the function object is consumed by `JS_EvalFunction`.
        unsafe {
            let flags = qjs::JS_READ_OBJ_BYTECODE as i32;
            let function = qjs::JS_ReadObject(ctx.as_raw().as_ptr(), bytes.as_ptr(), bytes.len() as _, flags);
            if qjs::JS_IsException(function) {
                return Err(Error::Exception);
            }
            let value = qjs::JS_EvalFunction(ctx.as_raw().as_ptr(), function);
            if qjs::JS_IsException(value) {
                return Err(Error::Exception);
            }
            Ok(Value::from_raw(ctx.clone(), value))
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// What compiled code depends on besides its source: the locked engine and compiler, and tau's own part of both, as a
/// text that the build makes.
pub const fn fingerprint() -> &'static str {
    FINGERPRINT
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_fingerprint_is_that_of_the_locked_packages_and_of_todays_sources() {
        let parts = fingerprint::parts(Path::new(env!("CARGO_MANIFEST_DIR")), RUNTIME).expect("lock file and sources");
        assert_eq!(fingerprint::of(&parts), fingerprint());
    }

    #[test]
    fn there_is_code_for_every_place_and_none_behind_them() {
        assert!(RUNTIME_PLACES.len() > 100);
        assert!((0..RUNTIME_PLACES.len()).all(|place| Code::of_runtime(place).is_some()));
        assert!(Code::of_runtime(RUNTIME_PLACES.len()).is_none());
    }
}
