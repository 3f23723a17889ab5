//! For whom ops made their errors. Such an error shows no place in a program, so nothing else tells whose it is when it is
//! thrown on, or when nobody handles it.

use std::cell::RefCell;

use rquickjs::function::{Constructor, This};
use rquickjs::{Ctx, Function, Object, Persistent, Value};

use super::ExtensionId;

/// The extensions, by error, as long as the errors are there.
#[derive(Default)]
pub(super) struct MadeErrors(RefCell<Option<Kept>>);

struct Kept {
    map: Persistent<Object<'static>>,
    get: Persistent<Function<'static>>,
    set: Persistent<Function<'static>>,
}

impl MadeErrors {
    /// To be called before any extension can have replaced what this uses.
    pub(super) fn begin(&self, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        let class: Constructor<'_> = ctx.globals().get("WeakMap")?;
        let prototype: Object<'_> = class.get("prototype")?;
        let method = |name: &str| prototype.get::<_, Function<'_>>(name);
        let (get, set, map) = (method("get")?, method("set")?, class.construct::<_, Object<'_>>(())?);
        let (get, set) = (Persistent::save(ctx, get), Persistent::save(ctx, set));
        *self.0.borrow_mut() = Some(Kept { map: Persistent::save(ctx, map), get, set });
        Ok(())
    }

    /// An error was made for an extension.
    pub(super) fn note(&self, error: &Value<'_>, extension: ExtensionId) {
        let ctx = error.ctx();
        let noted = self.with(ctx, |map, _, set| set.call::<_, ()>((This(map), error.clone(), extension.0)));
        // Without memory nobody knows whose it is.
        if noted.is_err() {
            let _ = ctx.catch();
        }
    }

    /// The extension that an error was made for.
    pub(super) fn owner(&self, error: &Value<'_>) -> Option<ExtensionId> {
        let ctx = error.ctx();
        error.as_object()?;
        let found = self.with(ctx, |map, get, _| get.call::<_, Option<u32>>((This(map), error.clone())));
        if found.is_err() {
            let _ = ctx.catch();
        }
        found.ok().flatten().flatten().map(ExtensionId)
    }

    fn with<'js, T>(
        &self,
        ctx: &Ctx<'js>,
        work: impl FnOnce(Object<'js>, Function<'js>, Function<'js>) -> rquickjs::Result<T>,
    ) -> rquickjs::Result<Option<T>> {
        let kept = self.0.borrow();
        let Some(Kept { map, get, set }) = kept.as_ref() else { return Ok(None) };
        work(map.clone().restore(ctx)?, get.clone().restore(ctx)?, set.clone().restore(ctx)?).map(Some)
    }

    /// Lets go of everything.
    pub(super) fn close(&self) {
        *self.0.borrow_mut() = None;
    }
}
