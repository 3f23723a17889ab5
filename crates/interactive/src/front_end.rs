//! The front ends.

use std::process::ExitCode;

use async_trait::async_trait;
use tau_launch::{FrontEnd, Launcher, Prepared, Request, Stop};

use crate::app;
use crate::end::End;
use crate::plain;

/// 128 and the number of the signal that a terminal sends when it goes away: its end may be seen before the signal.
const HUNG_UP: u8 = 129;

/// The terminal as a front end of one session.
#[derive(Debug, Default)]
pub struct Interactive;

/// A terminal that is only appended to, as a front end of one session.
#[derive(Debug, Default)]
pub struct Plain;

#[async_trait(?Send)]
impl FrontEnd for Interactive {
    async fn run(self: Box<Self>, launcher: &Launcher, stop: Stop) -> ExitCode {
        work(launcher, &stop, |prepared| app::run(launcher, prepared, stop.clone())).await
    }
}

#[async_trait(?Send)]
impl FrontEnd for Plain {
    async fn run(self: Box<Self>, launcher: &Launcher, stop: Stop) -> ExitCode {
        work(launcher, &stop, |prepared| plain::run(launcher, prepared, stop.clone())).await
    }
}

async fn work<F: Future<Output = End>>(launcher: &Launcher, stop: &Stop, run: impl FnOnce(Prepared) -> F) -> ExitCode {
    let prepared = launcher.prepare(Request::default());
    let ending = prepared.ending();
    // What a start needs is large. In a box it is not moved, so it touches less of the stack.
    let code = Box::pin(run(prepared)).await;
    ending.end().await;
    match (stop.code(), code) {
        (Some(code), _) => code,
        (None, End::Own(code)) => ExitCode::from(ending.code(code)),
        (None, End::Failed(code)) => ExitCode::from(code),
        (None, End::HungUp) => ExitCode::from(HUNG_UP),
    }
}
