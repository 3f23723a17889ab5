//! What happens in the session, and what tasks say.

use std::time::Duration;

use tau_agent::SessionEvent;
use tau_ai::{AssistantMessage, StopReason};
use tau_hooks::payload::CompactReason;
use tau_launch::Notice;
use tau_tui::terminal::say::{self, State};

use super::App;
use crate::chat::{CallEnd, Painting, UsedSkill};
use crate::dock::Work;
use crate::paths::short_owner;
use crate::screen::Mode;
use crate::told::Told;

/// How many prompts of it the editor goes through.
const PROMPTS: usize = 100;

impl App {
    /// Takes a message.
    pub(super) fn told(&mut self, told: Told) {
        self.screen.changed();
        match told {
            Told::Session(event) => self.happened(*event),
            Told::Notice(Notice::Error(text)) => self.error(&text),
            Told::Notice(Notice::Warning(text)) => self.warn(&text),
            Told::Notice(Notice::Note(text)) => self.note(&text),
            Told::Stray(line) => self.stray(&line),
            Told::Ask(question) => self.ask(question),
            Told::Submitted { number, done } => {
                self.submitted(number, done);
                self.refresh_status_line();
            }
            Told::LateList(number) => self.list_is_late(number),
            Told::Bash(done) => {
                self.chat.end_bash(&mut self.screen.transcript, done.as_deref().ok());
                self.screen.reassert_if_changed();
                if let Err(why) = done {
                    self.error(&why);
                }
            }
            Told::Settings => self.settings_changed(),
            Told::Keys { bindings, problems } => self.keys_are(*bindings, problems),
            Told::Models => self.models_changed(),
            Told::Changed => {}
            Told::Suggested => self.suggested(),
            Told::Mount(id, mounting) => self.mounting(id, mounting),
            Told::Heard(heard, asked) => self.heard(heard, asked),
            Told::ShortcutBegan => self.shortcut_began(),
            Told::NotAgain => self.not_again(),
            Told::Painting(painting) => self.painting(painting),
            Told::Provider(provider) => {
                self.completing.set_provider(provider);
                self.facts.is_stale = true;
                self.screen.changed();
            }
            Told::Branch(branch) => {
                self.dock.set_branch(branch);
                self.facts.is_stale = true;
                self.refresh_status_line();
            }
            Told::Preview { id, diff } => self.chat.call_preview(&id, diff),
            Told::StatusLine(said) => self.status_line_said(said),
            Told::Kept(kept) => self.restore_kept(*kept),
            Told::Tmux(answer) => self.tmux_answered(&answer),
            Told::Picture(image) => self.chat.picture_is_settled(&mut self.screen.transcript, &image),
            Told::Pasted(text) => self.pasted(&text),
            Told::Idle => {}
            Told::Done(said) => {
                self.said(said);
                self.refresh_status_line();
            }
        }
    }

    /// A line that somebody wrote to standard error: it is for the log. Notifications are for the terminal.
    fn stray(&mut self, line: &str) {
        if say::is_notification(line) {
            self.screen.terminal.writer().commit(line)
        } else {
            tracing::warn!(target: "tau::stray", "{line}")
        }
    }

