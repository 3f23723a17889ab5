use std::sync::mpsc;

use tau_agent::{SessionEvent, Update};
use tau_ai::{AssistantMessage, MessageBuilder};

use super::super::events::item;
use super::super::told::Partials;
use super::*;

/// An output that takes nothing until it is let, and gives what it took.
struct Gate {
    open: mpsc::Receiver<()>,
    is_open: bool,
    taken: Arc<Mutex<Vec<u8>>>,
}

impl Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_open {
            self.is_open = self.open.recv().is_ok();
        }
        self.taken.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn gated() -> (Writer, mpsc::Sender<()>, Arc<Mutex<Vec<u8>>>) {
    let (open, opened) = mpsc::channel();
    let taken = Arc::new(Mutex::new(Vec::new()));
    let gate = Gate { open: opened, is_open: false, taken: Arc::clone(&taken) };
    (Writer::start(Box::new(gate)).unwrap(), open, taken)
}

fn lines(taken: &Mutex<Vec<u8>>) -> Vec<Value> {
    let text = String::from_utf8(taken.lock().clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn response(n: usize) -> Item {
    Item::json(&json!({"type": "response", "n": n}))
}

#[tokio::test]
async fn pieces_are_joined_when_the_queue_is_full_and_then_producers_wait() {
    let (writer, open, taken) = gated();
    let builder = MessageBuilder::new(AssistantMessage::empty());
    let (text, start) = builder.text_start();
    let step = |item| super::super::events::item(&SessionEvent::MessageUpdate(Update(item)), Partials::Deltas);
    writer.push(step(start));
    let piece = "x".repeat(100);
    let mut pieces = 0;
    // The first batch is on its way already; whatever it was, the rest is counted from here.
    while writer.room().is_none() {
        writer.push(step(builder.text_delta(text, &piece)));
        pieces += 1;
    }
    assert!(pieces * piece.len() >= MOST_BYTES / 2, "{pieces} pieces were taken before anybody had to wait");
    {
        let state = writer.0.state.lock();
        assert!(state.items.len() <= MOST_ITEMS && state.bytes < MOST_BYTES + piece.len() + OVERHEAD);
    }
    // What must be said is said all the same, in its place.
    (0..10).for_each(|n| writer.push(response(n)));
    writer.push(step(builder.text_end(text, None)));
    let room = writer.room().expect("there is no room");
    open.send(()).unwrap();
    room.await;
    writer.finish(Duration::from_secs(600)).await;
    let lines = lines(&taken);
    let said: String = lines.iter().filter_map(|line| line["assistantMessageEvent"]["delta"].as_str()).collect();
    assert_eq!(said, piece.repeat(pieces));
    assert_eq!(lines[0]["assistantMessageEvent"]["type"], "text_start");
    let end = lines.len() - 11;
    let numbers: Vec<_> = lines[end..end + 10].iter().map(|line| line["n"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..10).collect::<Vec<_>>());
    assert_eq!(lines[end + 10]["assistantMessageEvent"]["content"], piece.repeat(pieces));
}

#[tokio::test]
async fn while_there_is_room_nothing_is_joined() {
    let (writer, open, taken) = gated();
    let output = |delta: &str| {
        item(&SessionEvent::BashExecutionUpdate { id: Some("b".into()), delta: delta.to_owned() }, Partials::Deltas)
    };
    (0..50).for_each(|n| writer.push(output(&n.to_string())));
    open.send(()).unwrap();
    writer.finish(Duration::from_secs(600)).await;
    let told: Vec<Value> =
        (0..50).map(|n| json!({"type": "bash_execution_update", "id": "b", "delta": n.to_string()})).collect();
    assert_eq!(lines(&taken), told);
}

#[tokio::test]
async fn news_replaces_older_news_only_when_the_queue_is_full() {
    let (writer, open, taken) = gated();
    let news = |about: &str, n: usize| Item::news(about.to_owned(), &json!({"about": about, "n": n}));
    writer.push(response(0));
    // Whatever is written already does not count.
    (0..2 * MOST_ITEMS).for_each(|n| writer.push(response(n)));
    assert!(writer.0.state.lock().items.len() >= MOST_ITEMS);
    for n in 0..100 {
        writer.push(news("a", n));
        writer.push(news("b", n));
    }
    open.send(()).unwrap();
    writer.finish(Duration::from_secs(600)).await;
    let told: Vec<Value> = lines(&taken).into_iter().filter(|line| line["about"].is_string()).collect();
    assert_eq!(told, [json!({"about": "a", "n": 99}), json!({"about": "b", "n": 99})]);
}

/// An output whose reader has gone.
struct Gone;

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn nobody_waits_for_a_reader_that_has_gone() {
    let writer = Writer::start(Box::new(Gone)).unwrap();
    (0..10 * MOST_ITEMS).for_each(|n| writer.push(response(n)));
    writer.gone().await;
    if let Some(room) = writer.room() {
        room.await;
    }
    writer.wait_for_answers_to_be_read();
    writer.finish(Duration::from_secs(600)).await;
}

/// An output that keeps what it was given apart.
struct Pieces(Arc<Mutex<Vec<Vec<u8>>>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn what_is_pushed_together_is_written_in_one_piece() {
    let pieces = Arc::new(Mutex::new(Vec::new()));
    let writer = Writer::start(Box::new(Pieces(Arc::clone(&pieces)))).unwrap();
    // Without the guard the thread that writes would come in between sooner or later. All of it fits into one batch.
    for n in 0..100 {
        let together = writer.together();
        writer.push(response(n));
        thread::yield_now();
        writer.push(response(n));
        drop(together);
    }
    writer.finish(Duration::from_secs(600)).await;
    let lines = |piece: &Vec<u8>| piece.iter().filter(|byte| **byte == b'\n').count();
    assert!(pieces.lock().iter().all(|piece| lines(piece) % 2 == 0));
}
