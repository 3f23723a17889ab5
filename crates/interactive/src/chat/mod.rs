//! What happens in a session, as blocks of the transcript.

mod answer;
mod calls;
mod drawn;
mod entry;
mod failing;
mod history;
mod images;
mod own;
mod replaced;
mod shell;
mod side;
mod skill;
mod thinking;
mod transform;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tau_agent::settings::Environment;
use tau_ai::{AssistantMessage, Message, MessageContent, StopReason};
use tau_hooks::payload::CompactionDone;
use tau_hooks::{Hooks, MarkdownKind};
use tau_tui::blocks::{Custom, EndNote, Note, NoteKind, Places, SessionRule, Skill, Summary, SummaryKind, User};
use tau_tui::look::SharedLook;
use tau_tui::picture::Image;
use tau_tui::screen::{Block, BlockId, Content, Transcript};

use self::answer::Answer;
use self::calls::Call;
pub(crate) use self::calls::CallEnd;
use self::drawn::Drawn;
pub(crate) use self::failing::Failures;
use self::shell::Shell;
pub(crate) use self::side::{Painter, Painting};
pub(crate) use self::skill::UsedSkill;
use self::thinking::Thoughts;
use crate::pictures::Pictures;

/// How often a block that tells how long something takes is made anew.
const TICK: Duration = Duration::from_secs(1);

/// What a block shows when it is expanded, and when it is not.
type Fold = Box<dyn Fn(bool) -> Box<dyn Content> + Send>;

/// A block that folds.
struct Folded {
    block: BlockId,
    content: Fold,
    is_expanded: bool,
}

/// What of the conversation is still changing, and how it is shown.
pub(crate) struct Chat {
    look: SharedLook,
    places: Places,
    /// The answer that is arriving.
    answer: Option<Answer>,
    /// What the prompt, or the message of an extension, said that was shown when it began.
    begun: Option<String>,
    /// Calls of tools that are not over, by id.
    calls: HashMap<String, Call>,
    /// Calls that are over, so that they can be expanded in the pager.
    done: Vec<Call>,
    /// Calls that are over, whose last lines an extension is about to give.
    ending: Vec<Call>,
    /// Blocks that extensions draw as a whole.
    own: Vec<own::OwnBlock>,
    own_blocks: u64,
    /// Where blocks stand that extensions draw, once they are over.
    drawn: HashMap<BlockId, Drawn>,
    /// Some of them are in sight and not drawn as they are now.
    is_behind: bool,
    /// What is shown is far above what will be in sight.
    is_far: bool,
    /// The entry that is shown, where that is known.
    origin: Option<history::Origin>,
    painter: Option<Painter>,
    /// How many of them are of sessions and branches before.
    before: usize,
    /// Other blocks that show more when they are expanded.
    folds: Vec<Folded>,
    shell: Option<Shell>,
    thoughts: Thoughts,
    expands: bool,
    expand_key: String,
    retries: u32,
    ticked: Instant,
    /// The columns of the last frame.
    width: usize,
    images: images::Images,
}

impl Chat {
    pub(crate) fn new(look: SharedLook, env: &Environment, pictures: Pictures) -> Self {
        let path = |path: &std::path::Path| Some(path.display().to_string());
        Self {
            thoughts: Thoughts::new(look.clone()),
            look,
            places: Places { cwd: path(&env.cwd), home: path(&env.home) },
            answer: None,
            begun: None,
            calls: HashMap::new(),
            done: Vec::new(),
            ending: Vec::new(),
            own: Vec::new(),
            own_blocks: 0,
            drawn: HashMap::new(),
            is_behind: false,
            is_far: false,
            origin: None,
            painter: None,
            before: 0,
            folds: Vec::new(),
            shell: None,
            expands: false,
            expand_key: String::new(),
            retries: 0,
            ticked: Instant::now(),
            width: 80,
            images: images::Images::new(pictures),
        }
    }

    /// Has extensions draw what they want to.
    pub(crate) fn set_painter(&mut self, painter: Painter) {
        self.painter = Some(painter);
    }

    /// The name of the key that expands the output of tools.
    pub(crate) fn set_expand_key(&mut self, key: String) {
        self.expand_key = key;
    }

    pub(crate) fn hides_thinking(&self) -> bool {
        self.thoughts.hides()
    }

    /// Hides thinking, or shows it; what is in the scrollback stays as it is.
    pub(crate) fn hide_thinking(&mut self, transcript: &mut Transcript, hides: bool) {
        self.thoughts.hide(transcript, hides);
    }

