//! From bytes to events.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use super::event::{Event, Paste, PasteKind};
use super::mouse;
use super::paste::{Content, LONGEST_PASTE, Mark, Marks, before_line_end, has_lines, is_text};
use super::reply::{self, Reply};
use super::splitter::{Piece, Splitter};
use super::timing::Timing;

/// Turns what is read from a terminal into events. It has no clock: the caller says when something came, waits until
/// [`Decoder::deadline`], and calls [`Decoder::expire`] when nothing came until then.
///
/// However bytes are divided into reads, the same events come out, but for text with line ends: what comes in one read is a
/// paste when it has several lines ([`PasteKind::Burst`]), so that text which was pasted into a terminal that does not mark
/// pastes is never submitted line by line.
#[derive(Debug)]
pub struct Decoder {
    timing: Timing,
    splitter: Splitter,
    mode: Mode,
    /// When the last bytes came.
    touched: Option<Instant>,
    /// What the last key types, if it was reported with a code: some terminals send the character too.
    typed: Option<char>,
    expected: CursorReports,
}

#[derive(Debug, Default)]
enum Mode {
    #[default]
    Keys,
    /// Between the marks of a paste.
    Paste { content: Content, marks: Marks },
    /// After the end of a paste, which is another text when another end comes.
    AfterPaste { content: Content, marks: Marks, held: Vec<u8>, since: Instant },
    /// After a line end that came together with text.
    LineEnd { end: Vec<u8> },
    /// In a paste without marks.
    Burst { content: Content },
}

/// How many reports of the cursor are awaited. Without that some are keys.
#[derive(Debug, Clone, Default)]
pub struct CursorReports(Arc<AtomicU32>);

impl CursorReports {
    /// Another one was asked for.
    pub fn expect(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// None is awaited any more.
    pub fn forget(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1)).is_ok()
    }
}

impl Decoder {
    /// A decoder that waits as long as `timing` says.
    pub fn new(timing: Timing) -> Self {
        let (splitter, mode) = (Splitter::default(), Mode::Keys);
        Self { timing, splitter, mode, touched: None, typed: None, expected: CursorReports::default() }
    }

    /// For those who ask where the cursor is.
    pub fn cursor_reports(&self) -> CursorReports {
        self.expected.clone()
    }

    /// When [`Decoder::expire`] has something to do; `None` when nothing is pending.
    pub fn deadline(&self) -> Option<Instant> {
        let touched = self.touched?;
        let patience = match &self.mode {
            Mode::Keys => self.splitter.patience(&self.timing)?,
            Mode::Paste { .. } => self.timing.paste,
            Mode::AfterPaste { since, .. } => {
                return Some((touched + self.timing.after_paste).min(*since + self.timing.paste));
            }
            Mode::LineEnd { .. } => self.timing.line,
            Mode::Burst { .. } => self.timing.burst,
        };
        Some(touched + patience)
    }

    /// Takes what was read at once.
    pub fn feed(&mut self, bytes: &[u8], now: Instant, out: &mut impl FnMut(Event)) {
        if bytes.is_empty() {
            return;
        }
        self.touched = Some(now);
        self.read(bytes, now, out);
    }

