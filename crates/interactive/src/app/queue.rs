//! Prompts that wait for the model, one by one.

use tau_agent::Prompt;
use tau_hooks::QueuedTexts;
use tau_hooks::payload::StreamingBehavior;
use tau_tui::queue::{Kind, Queued};

use super::App;
use crate::dialogs::{Entry, QueuePanel};

impl App {
    /// Shows the queued prompts.
    pub(super) fn open_queue(&mut self) {
        let queued = self.session.as_ref().map(|session| session.queued_texts()).unwrap_or_default();
        let messages = list(&queued.steering, &queued.follow_up);
        if messages.is_empty() {
            return self.status("No queued messages");
        }
        self.panels.open(Entry::own(QueuePanel::new(messages)), false);
        self.screen.changed_by_key();
    }

    /// Other prompts are queued now.
    pub(super) fn queue_changed(&mut self, steering: Vec<String>, follow_up: Vec<String>) {
        for text in self.panels.queued(&list(&steering, &follow_up)) {
            self.editor.give_back(&text);
            self.edited();
            self.status("The prompt was sent meanwhile: your change to it is in the editor");
        }
        self.dock.queued(steering, follow_up);
    }

    /// Changes what is queued. A text that was changed is sent like any other, so that extensions see it, and goes last.
    pub(super) fn arrange_queue(&mut self, known: &[Queued], wanted: &[Queued]) {
        let Some(session) = &self.session else { return };
        session.arrange_queue(&texts(known), &texts(wanted));
        let mut left = known.to_vec();
        let mut changed = Vec::new();
        for queued in wanted {
            match left.iter().position(|other| other == queued) {
                Some(at) => {
                    left.remove(at);
                }
                None => changed.push(queued),
            }
        }
        for queued in changed {
            let behavior = match queued.kind {
                Kind::Steer => StreamingBehavior::Steer,
                Kind::FollowUp => StreamingBehavior::FollowUp,
            };
            self.send(Prompt::new(queued.text.clone()), behavior, false);
        }
    }
}

fn list(steering: &[String], follow_up: &[String]) -> Vec<Queued> {
    let of = |kind, texts: &[String]| texts.iter().map(move |text| Queued { kind, text: text.clone() }).collect();
    let (mut steering, follow_up): (Vec<_>, Vec<_>) = (of(Kind::Steer, steering), of(Kind::FollowUp, follow_up));
    steering.extend(follow_up);
    steering
}

fn texts(messages: &[Queued]) -> QueuedTexts {
    let of = |kind| messages.iter().filter(|queued| queued.kind == kind).map(|queued| queued.text.clone()).collect();
    QueuedTexts { steering: of(Kind::Steer), follow_up: of(Kind::FollowUp) }
}
