//! What happens in a session, as blocks of the transcript.

mod answer;
mod calls;
mod history;
mod replaced;
mod shell;
mod skill;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tau_agent::settings::Environment;
use tau_ai::{AssistantMessage, Message, MessageContent, StopReason};
use tau_hooks::Hooks;
use tau_hooks::payload::CompactionDone;
use tau_tui::blocks::{Custom, EndNote, Note, NoteKind, Places, SessionRule, Skill, Summary, SummaryKind, User};
use tau_tui::look::SharedLook;
use tau_tui::screen::{Block, BlockId, Content, Transcript};

use self::answer::Answer;
use self::calls::Call;
pub(crate) use self::calls::CallEnd;
use self::shell::Shell;
pub(crate) use self::skill::UsedSkill;

/// How often a block that tells how long something takes is made anew.
const TICK: Duration = Duration::from_secs(1);

/// What a block shows when it is expanded, and when it is not.
type Fold = Box<dyn Fn(bool) -> Box<dyn Content> + Send>;

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
    /// Other blocks that show more when they are expanded.
    folds: Vec<(BlockId, Fold)>,
    shell: Option<Shell>,
    hides_thinking: bool,
    /// What stands for thinking that is hidden.
    label: String,
    expands: bool,
    expand_key: String,
    retries: u32,
    ticked: Instant,
}

impl Chat {
    pub(crate) fn new(look: SharedLook, env: &Environment) -> Self {
        let path = |path: &std::path::Path| Some(path.display().to_string());
        Self {
            look,
            places: Places { cwd: path(&env.cwd), home: path(&env.home) },
            answer: None,
            begun: None,
            calls: HashMap::new(),
            done: Vec::new(),
            folds: Vec::new(),
            shell: None,
            hides_thinking: false,
            label: "Thinking...".to_owned(),
            expands: false,
            expand_key: String::new(),
            retries: 0,
            ticked: Instant::now(),
        }
    }

    /// The name of the key that expands the output of tools.
    pub(crate) fn set_expand_key(&mut self, key: String) {
        self.expand_key = key;
    }

    pub(crate) fn hides_thinking(&self) -> bool {
        self.hides_thinking
    }

    /// Hides thinking from now on, or shows it.
    pub(crate) fn hide_thinking(&mut self, hides: bool) {
        self.hides_thinking = hides;
    }

    /// What stands for thinking that is hidden from now on.
    pub(crate) fn set_thinking_label(&mut self, label: Option<String>) {
        self.label = label.unwrap_or_else(|| "Thinking...".to_owned());
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
        self.shell.is_some() || self.calls.values().any(Call::runs)
    }

    /// The size of the screen has changed.
    pub(crate) fn resized(&mut self) {
        if let Some(answer) = &mut self.answer {
            answer.is_dirty = true;
        }
    }

    /// Brings the blocks up to date. Called for each frame, not for each event.
    pub(crate) fn update(&mut self, transcript: &mut Transcript, width: usize) {
        let ticks = self.ticked.elapsed() >= TICK;
        if ticks {
            self.ticked = Instant::now();
        }
        if let Some(answer) = &mut self.answer {
            answer.update(transcript, width);
        }
        for call in self.calls.values_mut() {
            call.update(transcript, &self.look, ticks);
        }
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
            Message::User(user) => self.show_prompt(transcript, &text_of(&user.content)),
            Message::Custom(custom) if custom.display => {
                let text = text_of(&custom.content);
                let content = Custom::new(self.look.clone(), &custom.custom_type, &text);
                transcript.push(Block::finished(content).labelled(&custom.custom_type));
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
    fn show_prompt(&mut self, transcript: &mut Transcript, text: &str) {
        let Some(skill) = UsedSkill::of(text) else {
            transcript.push(Block::finished(User::new(self.look.clone(), text)).prompt().labelled("You"));
            return;
        };
        let (look, key) = (self.look.clone(), self.expand_key.clone());
        let (name, body) = (skill.name.to_owned(), skill.body.to_owned());
        let content = move |expanded| Skill::new(look.clone(), &name, &body, expanded, &key);
        self.push_fold(transcript, |block| block.prompt().labelled("You"), self.expands, content);
        if !skill.prompt.is_empty() {
            transcript.push(Block::finished(User::new(self.look.clone(), skill.prompt)).labelled("You"));
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

    /// Adds a finished block that the pager can expand.
    pub(crate) fn push_fold<C: Content + 'static>(
        &mut self,
        transcript: &mut Transcript,
        finish: impl FnOnce(Block) -> Block,
        expanded: bool,
        content: impl Fn(bool) -> C + Send + 'static,
    ) {
        let id = transcript.push(finish(Block::finished(content(expanded))));
        self.folds.push((id, Box::new(move |expanded| Box::new(content(expanded)))));
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
            open.finish(transcript, width);
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
        self.done.clear();
        transcript.push(Block::finished(SessionRule::new(self.look.clone(), text)));
    }

    /// Nothing of what is open changes any more.
    pub(crate) fn finish_all(&mut self, transcript: &mut Transcript) {
        if let Some(mut answer) = self.answer.take() {
            answer.finish(transcript, 80);
        }
        for (_, mut call) in std::mem::take(&mut self.calls) {
            call.finish(transcript, &self.look);
            self.done.push(call);
        }
        if let Some(mut shell) = self.shell.take() {
            shell.finish(transcript);
        }
    }

    /// The block of the last tool call.
    pub(crate) fn last_tool(&self) -> Option<BlockId> {
        self.calls.values().map(Call::block).chain(self.done.iter().map(Call::block)).max()
    }

    /// Shows the output of tools in full from now on, or folds it; in the pager also what is above.
    pub(crate) fn expand_tools(&mut self, transcript: &mut Transcript, expands: bool) {
        self.expands = expands;
        for call in self.calls.values_mut() {
            call.expand(expands);
        }
        for call in &mut self.done {
            call.expand(expands);
            call.reshape(transcript, &self.look);
        }
        for (block, content) in &self.folds {
            transcript.reshape(*block, vec![content(expands)]);
        }
    }
}

/// What stands in a message, as text.
pub(crate) fn text_of(content: &MessageContent) -> String {
    match content {
        MessageContent::Text(text) => text.clone(),
        MessageContent::Blocks(blocks) => {
            let mut text = String::new();
            for block in blocks {
                match block {
                    tau_ai::ContentBlock::Text(block) => text.push_str(&block.text),
                    tau_ai::ContentBlock::Image(image) => {
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
