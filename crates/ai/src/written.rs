//! What the messages of a conversation were written as.
//!
//! A conversation grows at its end: nearly all of a request was in the one before. What was written is known by the very
//! messages it was written from and by the model it was written for, so that one more prompt costs what is new in it.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use bytes::{BufMut as _, Bytes, BytesMut};
use parking_lot::Mutex;
use serde_json::{Error, Value};

use crate::declared::DeclaredTools;
use crate::preamble::{History, Preamble, Preambles};
use crate::thread::Thread;
use crate::{Message, Model};

/// What the last request of a conversation was written as. A conversation keeps one, and each request gets a clone, which is
/// the same one; a request that has no part in a conversation needs none.
#[derive(Clone, Default)]
pub struct WrittenMessages(Arc<Memory>);

#[derive(Default)]
struct Memory {
    known: Mutex<Known>,
    preambles: Mutex<Preambles>,
    thread: Mutex<Thread>,
    tools: DeclaredTools,
    strict_refused: AtomicBool,
}

#[derive(Default)]
struct Known {
    /// Of the model.
    key: u64,
    steps: HashMap<Place, KnownStep>,
    /// Where the next texts are written: many lie in one piece of memory, which is there for as long as one of them is.
    room: BytesMut,
}

/// How large such a piece is, in bytes. A text that is longer has its own.
const ROOM: usize = 64 * 1024;

/// The address of the first message of a step, and whether it is of results: those begin with their answer too.
type Place = (usize, bool);

/// What a step of the conversation is known by: an answer and its results have a message in common.
#[derive(Clone, Copy)]
pub(crate) struct StepKey<'a> {
    /// Its messages.
    pub from: &'a [Arc<Message>],
    /// Whether it is of results.
    pub is_results: bool,
}

struct KnownStep {
    /// What it was written from. This does not keep them in memory, but no other message gets their address.
    from: Box<[Weak<Message>]>,
    wire: Wire,
}

/// A step in the provider's form.
#[derive(Clone, Default)]
pub(crate) struct Wire {
    pub messages: Vec<Bytes>,
    /// Whether the last one is a result of a tool.
    pub ends_with_result: bool,
}

impl KnownStep {
    fn is_of(&self, messages: &[Arc<Message>]) -> bool {
        let same = |(known, message): (&Weak<Message>, &Arc<Message>)| known.as_ptr() == Arc::as_ptr(message);
        self.from.len() == messages.len() && self.from.iter().zip(messages).all(same)
    }
}

impl WrittenMessages {
    /// What a request that repeats an earlier one is written with: it says the same about prompt and tools, and nothing
    /// that it does is remembered here.
    pub fn detached(&self) -> Self {
        let Memory { preambles, tools, .. } = &*self.0;
        Self(Arc::new(Memory {
            preambles: Mutex::new(preambles.lock().clone()),
            tools: tools.clone(),
            ..Memory::default()
        }))
    }

    /// Begins a request for a model.
    pub(crate) fn begin(&self, model: &Model) -> Result<Writing<'_>, Error> {
        let key = xxhash_rust::xxh3::xxh3_64(&serde_json::to_vec(model)?);
        let Known { key: last, steps, room } = std::mem::take(&mut *self.0.known.lock());
        let before = if last == key { steps } else { HashMap::new() };
        let now = Known { key, steps: HashMap::with_capacity(before.len()), room };
        Ok(Writing { written: self, before, now })
    }

    /// What stands before the messages of a request, and how it changed, for a provider that can be told of that in place.
    pub(crate) fn preamble(&self, now: Preamble, messages: &[Arc<Message>]) -> History {
        self.0.preambles.lock().history(now, messages)
    }

    /// The thread that the next request may continue: only one request may.
    pub(crate) fn take_thread(&self) -> Thread {
        let mut thread = self.0.thread.lock();
        match &*thread {
            Thread::Off => Thread::Off,
            _ => std::mem::take(&mut *thread),
        }
    }

    /// The thread that a later request finds.
    pub(crate) fn set_thread(&self, thread: Thread) {
        *self.0.thread.lock() = thread;
    }

    /// Whether the provider refused the conversation's strict tools because there are too many of them.
    pub(crate) fn strict_was_refused(&self) -> bool {
        self.0.strict_refused.load(Ordering::Relaxed)
    }

    /// The provider refused them.
    pub(crate) fn set_strict_refused(&self) {
        self.0.strict_refused.store(true, Ordering::Relaxed);
    }

    /// The tools that the conversation was told of.
    pub(crate) fn tools(&self) -> &DeclaredTools {
        &self.0.tools
    }
}

impl fmt::Debug for WrittenMessages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WrittenMessages({} steps)", self.0.known.lock().steps.len())
    }
}

/// A request that is being written. What it does not use is forgotten.
pub(crate) struct Writing<'w> {
    written: &'w WrittenMessages,
    before: HashMap<Place, KnownStep>,
    now: Known,
}

impl Writing<'_> {
    /// What a step is written as; `write` is called if that is not known.
    /// Nothing but the step and the model may have a part in what it gives.
    ///
    /// # Errors
    /// When a message has no JSON form.
    pub fn step(
        &mut self,
        StepKey { from, is_results }: StepKey<'_>,
        write: impl FnOnce() -> Vec<Value>,
    ) -> Result<Wire, Error> {
        let Some(first) = from.first() else { return self.wire(&write()) };
        let place = (Arc::as_ptr(first).addr(), is_results);
        let known = match self.before.remove(&place).filter(|known| known.is_of(from)) {
            Some(known) => known,
            None => KnownStep { from: from.iter().map(Arc::downgrade).collect(), wire: self.wire(&write())? },
        };
        let wire = known.wire.clone();
        self.now.steps.insert(place, known);
        Ok(wire)
    }

    fn wire(&mut self, messages: &[Value]) -> Result<Wire, Error> {
        let ends_with_result = messages.last().is_some_and(|last| last["role"] == "tool");
        let room = &mut self.now.room;
        let text = |message| {
            if room.capacity() == 0 {
                room.reserve(ROOM);
            }
            serde_json::to_writer(room.writer(), message)?;
            Ok(room.split().freeze())
        };
        Ok(Wire { messages: messages.iter().map(text).collect::<Result<_, Error>>()?, ends_with_result })
    }

    /// The request is written.
    pub fn finish(self) {
        *self.written.0.known.lock() = self.now;
    }
}
