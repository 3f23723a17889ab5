//! The calls of a script as those see them that watch it.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tau_ai::Clock;
use tau_tools::{Progress, ToolOutput};
use tokio::sync::Notify;

/// The most calls that are shown.
const CALLS: usize = 256;
/// The most characters of arguments.
const ARGUMENTS: usize = 200;
/// The most characters of an error.
const ERROR: usize = 500;
/// How long there is nothing new after something new, in milliseconds.
const PAUSE: i64 = 100;

/// Tells what a script calls.
#[derive(Clone)]
pub(super) struct Watched(Arc<Inner>);

struct Inner {
    rows: Mutex<Rows>,
    /// Something waits until it may be told.
    waits: Notify,
    progress: Progress,
    clock: Clock,
}

#[derive(Default)]
struct Rows {
    rows: Vec<Value>,
    /// How many there are, those that are not told included.
    count: usize,
    told_at: Option<i64>,
    /// Something was not told yet.
    is_new: bool,
}

/// How a call ended.
pub(super) struct End<'a> {
    /// Empty when it was not taken up.
    pub(super) id: &'a str,
    pub(super) duration_ms: Option<u64>,
    /// In dollars, of a question to a model.
    pub(super) cost: Option<f64>,
    pub(super) error: Option<&'a str>,
}

impl Watched {
    pub(super) fn new(progress: Progress, clock: Clock) -> Self {
        Self(Arc::new(Inner { rows: Mutex::default(), waits: Notify::new(), progress, clock }))
    }

    /// The script is about to run, and has called nothing.
    pub(super) fn starts(&self) {
        self.0.report(&self.0.rows.lock());
    }

    /// A call begins; gives its place.
    pub(super) fn begins(&self, name: &str, args: &str) -> Option<usize> {
        let mut rows = self.0.rows.lock();
        rows.count += 1;
        if rows.rows.len() >= CALLS {
            return None;
        }
        rows.rows.push(json!({"name": name, "args": beginning(args, ARGUMENTS), "status": "running"}));
        let place = rows.rows.len() - 1;
        self.tell(&mut rows);
        Some(place)
    }

    /// A call is over.
    pub(super) fn ends(&self, place: Option<usize>, end: End<'_>) {
        let End { id, duration_ms, cost, error } = end;
        let mut rows = self.0.rows.lock();
        let Some(row) = place.and_then(|place| rows.rows.get_mut(place)) else { return };
        if !id.is_empty() {
            row["id"] = id.into();
        }
        row["status"] = if error.is_some() { "error" } else { "ok" }.into();
        // What was refused took no time.
        row["durationMs"] = duration_ms.unwrap_or_default().into();
        if let Some(cost) = cost {
            row["cost"] = cost.into();
        }
        if let Some(error) = error {
            row["error"] = beginning(error, ERROR).into();
        }
        self.tell(&mut rows);
    }

    /// Tells what had to wait, as long as the script runs.
    pub(super) async fn follow(&self) -> std::convert::Infallible {
        loop {
            self.0.waits.notified().await;
            tokio::time::sleep(Duration::from_millis(PAUSE.unsigned_abs())).await;
            self.tell_rest(&mut self.0.rows.lock());
        }
    }

    /// What is known when the script is over: what has no end was cancelled.
    pub(super) fn finish(&self) -> Value {
        let mut rows = self.0.rows.lock();
        self.tell_rest(&mut rows);
        for row in rows.rows.iter_mut().filter(|row| row["status"] == "running") {
            row["status"] = "cancelled".into();
        }
        details(&rows)
    }

    /// Tells those who watch, not too often: a script may make thousands of calls.
    fn tell(&self, rows: &mut Rows) {
        let now = self.0.clock.now_ms();
        if rows.told_at.is_some_and(|told| now.saturating_sub(told) < PAUSE) {
            rows.is_new = true;
            self.0.waits.notify_one();
            return;
        }
        rows.told_at = Some(now);
        rows.is_new = false;
        self.0.report(rows);
    }

    fn tell_rest(&self, rows: &mut Rows) {
        if std::mem::take(&mut rows.is_new) {
            rows.told_at = Some(self.0.clock.now_ms());
            self.0.report(rows);
        }
    }
}

impl Inner {
    fn report(&self, rows: &Rows) {
        self.progress.report(ToolOutput { details: Some(details(rows)), ..ToolOutput::default() });
    }
}

fn details(rows: &Rows) -> Value {
    let mut details = json!({"calls": rows.rows});
    if rows.count > rows.rows.len() {
        details["callCount"] = rows.count.into();
    }
    details
}

/// The beginning of a text that is too long.
fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most - 3).chain("...".chars()).collect(),
    }
}
