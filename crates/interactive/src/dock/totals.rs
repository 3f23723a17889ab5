//! Tokens and money for the footer.

use tau_agent::{AgentSession, Tally, context_usage};
use tau_tui::blocks::{Context, Totals};

/// What the footer says about tokens, counted only when something has changed.
#[derive(Default)]
pub(super) struct Counted {
    tally: Tally,
    totals: Option<Totals>,
    context: Option<(Place, Context)>,
    /// A subscription pays for the model.
    is_subscription: bool,
    /// The model that answered last, where the chosen one is a name for others.
    routed: Option<String>,
    /// How many messages there were when the model was chosen.
    chosen_at: usize,
    /// What is known of the context holds no more.
    is_stale: bool,
}

/// What the size of the context depends on.
#[derive(PartialEq)]
struct Place {
    session: String,
    leaf: Option<String>,
    messages: usize,
    provider: String,
    model: String,
    window: u64,
}

impl Counted {
    /// The totals have to be counted again.
    pub(super) fn forget(&mut self) {
        self.totals = None;
    }

    /// Who pays has to be looked at again.
    pub(super) fn forget_login(&mut self) {
        (self.totals, self.is_stale) = (None, true);
    }

    /// What the session has cost so far.
    pub(super) fn totals(&mut self, session: &AgentSession) -> Totals {
        let totals = *self.totals.get_or_insert_with(|| totals(session, &mut self.tally));
        Totals { subscription: self.is_subscription, ..totals }
    }

    /// The model that answered last, where the chosen one is a name for others.
    pub(super) fn routed(&self) -> Option<String> {
        self.routed.clone()
    }

    /// How full the context is.
    pub(super) fn context(&mut self, session: &AgentSession) -> Context {
        let auto_compact = session.compacts_by_itself();
        let Some(model) = session.model() else {
            return Context { percent: Some(0.0), window: 0, auto_compact };
        };
        let (open, history) = (session.session(), session.history());
        let place = Place {
            session: open.id().to_owned(),
            leaf: open.leaf().map(|leaf| leaf.to_string()),
            messages: history.len(),
            provider: model.provider.to_string(),
            model: model.id.clone(),
            window: model.context_window,
        };
        let is_stale = std::mem::take(&mut self.is_stale);
        if let Some((_, known)) = self.context.as_ref().filter(|(known, _)| !is_stale && *known == place) {
            return Context { auto_compact, ..*known };
        }
        let is_same = |known: &Place| known.provider == place.provider && known.model == place.model;
        if !self.context.as_ref().is_some_and(|(known, _)| is_same(known)) {
            self.chosen_at = place.messages;
        }
        self.is_subscription = session.models().uses_login(&model.provider);
        let answers = model.is_virtual() && place.messages > self.chosen_at;
        let last = session.last_answer().filter(|_| answers);
        let answering = last.and_then(|message| Some(message.as_assistant()?.model.clone()));
        // A request that reached no other model has the name of the chosen one.
        self.routed = answering.filter(|answering| *answering != model.id);
        let usage = context_usage(&history, &open, &model);
        let context = Context { percent: usage.percent, window: usage.context_window, auto_compact };
        self.context = Some((place, context));
        context
    }
}

fn totals(session: &AgentSession, tally: &mut Tally) -> Totals {
    let stats = tally.of(session);
    let last = session.last_answer();
    let usage = last.as_deref().and_then(|message| message.as_assistant()).map(|answer| &answer.usage);
    let hit_rate = usage.and_then(|usage| {
        let sent = usage.prompt();
        (sent > 0).then(|| usage.cache_read as f64 * 100.0 / sent as f64)
    });
    Totals {
        input: stats.tokens.input,
        output: stats.tokens.output,
        cache_read: stats.tokens.cache_read,
        cache_write: stats.tokens.cache_write,
        hit_rate,
        cost: stats.cost,
        subscription: false,
    }
}