    /// Ends what had to come until now and did not.
    pub fn expire(&mut self, now: Instant, out: &mut impl FnMut(Event)) {
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            self.touched = Some(now);
            self.settle(now, out);
        }
    }

    /// Ends whatever is pending, because nothing comes any more.
    pub fn finish(&mut self, now: Instant, out: &mut impl FnMut(Event)) {
        // What was held behind a paste can begin something itself.
        while !matches!(self.mode, Mode::Keys) || !self.splitter.is_idle() {
            self.settle(now, out);
        }
    }

    fn settle(&mut self, now: Instant, out: &mut impl FnMut(Event)) {
        match std::mem::take(&mut self.mode) {
            Mode::Keys => {
                let Self { splitter, typed, expected, .. } = self;
                // Whatever the rest of it was, a mark of a paste is whole.
                splitter.expire(&mut |piece| give(piece, typed, expected, out));
                *typed = None;
            }
            Mode::Paste { mut content, marks } => {
                content.add(marks.beginning());
                self.paste(content, PasteKind::Unterminated, out);
            }
            Mode::AfterPaste { content, held, .. } => {
                self.paste(content, PasteKind::Bracketed, out);
                self.read(&held, now, out);
            }
            Mode::LineEnd { end } => self.keys(&end, now, out),
            Mode::Burst { content } => self.paste(content, PasteKind::Burst, out),
        }
    }

    fn read(&mut self, bytes: &[u8], now: Instant, out: &mut impl FnMut(Event)) {
        if bytes.is_empty() {
            return;
        }
        match &mut self.mode {
            Mode::Keys if self.splitter.is_idle() && is_text(bytes) => {
                if has_lines(bytes) {
                    let mut content = Content::default();
                    content.add(bytes);
                    self.mode = Mode::Burst { content };
                } else if let Some(text) = before_line_end(bytes) {
                    self.keys(&bytes[..text], now, out);
                    // A character that is not whole takes the line end as its rest.
                    if self.splitter.is_idle() {
                        self.mode = Mode::LineEnd { end: bytes[text..].to_vec() }
                    } else {
                        self.keys(&bytes[text..], now, out)
                    }
                } else {
                    self.keys(bytes, now, out);
                }
            }
            Mode::Keys => self.keys(bytes, now, out),
            Mode::Paste { .. } => self.pasted(bytes, now, out),
            Mode::AfterPaste { .. } => self.after_paste(bytes, now, out),
            Mode::LineEnd { end } => {
                if is_text(bytes) && has_lines(&[b"..", end.as_slice(), bytes].concat()) {
                    let mut content = Content::default();
                    content.add(end);
                    content.add(bytes);
                    self.mode = Mode::Burst { content };
                } else {
                    self.settle(now, out);
                    self.read(bytes, now, out);
                }
            }
            Mode::Burst { content } => {
                let text = bytes.iter().position(|byte| !is_text(&[*byte])).unwrap_or(bytes.len());
                content.add(&bytes[..text]);
                if text < bytes.len() {
                    self.settle(now, out);
                    self.read(&bytes[text..], now, out);
                }
            }
        }
    }

    /// Takes keys and answers, up to the beginning of a paste.
    fn keys(&mut self, bytes: &[u8], now: Instant, out: &mut impl FnMut(Event)) {
        for (at, &byte) in bytes.iter().enumerate() {
            let mut pasting = false;
            let Self { splitter, typed, expected, .. } = self;
            splitter.push(byte, &mut |piece| match piece {
                Piece::PasteStart => pasting = true,
                piece => give(piece, typed, expected, out),
            });
            if pasting {
                self.typed = None;
                self.mode = Mode::Paste { content: Content::default(), marks: Marks::default() };
                return self.read(&bytes[at + 1..], now, out);
            }
        }
    }

    fn pasted(&mut self, bytes: &[u8], now: Instant, out: &mut impl FnMut(Event)) {
        let Mode::Paste { content, marks } = &mut self.mode else { return };
        let mut rest = bytes;
        loop {
            let beginning = marks.beginning();
            let found = marks.find(rest);
            let end = found.map_or(rest.len(), |(_, end)| end);
            let kept = found.map_or_else(|| marks.beginning().len(), |_| Marks::LENGTH);
            let text = beginning.len() + end - kept;
            content.add(&beginning[..text.min(beginning.len())]);
            content.add(&rest[..text.saturating_sub(beginning.len())]);
            rest = &rest[end..];
            match found {
                None => return,
                // The text holds a mark itself.
                Some((Mark::Start, _)) => content.add(b"\x1b[200~"),
                Some((Mark::End, _)) => {
                    let (content, marks) = (std::mem::take(content), Marks::default());
                    self.mode = Mode::AfterPaste { content, marks, held: Vec::new(), since: now };
                    return self.read(rest, now, out);
                }
            }
        }
    }

    /// Text that holds the mark of the end would otherwise be typed from there on, and could submit itself.
    fn after_paste(&mut self, bytes: &[u8], now: Instant, out: &mut impl FnMut(Event)) {
        let Mode::AfterPaste { content, marks, held, .. } = &mut self.mode else { return };
        let mut rest = bytes;
        while let Some((mark, end)) = marks.find(rest) {
            held.extend_from_slice(&rest[..end]);
            held.truncate(held.len() - Marks::LENGTH);
            rest = &rest[end..];
            match mark {
                Mark::End => {
                    content.add(held);
                    held.clear();
                }
                Mark::Start => {
                    // What was between the two pastes are keys.
                    self.finish(now, out);
                    self.mode = Mode::Paste { content: Content::default(), marks: Marks::default() };
                    return self.read(rest, now, out);
                }
            }
        }
        held.extend_from_slice(rest);
        if held.len() > LONGEST_PASTE {
            self.settle(now, out);
        }
    }

    fn paste(&mut self, content: Content, kind: PasteKind, out: &mut impl FnMut(Event)) {
        self.typed = None;
        let kind = if content.is_cut { PasteKind::Cut } else { kind };
        out(Event::Paste(Paste { text: content.into_text(), kind }));
    }
}

