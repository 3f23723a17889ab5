//! A client of RPC mode, for tests of programs that speak it.
//!
//! Calls block until the program answers; a program that ends instead makes them panic with what it said. There are no
//! time limits.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::marker::PhantomData;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};
use tau_rpc::{Done, Request, Response, UI_RESPONSE, UiRequest};

/// A program in RPC mode.
pub struct RpcClient {
    child: Child,
    stdin: Mutex<Option<ChildStdin>>,
    shared: Arc<Shared>,
    readers: Vec<JoinHandle<()>>,
    last_id: AtomicU64,
}

/// How a program ended, and everything it wrote.
#[derive(Debug)]
pub struct RpcEnd {
    /// Its exit code or signal.
    pub status: ExitStatus,
    /// What it wrote to standard output, a value a line; responses without their data.
    pub records: Vec<Value>,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// A dialog that the program wants answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Dialog {
    /// What the answer names.
    pub id: String,
    /// What is asked.
    pub request: UiRequest,
}

/// A command that was sent.
#[must_use = "the answer is waited for by `answer`"]
pub struct Asked<'a, R> {
    client: &'a RpcClient,
    id: String,
    request: PhantomData<R>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// Gives the answer to a dialog, or none.
type Answers = Box<dyn FnMut(&UiRequest) -> Option<Value> + Send>;

#[derive(Default)]
struct State {
    records: Vec<Value>,
    /// The ids that commands were sent under by [`RpcClient::send`].
    asked: HashSet<String>,
    /// The responses to those.
    responses: HashMap<String, Response>,
    stderr: String,
    answers: Option<Answers>,
    /// Dialogs that `answers` has something for.
    answered: Vec<Value>,
    paused: bool,
    ended: bool,
}

impl RpcClient {
    /// Starts a program; its arguments put it into RPC mode.
    ///
    /// # Panics
    /// When it cannot be started.
    #[expect(clippy::expect_used, reason = "a test without its program cannot go on")]
    pub fn start(command: &mut Command) -> Self {
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().expect("the program starts");
        let stdin = Mutex::new(child.stdin.take());
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() });
        let (out, err) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
        let (lines, errors) = (Arc::clone(&shared), Arc::clone(&shared));
        let readers = vec![
            std::thread::spawn(move || lines.read(out)),
            std::thread::spawn(move || {
                let mut text = Vec::new();
                let _ = { err }.read_to_end(&mut text);
                errors.state.lock().stderr = String::from_utf8_lossy(&text).into_owned();
            }),
        ];
        Self { child, stdin, shared, readers, last_id: AtomicU64::new(0) }
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a command under an id of its own.
    pub fn send<R: Request>(&self, request: R) -> Asked<'_, R> {
        let id = format!("t{}", self.last_id.fetch_add(1, Ordering::Relaxed) + 1);
        let mut line = tau_ai::to_json(&request);
        line["type"] = R::NAME.into();
        line["id"] = id.clone().into();
        self.shared.state.lock().asked.insert(id.clone());
        self.write(&line);
        Asked { client: self, id, request: PhantomData }
    }

    /// Sends a command and waits for its answer.
    ///
    /// # Errors
    /// What the program says when it did not do it.
    pub fn call<R: Request>(&self, request: R) -> Result<R::Answer, String> {
        self.send(request).answer()
    }

    /// Writes a value as a line.
    pub fn write(&self, line: &Value) {
        self.write_bytes(format!("{line}\n").as_bytes());
    }

    /// Writes bytes as they stand. A program that has ended does not take them.
    pub fn write_bytes(&self, bytes: &[u8]) {
        if let Some(stdin) = self.stdin.lock().as_mut() {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    /// Answers dialogs from now on: `answers` gives the members of the response, such as `{"value": "x"}`, or nothing.
    /// Dialogs that are open already are not among them.
    pub fn answer_dialogs(&self, answers: impl FnMut(&UiRequest) -> Option<Value> + Send + 'static) {
        self.shared.state.lock().answers = Some(Box::new(answers));
    }

    /// Answers a dialog.
    pub fn answer(&self, dialog: &Dialog, members: Value) {
        self.write(&answer(&dialog.id, members));
    }

    /// Everything that was written so far, but for the data of responses.
    pub fn records(&self) -> Vec<Value> {
        self.shared.state.lock().records.clone()
    }

    /// How many records there are: a place to wait from.
    pub fn mark(&self) -> usize {
        self.shared.state.lock().records.len()
    }

    /// Waits for the first record from `mark` on that fits.
    ///
    /// # Panics
    /// When the program ends before.
    pub fn wait_for(&self, mark: usize, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let mut at = mark;
        self.wait(what, |state| {
            let found = state.records[at.min(state.records.len())..].iter().find(|record| fits(record)).cloned();
            at = state.records.len();
            found
        })
    }

    /// Waits for the first event of a type from `mark` on.
    ///
    /// # Panics
    /// When the program ends before.
    pub fn event(&self, mark: usize, kind: &str) -> Value {
        self.wait_for(mark, kind, |record| record["type"] == kind)
    }

    /// Waits for the first dialog or other request from `mark` on that is of a method.
    ///
    /// # Panics
    /// When the program ends before, or the request is none of the protocol.
    #[expect(clippy::expect_used, reason = "a record that is none of the protocol fails the test")]
    pub fn dialog(&self, mark: usize, method: &str) -> Dialog {
        let record = self.wait_for(mark, method, |record| record["method"] == method);
        let id = record["id"].as_str().expect("an id").to_owned();
        Dialog { id, request: serde_json::from_value(record).expect("a request of the protocol") }
    }

    /// Stops to read, or goes on.
    pub fn pause(&self, paused: bool) {
        self.shared.state.lock().paused = paused;
        self.shared.changed.notify_all();
    }

    /// Closes the program's input.
    pub fn close_input(&self) {
        drop(self.stdin.lock().take());
    }

    /// Closes the program's input and waits for its end.
    ///
    /// # Panics
    /// When the system loses track of it.
    pub fn close(self) -> RpcEnd {
        self.close_input();
        self.end()
    }

    /// Waits for the program's end.
    ///
    /// # Panics
    /// When the system loses track of it.
    #[expect(clippy::expect_used, reason = "a test without its program cannot go on")]
    pub fn end(mut self) -> RpcEnd {
        for reader in self.readers.drain(..) {
            reader.join().expect("a reader");
        }
        let status = self.child.wait().expect("an end");
        let mut state = self.shared.state.lock();
        RpcEnd { status, records: std::mem::take(&mut state.records), stderr: std::mem::take(&mut state.stderr) }
    }

    /// Waits until there is something, and answers dialogs meanwhile.
    fn wait<T>(&self, what: &str, mut find: impl FnMut(&mut State) -> Option<T>) -> T {
        let mut state = self.shared.state.lock();
        loop {
            for line in std::mem::take(&mut state.answered) {
                drop(state);
                self.write(&line);
                state = self.shared.state.lock();
            }
            if let Some(found) = find(&mut state) {
                return found;
            }
            if state.ended {
                // What it said last is on its way.
                drop(state);
                std::thread::sleep(std::time::Duration::from_millis(50));
                let stderr = self.shared.state.lock().stderr.clone();
                panic!("the program ended while a test waited for {what}: {stderr}");
            }
            self.shared.changed.wait(&mut state);
        }
    }
}

impl<R: Request> Asked<'_, R> {
    /// The id the command was sent under.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Waits for the response.
    ///
    /// # Errors
    /// What the program says when it did not do it.
    ///
    /// # Panics
    /// When the program ends before, and when what it answers is no answer to this command.
    #[expect(clippy::expect_used, reason = "an answer that is none of the protocol fails the test")]
    pub fn answer(self) -> Result<R::Answer, String> {
        let response = self.client.wait(R::NAME, |state| state.responses.remove(&self.id));
        assert_eq!(response.command, R::NAME);
        if !response.success {
            return Err(response.error.expect("a failure says why"));
        }
        let data = response.data.map_or("null".to_owned(), |data| data.get().to_owned());
        let nothing = std::any::TypeId::of::<R::Answer>() == std::any::TypeId::of::<Done>();
        assert!(!nothing || data == "null", "{} answers nothing, not {data}", R::NAME);
        Ok(serde_json::from_str(&data).expect("an answer to this command"))
    }
}

