//! Follows one answer of the model and looks for rules in it.
//!
//! An expression counts when it is anywhere in the text so far, but looking through all of it at every piece would cost
//! more with each. So a match is looked for that begins in what is new or shortly before it, and from the beginning
//! only when the text has doubled since that was done last, and when it is complete. What is found is the same; a match
//! that begins further back is found a little later.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tau_ai::{ContentBlock, StreamEvent, StreamItem};

use super::memory::Memory;
use super::rule::Rule;
use super::scope::{Files, Place};
use super::set::RuleSet;
use crate::diagnostic::Diagnostic;
use crate::settings::{RuleContext, RuleInterrupt};
use tau_script::{PatternsGone, Search, Seen, Try};

/// How far before what is new a match may begin, in UTF-16 units.
const LOOK_BACK: usize = 1024;
/// Processor time for one look.
const LOOK: Duration = Duration::from_millis(100);
/// Processor time for all looks for one expression in an answer.
const ANSWER: Duration = Duration::from_secs(2);
/// While arguments of a call are not longer, in UTF-16 units, they are read at every piece to see which files it is about.
const SHORT_ARGUMENTS: usize = 4096;

/// Follows one answer.
pub(crate) struct Watch {
    set: Arc<RuleSet>,
    cwd: PathBuf,
    /// By rule: whether the model may be told it.
    open: Vec<bool>,
    /// By expression: what looking for it has taken.
    spent: Vec<Duration>,
    /// By block.
    texts: HashMap<usize, Text>,
    /// The rules that matched, in order.
    matched: Vec<usize>,
}

/// What came of looking at a piece of an answer.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// The model is to be interrupted.
    pub(crate) interrupt: bool,
    /// What the user should know.
    pub(crate) faults: Vec<Diagnostic>,
}

/// A block of the answer.
struct Text {
    place: Place,
    /// The rules that look at such blocks.
    rules: Vec<usize>,
    /// Its length in UTF-16 units.
    length: usize,
    /// What nobody had to look at so far.
    unsent: String,
    files: Files,
    /// The length when the files were last looked for.
    files_at: usize,
    /// By expression.
    looks: HashMap<usize, Look>,
}

/// How far an expression was looked for.
#[derive(Debug, Clone, Copy, Default)]
struct Look {
    /// The length then.
    at: usize,
    /// The length when it was last looked for from the beginning.
    whole_at: usize,
}

impl Watch {
    /// Follows an answer that begins; `None` when no rule can match.
    pub(crate) fn begin(set: &Arc<RuleSet>, memory: &Memory, cwd: PathBuf) -> Option<Self> {
        let may_tell = |ready: &super::set::Ready| {
            memory.may_tell(&ready.rule.name, set.settings.repeat)
                && ready.expressions.iter().any(|expression| set.is_on(*expression))
        };
        let open: Vec<bool> = set.ready.iter().map(may_tell).collect();
        if !open.contains(&true) {
            return None;
        }
        set.patterns.forget();
        Some(Self {
            set: Arc::clone(set),
            cwd,
            open,
            spent: vec![Duration::ZERO; set.expressions.len()],
            texts: HashMap::new(),
            matched: Vec::new(),
        })
    }

    /// The rules that matched, in order.
    pub(crate) fn matched(&self) -> Vec<&Rule> {
        self.matched.iter().map(|rule| &self.set.ready[*rule].rule).collect()
    }

    /// What becomes of an answer that is interrupted.
    pub(crate) fn context(&self) -> RuleContext {
        self.set.settings.context
    }

    /// Looks at the next piece.
    ///
    /// # Errors
    /// When the engine is gone.
    pub(crate) async fn see(&mut self, item: &StreamItem) -> Result<Watched, PatternsGone> {
        let Some((block, piece, is_complete)) = piece(&item.event) else { return Ok(Watched::default()) };
        self.begin_text(block, item);
        let Some(text) = self.texts.get_mut(&block).filter(|text| !text.rules.is_empty()) else {
            return Ok(Watched::default());
        };
        // A provider may give a block in one piece.
        let piece = if is_complete && text.length == 0 { whole(&item.event) } else { piece.to_owned() };
        text.length += piece.encode_utf16().count();
        text.unsent.push_str(&piece);
        if text.rules.iter().any(|rule| self.set.ready[*rule].scope.asks_for_files()) {
            text.note_files(block, item, is_complete, &self.cwd);
        }
        let (owners, tries) = self.tries(block, is_complete);
        if tries.is_empty() {
            return Ok(Watched::default());
        }
        let Some(text) = self.texts.get_mut(&block) else { return Ok(Watched::default()) };
        let more = std::mem::take(&mut text.unsent);
        let place = text.place.clone();
        let search = Search { text: block, more, tries: tries.clone(), limit: LOOK };
        let found = self.set.patterns.search(search).await?;
        let mut watched = Watched::default();
        for ((rule, tried), found) in owners.into_iter().zip(tries).zip(found) {
            let ready = &self.set.ready[rule];
            let spent = &mut self.spent[tried.expression];
            *spent += found.spent;
            if found.seen == Seen::Match && !self.matched.contains(&rule) {
                self.matched.push(rule);
                watched.interrupt |= interrupts(ready.interrupt, &place);
            }
            if found.seen == Seen::GaveUp || *spent > ANSWER {
                watched.faults.extend(self.set.give_up(&ready.rule, tried.expression));
            }
        }
        Ok(watched)
    }