    /// What stands for thinking that is hidden.
    pub(crate) fn set_thinking_label(&mut self, transcript: &mut Transcript, label: Option<String>) {
        self.thoughts.set_label(transcript, label);
    }

    pub(crate) fn expands_tools(&self) -> bool {
        self.expands
    }

    /// Whether a command of the user runs.
    pub(crate) fn runs_shell(&self) -> bool {
        self.shell.is_some()
    }

    /// Whether something of it changes by itself.
    pub(crate) fn moves(&self) -> bool {
        self.shell.is_some() || self.calls.values().any(Call::runs) || self.waits_for_extensions() || self.is_behind
    }

    /// The size of the screen has changed.
    pub(crate) fn resized(&mut self) {
        if let Some(answer) = &mut self.answer {
            answer.is_dirty = true;
        }
    }

    /// Brings the blocks up to date. Called for each frame, not for each event.
    pub(crate) fn update(&mut self, transcript: &mut Transcript, width: usize) {
        self.width = width;
        let ticks = self.ticked.elapsed() >= TICK;
        if ticks {
            self.ticked = Instant::now();
        }
        if let Some(answer) = &mut self.answer {
            answer.update(transcript, &mut self.thoughts, width);
        }
        for call in self.calls.values_mut() {
            call.update(transcript, &self.look, ticks);
            call.follow(self.painter.as_ref(), width);
        }
        self.follow_ending(transcript, width);
        self.follow_own(transcript, width);
        if let Some(shell) = &mut self.shell {
            shell.update(transcript);
        }
    }

    /// A message begins.
    pub(crate) fn message_start(&mut self, transcript: &mut Transcript, message: &Message) {
        self.begun = replaced::shown(message);
        match message {
            Message::Assistant(_) => self.answer = Some(Answer::default()),
            Message::User(_) | Message::Custom(_) => self.show(transcript, message),
            _ => {}
        }
    }

    /// Shows a message that is complete.
    pub(crate) fn show(&mut self, transcript: &mut Transcript, message: &Message) {
        match message {
            Message::User(user) => {
                let images = self.images.of_message(&user.content);
                self.show_prompt(transcript, &text_without_images(&user.content), images);
            }
            Message::Custom(custom) if custom.display => {
                let images = self.images.of_message(&custom.content);
                let text = text_without_images(&custom.content);
                let content = Custom::new(self.look.clone(), &custom.custom_type, &text).with_images(images.clone());
                let side = self.painter.as_ref().and_then(|painter| painter.of_message(&custom.custom_type));
                // A message without a JSON form is drawn as one that no extension draws.
                let what = side.map(|side| serde_json::to_value(message).map(|what| (side, what))).transpose();
                let what = what.unwrap_or_else(|error| {
                    tracing::warn!(kind = custom.custom_type, %error, "a message has no JSON form for its renderer");
                    None
                });
                if let Some((side, what)) = what {
                    let otherwise = move || Some(Box::new(content.clone()) as Box<dyn Content>);
                    return self.push_own(transcript, &custom.custom_type, side, what, otherwise);
                }
                let (look, kind) = (self.look.clone(), custom.custom_type.clone());
                let draw = move |text: &str| Box::new(Custom::new(look.clone(), &kind, text)) as Box<dyn Content>;
                let block = Block::new().labelled(&custom.custom_type);
                // Texts beside images stay as they are.
                if !images.is_empty()
                    || self.push_markdown(transcript, block, MarkdownKind::Custom, &text, draw).is_none()
                {
                    self.push_with_images(transcript, content, images, |block| block.labelled(&custom.custom_type));
                }
            }
            Message::CompactionSummary(summary) => {
                let kind = SummaryKind::Compaction { tokens: summary.tokens_before };
                self.summary(transcript, kind, &summary.summary);
            }
            Message::BranchSummary(summary) => {
                self.summary(transcript, SummaryKind::Branch, &summary.summary);
            }
            Message::BashExecution(shell) => self.show_shell(transcript, shell),
            Message::Assistant(answer) => self.show_answer(transcript, answer),
            Message::ToolResult(result) => self.show_result(transcript, result),
            Message::Custom(_) | Message::System(_) | Message::Other(_) => {}
        }
    }

