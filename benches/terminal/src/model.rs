//! A model server on the loopback interface: one word at a time, as real ones do.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;

/// The time from one word to the next.
const GAP: Duration = Duration::from_millis(20);

/// What the model says next.
pub struct Answer {
    /// Pieces that come at once.
    pub before: Vec<String>,
    /// Pieces that come one by one, after [`Turn::go`].
    pub words: Vec<String>,
    /// Whether they come again and again, until [`Turn::stop`].
    pub endless: bool,
    /// What ends it.
    pub end: String,
}

/// An answer that is under way.
pub struct Turn {
    go: Sender<()>,
    stopped: Arc<AtomicBool>,
}

impl Turn {
    pub fn go(&self) {
        self.go.send(()).expect("the model waits");
    }

    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

type Queue = Arc<Mutex<VecDeque<(Answer, Receiver<()>, Arc<AtomicBool>)>>>;

pub struct Model {
    pub origin: String,
    queue: Queue,
}

impl Model {
    pub fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("its address"));
        let queue = Queue::default();
        let answers = Arc::clone(&queue);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let answers = Arc::clone(&answers);
                std::thread::spawn(move || {
                    // Programs are ended in the middle of an answer.
                    if let Err(error) = serve(client, &answers) {
                        eprintln!("  (a client left: {error})");
                    }
                });
            }
        });
        Self { origin, queue }
    }

    /// The next request is answered with this.
    pub fn next(&self, answer: Answer) -> Turn {
        let (go, goes) = channel();
        let stopped = Arc::new(AtomicBool::new(false));
        self.queue.lock().expect("nobody panics").push_back((answer, goes, Arc::clone(&stopped)));
        Turn { go, stopped }
    }
}

fn serve(client: TcpStream, answers: &Queue) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut reader = BufReader::new(client.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    io::copy(&mut reader.by_ref().take(length), &mut io::sink())?;
    let next = answers.lock().expect("nobody panics").pop_front();
    let (answer, goes, stopped) = next.ok_or_else(|| io::Error::other("nothing to say"))?;
    let mut client = client;
    let mut text = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_owned();
    let usage =
        json!({"input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0});
    event(
        &mut text,
        "message_start",
        json!({"message": {
            "id": "msg", "type": "message", "role": "assistant", "model": "loop-a", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage,
        }}),
    );
    event(&mut text, "content_block_start", json!({"index": 0, "content_block": {"type": "text", "text": ""}}));
    for piece in &answer.before {
        delta(&mut text, piece);
    }
    client.write_all(text.as_bytes())?;
    goes.recv().map_err(io::Error::other)?;
    let mut due = Instant::now();
    let times = if answer.endless { usize::MAX } else { answer.words.len() };
    for word in answer.words.iter().cycle().take(times) {
        if stopped.load(Ordering::Relaxed) {
            break;
        }
        due += GAP;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let mut text = String::new();
        delta(&mut text, word);
        client.write_all(text.as_bytes())?;
    }
    let mut text = String::new();
    delta(&mut text, &answer.end);
    event(&mut text, "content_block_stop", json!({"index": 0}));
    let stop = json!({"stop_reason": "end_turn", "stop_sequence": null});
    event(&mut text, "message_delta", json!({"delta": stop, "usage": {"output_tokens": 1}}));
    event(&mut text, "message_stop", json!({}));
    client.write_all(text.as_bytes())
}

fn delta(text: &mut String, piece: &str) {
    event(text, "content_block_delta", json!({"index": 0, "delta": {"type": "text_delta", "text": piece}}));
}

fn event(text: &mut String, kind: &str, mut fields: serde_json::Value) {
    fields["type"] = kind.into();
    text.push_str(&format!("event: {kind}\ndata: {fields}\n\n"));
}
