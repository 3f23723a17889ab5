//! Getters and setters of properties that are made when somebody looks at them. All objects share them: a getter of its own
//! for each would cost more than the object.

use std::cell::RefCell;
use std::collections::HashMap;

use rquickjs::function::This;
use rquickjs::{Array, Ctx as JsCtx, Function, Object, Persistent, Value};

use super::Bridge;

/// By the function that makes them and the name of the property.
#[derive(Default)]
pub(crate) struct Accessors(RefCell<HashMap<&'static str, HashMap<String, Saved>>>);

/// Getter and setter of a property.
pub(super) struct Accessor<'js> {
    pub(super) get: Function<'js>,
    set: Function<'js>,
    /// Knows what the property of an object stands for, and the function that tells it; where Rust has a part in that.
    known: Option<(Object<'js>, Function<'js>)>,
}

#[derive(Clone)]
struct Saved {
    get: Persistent<Function<'static>>,
    set: Persistent<Function<'static>>,
    known: Option<(Persistent<Object<'static>>, Persistent<Function<'static>>)>,
}

impl Accessors {
    /// That of a name; `makes` is the function of the runtime that makes those of its kind.
    pub(super) fn get<'js>(
        &self,
        js: &JsCtx<'js>,
        bridge: &Bridge,
        makes: &'static str,
        name: &str,
    ) -> rquickjs::Result<Accessor<'js>> {
        let known = self.0.borrow().get(makes).and_then(|all| all.get(name)).cloned();
        if let Some(Saved { get, set, known }) = known {
            let known = known.map(|(known, tell)| Ok::<_, rquickjs::Error>((known.restore(js)?, tell.restore(js)?)));
            return Ok(Accessor { get: get.restore(js)?, set: set.restore(js)?, known: known.transpose()? });
        }
        let make: Function<'js> = bridge.core(js)?.entry(js, makes)?;
        let made: Array<'js> = make.call((name,))?;
        let known = if made.len() > 2 { Some((made.get(2)?, made.get(3)?)) } else { None };
        let accessor = Accessor { get: made.get(0)?, set: made.get(1)?, known };
        self.0.borrow_mut().entry(makes).or_default().insert(name.to_owned(), accessor.save(js));
        Ok(accessor)
    }

    /// Lets go of all.
    pub(super) fn clear(&self) {
        let all = std::mem::take(&mut *self.0.borrow_mut());
        drop(all);
    }
}

impl<'js> Accessor<'js> {
    fn save(&self, js: &JsCtx<'js>) -> Saved {
        let known = self.known.clone();
        Saved {
            get: Persistent::save(js, self.get.clone()),
            set: Persistent::save(js, self.set.clone()),
            known: known.map(|(known, tell)| (Persistent::save(js, known), Persistent::save(js, tell))),
        }
    }

    /// Gives an object the property.
    pub(super) fn define(&self, object: &Object<'js>, name: &str) -> rquickjs::Result<()> {
        crate::raw::define_enumerable_accessor(object, name, &self.get, &self.set)
    }

    /// Gives an object the property, which stands for this.
    pub(super) fn define_part(&self, object: &Object<'js>, name: &str, part: &Object<'js>) -> rquickjs::Result<()> {
        if let Some((known, tell)) = &self.known {
            tell.call::<_, Value<'js>>((This(known.clone()), object.clone(), part.clone()))?;
        }
        self.define(object, name)
    }
}
