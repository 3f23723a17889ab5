//! The frames of a stack, as text and as the `CallSite` objects that programs get.

use std::cell::Cell;
use std::rc::Rc;

use rquickjs::function::This;
use rquickjs::object::Property;
use rquickjs::{Array, Ctx, Function, Object, Value};

use crate::engine::Frame;
use crate::loader::Loader;

/// Reads the engine's frames. It knows files, lines, functions and constructors; what else V8 tells of a frame is
/// answered as V8 does for strict code, where there is no `this` and no function to see.
pub(super) struct Sites {
    loader: Rc<Loader>,
    completed: Cell<bool>,
}

/// What the engine tells of a frame. Its own methods are kept under these names when programs' are put over them.
const RAW: [(&str, &str); 4] = [
    ("getFileName", "rawFileName"),
    ("getLineNumber", "rawLineNumber"),
    ("getColumnNumber", "rawColumnNumber"),
    ("getFunctionName", "rawFunctionName"),
];

/// Modules whose functions make errors on behalf of their callers.
const MAKERS: [&str; 2] = ["node:internal/errors", "node:internal/validators"];

struct Site {
    /// None for native functions.
    place: Option<(String, u32, u32)>,
    function: Option<String>,
    constructor: bool,
    eval: bool,
}

impl Sites {
    pub(super) fn new(loader: Rc<Loader>) -> Self {
        Self { loader, completed: Cell::new(false) }
    }

