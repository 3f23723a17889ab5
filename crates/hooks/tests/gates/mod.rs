//! What a failing handler means: a gate stays shut and says who failed, anything else goes on and says so too.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod report;
mod required;
mod shut;

use std::future::pending;
use std::time::Duration;

use serde_json::{Value, json};
use tau_hooks::{Event, HandlerError, Registrar};

/// A way for a handler to fail.
#[derive(Debug, Clone, PartialEq)]
enum Fault {
    /// It returns an error.
    Error,
    /// It panics before it makes a future.
    PanicInCall,
    /// It panics before its first await.
    PanicAtOnce,
    /// It panics after an await.
    PanicLater,
    /// It never answers.
    Hang,
    /// It never answers, and the run is aborted meanwhile.
    Aborted,
    /// It never answers, and the user goes on without it.
    Skipped,
    /// Its engine is gone.
    Gone,
    /// It returns something else than a result.
    Malformed(Value),
}

/// Faults that need nobody's help.
fn faults() -> Vec<Fault> {
    use Fault::*;
    vec![Error, PanicInCall, PanicAtOnce, PanicLater, Hang, Gone]
}

/// Registers a handler with a fault, typed unless its fault needs JSON; returns where.
fn register<E: Event>(registrar: &mut Registrar, fault: &Fault) -> String {
    let here = |line: u32| format!("{}:{line}", file!());
    if let Fault::Malformed(value) = fault {
        let value = value.clone();
        let answer = move |_, _| std::future::ready(Ok(Some(value.clone())));
        registrar.on_json(E::ID.name(), answer);
        return here(line!() - 1);
    }
    let fault = fault.clone();
    let answer = move |_, _| {
        assert!(fault != Fault::PanicInCall, "boom");
        fail(fault.clone())
    };
    registrar.on::<E>(answer);
    here(line!() - 1)
}

async fn fail(fault: Fault) -> Result<(), HandlerError> {
    match fault {
        Fault::Error => Err(HandlerError::msg("boom")),
        Fault::PanicAtOnce => panic!("boom"),
        Fault::PanicLater => {
            tokio::time::sleep(Duration::from_millis(1)).await;
            panic!("boom")
        }
        Fault::Hang | Fault::Aborted | Fault::Skipped => pending().await,
        Fault::Gone => Err(HandlerError::Gone("its engine ran out of memory".into())),
        Fault::PanicInCall | Fault::Malformed(_) => unreachable!("these do not get here"),
    }
}

/// Values that are no objects.
fn no_objects() -> Vec<Value> {
    vec![json!(true), json!(false), json!(0), json!("x"), json!([]), json!([{ "block": true }])]
}