/// Gives what a piece means to `out`.
fn give(piece: Piece, typed: &mut Option<char>, expected: &CursorReports, out: &mut impl FnMut(Event)) {
    let before = typed.take();
    match piece {
        Piece::Sequence(raw) => {
            if before.is_some_and(|ch| raw.chars().eq([ch])) {
                return;
            }
            *typed = reported(&raw);
            sequence(raw, expected, out);
        }
        Piece::X10(bytes) => {
            if let Some(mouse) = mouse::x10(bytes) {
                out(Event::Mouse(mouse));
            }
        }
        Piece::Text(raw) => match reply::parse(&raw) {
            Some(replies) => replies.into_iter().map(Event::Reply).for_each(out),
            None => out(Event::Other(raw)),
        },
        Piece::Rest(raw) => out(Event::Other(raw)),
        // An end without a beginning. The beginning without a splitter to take it cannot be.
        Piece::PasteStart | Piece::PasteEnd => {}
    }
}

fn sequence(raw: String, expected: &CursorReports, out: &mut impl FnMut(Event)) {
    if !raw.starts_with("\x1b[") {
        return out(Event::Key(raw));
    }
    match raw.as_str() {
        "\x1b[I" => return out(Event::Focus(true)),
        "\x1b[O" => return out(Event::Focus(false)),
        _ => {}
    }
    if raw.starts_with("\x1b[<") {
        return match mouse::sgr(&raw) {
            Some(mouse) => out(Event::Mouse(mouse)),
            None => out(Event::Other(raw)),
        };
    }
    match reply::parse(&raw) {
        Some(replies) => {
            for reply in replies {
                let is_report = matches!(reply, Reply::Cursor { .. }) && expected.take();
                if reply::is_ambiguous(&reply) && !is_report {
                    out(Event::Key(raw.clone()))
                } else {
                    out(Event::Reply(reply))
                }
            }
        }
        None if raw.starts_with("\x1b[?") || raw.starts_with("\x1b[>") => out(Event::Other(raw)),
        None => out(Event::Key(raw)),
    }
}

/// The character of `CSI code u` without modifiers, which terminals may send once more by itself.
fn reported(raw: &str) -> Option<char> {
    let body = raw.strip_prefix("\x1b[")?.strip_suffix('u')?;
    if body.contains(';') {
        return None;
    }
    let code = body.split(':').next()?.parse().ok()?;
    char::from_u32(code).filter(|ch| *ch >= ' ')
}
