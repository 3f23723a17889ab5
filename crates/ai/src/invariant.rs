//! What the program relies on and what cannot be otherwise, unless the program has a defect.
//!
//! A defect must not go unnoticed: in a debug build the work ends where it shows, so that a test fails, and a release build
//! says so in the log and does what is safe.

use std::panic::Location;

use serde::Serialize;
use serde_json::Value;

/// Notes that something does not hold that the program relies on; `what` says what is so instead, and holds no secrets.
///
/// # Panics
/// In debug builds.
#[track_caller]
pub fn broken(what: &str) {
    tracing::error!(place = %Location::caller(), "defect of tau: {what}");
    if cfg!(debug_assertions) {
        panic!("{what}");
    }
}

/// A value of this program as JSON; null when that fails, which is a defect: see [`broken`].
///
/// # Panics
/// In debug builds, when it fails.
#[track_caller]
pub fn to_json(value: impl Serialize) -> Value {
    match serde_json::to_value(value) {
        Ok(value) => value,
        Err(error) => {
            broken(&format!("a value cannot be written as JSON: {error}"));
            Value::Null
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fmt::{Debug, Write as _};
    use std::sync::{Arc, Mutex};

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Level, Metadata, Subscriber};

    use super::*;

    /// Keeps what is logged, a line an event.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<String>>>);

    struct Line(String);

    impl Visit for Line {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            write!(self.0, " {}={value:?}", field.name()).expect("a text grows");
        }
    }

    impl Subscriber for Log {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            *metadata.level() == Level::ERROR
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, event: &Event<'_>) {
            let mut line = Line(event.metadata().level().to_string());
            event.record(&mut line);
            self.0.lock().expect("no panic while it is held").push(line.0);
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn a_defect_ends_a_debug_build_and_is_in_the_log_with_its_place() {
        let log = Log::default();
        let never_a_key: HashMap<(u8, u8), u8> = [((1, 2), 3)].into();
        let (line, ended) = tracing::subscriber::with_default(log.clone(), || {
            (line!(), std::panic::catch_unwind(|| to_json(&never_a_key)))
        });
        assert_eq!(ended.ok(), (!cfg!(debug_assertions)).then_some(Value::Null));
        let lines = log.0.lock().expect("no panic while it is held").clone();
        let text = "defect of tau: a value cannot be written as JSON: key must be a string";
        assert_eq!(lines.len(), 1, "{lines:?}");
        for part in ["ERROR", text, &format!("invariant.rs:{line}:")] {
            assert!(lines[0].contains(part), "{part} in {lines:?}");
        }
    }

    #[test]
    fn what_can_be_written_is_written() {
        assert_eq!(to_json(("a", 1)), serde_json::json!(["a", 1]));
    }
}
