//! What ops ask of the engine around them.

use std::rc::{Rc, Weak};

use rquickjs::{Ctx, Value};

use super::Core;
use crate::engine::ExtensionId;
use crate::ops::Around;
use crate::raw::Frames;

/// The engine, as its ops see it.
pub(super) struct AroundOps(pub(super) Weak<Core>);

impl AroundOps {
    fn core(&self) -> Option<Rc<Core>> {
        self.0.upgrade()
    }
}

impl Around for AroundOps {
    fn is_serving(&self) -> bool {
        self.core().is_some_and(|core| core.is_serving())
    }

    fn at_work(&self, ctx: &Ctx<'_>) -> Option<ExtensionId> {
        let core = self.core()?;
        Frames::of(ctx).files().find_map(|file| core.loader.owner_of(&file))
    }

    fn stops(&self, ctx: &Ctx<'_>) {
        if let Some(core) = self.core() {
            core.stops.note(&Frames::of(ctx));
        }
    }

    fn made_error(&self, error: &Value<'_>, extension: ExtensionId) {
        if let Some(core) = self.core() {
            core.made_errors.note(error, extension);
        }
    }
}
