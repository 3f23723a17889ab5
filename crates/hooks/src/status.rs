//! The status line: one text per key, from whichever extension set it last.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

/// The status texts of one session. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct StatusStore(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    // Sorted by code point, which is how strings compare.
    texts: Mutex<BTreeMap<String, Text>>,
    version: watch::Sender<u64>,
}

#[derive(Debug, PartialEq)]
struct Text {
    owner: Arc<str>,
    raw: String,
}

/// One text of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusEntry {
    /// Its key.
    pub key: String,
    /// The extension that set it last.
    pub owner: Arc<str>,
    /// The text as it was set.
    pub raw: String,
    /// The text as it is shown; see [`sanitize`].
    pub text: String,
}

impl StatusStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the text of a key, or removes the key with `None`. Keys are shared: an extension may set or remove what
    /// another one set. An empty text keeps its place in the line.
    pub fn set(&self, owner: Arc<str>, key: &str, text: Option<String>) {
        let mut texts = self.0.texts.lock();
        let changed = match (texts.entry(key.to_owned()), text) {
            (Entry::Vacant(_), None) => false,
            (Entry::Vacant(free), Some(raw)) => {
                free.insert(Text { owner, raw });
                true
            }
            (Entry::Occupied(taken), None) => {
                taken.remove();
                true
            }
            (Entry::Occupied(mut taken), Some(raw)) => {
                let text = Text { owner, raw };
                *taken.get() != text && {
                    taken.insert(text);
                    true
                }
            }
        };
        if changed {
            self.bump();
        }
    }

    /// Removes the texts that an extension set last.
    pub fn remove_owner(&self, owner: &str) {
        let mut texts = self.0.texts.lock();
        let before = texts.len();
        texts.retain(|_, text| &*text.owner != owner);
        if texts.len() != before {
            self.bump();
        }
    }

    /// The texts, sorted by key in code-point order.
    pub fn entries(&self) -> Vec<StatusEntry> {
        let entry = |(key, text): (&String, &Text)| StatusEntry {
            key: key.clone(),
            owner: text.owner.clone(),
            raw: text.raw.clone(),
            text: sanitize(&text.raw),
        };
        self.0.texts.lock().iter().map(entry).collect()
    }

    /// The sanitised texts in one line, a space between them and not cut to any width; `None` without any.
    pub fn line(&self) -> Option<String> {
        let texts = self.0.texts.lock();
        let shown = texts.values().map(|text| sanitize(&text.raw)).collect::<Vec<_>>();
        (!shown.is_empty()).then(|| shown.join(" "))
    }

    /// Grows with every change.
    pub fn version(&self) -> u64 {
        *self.0.version.borrow()
    }

    /// Follows the version; a receiver that lags sees only the latest.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.version.subscribe()
    }

    /// Called with the texts locked, so that the version a receiver sees is never older than the texts.
    fn bump(&self) {
        self.0.version.send_modify(|version| *version += 1);
    }
}

/// Makes a text fit for one line of a terminal: line breaks and tabs become spaces, runs of spaces one space, none
/// are left at the ends. Colours and hyperlinks stay; other control characters and escape sequences, which could
/// move the cursor, clear the screen or fill the clipboard, go.
pub fn sanitize(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\u{1b}' => shown.push_str(&escape(&mut rest)),
            ' ' | '\r' | '\n' | '\t' => {
                if !shown.ends_with(' ') {
                    shown.push(' ');
                }
            }
            _ if next.is_control() => {}
            _ => shown.push(next),
        }
    }
    shown.trim().to_owned()
}

/// Reads the escape sequence after its first character; returns it if it may stay.
fn escape(rest: &mut Peekable<Chars<'_>>) -> String {
    match rest.peek() {
        Some('[') => control_sequence(rest),
        Some(']') => command(rest, true),
        // Device control, start of string, privacy message, application command: like a command, never shown.
        Some('P' | 'X' | '^' | '_') => command(rest, false),
        _ => {
            // Two characters, or more with intermediate ones. A character that cannot be part of it is text.
            while rest.next_if(|c| (' '..='/').contains(c)).is_some() {}
            rest.next_if(|c| ('0'..='~').contains(c));
            String::new()
        }
    }
}

/// `ESC [ parameters final`; colours end with `m`.
fn control_sequence(rest: &mut Peekable<Chars<'_>>) -> String {
    let mut sequence = String::from("\u{1b}");
    sequence.extend(rest.next());
    while let Some(c) = rest.next_if(|c| (' '..='?').contains(c)) {
        sequence.push(c);
    }
    let end = rest.next_if(|c| ('@'..='~').contains(c));
    let colour = end == Some('m') && sequence.chars().skip(2).all(|c| c.is_ascii_digit() || c == ';' || c == ':');
    if !colour {
        return String::new();
    }
    sequence.extend(end);
    sequence
}

/// `ESC ] … BEL` or `ESC ] … ESC \`; hyperlinks are command 8.
fn command(rest: &mut Peekable<Chars<'_>>, may_stay: bool) -> String {
    let mut body = String::new();
    body.extend(rest.next());
    // What is not ended is text after all, or it would take everything behind it along.
    let ahead = rest.clone();
    while let Some(c) = rest.next() {
        match c {
            '\u{7}' => return hyperlink(&body, "\u{7}", may_stay),
            '\u{1b}' if rest.next_if_eq(&'\\').is_some() => return hyperlink(&body, "\u{1b}\\", may_stay),
            _ if c.is_control() => break,
            ' ' if body.ends_with(' ') => {}
            _ => body.push(c),
        }
    }
    *rest = ahead;
    String::new()
}

fn hyperlink(body: &str, end: &str, may_stay: bool) -> String {
    if may_stay && body.starts_with("]8;") { format!("\u{1b}{body}{end}") } else { String::new() }
}
