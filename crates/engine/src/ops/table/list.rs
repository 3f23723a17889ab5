//! All ops of an engine, by name.

use std::collections::HashMap;
use std::rc::Rc;

use rquickjs::function::Constructor;
use rquickjs::{Ctx, Exception, Function, Object, Value};

use super::{Area, Op};
use crate::ops::OpHost;

/// The ops of several areas.
pub struct Tables {
    by_name: HashMap<&'static str, &'static Op>,
}

impl Tables {
    /// The ops of these areas. Of two with one name the later one counts; a test sees to it that there are none.
    pub fn new(areas: &[&'static Area]) -> Self {
        let rows = areas.iter().flat_map(|area| area.rows.iter().copied().flatten());
        Self { by_name: rows.map(|op| (op.name, op)).collect() }
    }
}

/// An object that makes each op when it is first looked for: there are hundreds, and a program uses few.
///
/// # Errors
/// When there is no memory for it.
pub fn install<'js>(ctx: &Ctx<'js>, host: &Rc<OpHost>, tables: &'static Tables) -> rquickjs::Result<Object<'js>> {
    let ops = Object::new(ctx.clone())?;
    let host = Rc::clone(host);
    let get = move |ctx: Ctx<'js>, _: Value<'js>, name: Value<'js>, ops: Object<'js>| -> rquickjs::Result<Value<'js>> {
        let text = name.as_string().map(rquickjs::String::to_string).transpose()?.unwrap_or_default();
        let Some(op) = tables.by_name.get(text.as_str()) else {
            return Err(Exception::throw_type(&ctx, &format!("there is no op `{text}`")));
        };
        // What has begun must not end because there is no room for an op that it needs.
        host.limits().sheltered(|| {
            let made = (op.make)(&ctx, op, &host)?;
            ops.set(op.name, made.clone())?;
            Ok(made)
        })
    };
    let handler = Object::new(ctx.clone())?;
    handler.set_prototype(None)?;
    handler.set("get", Function::new(ctx.clone(), get)?)?;
    let proxy: Constructor<'js> = ctx.globals().get("Proxy")?;
    let makes: Object<'js> = proxy.construct((Object::new(ctx.clone())?, handler))?;
    ops.set_prototype(Some(&makes))?;
    Ok(ops)
}
