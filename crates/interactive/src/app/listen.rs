//! Extensions that hear what the user types before anybody else. Each key waits for their answer, and for the shortcut before
//! it, but not for long.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tau_hooks::mount::{Heard, ListenerHandle};

use super::App;
use crate::paths::short_owner;
use crate::told::{Asked, Told};

/// What a paste is put between.
const PASTE_START: &str = "\x1b[200~";
/// See [`PASTE_START`].
const PASTE_END: &str = "\x1b[201~";
/// How long a key waits for all listeners, and for a shortcut before it.
pub(super) const PATIENCE: Duration = Duration::from_millis(100);
/// After how many keys in a row that it kept waiting a listener hears no more.
const MOST_FAILURES: u32 = 3;

struct Listener {
    owner: Arc<str>,
    handle: ListenerHandle,
    failures: u32,
}

/// The listeners, and what waits for them.
#[derive(Default)]
pub(super) struct Listening {
    all: Vec<Listener>,
    /// Keys and pastes, as the terminal sent them, and when, the oldest first.
    waiting: VecDeque<(Instant, Arc<str>)>,
    /// What listeners made of the input before those, where it has to wait for others.
    heard: Option<(Heard, Instant, Arc<str>)>,
    /// When what is under way now was typed, if it was held back.
    held: Option<Instant>,
    is_busy: bool,
    /// How many shortcuts of extensions have just begun: they may give the keys behind them to something else.
    shortcuts: usize,
}

impl Listening {
    pub(super) fn shortcut_begins(&mut self) {
        self.shortcuts += 1;
    }

    pub(super) fn add(&mut self, owner: &Arc<str>, handle: ListenerHandle) {
        self.all.push(Listener { owner: Arc::clone(owner), handle, failures: 0 });
    }

    pub(super) fn remove(&mut self, handle: &ListenerHandle) {
        self.all.retain(|listener| listener.handle != *handle);
    }

    /// It answered in time.
    fn worked(&mut self, handle: &ListenerHandle) {
        let found = self.all.iter_mut().find(|listener| listener.handle == *handle);
        found.into_iter().for_each(|listener| listener.failures = 0);
    }

    pub(super) fn remove_owner(&mut self, owner: &Arc<str>) {
        self.all.retain(|listener| listener.owner != *owner);
    }

    /// Whether what is typed has to wait: for listeners, or for what was typed before.
    pub(super) fn holds(&self) -> bool {
        !self.all.is_empty() || self.is_busy || self.shortcuts > 0 || self.heard.is_some() || !self.waiting.is_empty()
    }

    /// When what is under way now was typed, if it was held back.
    pub(super) fn held(&self) -> Option<Instant> {
        self.held
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
    }
}

impl App {
    /// Input that listeners hear first.
    pub(super) fn hear(&mut self, data: &str) {
        self.listening.waiting.push_back((Instant::now(), data.into()));
        self.hear_next();
    }

    pub(super) fn hear_next(&mut self) {
        loop {
            if self.listening.is_busy || self.listening.shortcuts > 0 || self.waits_for_keys() {
                return;
            }
            // It may be for another one than when it was heard.
            let Some((heard, typed, data)) = self.listening.heard.take() else { break };
            self.pass_on(&heard, typed, &data);
        }
        let Some((_, data)) = self.listening.waiting.front().cloned() else { return };
        self.listening.is_busy = true;
        let listeners: Vec<ListenerHandle> =
            self.listening.all.iter().map(|listener| listener.handle.clone()).collect();
        let teller = self.teller.clone();
        self.tasks.spawn(async move {
            let (heard, asked) = ask(&listeners, data).await;
            teller.tell(Told::Heard(heard, asked));
        });
    }

    /// What listeners made of the input that waited longest.
    pub(super) fn heard(&mut self, heard: Heard, asked: Vec<Asked>) {
        self.listening.is_busy = false;
        for Asked { listener, failed } in asked {
            match failed {
                Some(why) => self.did_not_hear(&listener, &why),
                None => self.listening.worked(&listener),
            }
        }
        if let Some((typed, data)) = self.listening.waiting.pop_front() {
            self.listening.heard = Some((heard, typed, data));
        }
        self.hear_next();
    }

    /// Input that listeners have heard.
    fn pass_on(&mut self, heard: &Heard, typed: Instant, data: &str) {
        self.listening.held = Some(typed);
        match heard {
            // A question is answered by the user, not by another extension.
            Heard::Replaced(text) if !self.panels.newest_asks() => self.typed_in(text),
            Heard::Replaced(_) | Heard::Pass => self.typed_in(data),
            Heard::Consumed => {}
        }
        self.listening.held = None;
    }

    /// A shortcut is over, or keys have waited long enough for it.
    pub(super) fn shortcut_began(&mut self) {
        self.listening.shortcuts = self.listening.shortcuts.saturating_sub(1);
        self.hear_next();
    }

    fn did_not_hear(&mut self, listener: &ListenerHandle, why: &str) {
        let Some(found) = self.listening.all.iter_mut().find(|other| other.handle == *listener) else { return };
        found.failures += 1;
        let (failures, owner) = (found.failures, short_owner(&found.owner));
        if failures >= MOST_FAILURES {
            self.listening.remove(listener);
            self.error(&format!("{owner}: it hears no more of what is typed, because it failed three times: {why}"));
        }
    }

    /// Input that nobody wants to change any more.
    pub(super) fn typed_in(&mut self, data: &str) {
        self.screen.changed_by_key();
        match data.strip_prefix(PASTE_START).map(|rest| rest.strip_suffix(PASTE_END).unwrap_or(rest)) {
            Some(text) => self.paste(text),
            None => self.key(data),
        }
    }
}

/// Asks listeners, one after the other; those that were asked with it. One that fails changes nothing for the next one. The
/// time is for all of them, and one that others kept from answering is not to blame.
async fn ask(listeners: &[ListenerHandle], data: Arc<str>) -> (Heard, Vec<Asked>) {
    let until = tokio::time::Instant::now() + PATIENCE;
    let (mut now, mut heard, mut all) = (data, Heard::Pass, Vec::new());
    for listener in listeners {
        let mut asked = Asked { listener: listener.clone(), failed: None };
        match tokio::time::timeout_at(until, listener.0.hear(Arc::clone(&now))).await {
            Ok(Ok(Heard::Pass)) => {}
            Ok(Ok(Heard::Consumed)) => {
                all.push(asked);
                return (Heard::Consumed, all);
            }
            Ok(Ok(Heard::Replaced(text))) => {
                now = text.as_str().into();
                heard = Heard::Replaced(text);
            }
            Ok(Err(error)) => asked.failed = Some(error.to_string()),
            Err(_) if listener.0.is_held_up() => break,
            Err(_) => {
                asked.failed = Some(format!("it did not answer within {PATIENCE:?}"));
                all.push(asked);
                break;
            }
        }
        all.push(asked);
    }
    (heard, all)
}
