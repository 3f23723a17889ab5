//! The functions that runtime modules import as `tau:ops`, a file per area.
//!
//! Everything Node-shaped is TypeScript in `runtime/`; what it cannot do itself is an op. An op is small, checks
//! what it is given, and throws errors that already look like Node's.

mod bytes;
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
mod resources;
mod stream;
mod tls;
mod url;
mod view;
mod watch;
mod websocket;
mod zlib;

use std::rc::Rc;

use rquickjs::function::IntoJsFunc;
use rquickjs::{Ctx, Function, IntoJs, Object};

pub(crate) use bytes::{Bytes, Json, List};
pub(crate) use error::OpError;
pub(crate) use host::{Completion, OpHost};
pub(crate) use pi::session_handle;
pub(crate) use resources::Resources;
pub(crate) use stream::Stream;

/// Collects the ops of one engine.
pub(crate) struct Ops<'js> {
    ctx: Ctx<'js>,
    object: Object<'js>,
    host: Rc<OpHost>,
}

impl<'js> Ops<'js> {
    /// All ops, on one object.
    pub(crate) fn install(ctx: &Ctx<'js>, host: &Rc<OpHost>) -> rquickjs::Result<Object<'js>> {
        let ops = Self { ctx: ctx.clone(), object: Object::new(ctx.clone())?, host: Rc::clone(host) };
        for install in AREAS {
            install(&ops)?;
        }
        Ok(ops.object)
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
        self.object.set(name, Function::new(self.ctx.clone(), function)?.with_name(name)?)
    }

    /// Adds a value.
    pub(crate) fn constant(&self, name: &str, value: impl IntoJs<'js>) -> rquickjs::Result<()> {
        self.object.set(name, value)
    }
}

type Install = for<'js> fn(&Ops<'js>) -> rquickjs::Result<()>;

/// Every area's ops.
const AREAS: &[Install] = &[
    child::install,
    fs::install,
    os::install,
    watch::install,
    websocket::install,
    encoding::install,
    fetch::install,
    inspect::install,
    intl::install,
    pi::install,
    process::install,
    stream::install,
    url::install,
    view::install,
    crypto::install,
    dns::install,
    http::install,
    net::install,
    tls::install,
    zlib::install,
];
