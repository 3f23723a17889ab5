//! The functions that runtime modules import as `tau:ops`, a file per area.
//!
//! Everything Node-shaped is TypeScript in `runtime/`; what it cannot do itself is an op. An op is small, checks
//! what it is given, and throws errors that already look like Node's.

mod account;
mod bytes;
mod callbacks;
mod child;
mod crypto;
mod dns;
mod encoding;
mod error;
mod fetch;
mod fs;
mod host;
mod http;
mod inspect;
mod intl;
mod net;
mod os;
mod pi;
mod process;
mod programs;
mod resources;
#[cfg(feature = "sqlite")]
mod sqlite;
mod stream;
mod tls;
mod url;
mod view;
mod watch;
mod websocket;
mod zlib;

use std::rc::Rc;

use rquickjs::function::{Constructor, IntoJsFunc, ParamRequirement, Params};
use rquickjs::{Atom, Ctx, Function, IntoJs, Object, Value};

pub(crate) use account::{Account, Charged, Counted, Meter, Named, charge, output_room, read_to_end, too_large};
pub(crate) use bytes::{Bytes, Json, List, Text};
pub(crate) use callbacks::Callbacks;
pub(crate) use error::{OpError, defect};
pub(crate) use host::{Around, Completion, Hosted, Leaving, OpHost};
pub(crate) use pi::{session_handle, session_of};
pub(crate) use resources::Resources;
pub(crate) use stream::Stream;

/// Collects the ops of one engine.
pub(crate) struct Ops<'js> {
    ctx: Ctx<'js>,
    object: Object<'js>,
    host: Rc<OpHost>,
}

impl<'js> Ops<'js> {
    /// An object with the ops that extensions need while they load.
    pub(crate) fn install(ctx: &Ctx<'js>, host: &Rc<OpHost>) -> rquickjs::Result<Object<'js>> {
        let ops = Self { ctx: ctx.clone(), object: Object::new(ctx.clone())?, host: Rc::clone(host) };
        EARLY.iter().try_for_each(|install| install(&ops))?;
        Ok(ops.object)
    }

    /// Adds all others as soon as one that is not there is looked for: making two hundred functions takes a while. To be
    /// called when everything else is there.
    pub(crate) fn install_late(ctx: &Ctx<'js>, ops: &Object<'js>, host: &Rc<OpHost>) -> rquickjs::Result<()> {
        let host = Rc::clone(host);
        let get = move |ctx: Ctx<'js>,
                        _: Value<'js>,
                        name: Value<'js>,
                        object: Object<'js>|
              -> rquickjs::Result<Value<'js>> {
            let ops = Self { ctx, object, host: Rc::clone(&host) };
            let prototype = ops.object.get_prototype();
            ops.object.set_prototype(None)?;
            // Half of them would be of no use to anybody.
            let done = host.limits().sheltered(|| LATE.iter().try_for_each(|install| install(&ops)));
            if done.is_err() {
                ops.object.set_prototype(prototype.as_ref())?;
            }
            done?;
            ops.object.get(Atom::from_value(ops.ctx.clone(), &name)?)
        };
        let handler = Object::new(ctx.clone())?;
        handler.set("get", Function::new(ctx.clone(), get)?)?;
        let proxy: Constructor<'js> = ctx.globals().get("Proxy")?;
        let late: Object<'js> = proxy.construct((Object::new(ctx.clone())?, handler))?;
        ops.set_prototype(Some(&late))
    }

    /// What ops share.
    pub(crate) fn host(&self) -> Rc<OpHost> {
        Rc::clone(&self.host)
    }

    /// Adds a function.
    pub(crate) fn function<P, F>(&self, name: &str, function: F) -> rquickjs::Result<()>
    where
        F: IntoJsFunc<'js, P> + 'js,
    {
        let function = Counted { function, account: self.host.account().clone() };
        let watched = Watched { function, host: Rc::clone(&self.host) };
        self.object.set(name, Function::new(self.ctx.clone(), watched)?.with_name(name)?)
    }

    /// Adds a value.
    pub(crate) fn constant(&self, name: &str, value: impl IntoJs<'js>) -> rquickjs::Result<()> {
        self.object.set(name, value)
    }
}

/// An op that is not begun when the stretch that calls it is over its time: a program may call ops that take long in
/// a loop whose own steps are few.
struct Watched<F> {
    function: F,
    host: Rc<OpHost>,
}

impl<'js, P, F: IntoJsFunc<'js, P>> IntoJsFunc<'js, P> for Watched<F> {
    fn param_requirements() -> ParamRequirement {
        F::param_requirements()
    }

    fn call(&self, params: Params<'_, 'js>) -> rquickjs::Result<Value<'js>> {
        self.host.go_on(params.ctx())?;
        self.function.call(params)
    }
}

type Install = for<'js> fn(&Ops<'js>) -> rquickjs::Result<()>;

/// The ops of areas that nearly every extension needs.
const EARLY: [Install; 2] = [pi::install, process::install];

/// The ops of all other areas.
const LATE: &[Install] = &[
    child::install,
    fs::install,
    os::install,
    watch::install,
    websocket::install,
    encoding::install,
    fetch::install,
    inspect::install,
    intl::install,
    stream::install,
    url::install,
    view::install,
    crypto::install,
    dns::install,
    http::install,
    net::install,
    tls::install,
    #[cfg(feature = "sqlite")]
    sqlite::install,
    zlib::install,
];
