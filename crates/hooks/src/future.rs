//! Futures of extensions.

use std::future::Future;
use std::pin::Pin;

/// A boxed future that may move between threads.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
