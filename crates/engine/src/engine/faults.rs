//! What went wrong in an extension, and whose fault it was.

use std::fmt;

use rquickjs::{Coerced, Ctx, FromJs, Value};

use super::stack::stack_of;
use super::stops::Ended;
use super::{Cause, Core, ExtensionId, Frame, Limits};
use crate::ops::Leaving;

/// What the error of a stretch that was stopped says.
const STOPPED: &str = "interrupted";
/// What an error of the engine about missing memory says.
const STARVED: &str = "out of memory";

/// Why a call into an extension gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind of failure.
    pub kind: FaultKind,
    /// To blame.
    pub extension: ExtensionId,
    /// Every extension with a part in it: what they have under way was cut off too.
    pub involved: Vec<ExtensionId>,
    /// The message, without the error's class.
    pub message: String,
    /// The stack in source positions.
    pub stack: Option<String>,
    /// `file:line:column` of the innermost frame of the extension.
    pub location: Option<String>,
    /// An op made it for this extension, so it is no guess whose it is.
    pub is_made: bool,
}

/// Kinds of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// Thrown, or a promise was rejected.
    Thrown,
    /// A promise was rejected and nobody handles it.
    Unhandled,
    /// It ran longer than a stretch may.
    TooLong,
    /// Somebody ended it.
    Stopped,
    /// It wanted more memory than there is.
    OutOfMemory,
    /// It called `process.exit`.
    Exit(i32),
    /// The engine ended.
    Gone,
}

impl FaultKind {
    /// Whether code was cut off in the middle, so that promises it was to settle may never settle.
    pub fn cuts_off(self) -> bool {
        matches!(self, Self::TooLong | Self::Stopped | Self::OutOfMemory | Self::Exit(_))
    }
}

impl Fault {
    /// The exception that is pending in the engine.
    pub fn caught(ctx: &Ctx<'_>, core: &Core, fallback: ExtensionId) -> Self {
        core.limits().relent();
        let value = ctx.catch();
        Self::of_exit(ctx, core, fallback).unwrap_or_else(|| Self::of_value(ctx, core, fallback, value))
    }

    /// The wish to end the program that nobody has taken note of: it may have been swallowed on its way.
    pub fn of_exit(ctx: &Ctx<'_>, core: &Core, fallback: ExtensionId) -> Option<Self> {
        let Leaving { code, error } = core.host().take_exit()?;
        core.forget_rejections(&error);
        let error = error.restore(ctx).unwrap_or_else(|_| Value::new_undefined(ctx.clone()));
        let message = format!("called process.exit({code})");
        Some(Self { kind: FaultKind::Exit(code), message, ..Self::of_value(ctx, core, fallback, error) })
    }

