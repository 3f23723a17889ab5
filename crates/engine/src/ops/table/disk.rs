//! Ops that work with the disk: one description makes one that blocks and one that gives a promise.

use rquickjs::{IntoJs, Value};

use super::signature::Signature;
use super::{Answer, Arguments, Direction, OpFn, Param, Type};
use crate::ops::OpError;
use crate::ops::waiting::while_waiting;

/// An op that blocks the engine while it works.
#[derive(Clone, Copy)]
pub struct Blocks<F>(F);

/// An op that is the function, which blocks for no longer than the disk does.
pub fn blocks<F>(function: F) -> Blocks<F> {
    Blocks(function)
}

/// An op that may wait for others.
#[derive(Clone, Copy)]
pub struct Waits<F>(F);

/// An op that is the function, which can be ended where it waits for others.
pub fn waits<F>(function: F) -> Waits<F> {
    Waits(function)
}

macro_rules! disk_functions {
    ($(($($param:ident $value:ident),+))*) => {$(
        impl<'js, F, R, $($param),+> OpFn<'js, ($($param,)+)> for Blocks<F>
        where
            F: Fn($($param),+) -> Result<R, OpError> + Copy + 'static,
            R: IntoJs<'js> + Type,
            $($param: Param<'js>,)+
        {
            const LEAST: usize = 0 $(+ $param::LEAST)+;

            fn call(self, arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Value<'js>> {
                $(let $value = $param::take(arguments)?;)+
                (self.0)($($value),+).answer(arguments.ctx())
            }

            fn describe(self, signature: &mut Signature) {
                $($param::describe(signature);)+
                signature.result = R::write(Direction::Out, signature);
            }
        }

        impl<'js, F, R, $($param),+> OpFn<'js, ($($param,)+)> for Waits<F>
        where
            F: Fn($($param),+) -> Result<R, OpError> + Copy + Send + 'static,
            R: IntoJs<'js> + Type + Send + 'static,
            $($param: Param<'js> + Send + 'static,)+
        {
            const LEAST: usize = 0 $(+ $param::LEAST)+;

            fn call(self, arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Value<'js>> {
                $(let $value = $param::take(arguments)?;)+
                let what = None$(.or_else(|| $value.may_wait_for()))+;
                let work = self.0;
                let done = while_waiting(arguments.ctx(), arguments.host(), what, move || work($($value),+))?;
                done.into_js(arguments.ctx())
            }

            fn describe(self, signature: &mut Signature) {
                $($param::describe(signature);)+
                signature.result = R::write(Direction::Out, signature);
            }
        }
    )*};
}

disk_functions! {
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, E e)
}
