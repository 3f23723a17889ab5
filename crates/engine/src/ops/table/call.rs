//! How JavaScript calls a function of Rust: what becomes of arguments and of the result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use rquickjs::function::{IntoJsFunc, ParamRequirement, Params, ParamsAccessor};
use rquickjs::prelude::{Opt, Rest};
use rquickjs::{Ctx, FromJs, Function, IntoJs, Value};

use super::Direction;
use super::signature::{How, Passed, Signature};
use super::{Op, Type};
use crate::ops::{OpError, OpHost};

/// The arguments of a call, taken one after another.
pub struct Arguments<'a, 'js> {
    params: ParamsAccessor<'a, 'js>,
    host: &'a Rc<OpHost>,
}

impl<'js> Arguments<'_, 'js> {
    /// The context of the call.
    pub fn ctx(&self) -> &Ctx<'js> {
        self.params.ctx()
    }

    /// The engine that is called.
    pub fn host(&self) -> &Rc<OpHost> {
        self.host
    }

    /// The next argument.
    ///
    /// # Errors
    /// When it has another type.
    pub fn argument<T: FromJs<'js>>(&mut self) -> rquickjs::Result<T> {
        let value =
            if self.params.is_empty() { Value::new_undefined(self.params.ctx().clone()) } else { self.params.arg() };
        T::from_js(self.params.ctx(), value)
    }

    /// Whether there are more.
    fn has_more(&self) -> bool {
        !self.params.is_empty()
    }
}

/// What a parameter of an op can be: a value that JavaScript passes, or something that the engine knows about the call.
pub trait Param<'js>: Sized {
    /// How many arguments it takes at least.
    const LEAST: usize = 1;

    /// Takes it.
    ///
    /// # Errors
    /// When the argument is not what it must be.
    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self>;

    /// What work on it may wait for without end, such as a pipe that nobody opens at the other end.
    fn may_wait_for(&self) -> Option<String> {
        None
    }

    /// Adds its types to the signature; nothing when JavaScript passes nothing for it.
    fn describe(signature: &mut Signature);
}

impl<'js, T: FromJs<'js> + Type> Param<'js> for T {
    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        arguments.argument()
    }

    fn describe(signature: &mut Signature) {
        let text = T::write(Direction::In, signature);
        signature.params.push(Passed { text, how: How::Required });
    }
}

impl<'js> Param<'js> for Ctx<'js> {
    const LEAST: usize = 0;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        Ok(arguments.ctx().clone())
    }

    fn describe(_: &mut Signature) {}
}

impl<'js, T: FromJs<'js> + Type> Param<'js> for Opt<T> {
    const LEAST: usize = 0;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        if arguments.has_more() { arguments.argument().map(|value| Self(Some(value))) } else { Ok(Self(None)) }
    }

    fn describe(signature: &mut Signature) {
        let text = T::write(Direction::In, signature);
        signature.params.push(Passed { text, how: How::Optional });
    }
}

impl<'js, T: FromJs<'js> + Type> Param<'js> for Rest<T> {
    const LEAST: usize = 0;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let mut all = Vec::new();
        while arguments.has_more() {
            all.push(arguments.argument()?);
        }
        Ok(Self(all))
    }

    fn describe(signature: &mut Signature) {
        let text = T::write(Direction::In, signature);
        signature.params.push(Passed { text: format!("{text}[]"), how: How::Rest });
    }
}

/// What the ops of the engine share.
pub struct Host(pub Rc<OpHost>);

impl<'js> Param<'js> for Host {
    const LEAST: usize = 0;

    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        Ok(Self(Rc::clone(arguments.host())))
    }

    fn describe(_: &mut Signature) {}
}

/// What an op can give: a value, or an error that JavaScript gets thrown.
pub trait Answer<'js> {
    /// The value.
    ///
    /// # Errors
    /// What is thrown.
    fn answer(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>>;

    /// Its type.
    fn describe(signature: &mut Signature) -> String;
}

impl<'js, T: IntoJs<'js> + Type> Answer<'js> for T {
    fn answer(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        self.into_js(ctx)
    }

    fn describe(signature: &mut Signature) -> String {
        T::write(Direction::Out, signature)
    }
}

impl<'js, T: IntoJs<'js> + Type> Answer<'js> for rquickjs::Result<T> {
    fn answer(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        self?.into_js(ctx)
    }

    fn describe(signature: &mut Signature) -> String {
        T::write(Direction::Out, signature)
    }
}

impl<'js, T: IntoJs<'js> + Type> Answer<'js> for Result<T, OpError> {
    fn answer(self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        self.map_err(|error| error.throw(ctx))?.into_js(ctx)
    }

    fn describe(signature: &mut Signature) -> String {
        T::write(Direction::Out, signature)
    }
}

/// A function that is an op; `P` are its parameters.
pub trait OpFn<'js, P>: Copy + 'static {
    /// How many arguments it takes at least.
    const LEAST: usize;

    /// Calls it.
    ///
    /// # Errors
    /// What is thrown.
    fn call(self, arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Value<'js>>;

    /// Its types.
    fn describe(self, signature: &mut Signature);

    /// What runtime modules find under its name.
    ///
    /// # Errors
    /// When there is no memory for it.
    fn make(self, ctx: &Ctx<'js>, op: &'static Op, host: &Rc<OpHost>) -> rquickjs::Result<Value<'js>>
    where
        P: 'js,
    {
        let callable = Callable { function: self, op, host: Rc::clone(host) };
        Ok(Function::new(ctx.clone(), callable)?.with_name(op.name)?.into_value())
    }
}

/// An op of an engine.
struct Callable<F> {
    function: F,
    op: &'static Op,
    host: Rc<OpHost>,
}

impl<'js, P, F: OpFn<'js, P>> IntoJsFunc<'js, P> for Callable<F> {
    fn param_requirements() -> ParamRequirement {
        (0..F::LEAST).fold(ParamRequirement::none(), |all, _| all.combine(ParamRequirement::single()))
    }