    /// A whole stack. Native frames are left out, and those that only made the error.
    pub(super) fn text(&self, header: String, frames: &Array<'_>) -> String {
        let mut text = header;
        let mut making = true;
        for frame in frames.iter::<Object<'_>>() {
            let Ok(frame) = frame else { continue };
            let site = self.read(&frame);
            making &= site.place.as_ref().is_none_or(|(file, ..)| MAKERS.contains(&file.as_str()));
            if site.place.is_some() && !making {
                text.push_str("\n    at ");
                text.push_str(&site.to_string());
            }
        }
        text
    }

    /// Only the innermost frame that belongs to an extension.
    pub(super) fn own<'js>(&self, ctx: &Ctx<'js>, frames: Value<'js>) -> rquickjs::Result<Value<'js>> {
        let own = Array::new(ctx.clone())?;
        for frame in frames.into_array().iter().flat_map(|frames| frames.iter::<Object<'js>>()).flatten() {
            let name = if self.completed.get() { RAW[0].1 } else { RAW[0].0 };
            let file: Option<String> = frame.get::<_, Function<'js>>(name)?.call((This(frame.clone()),))?;
            if file.is_some_and(|file| self.loader.owner_of(&file).is_some()) {
                own.set(0, frame)?;
                break;
            }
        }
        Ok(own.into_value())
    }

    /// Where a frame is in the source; none for functions of the engine.
    pub(super) fn place(&self, frame: Object<'_>) -> Option<Frame> {
        let (file, line, column) = self.read(&frame).place?;
        Some(Frame { file, line, column })
    }

    fn read(&self, frame: &Object<'_>) -> Site {
        let ask = |index: usize| -> Option<Value<'_>> {
            let (name, raw) = RAW[index];
            let method: Function<'_> = frame.get(if self.completed.get() { raw } else { name }).ok()?;
            method.call((This(frame.clone()),)).ok()
        };
        let text = |index| ask(index).and_then(|value| value.into_string()).and_then(|text| text.to_string().ok());
        let number = |index| ask(index).and_then(|value| value.as_int()).and_then(|number| u32::try_from(number).ok());
        let place = text(0).and_then(|file| {
            let (line, column) = self.loader.original(&file, number(1)?, number(2).unwrap_or(1));
            Some((shown(file), line, column))
        });
        let constructor = frame.get::<_, Function<'_>>("isConstructor");
        let constructor = constructor.and_then(|method| method.call((This(frame.clone()),))).unwrap_or(false);
        let name = text(3).filter(|name| !name.is_empty() && name != "<anonymous>");
        let eval = name.as_deref() == Some("<eval>");
        let function = if eval { Some("eval".to_owned()) } else { name };
        Site { place, function, constructor, eval }
    }

    /// Gives the frames that a program is about to see all the methods V8's have. All frames share one prototype, so
    /// this is done once.
    pub(super) fn complete<'js>(&self, ctx: &Ctx<'js>, frames: &Array<'js>) -> rquickjs::Result<()> {
        if self.completed.get() || frames.is_empty() {
            return Ok(());
        }
        let first: Object<'js> = frames.get(0)?;
        let Some(prototype) = crate::raw::prototype(&first)? else { return Ok(()) };
        for (name, raw) in RAW {
            prototype.prop(raw, Property::from(prototype.get::<_, Value<'js>>(name)?))?;
        }
        self.completed.set(true);
        self.methods(ctx, &prototype)
    }

    fn methods<'js>(&self, ctx: &Ctx<'js>, prototype: &Object<'js>) -> rquickjs::Result<()> {
        type Answer<'js> = for<'a> fn(&'a Ctx<'js>, Site) -> rquickjs::Result<Value<'js>>;
        fn text<'js>(ctx: &Ctx<'js>, text: Option<String>) -> rquickjs::Result<Value<'js>> {
            match text {
                Some(text) => Ok(rquickjs::String::from_str(ctx.clone(), &text)?.into_value()),
                None => Ok(Value::new_null(ctx.clone())),
            }
        }
        fn number<'js>(ctx: &Ctx<'js>, number: Option<u32>) -> Value<'js> {
            number.map_or_else(|| Value::new_null(ctx.clone()), |number| Value::new_number(ctx.clone(), number.into()))
        }
        let methods: [(&str, Answer<'js>); 21] = [
            ("getFileName", |ctx, site| text(ctx, site.place.map(|place| place.0))),
            ("getScriptNameOrSourceURL", |ctx, site| text(ctx, site.place.map(|place| place.0))),
            ("getLineNumber", |ctx, site| Ok(number(ctx, site.place.map(|place| place.1)))),
            ("getColumnNumber", |ctx, site| Ok(number(ctx, site.place.map(|place| place.2)))),
            ("getFunctionName", |ctx, site| text(ctx, site.function)),
            ("getMethodName", |ctx, _| Ok(Value::new_null(ctx.clone()))),
            // As in V8 for functions and constructors; what a method was called on the engine does not keep.
            ("getTypeName", |ctx, _| Ok(Value::new_null(ctx.clone()))),
            ("getThis", |ctx, _| Ok(Value::new_undefined(ctx.clone()))),
            ("getFunction", |ctx, _| Ok(Value::new_undefined(ctx.clone()))),
            ("getEvalOrigin", |ctx, site| {
                if site.eval {
                    text(ctx, Some("eval at <anonymous>".to_owned()))
                } else {
                    Ok(Value::new_undefined(ctx.clone()))
                }
            }),
            ("getPromiseIndex", |ctx, _| Ok(Value::new_null(ctx.clone()))),
            ("getScriptHash", |ctx, _| text(ctx, Some(String::new()))),
            ("getPosition", |ctx, _| Ok(Value::new_int(ctx.clone(), 0))),
            ("getEnclosingLineNumber", |ctx, site| Ok(number(ctx, site.place.map(|place| place.1)))),
            ("getEnclosingColumnNumber", |ctx, site| Ok(number(ctx, site.place.map(|place| place.2)))),
            ("isToplevel", |ctx, site| Ok(Value::new_bool(ctx.clone(), !site.constructor))),
            ("isEval", |ctx, site| Ok(Value::new_bool(ctx.clone(), site.eval))),
            ("isNative", |ctx, _| Ok(Value::new_bool(ctx.clone(), false))),
            ("isAsync", |ctx, _| Ok(Value::new_bool(ctx.clone(), false))),
            ("isPromiseAll", |ctx, _| Ok(Value::new_bool(ctx.clone(), false))),
            ("toString", |ctx, site| text(ctx, Some(site.to_string()))),
        ];
        for (name, answer) in methods {
            let sites = Self { loader: Rc::clone(&self.loader), completed: Cell::new(true) };
            let method = move |ctx: Ctx<'js>, frame: This<Object<'js>>| answer(&ctx, sites.read(&frame.0));
            let method = Function::new(ctx.clone(), method)?.with_name(name)?;
            prototype.prop(name, Property::from(method).writable().configurable())?;
        }
        Ok(())
    }
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = match &self.place {
            Some((file, line, column)) => format!("{file}:{line}:{column}"),
            None => "<anonymous>".to_owned(),
        };
        match (&self.function, self.constructor) {
            (Some(name), true) => write!(f, "new {name} ({place})"),
            (None, true) => write!(f, "new <anonymous> ({place})"),
            (Some(name), false) => write!(f, "{name} ({place})"),
            (None, false) => f.write_str(&place),
        }
    }
}

/// A file as people see it: modules of the runtime have the names that they have in Node.
fn shown(file: String) -> String {
    let Some(path) = file.strip_prefix("tau:") else { return file };
    let path = path.strip_suffix(".ts").unwrap_or(path);
    match path.strip_prefix("node/") {
        Some(name) => format!("node:{name}"),
        None => match path.strip_prefix("internal/") {
            Some(name) => format!("node:internal/{name}"),
            None if path.starts_with("web/") => format!("node:internal/{path}"),
            None => file,
        },
    }
}
