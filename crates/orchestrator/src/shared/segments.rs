//! Texts that modules put behind the system prompt of a run, in an order that keeps the provider's cache of the beginning warm:
//! what seldom changes stands before what changes often, whichever module loads first.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tau_hooks::events::BeforeAgentStart;
use tau_hooks::payload::{BeforeAgentStartEvent, BeforeAgentStartResult};
use tau_hooks::{BoxFuture, Ctx, HandlerError, Registrar, Report};

/// How often a text changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stability {
    /// With files, tools or settings.
    Stable,
    /// From prompt to prompt.
    Volatile,
}

/// Makes the text for a run; nothing when there is none.
type MakeText =
    dyn Fn(Arc<BeforeAgentStartEvent>, Ctx) -> BoxFuture<Result<Option<String>, HandlerError>> + Send + Sync;

/// A text of one module.
struct Segment {
    stability: Stability,
    text: Box<MakeText>,
}

/// The texts of a session, in the order in which their modules are called. Each lives as long as its module is loaded.
#[derive(Default)]
struct Segments(Mutex<Vec<Weak<Segment>>>);

/// Adds a text to the system prompt of every run. It stands behind those of earlier modules; a volatile one also behind the
/// stable ones of later modules.
///
/// # Errors
/// When the session is gone.
pub fn append<F, Fut>(registrar: &mut Registrar, stability: Stability, text: F) -> Result<(), HandlerError>
where
    F: Fn(Arc<BeforeAgentStartEvent>, Ctx) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Option<String>, HandlerError>> + Send + 'static,
{
    let all = registrar.api().shared::<Segments>()?;
    let own = Arc::new(Segment { stability, text: Box::new(move |event, ctx| Box::pin(text(event, ctx))) });
    all.0.lock().push(Arc::downgrade(&own));
    registrar.on::<BeforeAgentStart>(move |event, ctx: Ctx| {
        let due = all.due(&own);
        async move { added(due, event, ctx).await }
    });
    Ok(())
}

impl Segments {
    /// What stands in the prompt where this text is asked for: a volatile one waits for the last stable one.
    fn due(&self, own: &Arc<Segment>) -> Vec<Arc<Segment>> {
        let mut all = self.0.lock();
        all.retain(|segment| segment.strong_count() > 0);
        let all: Vec<Arc<Segment>> = all.iter().filter_map(Weak::upgrade).collect();
        let place = all.iter().position(|segment| Arc::ptr_eq(segment, own));
        let last_stable = all.iter().rposition(|segment| segment.stability == Stability::Stable);
        match own.stability {
            Stability::Volatile if place < last_stable => Vec::new(),
            Stability::Stable if place == last_stable => {
                let waiting = all.iter().take(place.unwrap_or_default());
                let waiting = waiting.filter(|segment| segment.stability == Stability::Volatile);
                std::iter::once(own).chain(waiting).cloned().collect()
            }
            Stability::Volatile | Stability::Stable => vec![Arc::clone(own)],
        }
    }
}

/// The texts, one behind the other. One that fails is reported, and the others stand.
async fn added(
    due: Vec<Arc<Segment>>,
    event: BeforeAgentStartEvent,
    ctx: Ctx,
) -> Result<Option<BeforeAgentStartResult>, HandlerError> {
    let (event, api) = (Arc::new(event), ctx.api()?);
    let mut texts = Vec::new();
    for segment in due {
        match (segment.text)(Arc::clone(&event), ctx.clone()).await {
            Ok(text) => texts.extend(text),
            Err(error) => {
                let owner = Arc::clone(&ctx.owner().path);
                api.report(&Report::diagnostic(owner, "before_agent_start", error.to_string()));
            }
        }
    }
    let text = (!texts.is_empty()).then(|| texts.join("\n\n"));
    Ok(text
        .map(|text| BeforeAgentStartResult { system_prompt_append: Some(text), ..BeforeAgentStartResult::default() }))
}
