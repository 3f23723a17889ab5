//! What an event of the bus carries.

use std::any::Any;
use std::fmt;
use std::future::{Future, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

/// Names the side of the bus that a listener, an emitter or a handle belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EngineId(u64);

impl EngineId {
    /// Rust code. It has no thread of its own: its listeners run on the thread that emits.
    pub const NATIVE: Self = Self(0);

    /// An id that no other engine of this process has or had, so that a handle of an engine that is gone is
    /// never taken for one of its successor.
    pub fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A function of either side that the other side may call.
pub trait BusCallable: Send + Sync {
    /// Calls the function. An error is what it threw, as text.
    fn call(&self, args: Vec<BusPayload>) -> BoxFuture<'static, Result<BusPayload, String>>;
}

/// Something that cannot be written as JSON: a function, a context, a class instance. The engine it belongs to
/// gets the very same thing back.
///
/// The last clone may be dropped on any thread; an engine whose values live on one thread wraps them accordingly.
#[derive(Clone)]
pub struct BusHandle {
    engine: EngineId,
    value: Arc<dyn Any + Send + Sync>,
    callable: Option<Arc<dyn BusCallable>>,
}

impl BusHandle {
    /// A value that only `engine` can look into.
    pub fn opaque<T: Any + Send + Sync>(engine: EngineId, value: Arc<T>) -> Self {
        Self { engine, value, callable: None }
    }

    /// A function of `engine`. `value` is what the engine finds again by [`downcast`](Self::downcast) when the
    /// handle comes back to it; `callable` is how everybody else calls it.
    pub fn callable<T: Any + Send + Sync>(engine: EngineId, value: Arc<T>, callable: Arc<dyn BusCallable>) -> Self {
        Self { engine, value, callable: Some(callable) }
    }

    /// A Rust closure that every engine may call.
    pub fn function<F, R>(function: F) -> Self
    where
        F: Fn(Vec<BusPayload>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<BusPayload, String>> + Send + 'static,
    {
        let function = Arc::new(Function(function));
        Self::callable(EngineId::NATIVE, function.clone(), function)
    }

    /// The engine it belongs to.
    pub fn engine(&self) -> EngineId {
        self.engine
    }

    /// The function behind it, if it is one.
    pub fn as_callable(&self) -> Option<&Arc<dyn BusCallable>> {
        self.callable.as_ref()
    }

    /// The value as its engine knows it; `None` when it is of another type.
    pub fn downcast<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.value.clone().downcast().ok()
    }

    /// Whether both are the same thing.
    pub fn same(&self, other: &Self) -> bool {
        self.engine == other.engine && Arc::ptr_eq(&self.value, &other.value)
    }
}

impl fmt::Debug for BusHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.callable.is_some() { "function" } else { "opaque" };
        write!(f, "BusHandle({kind} of {:?})", self.engine)
    }
}

struct Function<F>(F);

impl<F, R> BusCallable for Function<F>
where
    F: Fn(Vec<BusPayload>) -> R + Send + Sync,
    R: Future<Output = Result<BusPayload, String>> + Send + 'static,
{
    fn call(&self, args: Vec<BusPayload>) -> BoxFuture<'static, Result<BusPayload, String>> {
        // A panic must not unwind into the other engine, whichever half of the call it comes from.
        match catch_unwind(AssertUnwindSafe(|| (self.0)(args))) {
            Ok(result) => Box::pin(
                AssertUnwindSafe(result)
                    .catch_unwind()
                    .map(|result| result.unwrap_or_else(|panic| Err(panic_text(panic.as_ref())))),
            ),
            Err(panic) => Box::pin(ready(Err(panic_text(panic.as_ref())))),
        }
    }
}

/// What a panic said, for an error report.
pub(super) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panicked: {}", said.unwrap_or("(no message)"))
}

/// What an event carries. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub enum BusPayload {
    /// The event was emitted without data.
    #[default]
    Nothing,
    /// Plain data.
    Json(Arc<Value>),
    /// A function or another value that is no data.
    Handle(BusHandle),
    /// An object with a handle somewhere inside; the order of the keys is kept.
    Object(Arc<[(String, BusPayload)]>),
    /// A list with a handle somewhere inside.
    List(Arc<[BusPayload]>),
}

impl BusPayload {
    /// An object whose fields may be handles.
    pub fn object<K: Into<String>>(fields: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Object(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// A list whose items may be handles.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(items.into_iter().collect())
    }

    /// A Rust closure as a function for the listeners. See [`BusHandle::function`].
    pub fn function<F, R>(function: F) -> Self
    where
        F: Fn(Vec<BusPayload>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<BusPayload, String>> + Send + 'static,
    {
        Self::Handle(BusHandle::function(function))
    }

    /// The field of an object; the last one when a key stands twice, as in JSON.
    pub fn get(&self, key: &str) -> Option<Self> {
        match self {
            Self::Json(value) => value.get(key).cloned().map(Self::from),
            Self::Object(fields) => {
                fields.iter().rev().find(|(name, _)| name.as_str() == key).map(|(_, value)| value.clone())
            }
            Self::Nothing | Self::Handle(_) | Self::List(_) => None,
        }
    }

    /// The text, if it is a plain string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Json(value) => value.as_str(),
            _ => None,
        }
    }

    /// The handle, if it is one.
    pub fn as_handle(&self) -> Option<&BusHandle> {
        match self {
            Self::Handle(handle) => Some(handle),
            _ => None,
        }
    }

    /// The function, if it is one.
    pub fn as_callable(&self) -> Option<&Arc<dyn BusCallable>> {
        self.as_handle().and_then(BusHandle::as_callable)
    }

    /// The data in it, as `JSON.stringify` sees it: handles vanish from objects, are null in lists, and nothing
    /// is left of a payload that is a handle or nothing itself.
    pub fn to_json(&self) -> Option<Value> {
        match self {
            Self::Nothing | Self::Handle(_) => None,
            Self::Json(value) => Some(Value::clone(value)),
            Self::Object(fields) => {
                let fields = fields.iter().filter_map(|(key, value)| Some((key.clone(), value.to_json()?)));
                Some(Value::Object(fields.collect::<Map<_, _>>()))
            }
            Self::List(items) => Some(items.iter().map(|item| item.to_json().unwrap_or(Value::Null)).collect()),
        }
    }
}

/// Data is compared by value, handles by identity.
impl PartialEq for BusPayload {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing) => true,
            (Self::Json(a), Self::Json(b)) => a == b,
            (Self::Handle(a), Self::Handle(b)) => a.same(b),
            (Self::Object(a), Self::Object(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            _ => false,
        }
    }
}

impl From<Value> for BusPayload {
    fn from(value: Value) -> Self {
        Self::Json(Arc::new(value))
    }
}

impl From<&str> for BusPayload {
    fn from(text: &str) -> Self {
        Value::from(text).into()
    }
}

impl From<String> for BusPayload {
    fn from(text: String) -> Self {
        Value::from(text).into()
    }
}

impl From<BusHandle> for BusPayload {
    fn from(handle: BusHandle) -> Self {
        Self::Handle(handle)
    }
}