    /// An error value; `fallback` is to blame when its stack names no extension. To look for the places in the sources takes
    /// time, which is not that of the code that runs next.
    pub fn of_value<'js>(ctx: &Ctx<'js>, core: &Core, fallback: ExtensionId, value: Value<'js>) -> Self {
        core.limits().paused(|| Self::described(ctx, core, fallback, value))
    }

    fn described<'js>(ctx: &Ctx<'js>, core: &Core, fallback: ExtensionId, value: Value<'js>) -> Self {
        let stack = stack_of(&value);
        let _ = ctx.catch();
        let frames = Frame::parse(stack.as_deref().unwrap_or_default());
        let owned = |frame: &Frame| core.loader().owner_of(&frame.file).map(|owner| (owner, frame.to_string()));
        let blamed = frames.iter().find_map(owned);
        let mut involved: Vec<ExtensionId> =
            frames.iter().filter_map(|frame| core.loader().owner_of(&frame.file)).collect();
        let made_for = if blamed.is_none() { core.made_errors().owner(&value) } else { None };
        let is_made = made_for.is_some();
        let (extension, location) = match blamed {
            Some((extension, location)) => (extension, Some(location)),
            None => (made_for.unwrap_or(fallback), None),
        };
        if !involved.contains(&extension) {
            involved.push(extension);
        }
        let message = super::add_on::named(message_of(ctx, &value), &frames);
        // An error that is made outside of functions of a program has no stack.
        let is_of_the_engine = || {
            crate::raw::is_uncatchable(&value)
                || stack.as_deref().is_some_and(|stack| stack.starts_with("InternalError"))
        };
        let is_stop = match core.limits().cause() {
            // Without the record of a refusal, `null` and the words are what a program threw.
            Some(_) if is_none(&value) || message == STOPPED || message == STARVED => true,
            _ => message == STOPPED && is_of_the_engine(),
        };
        let ended = is_stop.then(|| stop(core.limits()));
        if let Some((kind, message)) = ended {
            let stopped = core.stops().take();
            if let (None, Some(owner)) = (&location, stopped.first()) {
                let extension = *owner;
                // The file says less than the place of the handler, unless it is another extension's.
                let location = core.stops().place().filter(|_| extension != fallback);
                return Self { kind, extension, involved: stopped, message, stack, location, is_made };
            }
            return Self { kind, extension, involved, message, stack, location, is_made };
        }
        tracing::debug!(message, stack, "an extension threw");
        Self { kind: FaultKind::Thrown, extension, involved, message, stack, location, is_made }
    }

    /// A stop that the engine caught, in the code of these extensions.
    pub(super) fn swallowed(core: &Core, how: &Ended) -> Self {
        let involved = match how {
            Ended::Stopped(owners) => owners.clone(),
            Ended::Cleared(owner) => vec![*owner],
            Ended::ByItself => Vec::new(),
        };
        let extension = involved.first().copied().unwrap_or_else(|| core.host().current());
        let (kind, message) = stop(core.limits());
        core.limits().arm();
        Self { kind, extension, involved, message, stack: None, location: None, is_made: false }
    }

    /// The same fault, of which it is a guess whose it is. Where nothing shows that, it is put on nobody.
    #[must_use]
    pub(super) fn of_nobody(mut self, core: &Core) -> Self {
        if self.location.is_none() && !self.is_made && !matches!(self.kind, FaultKind::Exit(_)) {
            self.extension = ExtensionId::HOST;
            self.involved = vec![ExtensionId::HOST];
            self.message.push_str(&format!(" (in a promise of one of these: {})", core.activity().names().join(", ")));
        }
        self
    }

    /// The same fault. A stop without a place was in the code of these extensions, innermost first.
    #[must_use]
    pub(super) fn stopped_in(mut self, owners: &[ExtensionId]) -> Self {
        if self.location.is_none()
            && self.kind.cuts_off()
            && let [innermost, ..] = owners
        {
            self.extension = *innermost;
            self.involved = owners.to_vec();
        }
        self
    }

    /// The engine has ended.
    pub fn gone(extension: ExtensionId, why: &str) -> Self {
        Self {
            kind: FaultKind::Gone,
            extension,
            involved: vec![extension],
            message: why.to_owned(),
            stack: None,
            location: None,
            is_made: false,
        }
    }

    /// The same fault seen as another kind; faults that say more than "thrown" stay what they are.
    #[must_use]
    pub fn of_kind(mut self, kind: FaultKind) -> Self {
        if self.kind == FaultKind::Thrown {
            self.kind = kind;
        }
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.location {
            Some(location) => write!(f, " ({location})"),
            None => Ok(()),
        }
    }
}

/// Why the running stretch had to be stopped, and what that is called.
fn stop(limits: &Limits) -> (FaultKind, String) {
    match limits.cause() {
        Some(Cause::Memory) => {
            (FaultKind::OutOfMemory, format!("{STARVED}: scripts may take {}", limits.memory().shown_limit()))
        }
        None if limits.is_tripped() => (FaultKind::Stopped, "was stopped".to_owned()),
        Some(Cause::Time) | None => {
            let mut message = format!("ran for more than {:?} without a pause", limits.budget());
            if limits.hurried() > 0 {
                message.push_str(", which is all the time it gets until it is not stopped any more");
            }
            (FaultKind::TooLong, message)
        }
    }
}

/// Whether the engine had no memory left even for an error.
fn is_none(value: &Value<'_>) -> bool {
    value.is_null() || value.type_of() == rquickjs::Type::Uninitialized
}

/// The text people see: `message` of an error, else the value as text.
fn message_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    if let Some(object) = value.as_object() {
        let message = object.get::<_, Value<'_>>("message");
        if message.is_err() {
            let _ = ctx.catch();
        }
        let text = |value: Value<'js>| value.into_string().and_then(|text| crate::convert::text_of(&text).ok());
        if let Some(message) = message.ok().and_then(text) {
            if !message.is_empty() {
                return message;
            }
            // Such as `AggregateError`, which needs no message.
            let name = object.get::<_, Value<'_>>("name");
            if name.is_err() {
                let _ = ctx.catch();
            }
            return name.ok().and_then(text).unwrap_or(message);
        }
    }
    match Coerced::<String>::from_js(ctx, value.clone()) {
        Ok(text) => text.0,
        Err(_) => {
            let _ = ctx.catch();
            format!("a value of type {}", value.type_name())
        }
    }
}
