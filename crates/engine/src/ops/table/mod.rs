//! The table of ops: a row an op, which names a function of Rust with typed parameters.
//!
//! From the rows come the functions that runtime modules import as `tau:ops` (each is made when it is first looked
//! for), the declarations in `runtime/ops.d.ts`, and the tests that no module asks for an op that is not there and that
//! no op is there for nobody.

mod call;
#[cfg(any(test, feature = "declarations"))]
pub mod declare;
mod disk;
mod list;
mod signature;
mod types;

use std::rc::Rc;

use rquickjs::{Ctx, Value};

use super::OpHost;

pub use super::Promised;
pub use call::{Answer, Arguments, Host, OpFn, Param, function, later, value};
pub use disk::{blocks, waits};
pub use list::{Tables, install};
pub use signature::{How, Passed, Signature};
pub use types::{Direction, record_of};
pub use types::{Type, Typed, Unread, record, typed};

/// What becomes of an op when a run is repeated from its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// The same arguments give the same result, or it only changes the engine itself: it runs again.
    Pure,
    /// It asks the world outside: its result is recorded, and given again.
    Recorded,
    /// It changes the world outside: a repeated run must not do it.
    Refused,
}

/// Makes an op for an engine.
pub type Make = for<'js> fn(&Ctx<'js>, &'static Op, &Rc<OpHost>) -> rquickjs::Result<Value<'js>>;

/// A row.
pub struct Op {
    /// What runtime modules call it.
    pub name: &'static str,
    /// Makes it for an engine.
    pub make: Make,
    /// Whether it does not begin when the code that calls it is over its time.
    pub watched: bool,
    /// What declarations say of it; only there where declarations are made.
    pub about: Option<&'static About>,
}

/// What declarations say of an op.
pub struct About {
    /// What it does.
    pub doc: &'static str,
    /// What becomes of it in a repeated run.
    pub replay: Replay,
    /// The names of its parameters; those that the engine fills in have none. Behind each the type where the row says it,
    /// else nothing.
    pub params: &'static [(&'static str, &'static str)],
    /// What goes in and comes out.
    pub signature: fn(&mut Signature),
    /// The type of the result where the row says it; empty where the function does.
    pub result: &'static str,
}

/// The ops of an area.
pub struct Area {
    /// What the area is about.
    pub doc: &'static str,
    /// Where the rows are.
    pub module: &'static str,
    /// The rows; some are written as one and stand for two ops.
    pub rows: &'static [&'static [Op]],
}

/// Makes the table of an area. A row reads
///
/// ```text
/// /// What it does.
/// fn opName(parameter, other) = function, Recorded;
/// ```
///
/// Behind the parameters may stand `-> "type"`: the type of the result in TypeScript, where that of the function says too
/// little. In the same way `parameter: "type"` says the type of a parameter. Types with a name are in
/// `runtime/ops_data.d.ts` and `runtime/pi/data.d.ts`.
///
/// The names of parameters are those of what JavaScript passes; what the engine fills in has none. `let` in the place of
/// `fn` makes a value: the function is called once, when somebody looks. `both` makes two ops of a function that works
/// with the disk: one that blocks, and one that works on another thread and gives a promise; `waits` in its place makes
/// the first one end when the waiting is ended, and `later` makes the second one alone.
///
/// An op of a `watched` area does not begin when the code that calls it is over its time; others run `always`.
#[macro_export]
#[doc(hidden)]
macro_rules! __ops {
    ($(#[doc = $about:literal])+ $visibility:vis static $table:ident: $watched:ident; $(
        $(#[doc = $doc:literal])+
        $kind:ident $name:ident $(($($params:tt)*))? $(-> $result:literal)? = $function:expr, $replay:ident;
    )*) => {
        $(#[doc = $about])+
        $visibility static $table: $crate::ops::table::Area = $crate::ops::table::Area {
            doc: concat!($($about),+),
            module: module_path!(),
            rows: &[$(
                $crate::ops::table::ops!(
                    @row $watched $kind $name ($($($params)*)?) $function, $replay, (concat!($($doc, "\n"),+), [$($result)?])
                ),
            )*],
        };
    };
    (@row $watched:ident fn $name:ident $params:tt $function:expr, $replay:ident, $about:tt) => {
        &[$crate::ops::table::ops!(
            @op $watched stringify!($name), $params, $crate::ops::table::function($function), $replay, $about
        )]
    };
    (@row $watched:ident let $name:ident () $function:expr, $replay:ident, $about:tt) => {
        &[$crate::ops::table::ops!(@op $watched stringify!($name), (), $crate::ops::table::value($function), $replay, $about)]
    };
    (@row $watched:ident later $name:ident $params:tt $function:expr, $replay:ident, $about:tt) => {
        &[$crate::ops::table::ops!(
            @op $watched stringify!($name), $params, $crate::ops::table::later($function), $replay, $about
        )]
    };
    (@row $watched:ident both $name:ident $params:tt $function:expr, $replay:ident, $about:tt) => {
        &[
            $crate::ops::table::ops!(
                @op $watched stringify!($name), $params, $crate::ops::table::blocks($function), $replay, $about
            ),
            $crate::ops::table::ops!(
                @op $watched concat!(stringify!($name), "Async"), $params, $crate::ops::table::later($function), $replay, $about
            ),
        ]
    };
    (@row $watched:ident waits $name:ident $params:tt $function:expr, $replay:ident, $about:tt) => {
        &[
            $crate::ops::table::ops!(
                @op $watched stringify!($name), $params, $crate::ops::table::waits($function), $replay, $about
            ),
            $crate::ops::table::ops!(
                @op $watched concat!(stringify!($name), "Async"), $params, $crate::ops::table::later($function), $replay, $about
            ),
        ]
    };
    (@row $watched:ident $kind:ident $name:ident $($rest:tt)*) => {
        compile_error!(concat!("an op is `fn`, `let`, `later`, `both` or `waits`, not `", stringify!($kind), "`: ", stringify!($name)))
    };
    (@op $watched:ident $name:expr, ($($param:ident $(: $given:literal)?),* $(,)?), $function:expr, $replay:ident, ($doc:expr, [$($result:literal)?])) => {
        $crate::ops::table::Op {
            name: $name,
            make: |ctx, op, host| $crate::ops::table::OpFn::make($function, ctx, op, host),
            watched: $crate::ops::table::ops!(@watched $watched),
            #[cfg(any(test, feature = "declarations"))]
            about: Some(&$crate::ops::table::About {
                doc: $doc,
                result: [$($result,)? ""][0],
                replay: $crate::ops::table::Replay::$replay,
                params: &[$((stringify!($param), [$($given,)? ""][0])),*],
                signature: |signature| $crate::ops::table::OpFn::describe($function, signature),
            }),
            #[cfg(not(any(test, feature = "declarations")))]
            about: None,
        }
    };
    (@watched watched) => { true };
    (@watched always) => { false };
    (@watched $other:ident) => {
        compile_error!(concat!("the ops of an area are `watched` or run `always`, not `", stringify!($other), "`"))
    };
}
pub use crate::__ops as ops;