    /// Shows a prompt; the instructions of a skill that it begins with fold away.
    fn show_prompt(&mut self, transcript: &mut Transcript, text: &str, images: Vec<Image>) {
        let Some(skill) = UsedSkill::of(text) else {
            let look = self.look.clone();
            let draw = move |text: &str| Box::new(User::new(look.clone(), text)) as Box<dyn Content>;
            let block = Block::new().prompt().labelled("You");
            // Texts beside images stay as they are.
            if !images.is_empty() || self.push_markdown(transcript, block, MarkdownKind::User, text, draw).is_none() {
                let content = User::new(self.look.clone(), text).with_images(images.clone());
                self.push_with_images(transcript, content, images, |block| block.prompt().labelled("You"));
            }
            return;
        };
        let (look, key) = (self.look.clone(), self.expand_key.clone());
        let (name, body) = (skill.name.to_owned(), skill.body.to_owned());
        let content = move |expanded| Skill::new(look.clone(), &name, &body, expanded, &key);
        self.push_fold(transcript, |block| block.prompt().labelled("You"), self.expands, content);
        if !skill.prompt.is_empty() || !images.is_empty() {
            let content = User::new(self.look.clone(), skill.prompt).with_images(images.clone());
            self.push_with_images(transcript, content, images, |block| block.labelled("You"));
        }
    }

    fn summary(&mut self, transcript: &mut Transcript, kind: SummaryKind, text: &str) {
        let (look, text, key) = (self.look.clone(), text.to_owned(), self.expand_key.clone());
        self.push_fold(
            transcript,
            |block| block,
            self.expands,
            move |expanded| Summary::new(look.clone(), kind, &text, expanded, &key),
        );
    }

    /// No more comes of the texts of an answer that extensions change.
    fn end_changed(&mut self, answer: &Answer) {
        for (number, text) in answer.changed() {
            self.markdown_is(number, &text, false);
        }
    }