    /// Takes note of a block that begins, and of who looks at it.
    fn begin_text(&mut self, block: usize, item: &StreamItem) {
        if self.texts.contains_key(&block) {
            return;
        }
        let place = match &item.event {
            StreamEvent::TextDelta { .. } | StreamEvent::TextEnd { .. } => Place::Text,
            StreamEvent::ThinkingDelta { .. } | StreamEvent::ThinkingEnd { .. } => Place::Thinking,
            StreamEvent::ToolCallEnd { tool_call, .. } => Place::Tool(tool_call.name.clone()),
            _ => match item.partial.block(block) {
                Some(ContentBlock::ToolCall(call)) => Place::Tool(call.name),
                _ => return,
            },
        };
        let looks = |rule: &usize| self.open[*rule] && self.set.ready[*rule].scope.may_take(&place);
        let rules = (0..self.set.ready.len()).filter(looks).collect();
        self.texts.insert(
            block,
            Text {
                place,
                rules,
                length: 0,
                unsent: String::new(),
                files: Files::default(),
                files_at: 0,
                looks: HashMap::new(),
            },
        );
    }

    /// What to look for now, each with its rule.
    fn tries(&mut self, block: usize, is_complete: bool) -> (Vec<usize>, Vec<Try>) {
        let Some(text) = self.texts.get_mut(&block) else { return Default::default() };
        let (mut owners, mut tries) = (Vec::new(), Vec::new());
        for rule in text.rules.iter().copied().filter(|rule| !self.matched.contains(rule)) {
            let ready = &self.set.ready[rule];
            if !ready.scope.takes(&text.place, &text.files) {
                continue;
            }
            for expression in ready.expressions.iter().copied().filter(|expression| self.set.is_on(*expression)) {
                let look = text.looks.entry(expression).or_default();
                if text.length == look.at && (look.whole_at == look.at || !is_complete) {
                    continue;
                }
                let whole = is_complete || text.length >= look.whole_at.saturating_mul(2);
                let from = if whole { 0 } else { look.at.saturating_sub(LOOK_BACK) };
                *look = Look { at: text.length, whole_at: if from == 0 { text.length } else { look.whole_at } };
                owners.push(rule);
                tries.push(Try { expression, from });
            }
        }
        (owners, tries)
    }
}

impl Text {
    /// Takes note of the files that a call is about.
    fn note_files(&mut self, block: usize, item: &StreamItem, is_complete: bool, cwd: &std::path::Path) {
        if !self.place.is_tool() {
            return;
        }
        if let StreamEvent::ToolCallEnd { tool_call, .. } = &item.event {
            self.files = Files::of(&tool_call.arguments, false, cwd);
            return;
        }
        let due = self.length <= SHORT_ARGUMENTS || self.length >= self.files_at.saturating_mul(2);
        if !is_complete
            && due
            && let Some(ContentBlock::ToolCall(call)) = item.partial.block(block)
        {
            self.files_at = self.length;
            self.files = Files::of(&call.arguments, true, cwd);
        }
    }
}

/// The block that an event is about, what is new in it, and whether it is complete.
fn piece(event: &StreamEvent) -> Option<(usize, &str, bool)> {
    match event {
        StreamEvent::TextDelta { index, delta }
        | StreamEvent::ThinkingDelta { index, delta }
        | StreamEvent::ToolCallDelta { index, delta } => Some((*index, delta, false)),
        StreamEvent::TextEnd { index, .. }
        | StreamEvent::ThinkingEnd { index, .. }
        | StreamEvent::ToolCallEnd { index, .. } => Some((*index, "", true)),
        _ => None,
    }
}

/// All of a block that is complete.
fn whole(event: &StreamEvent) -> String {
    match event {
        StreamEvent::TextEnd { content, .. } | StreamEvent::ThinkingEnd { content, .. } => content.clone(),
        StreamEvent::ToolCallEnd { tool_call, .. } => tool_call.arguments.to_string(),
        _ => String::new(),
    }
}

fn interrupts(mode: RuleInterrupt, place: &Place) -> bool {
    match mode {
        RuleInterrupt::Always => true,
        RuleInterrupt::ProseOnly => !place.is_tool(),
        RuleInterrupt::ToolOnly => place.is_tool(),
        RuleInterrupt::Never => false,
    }
}
