//! The fold rules on the events that have them, for handlers with typed results and for handlers that speak JSON:
//! both must come to the same.

mod boundaries;
mod messages;
mod prompts;
mod requests;
mod sessions;
mod tools;

use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Value, json};
use tau_hooks::{Event, Registrar};
use tau_testkit::Stage;

/// What came of a round of handlers that return fixed results.
#[derive(Debug, PartialEq)]
struct Round {
    /// What each handler saw, in the order of the calls.
    seen: Vec<Value>,
    /// The payload as the handlers left it.
    payload: Value,
    /// The results as one.
    output: Option<Value>,
    /// The handler that ended the round, counted from 0.
    stopped_by: Option<usize>,
    /// What was reported.
    reports: Vec<String>,
}

/// How handlers are written.
#[derive(Debug, Clone, Copy)]
enum Style {
    /// With typed payloads and results.
    Typed,
    /// With JSON in and out.
    Json,
}

type Seen = Arc<Mutex<Vec<Value>>>;

/// Calls handlers that return these results (`None`: nothing at all), each one of an extension of its own.
async fn run<E: Event>(style: Style, payload: E::Payload, results: &[Option<Value>]) -> Round {
    let stage = Stage::new();
    let seen = Seen::default();
    for (number, result) in results.iter().enumerate() {
        stage.add(&number.to_string(), |registrar| register::<E>(registrar, style, &seen, result.clone()));
    }
    let done = stage.fire::<E>(payload).await;
    let stopped_by = done.stopped_by.map(|owner| owner.name.parse().expect("extensions are numbered"));
    let seen = seen.lock().clone();
    let reports = stage.take_reports();
    let reports = reports.iter().map(|report| format!("{}: {}", report.extension, report.message()));
    Round {
        seen,
        payload: done.payload.as_ref().map_or(Value::Null, to_json),
        output: done.output.as_ref().map(to_json),
        stopped_by,
        reports: reports.collect(),
    }
}

fn register<E: Event>(registrar: &mut Registrar, style: Style, seen: &Seen, result: Option<Value>) {
    let seen = Arc::clone(seen);
    match style {
        Style::Typed => {
            let result: Option<E::Output> = result.map(|json| from_json(&json));
            registrar.on::<E>(move |event, _| {
                seen.lock().push(to_json(&event));
                let result = result.clone();
                async move { result }
            });
        }
        Style::Json => {
            registrar.on_json(E::ID.name(), move |mut event, _| {
                let name = event.as_object_mut().and_then(|event| event.shift_remove("type"));
                assert_eq!(name, Some(json!(E::ID.name())));
                seen.lock().push(event);
                let result = result.clone();
                async move { Ok(result) }
            });
        }
    }
}

/// As [`run`], in both styles, which must not differ.
async fn both<E: Event>(payload: E::Payload, results: &[Option<Value>]) -> Round {
    let typed = run::<E>(Style::Typed, payload.clone(), results).await;
    let json = run::<E>(Style::Json, payload, results).await;
    assert_eq!(typed, json, "typed and JSON handlers differ");
    typed
}

fn to_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("payloads and results are JSON")
}

fn from_json<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"))
}

/// `base` with some fields replaced.
fn with(base: &Value, fields: Value) -> Value {
    let mut changed = base.clone();
    let (Some(object), Value::Object(fields)) = (changed.as_object_mut(), fields) else { panic!("objects are needed") };
    object.extend(fields);
    changed
}