    /// Adds a finished block that the pager can expand.
    pub(crate) fn push_fold<C: Content + 'static>(
        &mut self,
        transcript: &mut Transcript,
        finish: impl FnOnce(Block) -> Block,
        expanded: bool,
        content: impl Fn(bool) -> C + Send + 'static,
    ) -> BlockId {
        let id = transcript.push(finish(Block::finished(content(expanded))));
        self.add_fold(id, expanded, move |expanded| Box::new(content(expanded)));
        id
    }

    /// Something that can be expanded takes the place of what is in a block.
    pub(crate) fn put_fold<C: Content + 'static>(
        &mut self,
        transcript: &mut Transcript,
        id: BlockId,
        expanded: bool,
        content: impl Fn(bool) -> C + Send + 'static,
    ) {
        self.remove_fold(id);
        transcript.reshape(id, vec![Box::new(content(expanded))]);
        self.add_fold(id, expanded, move |expanded| Box::new(content(expanded)));
    }

    fn add_fold(
        &mut self,
        block: BlockId,
        is_expanded: bool,
        content: impl Fn(bool) -> Box<dyn Content> + Send + 'static,
    ) {
        self.folds.push(Folded { block, content: Box::new(content), is_expanded });
    }

    /// Something else stands in the place of a block that could be expanded.
    pub(crate) fn remove_fold(&mut self, block: BlockId) {
        self.folds.retain(|fold| fold.block != block);
    }

    /// The conversation was compacted: what is above stays.
    pub(crate) fn compacted(&mut self, transcript: &mut Transcript, done: &CompactionDone) {
        self.summary(transcript, SummaryKind::Compaction { tokens: done.tokens_before }, &done.summary);
    }

    /// A request is repeated, for the `attempt`th time.
    pub(crate) fn retried(&mut self, attempt: u32) {
        self.retries = attempt;
    }

    /// A message is complete.
    pub(crate) fn message_end(&mut self, transcript: &mut Transcript, message: &Message, width: usize, hooks: &Hooks) {
        let mut shown = self.begun.take();
        if let Some(mut open) = self.answer.take_if(|_| message.as_assistant().is_some()) {
            open.finish(transcript, &mut self.thoughts, width);
            self.end_changed(&open);
            shown = open.text();
        }
        self.show_replaced(transcript, message, shown, hooks);
        let Message::Assistant(answer) = message else { return };
        self.end_calls_of(answer);
        self.end_note(transcript, answer);
    }

    fn end_note(&mut self, transcript: &mut Transcript, answer: &AssistantMessage) {
        let note = match answer.stop_reason {
            StopReason::Length => EndNote::Length,
            StopReason::Aborted => EndNote::Aborted { retries: std::mem::take(&mut self.retries) },
            // A failure is explained when it is clear that the request is not repeated.
            _ => return,
        };
        transcript.push(Block::finished(note.content(self.look.clone())));
    }

    /// Adds a note.
    pub(crate) fn note(&self, transcript: &mut Transcript, kind: NoteKind, text: &str) {
        transcript.push(Block::finished(Note::new(self.look.clone(), kind, text)));
    }

    /// Says that a request is repeated after a pause.
    pub(crate) fn retry(&self, transcript: &mut Transcript, attempt: u32, most: u32, pause: Duration, why: &str) {
        transcript.push(Block::finished(Note::retry(self.look.clone(), attempt, most, pause, why)));
    }

    /// A run is over: nothing of it changes any more.
    pub(crate) fn settle(&mut self, transcript: &mut Transcript) {
        let shell = self.shell.take();
        self.finish_all(transcript);
        self.shell = shell;
    }

    /// Another session or another branch begins.
    pub(crate) fn rule(&mut self, transcript: &mut Transcript, text: &str) {
        self.finish_all(transcript);
        self.before = self.done.len();
        transcript.push(Block::finished(SessionRule::new(self.look.clone(), text)));
    }

    /// Nothing of what is open changes any more.
    pub(crate) fn finish_all(&mut self, transcript: &mut Transcript) {
        if let Some(mut answer) = self.answer.take() {
            answer.finish(transcript, &mut self.thoughts, self.width);
            self.end_changed(&answer);
        }
        for (_, call) in std::mem::take(&mut self.calls) {
            self.end_call(transcript, call);
        }
        if let Some(mut shell) = self.shell.take() {
            shell.finish(transcript);
        }
    }

    /// The block of the last tool call.
    pub(crate) fn last_tool(&self) -> Option<BlockId> {
        self.calls.values().map(Call::block).chain(self.done.iter().skip(self.before).map(Call::block)).max()
    }

    /// Shows the output of tools in full from now on, or folds it; in the pager also what is above.
    pub(crate) fn expand_tools(&mut self, transcript: &mut Transcript, expands: bool) {
        self.expands = expands;
        self.expand_own(expands);
        for call in self.calls.values_mut().chain(&mut self.ending) {
            call.expand(expands);
        }
        if let Some(shell) = &mut self.shell {
            shell.expand(expands);
        }
        for call in &mut self.done {
            call.expand(expands);
            call.reshape(transcript, &self.look);
        }
        for fold in &mut self.folds {
            fold.show(transcript, expands);
        }
    }

    /// Unfolds a block, or folds it: a tool call, thinking, or something else that does; whether it is one of these.
    pub(crate) fn toggle(&mut self, transcript: &mut Transcript, block: BlockId) -> bool {
        if let Some(call) = self.calls.values_mut().find(|call| call.block() == block) {
            call.expand(!call.is_expanded());
            return true;
        }
        if let Some(shell) = self.shell.as_mut().filter(|shell| shell.block() == block) {
            shell.expand(!shell.is_expanded());
            return true;
        }
        if let Some(call) = self.done.iter_mut().find(|call| call.block() == block) {
            call.expand(!call.is_expanded());
            call.reshape(transcript, &self.look);
            return true;
        }
        if let Some(fold) = self.folds.iter_mut().find(|fold| fold.block == block) {
            fold.show(transcript, !fold.is_expanded);
            return true;
        }
        if self.toggle_own(block) {
            return true;
        }
        self.thoughts.toggle(transcript, block)
    }

    /// Extensions need keep nothing of what is shown any more.
    pub(crate) fn forget_drawn(&mut self) {
        self.done.iter_mut().for_each(Call::forget);
        self.forget_own();
        self.drawn.clear();
    }
}

impl Folded {
    fn show(&mut self, transcript: &mut Transcript, expanded: bool) {
        self.is_expanded = expanded;
        transcript.reshape(self.block, vec![(self.content)(expanded)]);
    }
}

/// What stands in a message, as text.
pub(crate) fn text_of(content: &MessageContent) -> String {
    text(content, true)
}

/// The text of a message, whose images are shown.
fn text_without_images(content: &MessageContent) -> String {
    text(content, false)
}

fn text(content: &MessageContent, names_images: bool) -> String {
    match content {
        MessageContent::Text(text) => text.clone(),
        MessageContent::Blocks(blocks) => {
            let mut text = String::new();
            for block in blocks {
                match block {
                    tau_ai::ContentBlock::Text(block) => text.push_str(&block.text),
                    tau_ai::ContentBlock::Image(image) if names_images => {
                        text.push_str(if text.is_empty() { "" } else { "\n" });
                        text.push_str(&format!("[Image: {}]", image.mime_type));
                    }
                    _ => {}
                }
            }
            text
        }
    }
}