    /// Something happened in the session.
    fn happened(&mut self, event: SessionEvent) {
        let width = self.screen.width();
        let is_running = self.is_running();
        if !matches!(event, SessionEvent::MessageUpdate { .. }) {
            self.mounts.redraw_all();
        }
        if matches!(event, SessionEvent::MessageStart { .. }) {
            self.settle_header();
        }
        let transcript = &mut self.screen.transcript;
        match event {
            SessionEvent::Session { .. } => self.another_session(),
            SessionEvent::AgentStart => {
                self.dock.work = Some(Work::Running);
                self.sent.begins_run = false;
                self.doing.ended(State::Done, "");
            }
            SessionEvent::TurnStart => {}
            SessionEvent::MessageStart { message } => {
                if message.as_assistant().is_some() {
                    // From here on the prompt is answered.
                    self.sent.begins_answer();
                }
                self.chat.message_start(transcript, &message);
            }
            SessionEvent::MessageUpdate(update) => {
                self.sent.unanswered = None;
                self.chat.message_update(transcript, &update, width);
            }
            SessionEvent::MessageEnd { message } => {
                let is_answer =
                    |answer: &AssistantMessage| !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
                if message.as_assistant().is_some_and(is_answer) {
                    self.sent.unanswered = None;
                }
                self.chat.message_end(transcript, &message, width, &self.hooks);
                self.preview_edits(&message);
                self.dock.forget_totals();
                self.refresh_status_line();
            }
            SessionEvent::ToolExecutionStart { tool_call_id, parent_tool_call_id: None, tool_name, args } => {
                self.chat.call_start(transcript, &tool_call_id, &tool_name, &args);
                self.used_file(&args);
            }
            SessionEvent::ToolExecutionUpdate { tool_call_id, parent_tool_call_id: None, partial_result, .. } => {
                self.chat.call_update(&tool_call_id, &partial_result);
            }
            SessionEvent::ToolExecutionEnd {
                tool_call_id,
                parent_tool_call_id: None,
                result,
                is_error,
                duration_ms,
                ..
            } => {
                let duration = duration_ms.map(Duration::from_millis);
                let end = CallEnd { id: &tool_call_id, result: &result, is_error, duration };
                self.chat.call_end(transcript, end, &self.hooks);
                self.screen.reassert_if_changed();
            }
            // Calls that tools make have no blocks of their own.
            SessionEvent::ToolExecutionStart { .. }
            | SessionEvent::ToolExecutionUpdate { .. }
            | SessionEvent::ToolExecutionEnd { .. } => {}
            SessionEvent::TurnEnd { .. } => {}
            SessionEvent::AgentEnd { will_retry, .. } => {
                if !will_retry {
                    self.dock.work = None;
                    self.explain();
                }
            }
            SessionEvent::AgentSettled { aborted } => self.settled(aborted),
            SessionEvent::QueueUpdate { steering, follow_up } => self.queue_changed(steering, follow_up),
            SessionEvent::CompactionStart { reason } => self.dock.work = Some(Work::Compacting(reason)),
            SessionEvent::CompactionEnd { reason, result, aborted, error_message, .. } => {
                // One that was asked for is in no run, though the session is busy until all have heard of its end.
                let continues = is_running && reason != CompactReason::Manual;
                self.dock.work = continues.then_some(Work::Running);
                match (result, error_message) {
                    (Some(done), _) => self.chat.compacted(transcript, &done),
                    (None, _) if aborted => self.status("Compaction cancelled"),
                    // The command says it itself.
                    (None, Some(_)) if reason == CompactReason::Manual && self.sent.has("/compact") => {}
                    (None, Some(why)) => self.error(&format!("the conversation could not be compacted: {why}")),
                    (None, None) => {}
                }
                self.dock.forget_totals();
            }
            SessionEvent::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
                self.chat.retried(attempt);
                let pause = Duration::from_millis(delay_ms);
                self.chat.retry(transcript, attempt, max_attempts, pause, &error_message);
                self.dock.work =
                    Some(Work::Retrying { attempt, max_attempts, until: std::time::Instant::now() + pause });
            }
            SessionEvent::AutoRetryEnd { success, attempt, final_error } => {
                self.dock.work = is_running.then_some(Work::Running);
                if success {
                    self.chat.retried(0);
                } else if let Some(why) = final_error {
                    self.error(&format!("Retry failed after {attempt} attempts: {why}"));
                }
            }
            SessionEvent::TtsrTriggered { rules } => {
                let names: Vec<String> = rules.iter().map(|rule| rule.name.clone()).collect();
                self.note(&format!("Interrupted by the rule {}", names.join(", ")));
            }
            SessionEvent::TodoReminder { attempt, max_attempts, .. } => {
                self.note(&format!("Reminded of open items ({attempt}/{max_attempts})"));
            }
            SessionEvent::SummarizationRetryScheduled { attempt, max_attempts, delay_ms, error_message } => {
                let pause = Duration::from_millis(delay_ms);
                self.chat.retry(transcript, attempt, max_attempts, pause, &error_message);
            }
            SessionEvent::SummarizationRetryAttemptStart { .. } | SessionEvent::SummarizationRetryFinished => {}
            SessionEvent::BashExecutionUpdate { delta, .. } => self.chat.bash_output(&delta),
            SessionEvent::EntryAppended { entry } => {
                self.chat.show_entry(transcript, &entry);
                // What was spent beside the conversation is in the sums.
                if entry["type"] == "usage" {
                    self.refresh_status_line();
                }
            }
            SessionEvent::SessionInfoChanged { .. } => {
                self.set_title();
                self.refresh_status_line();
            }
            SessionEvent::ThinkingLevelChanged { .. } => self.refresh_status_line(),
        }
    }

    /// Something about what extensions draw of the conversation.
    fn painting(&mut self, painting: Painting) {
        if let Some((owner, error)) = self.chat.painting(&mut self.screen.transcript, painting) {
            self.error(&format!("{}: its renderer failed: {error}", short_owner(&owner)));
        }
    }

    fn is_running(&self) -> bool {
        self.session.as_ref().is_some_and(|session| !session.is_idle())
    }

    /// A run is over and nothing follows.
    fn settled(&mut self, aborted: bool) {
        self.dock.work = None;
        self.chat.settle(&mut self.screen.transcript);
        if aborted {
            self.doing.ended(State::Idle, "");
        }
        // A prompt comes back that was stopped, or whose run failed, before anything was answered.
        if let Some(text) = self.sent.unanswered.take() {
            self.editor.give_back(&text);
            self.edited();
        }
        self.dock.forget_totals();
        self.refresh_status_line();
        self.ring();
        self.send_next();
    }

    /// Says why the request failed that a run ended with, and what to do next.
    fn explain(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let answer = session.last_answer();
        let Some(answer) = answer.as_deref().and_then(|message| message.as_assistant()) else { return };
        if answer.stop_reason != StopReason::Error {
            return;
        }
        let why = session.explain_failure(answer).or_else(|| answer.error_message.clone());
        let why = why.unwrap_or_else(|| "the request failed".to_owned());
        self.doing.ended(State::Error, &why);
        self.error(&why);
        // The prompt is not lost: it can be sent again.
        if let Some(text) = self.sent.unanswered.take() {
            self.editor.give_back(&text);
            self.edited();
        }
    }

    /// Another session is open now.
    fn another_session(&mut self) {
        if !self.dock.is_ready {
            return;
        }
        self.panels.close_own();
        self.preview_theme(None);
        self.dock.reset();
        self.take_away_all(None);
        self.chat.forget_drawn();
        self.listening.clear();
        self.progress_of.clear();
        self.follow_folder();
        self.commands_changed();
        let is_new = self.session.as_ref().is_some_and(|session| session.history().is_empty());
        self.redraw_history(if is_new { "New session" } else { "Another session" });
    }

    /// Shows the conversation from the beginning, under a rule.
    pub(super) fn redraw_history(&mut self, title: &str) {
        self.chat.rule(&mut self.screen.transcript, title);
        self.show_history();
    }

    /// Shows the conversation of the session that is open.
    pub(super) fn show_history(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let history = session.history();
        let from = self.screen.transcript.len();
        let entries = session.session();
        let timestamp = |id: &str| entries.entry(id).map(|entry| entry.timestamp().to_owned());
        self.chat.show_history(&mut self.screen.transcript, &history, timestamp);
        if self.screen.mode() == Mode::Regular {
            let width = self.screen.size().columns;
            let pager = self.keys.key_of("tui.altScreen.top").unwrap_or_default();
            self.chat.begin_with_last(&mut self.screen.transcript, from, width, &pager);
        }
        self.used_files_of(&history);
        let newest = history.iter().rev().filter_map(|message| match message {
            tau_ai::Message::User(user) => {
                let text = user.content.text();
                Some(UsedSkill::of(&text).map_or_else(|| text.trim().to_owned(), |skill| skill.typed()))
            }
            _ => None,
        });
        let newest: Vec<String> = newest.take(PROMPTS).collect();
        newest.iter().rev().for_each(|prompt| self.editor.model.add_to_history(prompt));
        self.dock.forget_totals();
        // An extension may have named the window when the session began.
        if self.title_of.is_none() {
            self.set_title();
        }
    }
}
