//! What an engine knows of the program that it runs scripts for.

use std::any::Any;
use std::rc::Rc;
use std::sync::LazyLock;

use super::{CallState, Core};
use crate::engine::{ExtensionId, WeakEngine};
use crate::ops::table::Tables;

/// What stands between an engine and the program. Lives on the engine's thread.
pub trait Guest {
    /// The ops that scripts find, those of the engine among them.
    fn tables(&self) -> &'static Tables;

    /// The engine is made; nothing of JavaScript has run yet.
    fn begin(self: Rc<Self>, core: &Rc<Core>);

    /// Whether handlers must be told apart behind an `await`.
    fn numbers_handlers(&self) -> bool;

    /// A call of an extension wants to end the program with this exit code. Says whether it may; then it is done.
    fn leaves(&self, extension: ExtensionId, call: &CallState, code: i32) -> bool;

    /// An extension says which exit code the program has when nothing else goes wrong; none takes that back.
    fn would_exit_with(&self, extension: ExtensionId, code: Option<i32>);

    /// The engine ends: nothing of JavaScript may be held any more.
    fn close(&self);
}

/// What a guest keeps with a call while it is under way.
pub trait CallGuest: Any {
    /// The session waits for it: it is the handler of an event.
    fn is_handler(&self) -> bool;

    /// It is a gate that waits for its answer.
    fn is_waiting_gate(&self) -> bool;

    /// The handler of this number has not answered yet.
    fn is_at(&self, handler: u32) -> bool;

    /// What was stopped must not answer here: something is shut, or held back, when it fails.
    fn needs_whole_answers(&self) -> bool;

    /// Code of the extension was stopped: the call has failed.
    fn cut(&self);
}

/// Makes what an engine runs scripts for, on the engine's thread.
#[derive(Debug, Clone, Copy)]
pub struct MakeGuest(pub fn(WeakEngine) -> Rc<dyn Guest>);

/// The guest of an engine that runs plain scripts.
pub(in crate::engine) struct Nobody;

impl Guest for Nobody {
    fn tables(&self) -> &'static Tables {
        static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::new(&crate::engine::areas()));
        &TABLES
    }

    fn begin(self: Rc<Self>, _: &Rc<Core>) {}

    fn numbers_handlers(&self) -> bool {
        false
    }

    fn leaves(&self, _: ExtensionId, _: &CallState, _: i32) -> bool {
        false
    }

    fn would_exit_with(&self, _: ExtensionId, _: Option<i32>) {}

    fn close(&self) {}
}
