//! Getters and setters of properties that are made when somebody looks at them. All objects share them: a getter of its own
//! for each would cost more than the object.

use std::cell::RefCell;
use std::collections::HashMap;

use rquickjs::{Array, Ctx as JsCtx, Function, Persistent};

use super::Bridge;

/// By the function that makes them and the name of the property.
#[derive(Default)]
pub(crate) struct Accessors(RefCell<HashMap<&'static str, HashMap<String, Pair>>>);

type Pair = [Persistent<Function<'static>>; 2];

impl Accessors {
    /// Getter and setter of a property; `makes` is the function of the runtime that makes them for a name.
    pub(super) fn get<'js>(
        &self,
        js: &JsCtx<'js>,
        bridge: &Bridge,
        makes: &'static str,
        name: &str,
    ) -> rquickjs::Result<[Function<'js>; 2]> {
        let known = self.0.borrow().get(makes).and_then(|pairs| pairs.get(name)).cloned();
        if let Some([get, set]) = known {
            return Ok([get.restore(js)?, set.restore(js)?]);
        }
        let make: Function<'js> = bridge.core(js)?.entry(js, makes)?;
        let made: Array<'js> = make.call((name,))?;
        let both: [Function<'js>; 2] = [made.get(0)?, made.get(1)?];
        let kept = both.clone().map(|function| Persistent::save(js, function));
        self.0.borrow_mut().entry(makes).or_default().insert(name.to_owned(), kept);
        Ok(both)
    }

    /// Lets go of all.
    pub(super) fn clear(&self) {
        let all = std::mem::take(&mut *self.0.borrow_mut());
        drop(all);
    }
}