    fn call(&self, params: Params<'_, 'js>) -> rquickjs::Result<Value<'js>> {
        self.host.account().begin_call();
        if self.op.watched {
            // A program may call ops that take long in a loop whose own steps are few.
            self.host.go_on(params.ctx())?;
        }
        let ctx = params.ctx().clone();
        let call =
            AssertUnwindSafe(|| self.function.call(&mut Arguments { params: params.access(), host: &self.host }));
        // A program could catch what becomes of a panic, and go on as if nothing had happened: a gate would be open.
        catch_unwind(call).unwrap_or_else(|_| {
            tracing::error!(op = self.op.name, "an op panicked; what called it is stopped");
            Err(self.host.stop(&ctx))
        })
    }
}

/// An op that is called as it stands.
#[derive(Clone, Copy)]
pub struct Plain<F>(F);

/// An op that is the function.
pub fn function<F>(function: F) -> Plain<F> {
    Plain(function)
}

/// A value that is made when somebody looks for it.
#[derive(Clone, Copy)]
pub struct Constant<F>(F);

/// An op that is no function, but what the function gives.
pub fn value<F>(function: F) -> Constant<F> {
    Constant(function)
}

impl<'js, R, F> OpFn<'js, ()> for Constant<F>
where
    F: Fn() -> R + Copy + 'static,
    R: Answer<'js>,
{
    const LEAST: usize = 0;

    fn call(self, arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Value<'js>> {
        (self.0)().answer(arguments.ctx())
    }

    fn describe(self, signature: &mut Signature) {
        signature.is_value = true;
        signature.result = R::describe(signature);
    }

    fn make(self, ctx: &Ctx<'js>, _: &'static Op, _: &Rc<OpHost>) -> rquickjs::Result<Value<'js>> {
        (self.0)().answer(ctx)
    }
}

/// An op whose work is done on another thread.
#[derive(Clone, Copy)]
pub struct Later<F>(F);

/// An op that gives a promise of what the function gives on a thread that may block.
pub fn later<F>(function: F) -> Later<F> {
    Later(function)
}

macro_rules! op_functions {
    ($(($($param:ident $value:ident),*))*) => {$(
        impl<'js, F, R, $($param),*> OpFn<'js, ($($param,)*)> for Plain<F>
        where
            F: Fn($($param),*) -> R + Copy + 'static,
            R: Answer<'js>,
            $($param: Param<'js>,)*
        {
            const LEAST: usize = 0 $(+ $param::LEAST)*;

            fn call(self, arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Value<'js>> {
                $(let $value = $param::take(arguments)?;)*
                (self.0)($($value),*).answer(arguments.ctx())
            }

            fn describe(self, signature: &mut Signature) {
                $($param::describe(signature);)*
                signature.result = R::describe(signature);
            }
        }

        impl<'js, F, R, $($param),*> OpFn<'js, ($($param,)*)> for Later<F>
        where
            F: Fn($($param),*) -> Result<R, OpError> + Copy + Send + 'static,
            R: for<'a> IntoJs<'a> + Type + Send + 'static,
            $($param: Param<'js> + Send + 'static,)*
        {
            const LEAST: usize = 0 $(+ $param::LEAST)*;

            fn call(self, arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Value<'js>> {
                $(let $value = $param::take(arguments)?;)*
                let work = self.0;
                let done = crate::ops::waiting::blocking(move || work($($value),*));
                arguments.host().spawn(arguments.ctx(), done)?.into_js(arguments.ctx())
            }

            fn describe(self, signature: &mut Signature) {
                $($param::describe(signature);)*
                let result = R::write(Direction::Out, signature);
                signature.result = format!("Promise<{result}>");
            }
        }
    )*};
}

op_functions! {
    ()
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, E e)
    (A a, B b, C c, D d, E e, G g)
    (A a, B b, C c, D d, E e, G g, H h)
    (A a, B b, C c, D d, E e, G g, H h, I i)
}

#[cfg(test)]
mod tests {
    use crate::engine::{Engine, EngineOptions, ExtensionId};
    use crate::ops::table::ops;

    fn crash() {
        panic!("an op that panics");
    }

    ops! {
        /// For the test.
        static OPS: always;

        /// Panics.
        fn crash() = crash, Pure;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn no_program_catches_the_panic_of_an_op() {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = Engine::start(EngineOptions::new(folder.path())).expect("an engine");
        let ran = engine.run(|core| {
            core.enter(ExtensionId(1), |js| {
                let op = &OPS.rows[0][0];
                let crash = (op.make)(js, op, core.host()).expect("an op");
                js.globals().set("crash", crash).expect("a global");
                let tries = ["try { crash() } catch {}", "try { crash() } finally { true }", "(() => { crash() })()"];
                tries.map(|code| {
                    let ran = js.eval::<(), _>(code).is_ok();
                    js.catch();
                    ran
                })
            })
        });
        assert_eq!(ran.await.expect("an engine that lives"), [false; 3]);
    }
}
