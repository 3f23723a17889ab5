//! Stack traces: positions of the source as it was written, in the layout that programs written for V8 expect.

use std::cell::Cell;
use std::rc::Rc;

use rquickjs::function::Opt;
use rquickjs::{Ctx, Function, Object, Value};

use crate::loader::Loader;

/// A line of a stack trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The file, or a name like `node:fs` for the runtime's own.
    pub(crate) file: String,
    /// From one.
    pub(crate) line: u32,
    /// From one.
    pub(crate) column: u32,
}

impl Frame {
    /// Reads the frames of a stack trace in V8's layout.
    pub(crate) fn parse(stack: &str) -> Vec<Self> {
        stack.lines().filter_map(Self::parse_line).collect()
    }

    fn parse_line(line: &str) -> Option<Self> {
        let place = line.trim().strip_prefix("at ")?;
        let place = match place.rfind('(') {
            Some(open) if place.ends_with(')') => &place[open + 1..place.len() - 1],
            _ => place,
        };
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        Some(Self { file: file.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? })
    }
}

impl std::fmt::Display for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Sets `Error.prepareStackTrace`. It is a native function: it must work when there is no time left to run any
/// JavaScript, because the error of a stopped stretch gets its stack from here.
pub(super) fn install<'js>(ctx: &Ctx<'js>, ops: &Object<'js>, loader: &Rc<Loader>) -> rquickjs::Result<()> {
    let wanted = Rc::new(Cell::new(false));
    let (loader, one) = (Rc::clone(loader), Rc::clone(&wanted));
    let prepare = move |ctx: Ctx<'js>, error: Value<'js>, sites: Value<'js>| -> rquickjs::Result<String> {
        let own = one.take();
        let mut text = if own { String::new() } else { header(&ctx, &error) };
        let Some(sites) = sites.into_array() else { return Ok(text) };
        for site in sites.iter::<Object<'js>>() {
            let Ok(site) = site else { continue };
            if own && file(&site).is_none_or(|file| loader.owner_of(&file).is_none()) {
                continue;
            }
            if let Some(line) = frame(&site, &loader) {
                text.push_str("\n    at ");
                text.push_str(&line);
                if own {
                    break;
                }
            }
        }
        Ok(text)
    };
    let error: Object<'js> = ctx.globals().get("Error")?;
    error.set("prepareStackTrace", Function::new(ctx.clone(), prepare)?)?;
    // Extensions register things by the dozen as they load: the stack that tells where needs no more than their line.
    ops.set("nextStackIsOwn", Function::new(ctx.clone(), move || wanted.set(true))?)?;
    error.set("stackTraceLimit", 10)?;
    let capture = |target: Object<'js>, _: Opt<Value<'js>>| -> rquickjs::Result<()> {
        if !target.contains_key("stack")? {
            target.set("stack", "")?;
        }
        Ok(())
    };
    if !error.contains_key("captureStackTrace")? {
        error.set("captureStackTrace", Function::new(ctx.clone(), capture)?)?;
    }
    Ok(())
}

/// `Error: message`, from plain data properties only: nothing of the error's own may run here.
fn header(ctx: &Ctx<'_>, error: &Value<'_>) -> String {
    let text = |object: &Object<'_>, name: &str| {
        let value = object.get::<_, Value<'_>>(name);
        if value.is_err() {
            let _ = ctx.catch();
        }
        value.ok().and_then(|value| value.into_string()).and_then(|text| crate::convert::text_of(&text).ok())
    };
    let Some(object) = error.as_object() else { return "Error".to_owned() };
    let name = text(object, "name").unwrap_or_else(|| "Error".to_owned());
    match text(object, "message").filter(|message| !message.is_empty()) {
        Some(message) => format!("{name}: {message}"),
        None => name,
    }
}

fn ask<'js>(site: &Object<'js>, name: &str) -> Option<Value<'js>> {
    let method: Function<'_> = site.get(name).ok()?;
    method.call((rquickjs::function::This(site.clone()),)).ok()
}

fn text_of(site: &Object<'_>, name: &str) -> Option<String> {
    ask(site, name)?.into_string()?.to_string().ok()
}

fn file(site: &Object<'_>) -> Option<String> {
    text_of(site, "getFileName")
}

fn frame(site: &Object<'_>, loader: &Loader) -> Option<String> {
    let number = |name: &str| ask(site, name)?.as_int().and_then(|number| u32::try_from(number).ok());
    let file = file(site)?;
    let (line, column) = loader.original(&file, number("getLineNumber")?, number("getColumnNumber").unwrap_or(1));
    Some(match text_of(site, "getFunctionName").filter(|name| !name.is_empty() && name != "<anonymous>") {
        Some(name) => format!("{name} ({file}:{line}:{column})"),
        None => format!("{file}:{line}:{column}"),
    })
}

/// The stack of an error object, as text.
pub(super) fn stack_of(error: &Value<'_>) -> Option<String> {
    let object = error.as_object()?;
    let stack: Value<'_> = object.get("stack").ok()?;
    stack.into_string().and_then(|text| text.to_string().ok()).filter(|text| !text.is_empty())
}