impl Shared {
    fn read(&self, out: ChildStdout) {
        // Also when a line fails the test on this thread: nobody may wait for what nobody reads.
        let _ended = Ended(self);
        let mut lines = BufReader::new(out);
        loop {
            {
                let mut state = self.state.lock();
                while state.paused {
                    self.changed.wait(&mut state);
                }
            }
            let mut line = Vec::new();
            match lines.read_until(b'\n', &mut line) {
                Ok(length) if length > 0 => self.take(&line),
                _ => break,
            }
        }
    }

    #[expect(clippy::expect_used, reason = "a line that is none of the protocol fails the test")]
    fn take(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let mut state = self.state.lock();
        if let Ok(response) = serde_json::from_slice::<Response>(line) {
            let mut record = json!({"type": "response", "command": response.command, "success": response.success});
            let id = response.id.as_ref().and_then(Value::as_str).map(str::to_owned);
            record["id"] = response.id.clone().unwrap_or_default();
            record["error"] = response.error.clone().into();
            state.records.push(record);
            // What a test wrote by itself may well have one id twice.
            if let Some(id) = id.filter(|id| state.asked.contains(id)) {
                let twice = state.responses.insert(id, response);
                assert!(twice.is_none(), "a second response: {text}");
            }
        } else {
            let record: Value = serde_json::from_slice(line).unwrap_or_else(|error| panic!("{error}: {text}"));
            if record["type"] == "extension_ui_request"
                && let Some(answers) = state.answers.as_mut()
            {
                let request = serde_json::from_value(record.clone()).expect("a request of the protocol");
                if let Some(members) = answers(&request) {
                    state.answered.push(answer(record["id"].as_str().expect("an id"), members));
                }
            }
            state.records.push(record);
        }
        drop(state);
        self.changed.notify_all();
    }
}

/// Tells those who wait that no line comes any more.
struct Ended<'a>(&'a Shared);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.state.lock().ended = true;
        self.0.changed.notify_all();
    }
}

fn answer(id: &str, members: Value) -> Value {
    let mut line = members;
    line["type"] = UI_RESPONSE.into();
    line["id"] = id.into();
    line
}

impl Drop for RpcClient {
    fn drop(&mut self) {
        if !self.readers.is_empty() {
            // A test that failed does not wait for the program.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
